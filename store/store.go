package store

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"daybook"
)

// Store keeps one ledger per scope. All methods may be called from many
// goroutines, and several processes may open the same store at once.
//
// Errors carry a daybook.Kind: Unavailable when disk or lock does not serve,
// Corrupt when stored bytes are damaged. What was returned before such an error
// was right.
type Store interface {
	// View runs read on one unchanging snapshot of the scope. A scope that was
	// never written is empty, not an error.
	View(ctx context.Context, scope daybook.Scope, read func(Reader) error) error

	// Update runs write alone: no other Update of the scope, in any process,
	// runs between its beginning and its end. When Update returns nil, all that
	// was written is durable; when it returns an error, nothing was written,
	// unless the error is Unavailable, in which case the write may or may not
	// have reached the disk and Head tells.
	Update(ctx context.Context, scope daybook.Scope, write func(Writer) error) error

	// Scopes lists the scopes that hold at least one commit, in a fixed order.
	Scopes(ctx context.Context) ([]daybook.Scope, error)

	// Close waits for running calls and releases the store.
	Close() error
}

// Reader reads one scope. It is valid only inside the call that handed it out,
// and its iterators must not be nested inside a write to what they read. Ranges
// of sequence numbers are inclusive at both ends.
type Reader interface {
	// Head returns the last commit, or the zero Commit for an empty scope.
	Head() (Commit, error)
	// Commits yields commits in order.
	Commits(Range) iter.Seq2[Commit, error]
	// Leaves returns the content hashes of a commit, by position; none for a
	// commit that is not there.
	Leaves(seq uint64) ([]Hash, error)
	// FindCommits returns up to limit commits whose id begins with the prefix,
	// given in hexadecimal.
	FindCommits(hexPrefix string, limit int) ([]Commit, error)
	// Contents yields the contents that were not erased, in ledger order.
	Contents(Range) iter.Seq2[Content, error]
	// Content returns the content at a place; false when it was erased or never
	// was. Keys are not filled.
	Content(Place) (Content, bool, error)
	// ByKey yields the contents that were appended under a key, in ledger
	// order. Their Salt and Keys are not filled.
	ByKey(Key, Range) iter.Seq2[Content, error]
	// Count returns how many contents stand under a key.
	Count(Key) (int, error)
	// Keys yields the whole index in the order of key and place.
	Keys() iter.Seq2[Entry, error]
	// Spaces lists the vector spaces of the scope, by encoder.
	Spaces() ([]Space, error)
	// Covers returns how far one space covers the ledger, without counting what
	// is in it; 0 for a space that is not there.
	Covers(encoder string) (upTo uint64, err error)
	// Vectors yields the vectors of one space, in ledger order; none for a
	// space that is not there.
	Vectors(encoder string, within Range) iter.Seq2[Vector, error]
	// Records yields the records of a kind, by id.
	Records(kind string) iter.Seq2[Record, error]
}

// Writer also writes. Commits are only ever added.
type Writer interface {
	Reader
	// Append adds a commit with its content hashes, and its contents with their
	// keys. Seq must be one more than the head's.
	Append(Commit, []Hash, []Content) error
	// Erase removes contents, found by their Place, with their vectors and the
	// index rows that their Keys name. Commits stay.
	Erase([]Content) error
	// ReplaceKeys drops the scope's index and stores this one.
	ReplaceKeys(iter.Seq2[Entry, error]) error
	// PutVectors adds vectors to a space, which begins with the first call, and
	// notes that the space covers the ledger up to a commit. A vector for a
	// content that is not there, because it was erased meanwhile, is left out.
	PutVectors(encoder string, upTo uint64, vectors []Vector) error
	// RemoveVectors removes what one space has at these places; the space stays.
	RemoveVectors(encoder string, at []Place) error
	// DropVectors removes a space.
	DropVectors(encoder string) error
	// PutRecord keeps a record, in the place of the one with its kind and id.
	PutRecord(Record) error
	// TrimRecords removes all records of a kind but those with the highest ids.
	TrimRecords(kind string, keep int) error
}

// Firsts is the talent of a Reader that can leap from key to key.
type Firsts interface {
	// Firsts yields, for every key that begins with a letter, the first entry
	// under it, in the order of the keys.
	Firsts(letter byte) iter.Seq2[Entry, error]
}

// Shelf is the talent of a store that keeps one derived thing of each scope beside the
// ledgers, to be read again sooner than it can be made again.
type Shelf interface {
	// Shelve replaces what is kept of a scope by what fill writes. It is kept only
	// if still, which is called while nobody writes to the scope, says that it still
	// holds; until then it is not seen.
	Shelve(ctx context.Context, scope daybook.Scope, fill func(io.Writer) error, still func(Reader) (bool, error)) error
	// Shelved hands what is kept of a scope to read, with its size in bytes; it does
	// nothing where nothing is kept.
	Shelved(scope daybook.Scope, read func(r io.Reader, size int64) error) error
	// Discard overwrites and removes what is kept of a scope.
	Discard(ctx context.Context, scope daybook.Scope) error
}

// Keeper is the housekeeping that a store may offer.
type Keeper interface {
	// Backup writes a complete, consistent copy to a new file while writers run.
	Backup(ctx context.Context, path string) error
	// Scrub makes sure that erased content is nowhere in the store's files.
	Scrub(ctx context.Context) error
	// Verify reads everything and describes each damage found.
	Verify(ctx context.Context) ([]string, error)
	// Size returns the bytes that the store takes on disk.
	Size(ctx context.Context) (int64, error)
}

// What Update returns, wrapped, where a store can be read and not written.
var (
	ErrReadOnly = errors.New("the home is read-only")
	ErrFull     = errors.New("the disk is full; make room and try again")
)

// CannotWrite reports whether err says that the store can be read and not written.
// What is only derived is then not kept, and reads go on without it.
func CannotWrite(err error) bool { return errors.Is(err, ErrReadOnly) || errors.Is(err, ErrFull) }

// Commit is a commit as it is stored, without its operations and their hashes.
type Commit struct {
	Seq        uint64
	ID, Parent daybook.CommitID
	RecordedAt time.Time // whole microseconds
	Author     string
}

// Hash is SHA-256 over a content's salt and body.
type Hash [32]byte

// Place is where a content stands: the commit's sequence number and the position
// in it.
type Place struct {
	Seq uint64
	Pos int
}

// Content is the erasable part of one operation.
type Content struct {
	Place
	Salt []byte
	Body []byte
	Keys []Key
}

// Key is what contents are found by: a short string of bytes.
type Key string

// Entry is one row of the index.
type Entry struct {
	Key
	Place
}

// Space is a set of vectors that one encoder made and that can be compared with
// each other. Vectors are derived: a space can be dropped and made again.
type Space struct {
	Encoder string
	UpTo    uint64 // the space covers every commit up to this one
	Count   int
}

// Vector stands for one content, or for a part of a long one.
type Vector struct {
	Place
	Part int
	Data []byte // as the caller encodes it
}

// Record is a small thing that is no part of a ledger and may be changed: a key, a
// webhook, an answer that was given.
type Record struct {
	Kind, ID string
	Body     []byte
}

// Common is where records stand that belong to the whole store and to nobody's memory.
// It has no ledger: Append is refused. No name of a scope can have its zero byte.
var Common = daybook.Scope{Tenant: "\x00common"}

// Range is a closed range of sequence numbers. The zero value means everything.
type Range struct{ From, To uint64 }

// All is the range that holds every commit.
var All = Range{}

// UpTo is the range from the first commit to seq.
func UpTo(seq uint64) Range {
	if seq == 0 {
		return Range{From: 1, To: 0} // nothing
	}
	return Range{From: 1, To: seq}
}

// Bounds returns the range's ends with the zero value spelled out.
func (r Range) Bounds() (from, to uint64) {
	if r == All {
		return 1, 1<<63 - 1
	}
	return r.From, r.To
}
