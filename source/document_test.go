package source_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"daybook/source"
)

// Chunks keep to the limit and lose no word.
func TestChunks(t *testing.T) {
	text := strings.Repeat("A sentence of seven words stands here. ", 40) + "\n\n" + strings.Repeat("word ", 300) + "\n\n" +
		strings.Repeat("漢字", 200) + "\n\n" + strings.Repeat("x", 3000) + "\n\nlast"
	got, bad := read(t, "long.txt", text, source.Options{Tokens: 50})
	if len(bad) != 0 || len(got) < 20 {
		t.Fatalf("%d chunks, bad %v", len(got), bad)
	}
	var all strings.Builder
	for _, r := range got {
		if n := len(strings.Fields(r.Text)); n > 50 {
			t.Errorf("a chunk of %d words: %q", n, r.Text)
		}
		all.WriteString(r.Text)
	}
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
	if squeeze(all.String()) != squeeze(text) {
		t.Error("the chunks together are not the text")
	}
}

// An edited document gives its unchanged chunks again.
func TestEditedDocument(t *testing.T) {
	a, _ := read(t, "d.md", "# A\n\none\n\n# B\n\ntwo\n", source.Options{})
	b, _ := read(t, "d.md", "# A\n\none, edited\n\n# B\n\ntwo\n", source.Options{})
	if len(a) != 2 || len(b) != 2 || a[0].ID == b[0].ID || a[1].ID != b[1].ID {
		t.Errorf("%v and then %v", a, b)
	}
}

func TestPDF(t *testing.T) {
	data := makePDF("Harbour log", "The red boat left on Monday.", "")
	s := open(t, "log.pdf", data, source.Options{})
	got, bad := gather(t, s)
	if s.Format() != source.PDF || len(bad) != 0 || len(got) != 1 || s.LeftOut()["pages without text"] != 1 {
		t.Fatalf("%s: %v, bad %v, left out %v", s.Format(), got, bad, s.LeftOut())
	}
	r := got[0]
	if r.Text != "page 1\n\nHarbour log\n\nThe red boat left on Monday." || r.Speaker != "Ivy" || r.Time.Format("2006-01-02 15:04") != "2024-03-15 13:23" {
		t.Errorf("%+v", r)
	}
	_, bad = gather(t, open(t, "scan.pdf", makePDF("", "", ""), source.Options{}))
	if len(bad) != 1 || !strings.Contains(bad[0].Error(), "pdftotext") {
		t.Errorf("a scan: %v", bad)
	}
}

// makePDF writes a PDF of two pages: a title and a line, and another line.
func makePDF(title, first, second string) []byte { return pdfOf(title, first, second, nil) }

// pdfOf makes a PDF whose objects change may exchange.
func pdfOf(title, first, second string, change func([]string)) []byte {
	stream := func(lines ...string) string {
		var s strings.Builder
		s.WriteString("BT /F1 12 Tf 72 720 Td ")
		for _, l := range lines {
			if l == "" {
				continue
			}
			words := strings.ReplaceAll(l, " ", ") -400 (") // gaps for blanks, as typesetters do
			fmt.Fprintf(&s, "[(%s)] TJ 0 -40 Td ", words)
		}
		s.WriteString("ET")
		return fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", s.Len(), s.String())
	}
	page := "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 7 0 R >> >> /Contents %d 0 R >>"
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
		fmt.Sprintf(page, 5), fmt.Sprintf(page, 6), stream(title, first), stream(second),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Author (Ivy) /CreationDate (D:20240315142305+01'00') >>",
	}
	if change != nil {
		change(objects)
	}
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	var at []int
	for i, o := range objects {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R /Info 8 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xref)
	return out.Bytes()
}

// Every parser takes any bytes: it ends, its notes are valid, and a second pass
// gives the same.
func fuzz(f *testing.F, format source.Format, seeds ...string) {
	for _, s := range seeds {
		if data, err := os.ReadFile("testdata/" + s); err == nil {
			f.Add(data)
		} else {
			f.Add([]byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := source.Open(source.Input{Name: "f.txt", Data: bytes.NewReader(data), Size: int64(len(data)), Modified: modified}, source.Options{Format: format})
		if err != nil {
			return
		}
		if s.Format() == source.Ledger {
			return
		}
		first, bad := gatherAll(s)
		second, again := gatherAll(s)
		if len(first) != len(second) || bad != again {
			t.Fatalf("%d notes and %d bad ones, then %d and %d", len(first), bad, len(second), again)
		}
		for i, r := range first {
			if err := r.Validate(); err != nil || r.ID == "" || !reflect.DeepEqual(r.Note, second[i].Note) {
				t.Errorf("%v: %+v, then %+v: %v", r.At, r.Note, second[i].Note, err)
			}
			if r.Assumed != (source.Assumed{}) && r.SourceID == "" {
				t.Errorf("%v: something is assumed and there is no id", r.At)
			}
		}
		if len(first)+bad == 0 && len(s.LeftOut()) == 0 {
			t.Error("not a word about the file")
		}
	})
}

func gatherAll(s *source.Source) (good []source.Record, bad int) {
	for r, err := range s.Records() {
		if err != nil {
			bad++
		} else {
			good = append(good, r)
		}
	}
	return good, bad
}

func FuzzMessages(f *testing.F) {
	fuzz(f, source.Messages, "openai.json", `{"id":"a","session":1,"time":"2024-01-01T10:00:00Z","speaker":"Ana","text":"hello"}`,
		`{"id":1e400,"time":"2024","text":"\ud800"}`, "\xef\xbb\xbf{}", "{}\n\n[]\nnull", `{"text":null}`, `{"messages":[{"role":"user","content":"a"}]}`)
}
func FuzzChatGPT(f *testing.F)     { fuzz(f, source.ChatGPT, "chatgpt.json") }
func FuzzClaude(f *testing.F)      { fuzz(f, source.Claude, "claude.json") }
func FuzzWhatsApp(f *testing.F)    { fuzz(f, source.WhatsApp, "whatsapp_ios.txt", "whatsapp_android.txt") }
func FuzzLoCoMo(f *testing.F)      { fuzz(f, source.LoCoMo, "locomo.json") }
func FuzzLongMemEval(f *testing.F) { fuzz(f, source.LongMemEval, "longmemeval.json") }
func FuzzMem0(f *testing.F)        { fuzz(f, source.Mem0, "mem0.json") }
func FuzzMarkdown(f *testing.F)    { fuzz(f, source.Markdown, "note.md") }
func FuzzText(f *testing.F)        { fuzz(f, source.Text, "diary.txt") }
func FuzzPDF(f *testing.F)         { fuzz(f, source.PDF, string(makePDF("a", "b c", "d"))) }
func FuzzAuto(f *testing.F) {
	fuzz(f, source.Auto, "openai.json", "chatgpt.json", "whatsapp_ios.txt", "note.md", "mem0.json", "PK\x03\x04", "%PDF-1.4")
}

// Front matter is metadata of every note of a document, and no text of it.
func TestFrontMatterIsMetadata(t *testing.T) {
	good, bad := read(t, "log.md", "---\ntitle: Boat log\ndate: 2024-03-05\nauthor: Ivy\ntags: [boat, repair]\ndraft: false\nat: {place: Faro}\n---\n\n# One\n\nThe hull is dry.\n\n# Two\n\nThe mast is new.\n", source.Options{Tokens: 4})
	if len(bad) != 0 || len(good) < 2 {
		t.Fatalf("%d good, bad %v", len(good), bad)
	}
	for _, r := range good {
		got, err := json.Marshal(r.Metadata)
		if want := `{"at":{"place":"Faro"},"author":"Ivy","date":"2024-03-05","draft":false,"tags":["boat","repair"],"title":"Boat log"}`; err != nil || string(got) != want {
			t.Errorf("metadata %s, %v", got, err)
		}
		if r.Speaker != "Ivy" || r.Time.Format(time.DateOnly) != "2024-03-05" || strings.Contains(r.Text, "tags") {
			t.Errorf("note %+v", r.Note)
		}
	}
	// What is no YAML stays text, and nothing is lost.
	good, _ = read(t, "log.md", "---\ntitle: a: b: [\n---\n\nThe hull is dry.\n", source.Options{})
	if len(good) != 1 || !strings.Contains(good[0].Text, "title: a: b: [") || !strings.Contains(good[0].Text, "dry") {
		t.Errorf("%v", good)
	}
}
