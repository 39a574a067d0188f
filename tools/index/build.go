package index

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/scip-code/scip/bindings/go/scip"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"lspi/contract"
	"lspi/lsp"
)

// tableVersion is raised with every change of what the table holds, so that older tables are made anew.
const tableVersion = 1

// schema has the documents as the index has them, without what no answer shows; the documents of each symbol by a hash
// of the symbol; the names of what they define; and the symbols of dependencies. A hash that two symbols share gives
// documents too many, which the documents themselves put right.
const schema = `
create table meta (key text primary key, value text) without rowid;
create table documents (id integer primary key, path text, body blob);
create index paths on documents (path);
create table uses (symbol integer primary key, documents blob);
create table names (name text, document integer, symbol text);
create table externals (symbol integer primary key, body blob);`

// posting says that a document holds a symbol, or names it in a relationship.
type posting struct {
	symbol   int64
	document int32
}

// builder makes the table of one index.
type builder struct {
	tool       string
	meta       map[string]string
	documents  int32
	posted     []posting
	doc, name  *sql.Stmt
	external   *sql.Stmt
	seen       map[int64]bool // symbols of one document
	transacted *sql.Tx
}

// errRefused is the error of an index that cannot be used as it is.
type errRefused struct{ error }

// build reads an index into a new database. The error of an index that is refused is kept in the table, so that the
// next call does not read all of it again.
func build(ctx context.Context, f *os.File, into string) (err error) {
	db, err := sql.Open("sqlite", "file:"+uriPath(into)+"?_pragma=journal_mode(off)&_pragma=synchronous(off)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	b := &builder{transacted: tx, meta: map[string]string{}, seen: map[int64]bool{}}
	err = b.read(ctx, f)
	var refused errRefused
	if errors.As(err, &refused) {
		b.meta["refused"], err = refused.Error(), nil
	}
	if err == nil {
		err = b.finish()
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// read fills the tables that follow the order of the index.
func (b *builder) read(ctx context.Context, f *os.File) (err error) {
	if err := checkParts(f); err != nil {
		return errRefused{fmt.Errorf("%s is no SCIP index: %w", filepath.Base(f.Name()), err)}
	}
	for statement, text := range map[**sql.Stmt]string{
		&b.doc:      "insert into documents values (?, ?, ?)",
		&b.name:     "insert into names values (?, ?, ?)",
		&b.external: "insert or replace into externals values (?, ?)",
	} {
		if *statement, err = b.transacted.Prepare(text); err != nil {
			return err
		}
	}
	visitor := scip.IndexVisitor{VisitMetadata: b.metadata, VisitDocument: b.document,
		VisitExternalSymbol: b.externalSymbol}
	err = visitor.ParseStreaming(ctx, bufio.NewReaderSize(f, 1<<20))
	var refused errRefused
	if err != nil && ctx.Err() == nil && !errors.As(err, &refused) {
		return errRefused{fmt.Errorf("%s is no SCIP index: %w", filepath.Base(f.Name()), err)}
	}
	return err
}

// maxElements bounds the elements of one part of an index, such as a document: an empty one takes two bytes of the file
// and two hundred of memory. A document has two for each occurrence.
const maxElements = 2 << 20

// checkParts looks at the parts of an index before the bindings make room for them: one that claims to be longer than
// the file, or is of nothing but empty elements, would take all memory.
func checkParts(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	head := make([]byte, 1+binary.MaxVarintLen64)
	var part []byte
	for at := int64(0); at < info.Size(); {
		n, err := f.ReadAt(head, at)
		if err != nil && err != io.EOF {
			return err
		}
		number, kind, tag := protowire.ConsumeTag(head[:n])
		field := (&scip.Index{}).ProtoReflect().Descriptor().Fields().ByNumber(number)
		if tag != 1 || kind != protowire.BytesType || field == nil {
			return fmt.Errorf("an unknown field at byte %d", at)
		}
		length, size := protowire.ConsumeVarint(head[1:n])
		left := info.Size() - at - 1 - int64(size)
		if size < 0 || left < 0 || length > uint64(left) {
			return fmt.Errorf("it ends before its part at byte %d does", at)
		}
		part = slices.Grow(part[:0], int(length))[:length]
		if _, err := f.ReadAt(part, at+1+int64(size)); err != nil && err != io.EOF {
			return err
		}
		if elements(part, field.Message()) > maxElements {
			return fmt.Errorf("its part at byte %d has more than %d elements", at, maxElements)
		}
		at += 1 + int64(size) + int64(length)
	}
	return nil
}

// elements counts the messages and the members of lists in a message; what is broken counts as far as it is whole.
func elements(raw []byte, of protoreflect.MessageDescriptor) (n int) {
	fields := of.Fields()
	for len(raw) > 0 && n <= maxElements {
		number, kind, tag := protowire.ConsumeTag(raw)
		if tag < 0 {
			break
		}
		size := protowire.ConsumeFieldValue(number, kind, raw[tag:])
		if size < 0 {
			break
		}
		if field := fields.ByNumber(number); field != nil && (field.IsList() || field.Message() != nil) {
			n++
			if field.Message() != nil && kind == protowire.BytesType {
				value, _ := protowire.ConsumeBytes(raw[tag:])
				n += elements(value, field.Message())
			}
		}
		raw = raw[tag+size:]
	}
	return n
}

func (b *builder) metadata(_ context.Context, m *scip.Metadata) error {
	tool := m.GetToolInfo()
	b.tool = shown(tool.GetName())
	b.meta["tool"], b.meta["version"] = b.tool, shown(tool.GetVersion())
	b.meta["arguments"] = strings.Join(tool.GetArguments(), "\n")
	return nil
}

// maxShown bounds a text of the index that messages show, in bytes.
const maxShown = 100

// shown is a text of whoever made the index, for a message.
func shown(text string) string { return lsp.Cut(contract.OneLine(text), maxShown) }

// document enters one document.
func (b *builder) document(ctx context.Context, d *scip.Document) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// Paths lead nowhere else than below the root, whoever wrote them.
	if p := d.RelativePath; p == "" || path.IsAbs(p) || path.Clean(p) != p || strings.HasPrefix(p, "..") ||
		strings.ContainsAny(p, "\\\x00") || !filepath.IsLocal(filepath.FromSlash(p)) {
		return nil
	}
	if _, ok := encodingOf(b.tool, d.PositionEncoding); !ok {
		return errRefused{fmt.Errorf(
			"the index of %s does not say in which units it counts columns (position_encoding of %s)",
			b.toolName(), shown(d.RelativePath))}
	}
	b.documents++
	clear(b.seen)
	defined := map[string]bool{}
	for _, o := range d.Occurrences {
		if r, ok := o.SourceRange(); !ok || r.Validate() != nil {
			return errRefused{fmt.Errorf("the index of %s has places without a range (in %s)", b.toolName(), shown(d.RelativePath))}
		}
		o.Diagnostics, o.OverrideDocumentation = nil, nil
		if scip.IsGlobalSymbol(o.Symbol) {
			b.post(o.Symbol)
			if scip.SymbolRole_Definition.Matches(o) {
				defined[o.Symbol] = true
			}
		}
	}
	displayed := map[string]string{}
	for _, s := range d.Symbols {
		displayed[s.Symbol] = s.DisplayName
		for _, r := range s.Relationships {
			b.post(r.Symbol)
			if r.IsImplementation {
				b.meta["relates"] = "yes"
			}
		}
	}
	for symbol := range defined {
		n := NameOf(symbol, displayed[symbol])
		if n.Bare == "" || n.parameter {
			continue
		}
		if _, err := b.name.ExecContext(ctx, n.Bare, b.documents, symbol); err != nil {
			return err
		}
	}
	d.Text = ""
	body, err := proto.Marshal(d)
	if err != nil {
		return err
	}
	_, err = b.doc.ExecContext(ctx, b.documents, d.RelativePath, body)
	return err
}

func (b *builder) toolName() string {
	if b.tool == "" {
		return "an unnamed tool"
	}
	return b.tool
}

// post enters that the current document holds a symbol.
func (b *builder) post(symbol string) {
	if h := hash(symbol); !b.seen[h] {
		b.seen[h] = true
		b.posted = append(b.posted, posting{h, b.documents})
	}
}

func (b *builder) externalSymbol(ctx context.Context, s *scip.SymbolInformation) error {
	body, err := proto.Marshal(s)
	if err == nil {
		_, err = b.external.ExecContext(ctx, hash(s.Symbol), body)
	}
	return err
}

// finish writes what is sorted: the documents of each symbol.
func (b *builder) finish() error {
	slices.SortFunc(b.posted, func(x, y posting) int {
		if x.symbol != y.symbol {
			return compare(x.symbol, y.symbol)
		}
		return compare(x.document, y.document)
	})
	uses, err := b.transacted.Prepare("insert into uses values (?, ?)")
	if err != nil {
		return err
	}
	for i := 0; i < len(b.posted); {
		symbol, last := b.posted[i].symbol, int32(0)
		var packed []byte
		for ; i < len(b.posted) && b.posted[i].symbol == symbol; i++ {
			packed = binary.AppendUvarint(packed, uint64(b.posted[i].document-last))
			last = b.posted[i].document
		}
		if _, err := uses.Exec(symbol, packed); err != nil {
			return err
		}
	}
	if _, err := b.transacted.Exec("create index by_name on names (name)"); err != nil {
		return err
	}
	b.meta["documents"] = strconv.Itoa(int(b.documents))
	for key, value := range b.meta {
		if _, err := b.transacted.Exec("insert into meta values (?, ?)", key, value); err != nil {
			return err
		}
	}
	return nil
}

func compare[T int32 | int64](x, y T) int {
	if x < y {
		return -1
	} else if x > y {
		return 1
	}
	return 0
}

// hash returns the key of a symbol.
func hash(symbol string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(symbol))
	return int64(h.Sum64())
}

// uriPath writes a path for the address of a database.
func uriPath(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(path))
}
