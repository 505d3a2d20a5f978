package source

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"daybook"

	"github.com/ledongthuc/pdf"
)

// maxPDF is the largest PDF file: it is read into memory.
const maxPDF = 256 << 20

const pdfHelp = "; 'pdftotext -layout FILE.pdf FILE.txt' may read it, and FILE.txt can be imported"

// readPDF reads the text of a PDF, page by page. Pages of scanned paper have none
// and are counted as left out.
func readPDF(rd *reader) error {
	data, err := rd.readAll(maxPDF)
	if err != nil {
		return err
	}
	book, err := openPDF(data)
	if err != nil {
		rd.badf(Position{}, "the PDF cannot be read: %w"+pdfHelp, err)
		return nil
	}
	d := document{time: book.created, author: book.author}
	for n := 1; n <= book.pages; n++ {
		text, err := book.page(n)
		if err == nil {
			err = checkLine(text)
		}
		switch {
		case errors.Is(err, errPDFTime):
			rd.badf(Position{Part: fmt.Sprintf("page %d", n)}, "%w"+pdfHelp, err)
			return nil
		case err != nil:
			if !rd.badf(Position{Part: fmt.Sprintf("page %d", n)}, "its text cannot be read: %w"+pdfHelp, err) {
				return nil
			}
		case strings.TrimSpace(text) == "":
			rd.leave("pages without text")
		default:
			d.blocks = append(d.blocks, pageBlocks(n, text)...)
		}
	}
	if len(d.blocks) == 0 && book.pages > 0 {
		rd.badf(Position{}, "no page has text: it is a scan, or its fonts cannot be read"+pdfHelp)
		return nil
	}
	rd.document(d)
	return nil
}

func pageBlocks(n int, text string) []block {
	var b blocks
	b.current.path = fmt.Sprintf("page %d", n)
	for l := range strings.Lines(text) {
		b.line(0, strings.TrimRight(l, "\r\n "))
	}
	b.flush()
	return b.done
}

// pdfBook is an open PDF. The library panics on some broken files; here that is
// an error.
type pdfBook struct {
	reader  *pdf.Reader
	data    pdfData
	room    *int64 // bytes that pages may still unpack to
	pages   int
	author  string
	created time.Time
}

func openPDF(data []byte) (b pdfBook, err error) {
	defer guard(&err)
	if err := checkClaims(data); err != nil {
		return b, err
	}
	room := int64(maxPDFText)
	b.data, b.room = pdfData{bytes.NewReader(data), time.Now().Add(timeFor(len(data)))}, &room
	if b.reader, err = pdf.NewReader(b.data, int64(len(data))); err != nil {
		return b, err
	}
	b.pages = b.reader.NumPage()
	if b.pages < 0 || b.pages > min(len(data), maxPDFPages) { // a page takes more than a byte
		return b, daybook.Errorf(daybook.Invalid, "it claims to have %d pages, and at most %d are read", b.pages, maxPDFPages)
	}
	info := b.reader.Trailer().Key("Info")
	b.author = oneLine(info.Key("Author").Text())
	b.created = pdfTime(info.Key("CreationDate").Text())
	return b, nil
}

// guard turns a panic into an error.
func guard(err *error) {
	switch p := recover().(type) {
	case nil:
	case error:
		*err = fmt.Errorf("malformed: %w", p)
	default:
		*err = fmt.Errorf("malformed: %v", p)
	}
}

// pdfTime reads "D:20240315142305+01'00'"; what it cannot read is no time.
func pdfTime(s string) time.Time {
	s = strings.ReplaceAll(strings.TrimPrefix(s, "D:"), "'", "")
	for _, layout := range []string{"20060102150405Z0700", "20060102150405Z", "20060102150405", "200601021504", "20060102"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// page returns the text of a page in the order in which it was written.
func (b pdfBook) page(n int) (text string, err error) {
	defer guard(&err)
	p := b.reader.Page(n)
	contents := p.V.Key("Contents")
	if contents.IsNull() {
		return "", nil
	}
	size, err := unpacked(contents, min(maxPDFPage, *b.room))
	if *b.room -= size; err != nil {
		return "", err
	}
	t := &typesetter{page: p, fonts: map[string]*pdfFont{}}
	pdf.Interpret(contents, func(stack *pdf.Stack, op string) {
		b.data.check()
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		t.do(op, args)
	})
	return t.out.String(), nil
}
