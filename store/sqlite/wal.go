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
// frame and how many transactions of the same log lie completely behind it,
// followed by more.
func damagedFrame(log []byte) (frame, lost int) {
	sum, order, ok := headerSum(log[:walHeader])
	if !ok {
		return 0, 0
	}
	salts := log[16:24]
	frames := (len(log) - walHeader) / frameSize
	for frame < frames {
		f := log[walHeader+frame*frameSize:][:frameSize]
		sum = walSum(order, walSum(order, sum, f[:8]), f[frameHeader:])
		if !bytes.Equal(f[8:16], salts) || sum != readSum(f[16:24]) {
			break
		}
		frame++
	}
	commits := 0
	for i := frame + 1; i < frames; i++ {
		f := log[walHeader+i*frameSize:][:frameHeader]
		if !bytes.Equal(f[8:16], salts) {
			continue
		}
		lost = commits
		if binary.BigEndian.Uint32(f[4:8]) != 0 {
			commits++
		}
	}
	return frame, lost
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
