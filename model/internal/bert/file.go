package bert

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"unsafe"

	"daybook"
	"daybook/model/internal/kernel"
)

// A model file, all numbers little-endian:
//
//	0   "DAYBOOKM"
//	8   uint32 version, uint32 length of the header
//	16  header: JSON of type header
//	    zeros up to a multiple of 64
//	    sections, each at a multiple of 64
//	    SHA-256 of everything before it
//
// Sections hold bytes, int8, float32 or halves of it; which, and how many, follows from
// the Config, so the header gives only their names and places.
const (
	magic   = "DAYBOOKM"
	version = 2
	align   = 64

	// scheme names the quantisation; vectors of different schemes are not
	// comparable, so it is part of an encoder's id.
	scheme = "q2"
)

type header struct {
	Config   Config           `json:"config"`
	Digest   string           `json:"digest"` // of Shape, Tokenizer and sections
	Sections map[string]place `json:"sections"`
}

type place struct {
	Offset int `json:"offset"` // from the end of the padded header
	Length int `json:"length"` // in bytes
}

// File is a parsed model file. It aliases the bytes it was parsed from.
type File struct {
	Config Config
	Digest string
	places map[string]place
	body   string
	whole  string
}

// Parse reads the header of a model file and checks that every section lies
// inside it. It touches nothing else: see File.Verify for the checksum. Bytes
// that are no model file or are cut short are Corrupt; a version or shape this
// program cannot run is Invalid.
func Parse(data string) (*File, error) {
	if len(data) < 16+sha256.Size || data[:8] != magic {
		return nil, daybook.Errorf(daybook.Corrupt, "not a model file: %d bytes without the mark %s", len(data), magic)
	}
	if v := binary.LittleEndian.Uint32([]byte(data[8:12])); v != version {
		return nil, daybook.Errorf(daybook.Invalid, "model file has version %d, this program reads %d: make it again with `daybook model import`", v, version)
	}
	length := int(binary.LittleEndian.Uint32([]byte(data[12:16])))
	start := (16 + length + align - 1) / align * align
	if length < 0 || start > len(data)-sha256.Size {
		return nil, daybook.Errorf(daybook.Corrupt, "model file is cut short in its header")
	}
	var h header
	if err := json.Unmarshal([]byte(data[16:16+length]), &h); err != nil {
		return nil, daybook.Errorf(daybook.Corrupt, "model file header: %w", err)
	}
	f := &File{Config: h.Config, Digest: h.Digest, places: h.Sections, body: data[start : len(data)-sha256.Size], whole: data}
	for name, p := range h.Sections {
		if p.Offset < 0 || p.Length < 0 || p.Offset > len(f.body) || p.Length > len(f.body)-p.Offset {
			return nil, daybook.Errorf(daybook.Corrupt, "model file is cut short in section %s", name)
		}
	}
	if len(h.Digest) != 2*sha256.Size {
		return nil, daybook.Errorf(daybook.Corrupt, "model file has no digest")
	}
	if err := h.Config.check(); err != nil {
		return nil, err
	}
	return f, nil
}

// Verify reads the whole file and compares its checksum; a difference is
// Corrupt.
func (f *File) Verify() error {
	end := len(f.whole) - sha256.Size
	sum := sha256.Sum256(unsafe.Slice(unsafe.StringData(f.whole), end))
	if string(sum[:]) != f.whole[end:] {
		return daybook.Errorf(daybook.Corrupt, "model file %s: checksum does not match", f.Config.Name)
	}
	return nil
}

// ID names the encoder this file makes: its vectors may be compared with those
// of every other run of the same id, and with no others.
func (f *File) ID() string { return f.Config.Name + "@" + f.Digest[:8] + "-" + scheme }

func (f *File) text(name string) (string, error) {
	p, ok := f.places[name]
	if !ok {
		return "", daybook.Errorf(daybook.Corrupt, "model file has no section %s", name)
	}
	return f.body[p.Offset : p.Offset+p.Length], nil
}

// bytes returns a section of n bytes, in place.
func (f *File) bytes(name string, n int) (string, error) {
	s, err := f.text(name)
	if err != nil {
		return "", err
	}
	if len(s) != n {
		return "", daybook.Errorf(daybook.Corrupt, "section %s has %d bytes, want %d", name, len(s), n)
	}
	return s, nil
}

// ints returns a section of n int8, in place.
func (f *File) ints(name string, n int) ([]int8, error) {
	s, err := f.bytes(name, n)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.StringData(s))), n), nil
}

// floats returns a section of n float32, all finite; in place where the bytes
// happen to lie aligned and in this machine's order, else as a copy.
func (f *File) floats(name string, n int) ([]float32, error) {
	s, err := f.bytes(name, 4*n)
	if err != nil {
		return nil, err
	}
	data := unsafe.StringData(s)
	x := unsafe.Slice((*float32)(unsafe.Pointer(data)), n)
	if uintptr(unsafe.Pointer(data))%4 != 0 || !littleEndian {
		x = make([]float32, n)
		for i := range x {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32([]byte(s[4*i : 4*i+4])))
		}
	}
	for i, v := range x {
		if v-v != 0 { // NaN or infinite
			return nil, daybook.Errorf(daybook.Corrupt, "section %s: element %d is %g", name, i, v)
		}
	}
	return x, nil
}

// halves returns a section of n numbers of half precision, all finite.
func (f *File) halves(name string, n int) ([]float32, error) {
	s, err := f.bytes(name, 2*n)
	if err != nil {
		return nil, err
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = kernel.Half(binary.LittleEndian.Uint16([]byte(s[2*i : 2*i+2])))
		if x[i]-x[i] != 0 {
			return nil, daybook.Errorf(daybook.Corrupt, "section %s: element %d is %g", name, i, x[i])
		}
	}
	return x, nil
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// section is one part of a file to be written.
type section struct {
	name string
	data []byte
}

func floatSection(name string, x []float32) section {
	b := make([]byte, 0, 4*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return section{name, b}
}

func intSection(name string, x []int8) section {
	b := make([]byte, len(x))
	for i, v := range x {
		b[i] = byte(v)
	}
	return section{name, b}
}

// writeFile writes a model file of config and sections.
func writeFile(w io.Writer, config Config, sections []section) error {
	h := header{Config: config, Sections: map[string]place{}}
	var body bytes.Buffer
	for _, s := range sections {
		body.Write(make([]byte, -body.Len()&(align-1)))
		h.Sections[s.name] = place{body.Len(), len(s.data)}
		body.Write(s.data)
	}
	digest, err := digest(config, body.Bytes())
	if err != nil {
		return err
	}
	h.Digest = digest
	text, err := json.Marshal(h)
	if err != nil {
		return daybook.Errorf(daybook.Internal, "model file header: %w", err)
	}
	var head bytes.Buffer
	head.WriteString(magic)
	head.Write(binary.LittleEndian.AppendUint32(nil, version))
	head.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
	head.Write(text)
	head.Write(make([]byte, -head.Len()&(align-1)))
	sum := sha256.New()
	for _, part := range [][]byte{head.Bytes(), body.Bytes()} {
		sum.Write(part)
		if _, err := w.Write(part); err != nil {
			return daybook.Errorf(daybook.Unavailable, "write model file: %w", err)
		}
	}
	if _, err := w.Write(sum.Sum(nil)); err != nil {
		return daybook.Errorf(daybook.Unavailable, "write model file: %w", err)
	}
	return nil
}

// digest covers what decides the vectors and leaves out what only describes
// them, so that a corrected licence line does not make old vectors stale.
func digest(config Config, body []byte) (string, error) {
	decides, err := json.Marshal(struct {
		Shape     Shape
		Tokenizer any
	}{config.Shape, config.Tokenizer})
	if err != nil {
		return "", daybook.Errorf(daybook.Internal, "digest of %s: %w", config.Name, err)
	}
	sum := sha256.New()
	sum.Write(decides)
	sum.Write(body)
	return hex.EncodeToString(sum.Sum(nil)), nil
}
