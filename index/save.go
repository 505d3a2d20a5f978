package index

import (
	"bufio"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"time"
	"unsafe"

	"daybook"
	"daybook/store"
)

// savedMark begins what Save writes: the format, then a number by which a machine
// knows whether it lays out memory as the one that wrote it did.
const savedMark = "daybook index 3\n"

var layout = []uint32{0x01020304, uint32(unsafe.Sizeof(store.Place{})), uint32(Fields), blockRows, centreRows, ExactRows}

// List is a space of NewList that is saved beside a snapshot.
type List struct {
	Name  string
	UpTo  uint64 // the commit up to which it is made
	Space *Space
}

// Save writes the snapshot, and lists beside it, so that Load can read it sooner than
// it can be built again. made says what it was made with, such as the encoder and the
// version of whatever cut the texts. What is saved holds words and vectors of notes:
// whoever keeps it must destroy it when one of them is forgotten.
func (v *Snapshot) Save(w io.Writer, made string, lists ...List) error {
	s := &saver{sum: crc32.New(crc32.MakeTable(crc32.Castagnoli))}
	buffered := bufio.NewWriterSize(w, 1<<20)
	s.w = io.MultiWriter(buffered, s.sum)
	s.raw([]byte(savedMark))
	put(s, layout)
	put(s, []byte(made))
	v.write(s)
	put(s, []uint64{uint64(len(lists))})
	for _, l := range lists {
		put(s, []byte(l.Name))
		l.Space.write(s, l.UpTo)
	}
	s.raw(s.sum.Sum(nil))
	if s.err == nil {
		s.err = buffered.Flush()
	}
	if s.err != nil {
		return daybook.Errorf(daybook.Unavailable, "save an index: %w", s.err)
	}
	return nil
}

// Load reads what Save wrote, of size bytes in all. It is Corrupt when damaged,
// and Invalid when it was made by another version, on another kind of machine or
// with something else; in either case the index is to be built anew. The caller
// checks that the ledger has the snapshot's head.
func Load(r io.Reader, size int64, made string) (*Snapshot, []List, error) {
	l := &loader{r: bufio.NewReaderSize(r, 1<<20), sum: crc32.New(crc32.MakeTable(crc32.Castagnoli)), left: size}
	mark := make([]byte, len(savedMark))
	l.raw(mark)
	if l.err == nil && (string(mark) != savedMark || !slices.Equal(get[uint32](l), layout)) {
		return nil, nil, daybook.Errorf(daybook.Invalid, "this is not an index that this machine and version can read")
	}
	if was := string(get[byte](l)); l.err == nil && was != made {
		return nil, nil, daybook.Errorf(daybook.Invalid, "the saved index was made with %q, not with %q", was, made)
	}
	v, lists := readSnapshot(l), readLists(l)
	want := l.sum.Sum(nil)
	l.raw(mark[:len(want)])
	if l.err == nil && (!slices.Equal(mark[:len(want)], want) || l.left != 0) {
		l.err = errors.New("its checksum is another")
	}
	if l.err != nil {
		return nil, nil, daybook.Errorf(daybook.Corrupt, "the saved index is damaged: %v", l.err)
	}
	v.number()
	return v, lists, nil
}

func readLists(l *loader) (lists []List) {
	for range l.numbers(1)[0] {
		if l.err != nil {
			break
		}
		list := List{Name: string(get[byte](l))}
		list.Space, list.UpTo = readSpace(l)
		list.Space.list = true
		lists = append(lists, list)
	}
	return lists
}

func (v *Snapshot) write(s *saver) {
	put(s, []uint64{v.head.Seq, uint64(v.head.RecordedAt.UnixMicro())})
	put(s, v.head.ID[:])
	put(s, v.head.Parent[:])
	put(s, []byte(v.head.Author))
	put(s, []uint64{uint64(len(v.segments)), uint64(len(v.spaces))})
	for _, seg := range v.segments {
		seg.write(s)
	}
	for _, name := range slices.Sorted(maps.Keys(v.spaces)) {
		put(s, []byte(name))
		v.spaces[name].write(s, v.covers[name])
	}
}

// write writes the space, with the commit up to which it is made.
func (sp *Space) write(s *saver, upTo uint64) {
	put(s, []uint64{upTo, uint64(sp.dim), uint64(len(sp.blocks))})
	put(s, sp.centre)
	for _, b := range sp.blocks {
		b.write(s)
	}
}

func readSpace(l *loader) (sp *Space, upTo uint64) {
	n := l.numbers(3)
	sp = &Space{dim: int(n[1]), centre: get[float32](l)}
	for i := uint64(0); i < n[2] && l.err == nil; i++ {
		sp.blocks = append(sp.blocks, readBlock(l))
	}
	sp.count()
	return sp, n[0]
}

func readSnapshot(l *loader) *Snapshot {
	v := &Snapshot{spaces: map[string]*Space{}, covers: map[string]uint64{}}
	when := l.numbers(2)
	v.head = store.Commit{Seq: when[0], RecordedAt: time.UnixMicro(int64(when[1])).UTC()}
	copy(v.head.ID[:], get[byte](l))
	copy(v.head.Parent[:], get[byte](l))
	v.head.Author = string(get[byte](l))
	counts := l.numbers(2)
	for range counts[0] {
		if l.err != nil {
			break
		}
		v.segments = append(v.segments, readSegment(l))
	}
	for range counts[1] {
		if l.err != nil {
			break
		}
		name := string(get[byte](l))
		space, upTo := readSpace(l)
		v.spaces[name] = space
		if upTo > 0 {
			v.covers[name] = upTo
		}
	}
	return v
}

func (seg *segment) write(s *saver) {
	put(s, seg.places)
	put(s, seg.times)
	for _, numbers := range [][]uint32{seg.session, seg.names, seg.nameOf, seg.byTime, seg.cardEnd, seg.keyEnds, seg.lists, seg.notes} {
		put(s, numbers)
	}
	for f := range Fields {
		put(s, seg.lengths[f])
		put(s, []uint64{seg.total[f], uint64(seg.with[f])})
	}
	put(s, seg.cards)
	put(s, seg.keys)
	put(s, seg.counts)
	put(s, seg.most)
	put(s, seg.least)
}

func readSegment(l *loader) *segment {
	seg := &segment{places: get[store.Place](l), times: get[int64](l)}
	for _, numbers := range []*[]uint32{&seg.session, (*[]uint32)(&seg.names), &seg.nameOf, &seg.byTime, (*[]uint32)(&seg.cardEnd), (*[]uint32)(&seg.keyEnds), (*[]uint32)(&seg.lists), &seg.notes} {
		*numbers = get[uint32](l)
	}
	for f := range Fields {
		seg.lengths[f] = get[uint16](l)
		n := l.numbers(2)
		seg.total[f], seg.with[f] = n[0], int(n[1])
	}
	seg.cards = get[byte](l)
	seg.keys, seg.counts, seg.most, seg.least = get[byte](l), get[byte](l), get[byte](l), get[uint16](l)
	return seg
}

func (b *block) write(s *saver) {
	put(s, b.places)
	put(s, b.parts)
	put(s, b.scale)
	put(s, b.data)
	put(s, b.fine)
	put(s, b.codes)
	put(s, b.stretch)
}

func readBlock(l *loader) *block {
	return &block{
		places: get[store.Place](l), parts: get[int32](l), scale: get[float32](l), data: get[int8](l), fine: get[byte](l),
		sketches: sketches{codes: get[byte](l), stretch: get[float32](l)},
	}
}

// saver writes until something fails.
type saver struct {
	w   io.Writer
	sum hash.Hash
	err error
}

func (s *saver) raw(b []byte) {
	if s.err == nil {
		_, s.err = s.w.Write(b)
	}
}

// fixed are the types whose memory is written as it is.
type fixed interface {
	int8 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | store.Place
}

// put writes how many elements there are, and then their memory.
func put[T fixed](s *saver, x []T) {
	n := [1]uint64{uint64(len(x))}
	s.raw(memory(n[:]))
	s.raw(memory(x))
}

// memory is the bytes that a slice's elements lie in.
func memory[T fixed](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}

// loader reads until something fails; then all that it reads is empty.
type loader struct {
	r    io.Reader
	sum  hash.Hash
	left int64
	err  error
}

func (l *loader) raw(b []byte) {
	if l.err == nil {
		_, l.err = io.ReadFull(l.r, b)
		l.left -= int64(len(b))
		l.sum.Write(b)
	}
}

// get reads what put wrote. A length that goes beyond the end is an error.
func get[T fixed](l *loader) []T {
	var n [1]uint64
	l.raw(memory(n[:]))
	var one T
	if l.err == nil && (n[0] > uint64(max(l.left, 0))/uint64(unsafe.Sizeof(one))) {
		l.err = io.ErrUnexpectedEOF
	}
	if l.err != nil || n[0] == 0 {
		return nil
	}
	x := make([]T, n[0])
	l.raw(memory(x))
	return x
}

// numbers reads a list of so many numbers.
func (l *loader) numbers(n int) []uint64 {
	x := get[uint64](l)
	if len(x) != n {
		if l.err == nil {
			l.err = io.ErrUnexpectedEOF
		}
		return make([]uint64, n)
	}
	return x
}
