package source_test

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"daybook/source"
)

// deflated packs bytes as a PDF does.
func deflated(t testing.TB, r io.Reader) []byte {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	if _, err := io.Copy(z, r); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// repeated is a text over and over.
type repeated struct {
	text string
	left int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) && r.left > 0 {
		m := copy(p[n:], r.text[:min(len(r.text), r.left)])
		n, r.left = n+m, r.left-m
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// peak runs do and returns the most memory that was in use meanwhile, beyond what was before.
func peak(do func()) uint64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	before, most := sample[0].Value.Uint64(), uint64(0)
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	for {
		select {
		case <-done:
			return most - min(most, before)
		case <-time.After(5 * time.Millisecond):
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
		}
	}
}

// Small files that unpack to much, or claim to, are refused with little memory and in time.
func TestBombs(t *testing.T) {
	stream := func(filters, data string) string {
		return fmt.Sprintf("<< /Filter [%s] /Length %d >>\nstream\n%s\nendstream", filters, len(data), data)
	}
	const much = 1 << 30
	once := deflated(t, &repeated{"1 2 3 4 5 6 7 8 ", much})
	twice := string(deflated(t, bytes.NewReader(once)))
	pdf := func(change func([]string)) []byte { return pdfOf("a", "b", "c", change) }
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for i := range 2 {
		w, err := z.Create(fmt.Sprintf("conversations-%d.json", i))
		if err == nil {
			_, err = io.Copy(w, &repeated{"[[[[[[[[", much / 4})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	bombs := map[string][]byte{
		"page.pdf":    pdf(func(o []string) { o[4] = stream("/FlateDecode /FlateDecode", twice) }),
		"size.pdf":    bytes.Replace(pdf(nil), []byte("/Size 9"), []byte("/Size 9000000000"), 1),
		"objects.pdf": bytes.Replace(pdf(nil), []byte("xref\n0 9\n"), []byte("xref\n2000000000 9\n"), 1),
		"pages.pdf": pdf(func(o []string) {
			o[1] = "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 30000 >>" + strings.Repeat(" ", 40_000)
		}),
		"loop.pdf": pdf(func(o []string) { o[1] = "<< /Type /Pages /Kids [2 0 R] /Count 2 >>" }),
		"font.pdf": pdf(func(o []string) {
			o[6] = "<< /Type /Font /Subtype /Type0 /BaseFont /Helvetica /ToUnicode 8 0 R >>"
			o[7] = stream("/FlateDecode /FlateDecode", twice)
		}),
		"archive.zip": archive.Bytes(),
		"line.jsonl":  []byte(`{"text":"` + strings.Repeat("x", 11<<20) + `"}`),
	}
	for name, data := range bombs {
		t.Run(name, func(t *testing.T) {
			var refused []error
			began := time.Now()
			used := peak(func() {
				s, err := source.Open(source.Input{Name: name, Data: bytes.NewReader(data), Size: int64(len(data))}, source.Options{})
				if err != nil {
					refused = append(refused, err)
					return
				}
				for _, err := range s.Records() {
					if err != nil {
						refused = append(refused, err)
					}
				}
			})
			if len(refused) == 0 {
				t.Errorf("%d bytes were taken", len(data))
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %s", took)
			}
			if used > 200<<20 {
				t.Errorf("%d bytes of a file used %d MiB", len(data), used>>20)
			}
			t.Logf("%d bytes, %d MiB, %s: %.200v", len(data), used>>20, time.Since(began), refused)
		})
	}
}
