package source

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"time"

	"daybook"

	"github.com/ledongthuc/pdf"
)

// A small PDF can ask for any amount of memory and time: streams are compressed, twice if
// one likes, objects are counted by numbers in the file, and references go in circles. The
// library trusts all of it, so it is held within bounds from outside.
const (
	maxPDFPages = 10_000
	maxPDFPage  = 8 << 20   // bytes of what one page unpacks to
	maxPDFText  = 128 << 20 // bytes of what all pages unpack to
	maxPDFFont  = 4 << 20   // bytes of a font's table of characters
	maxPDFTime  = time.Minute
)

// timeFor is how long a PDF of a size may take to read.
func timeFor(size int) time.Duration {
	return min(5*time.Second+4*time.Second*time.Duration(size>>20), maxPDFTime)
}

var errPDFTime = errors.New("it takes too long to read for its size")

// pdfData is a PDF file as the library reads it. When the time is up reading panics, which
// guard turns into an error; the library offers no other way to end it.
type pdfData struct {
	*bytes.Reader
	until time.Time
}

func (d pdfData) ReadAt(p []byte, at int64) (int, error) {
	d.check()
	return d.Reader.ReadAt(p, at)
}

func (d pdfData) check() {
	if time.Now().After(d.until) {
		panic(errPDFTime)
	}
}

// claims are the places where a PDF says how much memory the library shall set aside.
var claims = []*regexp.Regexp{
	regexp.MustCompile(`/(?:Size|Columns|Count)\s+(\d+)`),
	regexp.MustCompile(`/(?:Index|W)\s*\[([\d\s]*)\]`),
	regexp.MustCompile(`(?m)^\s*(\d+\s+\d+)\s*$`), // a part of a table of objects
}

var digits = regexp.MustCompile(`\d+`)

// checkClaims refuses a PDF that claims more objects than it has bytes.
func checkClaims(data []byte) error {
	most := max(len(data), 1<<20) // a file that is smaller may have pictures that are wider
	for _, claim := range claims {
		for _, found := range claim.FindAllSubmatch(data, -1) {
			for _, number := range digits.FindAll(found[1], -1) {
				if n, err := strconv.Atoi(string(number)); err != nil || n > most {
					return daybook.Errorf(daybook.Invalid, "it claims to have %s objects in %d bytes", shorten(string(number), 30), len(data))
				}
			}
		}
	}
	return nil
}

// unpacked counts what a stream, or a list of them, unpacks to, and refuses it where that is
// more than most.
func unpacked(v pdf.Value, most int64) (total int64, err error) {
	streams := []pdf.Value{v}
	if v.Kind() == pdf.Array {
		streams = nil
		for i := range v.Len() {
			streams = append(streams, v.Index(i))
		}
	}
	for _, s := range streams {
		if s.Kind() != pdf.Stream {
			continue
		}
		n, err := io.Copy(io.Discard, io.LimitReader(s.Reader(), most-total+1))
		if total += n; total > most {
			return total, daybook.Errorf(daybook.Invalid, "it unpacks to more than %d MiB", most>>20)
		}
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
