package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"daybook"
)

// SQLite reads a write-ahead log that a crash left behind up to the first frame
// whose checksum is wrong and drops the rest without a word. That is right for a
// torn last transaction, which was never acknowledged, and wrong for damage to what
// was. Two things tell: the mark says how far the log had come, and frames behind a
// later commit prove that the bad frame was once whole.

const (
	walHeader   = 32
	frameHeader = 24
	frameSize   = frameHeader + pageSize
)

// checkLog returns a Corrupt error when the log beside a database does not hold all
// that was committed to it. A log that another process is writing is never mistaken
// for one.
func checkLog(path string) error {
	for {
		m, _, err := readMark(path)
		if err != nil {
			return err
		}
		log, err := readLog(path)
		if err != nil {
			return err
		}
		found := walk(log, m)
		if found.lost == 0 {
			return nil
		}
		later, _, err := readMark(path)
		if err != nil {
			return err
		}
		again, err := readLog(path)
		if err != nil || later != m || !bytes.Equal(again, log) {
			continue // a live log; look again
		}
		return daybook.Errorf(daybook.Corrupt, "the write-ahead log %s-wal is %s, and at least %d later commits would be lost; restore a backup, or move the log and %s away to go on without them",
			path, found.fault, found.lost, path+markSuffix)
	}
}

// readLog returns the log of a database; nothing where it has none.
func readLog(path string) ([]byte, error) {
	log, err := os.ReadFile(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return log, err
}

// walked is what a walk over a log finds.
type walked struct {
	mark         // how far SQLite's recovery would come
	lost  int    // transactions that were complete and would be dropped
	fault string // what is wrong with the log, where any are lost
}

// walk reads a log as SQLite's recovery does, and compares it with the mark.
func walk(log []byte, m mark) (found walked) {
	if len(log) < walHeader {
		if m.frames > 0 {
			found.fault, found.lost = "missing or empty", int(m.commits)
		}
		return found
	}
	sum, order, whole := headerSum(log[:walHeader])
	all := frames{log: log, order: order, salts: [8]byte(log[16:24])}
	if whole {
		found.salts = all.salts
		found.frames, found.commits, sum = all.valid(sum)
	}
	bad := int(found.frames)
	switch {
	case m.frames > 0 && found.salts != m.salts:
		found.fault, found.lost = "not the one that was written", int(m.commits)
		if !whole {
			found.fault = "damaged at its header"
		}
	case found.frames < m.frames:
		found.fault = fmt.Sprintf("damaged or cut at frame %d", bad)
		found.lost = max(1, int(m.commits)-int(found.commits))
	case whole:
		found.fault, found.lost = fmt.Sprintf("damaged at frame %d", bad), all.behind(bad, sum)
	default:
		found.fault, found.lost = "damaged at its header", headless(log, m)
	}
	return found
}

// headless counts the transactions in a log whose header is damaged, which alone
// tells the byte order.
func headless(log []byte, m mark) (lost int) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		all := frames{log: log, order: order, salts: m.salts}
		for i := 0; i < all.count() && all.salts == [8]byte{}; i++ {
			all.salts = [8]byte(all.at(i)[8:16])
		}
		lost = max(lost, all.behind(0, checksum{}))
	}
	return lost
}

// frames are the frames of a log that one use of it wrote.
type frames struct {
	log   []byte
	order binary.ByteOrder
	salts [8]byte
}

func (fs frames) count() int         { return (len(fs.log) - walHeader) / frameSize }
func (fs frames) at(i int) []byte    { return fs.log[walHeader+i*frameSize:][:frameSize] }
func (fs frames) commits(i int) bool { return binary.BigEndian.Uint32(fs.at(i)[4:8]) != 0 }
func (fs frames) ours(i int) bool    { return [8]byte(fs.at(i)[8:16]) == fs.salts }

// sum continues the checksum of the frame before.
func (fs frames) sum(i int, before checksum) checksum {
	return walSum(fs.order, walSum(fs.order, before, fs.at(i)[:8]), fs.at(i)[frameHeader:])
}

// follows reports whether a frame is as it was written behind one with a checksum.
func (fs frames) follows(i int, before checksum) bool {
	return fs.ours(i) && fs.sum(i, before) == readSum(fs.at(i)[16:24])
}

// valid counts the frames up to the first bad one, and the transactions that end in
// them. It returns the checksum of the last.
func (fs frames) valid(sum checksum) (n, commits uint64, last checksum) {
	for i := 0; i < fs.count() && fs.follows(i, sum); i++ {
		n, sum = n+1, readSum(fs.at(i)[16:24])
		if fs.commits(i) {
			commits++
		}
	}
	return n, commits, sum
}

// behind counts the transactions that end in the bad frame or later and have a whole
// frame behind them: each is synced before the next begins, so they were complete. A
// frame carries the checksum of all before it, so one that follows from its neighbour
// is whole whatever stands before them. Commits that failed do not count: their
// last frame is spoiled when they fail. Neither does an earlier use of the log, which
// had other salts.
func (fs frames) behind(bad int, before checksum) (lost int) {
	commits := 0
	for i := bad; i < fs.count(); i++ {
		if i > bad {
			whole := fs.follows(i, readSum(fs.at(i - 1)[16:24])) ||
				i == bad+1 && fs.follows(i, fs.sum(bad, before)) // only the bad frame's checksum is damaged
			if whole {
				lost = commits
			}
		}
		if fs.ours(i) && fs.commits(i) {
			commits++
		}
	}
	return lost
}

type checksum [2]uint32

// headerSum verifies the log's header and returns the checksum that the first
// frame continues, and the byte order of the machine that wrote it.
func headerSum(header []byte) (checksum, binary.ByteOrder, bool) {
	var order binary.ByteOrder = binary.LittleEndian
	switch binary.BigEndian.Uint32(header) {
	case 0x377f0682:
	case 0x377f0683:
		order = binary.BigEndian
	default:
		return checksum{}, nil, false
	}
	sum := walSum(order, checksum{}, header[:24])
	return sum, order, sum == readSum(header[24:32]) && binary.BigEndian.Uint32(header[8:]) == pageSize
}

func readSum(b []byte) checksum {
	return checksum{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}
}

// walSum continues a checksum of the log's format over b.
func walSum(order binary.ByteOrder, s checksum, b []byte) checksum {
	for ; len(b) >= 8; b = b[8:] {
		s[0] += order.Uint32(b) + s[1]
		s[1] += order.Uint32(b[4:]) + s[0]
	}
	return s
}
