package sqlite

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"daybook"
)

// A log that was deleted, cut or replaced looks like one to which nothing was
// written. How far it had come is therefore kept outside of it, in the mark: a
// small file that is written under SQLite's write lock, after the log was synced
// and before the commit is acknowledged. So the log always holds what the mark says.
//
// It tells nothing of what the ledger holds, so whoever may enter the home may read it.
//
// The mark is synced only when a log begins or goes away. A killed process leaves
// it exact; after a power cut it may be older, and is then a lower bound.

const (
	markSuffix = "-mark"
	markMagic  = "daybook mark 1\n\x00"
	markSize   = len(markMagic) + 8 + 8 + 8 + 4
)

// mark is how far one use of the log had come. The zero mark asks nothing of it.
type mark struct {
	salts   [8]byte // of the log, which gets new ones each time it begins again
	frames  uint64
	commits uint64 // transactions that end in these frames
}

func (m mark) encode() []byte {
	b := append(make([]byte, 0, markSize), markMagic...)
	b = append(b, m.salts[:]...)
	b = binary.BigEndian.AppendUint64(b, m.frames)
	b = binary.BigEndian.AppendUint64(b, m.commits)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func decodeMark(b []byte) (m mark, ok bool) {
	if len(b) != markSize || string(b[:len(markMagic)]) != markMagic {
		return m, false
	}
	body, rest := b[:markSize-4], b[len(markMagic):]
	copy(m.salts[:], rest)
	m.frames, m.commits = binary.BigEndian.Uint64(rest[8:]), binary.BigEndian.Uint64(rest[16:])
	return m, crc32.Checksum(body, castagnoli) == binary.BigEndian.Uint32(b[markSize-4:])
}

// readMark returns the mark of a database; false where it has none, as a home
// that was restored from a backup.
func readMark(path string) (m mark, found bool, err error) {
	b, err := os.ReadFile(path + markSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	if err != nil {
		return m, false, err
	}
	m, ok := decodeMark(b)
	if !ok {
		return m, true, daybook.Errorf(daybook.Corrupt, "%s is damaged, so nobody can say whether the log beside it is complete; restore a backup, or move this file away to go on with what is there", path+markSuffix)
	}
	return m, true, nil
}

// createMark gives a database its mark, in agreement with the log that it has.
// The file has its full size from the beginning, so that a full disk cannot keep
// a commit from being marked.
func createMark(path string) error {
	_, found, err := readMark(path)
	if err != nil || found {
		return err
	}
	log, err := readLog(path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path+markSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) { // another process was quicker
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(walk(log, mark{}).encode())
	return errors.Join(err, f.Sync(), f.Close(), syncDir(filepath.Dir(path)))
}

// marker keeps the mark of one open log. SQLite serialises its calls: they are
// made by the one connection that may write.
type marker struct {
	path string // of the mark
	file *os.File
	// pending is the commit frame that was written last, until it is synced.
	pending *commitFrame
}

type commitFrame struct {
	salts  [8]byte
	offset int64
}

// begins notes that the log is emptied, or begins again with new salts. All that
// was in it is in the database file by then.
func (m *marker) begins(salts [8]byte) error {
	if err := m.put(mark{salts: salts}); err != nil {
		return err
	}
	err := m.file.Sync()
	tell(fileEvent{name: "sync", path: m.path})
	return err
}

// wrote is told of what was written to the log.
func (m *marker) wrote(b []byte, offset int64) {
	if len(b) != frameHeader {
		return
	}
	m.pending = nil
	if binary.BigEndian.Uint32(b[4:]) != 0 {
		m.pending = &commitFrame{salts: [8]byte(b[8:16]), offset: offset}
	}
}

// synced moves the mark to the commit that was written last.
func (m *marker) synced() error {
	c := m.pending
	m.pending = nil
	if c == nil {
		return nil
	}
	if err := m.open(); err != nil {
		return err
	}
	now := make([]byte, markSize)
	if _, err := m.file.ReadAt(now, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	before, ok := decodeMark(now)
	if !ok || before.salts != c.salts {
		before = mark{salts: c.salts}
	}
	before.frames, before.commits = uint64((c.offset-walHeader)/frameSize)+1, before.commits+1
	return m.put(before)
}

func (m *marker) put(to mark) error {
	if err := m.open(); err != nil {
		return err
	}
	_, err := m.file.WriteAt(to.encode(), 0)
	tell(fileEvent{name: "write", path: m.path, data: to.encode()})
	return err
}

func (m *marker) open() (err error) {
	if m.file == nil {
		m.file, err = os.OpenFile(m.path, os.O_RDWR|os.O_CREATE, 0o644)
	}
	return err
}

func (m *marker) close() {
	if m.file != nil {
		m.file.Close()
	}
}
