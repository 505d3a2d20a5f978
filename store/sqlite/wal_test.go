package sqlite

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// FuzzLog feeds damaged write-ahead logs to the check that runs at opening.
func FuzzLog(f *testing.F) {
	f.Add(forgedLog(3), uint16(40), byte(1))
	f.Add(forgedLog(1), uint16(0), byte(0xff))
	f.Add([]byte("not a log"), uint16(3), byte(7))
	f.Fuzz(func(t *testing.T, log []byte, at uint16, flip byte) {
		if len(log) < walHeader {
			return
		}
		if int(at) < len(log) {
			log[at] ^= flip
		}
		found := walk(log, mark{})
		if n := (len(log) - walHeader) / frameSize; int(found.frames) > n || found.lost > n {
			t.Errorf("%d frames and %d lost of %d frames", found.frames, found.lost, n)
		}
	})
}

// forgedLog is a log of transactions of one frame each, with right checksums.
func forgedLog(frames int) []byte {
	log := make([]byte, walHeader, walHeader+frames*frameSize)
	binary.BigEndian.PutUint32(log, 0x377f0682)
	binary.BigEndian.PutUint32(log[8:], pageSize)
	copy(log[16:], "saltsalt")
	sum := walSum(binary.LittleEndian, checksum{}, log[:24])
	putSum(log[24:], sum)
	for i := range frames {
		f := make([]byte, frameSize)
		binary.BigEndian.PutUint32(f, 1)
		binary.BigEndian.PutUint32(f[4:], 1) // a commit
		copy(f[8:], "saltsalt")
		copy(f[frameHeader:], bytes.Repeat([]byte{byte(i + 1)}, pageSize))
		sum = walSum(binary.LittleEndian, walSum(binary.LittleEndian, sum, f[:8]), f[frameHeader:])
		putSum(f[16:], sum)
		log = append(log, f...)
	}
	return log
}

func putSum(b []byte, s checksum) {
	binary.BigEndian.PutUint32(b, s[0])
	binary.BigEndian.PutUint32(b[4:], s[1])
}

func TestWalk(t *testing.T) {
	const n = 12
	whole := walk(forgedLog(n), mark{}).mark
	if whole.frames != n || whole.commits != n {
		t.Fatalf("a whole log: %+v", whole)
	}
	zero := func(from, to int) []byte {
		log := forgedLog(n)
		clear(log[from:min(to, len(log))])
		return log
	}
	frame := func(i int) int { return walHeader + i*frameSize }
	flip := func(at int) []byte {
		log := forgedLog(n)
		log[at] ^= 1
		return log
	}
	for _, c := range []struct {
		what           string
		log            []byte
		unmarked, mark int // lost without a mark, and with one
	}{
		{"a whole log", forgedLog(n), 0, 0},
		{"a byte of the second frame", flip(frame(1) + 100), n - 2, n - 1},
		{"the checksum of the second frame", flip(frame(1) + 20), n - 2, n - 1},
		{"a byte of the last frame, which could be torn", flip(frame(n) - 1), 0, 1},
		{"a torn last frame", forgedLog(n)[:frame(n)-10], 0, 1},
		{"4 KiB in frames 4 and 5", zero(frame(4)+2000, frame(4)+2000+4096), n - 6, n - 4},
		{"8 KiB from the header on", zero(0, 8<<10), n - 3, n},
		{"32 KiB in the middle", zero(frame(2), frame(2)+32<<10), 1, n - 2},
		{"the header", zero(0, walHeader), n - 1, n},
		{"an empty log", nil, 0, n},
		{"a log cut in the middle", forgedLog(n)[:frame(6)], 0, n - 6},
	} {
		if got := walk(c.log, mark{}); got.lost != c.unmarked {
			t.Errorf("%s, without a mark: %d lost (%s), want %d", c.what, got.lost, got.fault, c.unmarked)
		}
		if got := walk(c.log, whole); got.lost != c.mark {
			t.Errorf("%s, with its mark: %d lost (%s), want %d", c.what, got.lost, got.fault, c.mark)
		}
	}
	other := forgedLog(n)
	if got := walk(other, mark{salts: [8]byte{1}, frames: 3, commits: 2}); got.lost != 2 {
		t.Errorf("a log in the place of another: %d lost", got.lost)
	}
	if got := walk(other, mark{salts: [8]byte{1}}); got.lost != 0 {
		t.Errorf("a log that is begun again before its first commit: %d lost", got.lost)
	}
}

func TestMarkBytes(t *testing.T) {
	m := mark{salts: [8]byte{1, 2, 3}, frames: 7, commits: 5}
	b := m.encode()
	if got, ok := decodeMark(b); !ok || got != m {
		t.Errorf("read back as %+v, %t", got, ok)
	}
	for i := range b {
		b[i] ^= 4
		if _, ok := decodeMark(b); ok {
			t.Errorf("byte %d changed, and nobody noticed", i)
		}
		b[i] ^= 4
	}
}
