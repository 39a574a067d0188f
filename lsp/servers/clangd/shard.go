package clangd

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"

	"lspi/internal/source"
)

// The bounds of a shard that is read.
const (
	maxStrings = 16 << 20 // of its table of strings
	maxChunks  = 32
)

// hadErrors is the flag of a source that did not compile (clangd 22, Headers.h, SourceFlag).
const hadErrors = 2

var errShard = errors.New("not a shard of clangd's index")

// shardVersion is the version of the index whose form is known.
const shardVersion = 20

// Shard is one file of the index that clangd keeps beside a compilation database, with sources as URIs.
type Shard struct {
	Own      []string // that it is of
	Broken   []string // that it says did not compile
	Includes []string // that those in Own include
}

// ReadShard reads one file of the index.
//
// A shard is a RIFF file of type CdIx (clangd 22, Serialization.cpp; format 20). Its chunk meta holds the version
// in 4 bytes. Its chunk srcs has for each source a byte of flags, the number of its URI in the table of strings, 8
// bytes of a digest (zero for one that is only included), and a list of what it includes. The chunk stri is that
// table: its size, or 0 and it is not compressed, then strings that end in NUL.
func ReadShard(path string) (shard Shard, err error) {
	f, _, err := source.OpenRegular(path)
	if err != nil {
		return Shard{}, err
	}
	defer f.Close()
	chunks, err := chunksOf(f)
	if err != nil {
		return Shard{}, err
	}
	if meta := chunks["meta"]; len(meta) != 4 || binary.LittleEndian.Uint32(meta) != shardVersion {
		return Shard{}, errShard
	}
	names, err := stringTable(chunks["stri"])
	if err == nil {
		err = shard.add(chunks["srcs"], names)
	}
	if err != nil {
		return Shard{}, err
	}
	return shard, nil
}

// chunksOf reads the chunks that matter, and passes over the others.
func chunksOf(f io.ReadSeeker) (map[string][]byte, error) {
	var head [12]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return nil, err
	}
	if string(head[:4]) != "RIFF" || string(head[8:]) != "CdIx" {
		return nil, errShard
	}
	out := map[string][]byte{}
	for range maxChunks {
		var chunk [8]byte
		if _, err := io.ReadFull(f, chunk[:]); err != nil {
			return out, nil // the end
		}
		name, size := string(chunk[:4]), int64(binary.LittleEndian.Uint32(chunk[4:]))
		if name != "meta" && name != "srcs" && name != "stri" || size > maxStrings {
			if _, err := f.Seek(size+size&1, io.SeekCurrent); err != nil {
				return nil, err
			}
			continue
		}
		data := make([]byte, size+size&1)
		if _, err := io.ReadFull(f, data); err != nil {
			return nil, err
		}
		out[name] = data[:size]
	}
	return out, nil
}

// add takes the sources of a shard: those that it is of, with what they include, and those with errors.
func (s *Shard) add(data []byte, names []string) error {
	take := func(list *[]string, n uint64) {
		if n < uint64(len(names)) {
			*list = append(*list, names[n])
		}
	}
	for len(data) > 0 {
		flags := data[0]
		uri, n := binary.Uvarint(data[1:])
		if n <= 0 || len(data) < 1+n+8 {
			return errShard
		}
		own := !bytes.Equal(data[1+n:1+n+8], make([]byte, 8))
		if own {
			take(&s.Own, uri)
		}
		if flags&hadErrors != 0 {
			take(&s.Broken, uri)
		}
		data = data[1+n+8:]
		includes, n := binary.Uvarint(data)
		if n <= 0 || includes > uint64(len(data)) {
			return errShard
		}
		data = data[n:]
		for range includes {
			one, n := binary.Uvarint(data)
			if n <= 0 {
				return errShard
			}
			data = data[n:]
			if own {
				take(&s.Includes, one)
			}
		}
	}
	return nil
}

func stringTable(data []byte) ([]string, error) {
	if len(data) < 4 {
		return nil, errShard
	}
	size := binary.LittleEndian.Uint32(data)
	raw := data[4:]
	if size > 0 {
		z, err := zlib.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		if raw, err = io.ReadAll(io.LimitReader(z, maxStrings)); err != nil {
			return nil, err
		}
	}
	var out []string
	for _, name := range bytes.Split(raw, []byte{0}) {
		out = append(out, string(name))
	}
	return out, nil
}
