package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"

	"daybook"
)

// SQLite reads a write-ahead log that a crash left behind up to the first frame
// whose checksum is wrong and drops the rest without a word. That is right for a
// torn last transaction, which was never acknowledged, and wrong for a damaged
// byte in the middle. Each transaction is synced before the next one begins, so
// frames behind a later commit prove that the bad frame was once whole.

const (
	walHeader   = 32
	frameHeader = 24
	frameSize   = frameHeader + pageSize
)

// checkLog returns a Corrupt error when the log beside a database was damaged
// after it was written. A log that another process is writing is never mistaken
// for one.
func checkLog(path string) error {
	for {
		log, err := os.ReadFile(path + "-wal")
		if errors.Is(err, fs.ErrNotExist) || len(log) < walHeader+frameSize {
			return nil
		}
		if err != nil {
			return err
		}
		frame, lost := damagedFrame(log)
		if lost == 0 {
			return nil
		}
		again, err := os.ReadFile(path + "-wal")
		if err != nil || !bytes.Equal(again, log) {
			continue // a live log; look again
		}
		return daybook.Errorf(daybook.Corrupt, "the write-ahead log %s-wal is damaged at frame %d, and at least %d later commits would be lost; restore a backup, or move the log away to go on without them", path, frame, lost)
	}
}

// damagedFrame walks the log as SQLite's recovery does. It returns the first bad
// frame and how many transactions were complete in or behind it when more was
// written after them.
//
// Frames behind the bad one count only while each follows from the one before by
// its checksum. What a failed transaction or an earlier use of the log left
// behind does not.
func damagedFrame(log []byte) (frame, lost int) {
	sum, order, ok := headerSum(log[:walHeader])
	if !ok { // it is synced before the first frame is written
		if len(log) < walHeader+frameSize {
			return 0, 0
		}
		little := frames{log, binary.LittleEndian, nil}
		little.salts = little.at(0)[8:16]
		big := frames{log, binary.BigEndian, little.salts}
		first := readSum(little.at(0)[16:24])
		return 0, max(little.behind(0, first), big.behind(0, first))
	}
	all := frames{log, order, log[16:24]}
	for ; frame < all.count(); frame++ {
		f, next := all.at(frame), all.sum(frame, sum)
		if !bytes.Equal(f[8:16], all.salts) || next != readSum(f[16:24]) {
			// Either the frame's checksum is damaged, or what it was made from.
			return frame, max(all.behind(frame, next), all.behind(frame, readSum(f[16:24])))
		}
		sum = next
	}
	return frame, 0
}

// frames are the frames of a log that one use of it wrote.
type frames struct {
	log   []byte
	order binary.ByteOrder
	salts []byte
}

func (fs frames) count() int         { return (len(fs.log) - walHeader) / frameSize }
func (fs frames) at(i int) []byte    { return fs.log[walHeader+i*frameSize:][:frameSize] }
func (fs frames) commits(i int) bool { return binary.BigEndian.Uint32(fs.at(i)[4:8]) != 0 }

// sum continues the checksum of the frame before.
func (fs frames) sum(i int, before checksum) checksum {
	return walSum(fs.order, walSum(fs.order, before, fs.at(i)[:8]), fs.at(i)[frameHeader:])
}

// behind counts the transactions that end in frame i, or in those that follow
// from it by its checksum, before the last of these.
func (fs frames) behind(i int, sum checksum) (lost int) {
	commits := 0
	for ; ; i++ {
		if fs.commits(i) {
			commits++
		}
		if i+1 == fs.count() || !bytes.Equal(fs.at(i + 1)[8:16], fs.salts) {
			return lost
		}
		if sum = fs.sum(i+1, sum); sum != readSum(fs.at(i + 1)[16:24]) {
			return lost
		}
		lost = commits
	}
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
