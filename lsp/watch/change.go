package watch

// Kind is what happened to a file between a [Mark] and the last barrier.
type Kind uint8

// The kinds of a [Change]. They are net: a file that was deleted and made again is Changed.
const (
	Created Kind = iota + 1
	Changed
	Deleted
)

func (k Kind) String() string { return [...]string{"unknown", "created", "changed", "deleted"}[k] }

// A Change is the net change of one file. Folders are not reported, only the files in them; a folder of
// [Journal.Extra] is the exception.
type Change struct {
	Path string // absolute, clean, below the resolved root (or as given to [Journal.Extra])
	Kind Kind
}

// A Mark is a position in the journal. 0 is the beginning, the state that the first walk found. Marks only grow; two
// barriers with no change between them return the same mark.
type Mark uint64
