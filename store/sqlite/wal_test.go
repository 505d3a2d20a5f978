package sqlite

import (
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
		frame, lost := damagedFrame(log)
		if frames := (len(log) - walHeader) / frameSize; frame > frames || lost > frames {
			t.Errorf("frame %d with %d lost of %d frames", frame, lost, frames)
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
		f[frameHeader] = byte(i)
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

func TestDamagedFrame(t *testing.T) {
	log := forgedLog(5)
	if frame, lost := damagedFrame(log); frame != 5 || lost != 0 {
		t.Errorf("a whole log: frame %d, %d lost", frame, lost)
	}
	log[walHeader+1*frameSize+100] ^= 1
	if frame, lost := damagedFrame(log); frame != 1 || lost != 3 {
		t.Errorf("damage in the second of five: frame %d, %d lost", frame, lost)
	}
	log = forgedLog(5)
	log[len(log)-1] ^= 1
	if frame, lost := damagedFrame(log); frame != 4 || lost != 0 {
		t.Errorf("damage in the last, which may be torn: frame %d, %d lost", frame, lost)
	}
	log = forgedLog(5)
	if frame, lost := damagedFrame(log[:len(log)-10]); frame != 4 || lost != 0 {
		t.Errorf("a torn last frame: frame %d, %d lost", frame, lost)
	}
}
