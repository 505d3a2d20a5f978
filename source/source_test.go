package source_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"daybook"
	"daybook/source"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

var modified = time.Date(2024, 7, 1, 12, 0, 0, 0, time.UTC)

func open(t testing.TB, name string, data []byte, o source.Options) *source.Source {
	t.Helper()
	s, err := source.Open(source.Input{Name: name, Data: bytes.NewReader(data), Size: int64(len(data)), Modified: modified}, o)
	if err != nil {
		t.Fatalf("open %s: %v", name, err)
	}
	return s
}

// read returns the good and the bad records of a file.
func read(t testing.TB, name, text string, o source.Options) (good []source.Record, bad []*source.BadRecord) {
	t.Helper()
	return gather(t, open(t, name, []byte(text), o))
}

func gather(t testing.TB, s *source.Source) (good []source.Record, bad []*source.BadRecord) {
	t.Helper()
	for r, err := range s.Records() {
		if b, ok := errors.AsType[*source.BadRecord](err); ok {
			bad = append(bad, b)
		} else if err != nil {
			t.Fatal(err)
		} else {
			good = append(good, r)
		}
	}
	return good, bad
}

// TestFormats reads the samples in testdata as whatever they look like and
// compares all that comes out with a golden file.
func TestFormats(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if filepath.Ext(path) == ".golden" {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := show(t, open(t, path, data, source.Options{}))
			golden := path + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func show(t *testing.T, s *source.Source) string {
	var out strings.Builder
	fmt.Fprintf(&out, "read as %s\n", s.Format())
	good, bad := gather(t, s)
	for _, r := range good {
		fmt.Fprintf(&out, "\n%v\n  id       %s\n  session  %s%s\n  time     %s%s\n  speaker  %s\n  text     %q\n", r.At, r.SourceID,
			r.Session, mark(r.Assumed.Session), r.Time.Format("2006-01-02 15:04:05.999"), mark(r.Assumed.Time), r.Speaker, r.Text)
	}
	for _, b := range bad {
		fmt.Fprintf(&out, "\nbad: %v\n", b)
	}
	left := s.LeftOut()
	for _, why := range slices.Sorted(maps.Keys(left)) {
		fmt.Fprintf(&out, "\nleft out %d: %s\n", left[why], why)
	}
	return out.String()
}

func mark(assumed bool) string {
	if assumed {
		return " (assumed)"
	}
	return ""
}

// A file can be read again and again, and gives the same.
func TestRecordsTwice(t *testing.T) {
	data, err := os.ReadFile("testdata/chatgpt.json")
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, "conversations.json", data, source.Options{})
	first, _ := gather(t, s)
	second, _ := gather(t, s)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the second pass differs: %s", diff)
	}
	if done, total := s.Progress(); done != total || total != int64(len(data)) {
		t.Errorf("progress is %d of %d bytes at the end of %d", done, total, len(data))
	}
	for range s.Records() { // a caller may stop at once
		break
	}
}

func TestBadFiles(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"empty.json", "", "the file is empty"},
		{"blank.txt", " \r\n\t\n", "the file is empty"},
		{"bom.txt", "\xef\xbb\xbf", "the file is empty"},
		{"photo.jpg", "\xff\xd8\xff\xe0\x00\x10JFIF\x00", "binary"},
		{"noise", strings.Repeat("\x01\x02\xfe", 100), "binary"},
		{"utf16", "h\x00e\x00l\x00l\x00o\x00", "save it as UTF-8"},
		{"x.gz", "\x1f\x8b\x08\x00abc", "binary"},
		{"chat.html", "<!DOCTYPE html><html>", "conversations.json"},
		{"a.json", "hello", "does not begin as JSON"},
		{"a.json", "{nonsense", "is not JSON"},
		{"a.json", "[]", "without a record"},
		{"a.json", `{"colour":"red","size":3}`, "colour, size"},
		{"a.zip", "PK\x03\x04 cut", "damaged or cut short"},
		{"a.zip", string(zipped(t, "photo.png", "x")), "no conversations.json"},
	} {
		_, err := source.Open(source.Input{Name: c.name, Data: strings.NewReader(c.data), Size: int64(len(c.data))}, source.Options{})
		if daybook.KindOf(err) != daybook.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.20q: %v, want Invalid with %q", c.name, c.data, err, c.want)
		}
	}
}

// A broken record is reported with its place and the others are read.
func TestBadRecords(t *testing.T) {
	chatgpt, err := os.ReadFile("testdata/chatgpt.json")
	if err != nil {
		t.Fatal(err)
	}
	second := strings.Index(string(chatgpt), `"title": null`)
	for _, c := range []struct {
		name, data string
		format     source.Format
		good       int
		want       []string // the beginnings of what is said of the bad ones
	}{
		{"cut in the second conversation", string(chatgpt[:second+100]), source.ChatGPT, 5, []string{"conversation 2, byte 3647: the JSON is cut short"}},
		{"one message of the wrong type", strings.Replace(string(chatgpt), `"create_time": 1710000030.0`, `"create_time": {}`, 1), source.ChatGPT, 5, []string{"conversation 1, message 7, byte 3: not a message"}},
		{"circle", `[{"mapping":{"a":{"parent":"b","children":["b"],"message":{"id":"x"}},"b":{"parent":"a","children":["a"]}},"current_node":"a"}]`, source.ChatGPT, 0, []string{"conversation 1, byte 1: the messages form a circle"}},
		{"parent missing", `[{"mapping":{"a":{"parent":"b"}},"current_node":"a"}]`, source.ChatGPT, 0, []string{`conversation 1, byte 1: message "b" is named as a parent`}},
		{"surrogate", `[{"speaker":"a","time":"2024","text":"\ud83d x"},{"speaker":"a","time":"2024","text":"\ud83d\ude00 \\ud800"}]`, source.Messages, 1, []string{"message 1, byte 1: half of a surrogate pair"}},
		{"not UTF-8", "{\"text\":\"a\xffb\",\"time\":\"2024\"}\n{\"text\":\"fine\",\"time\":\"2024\"}", source.Messages, 1, []string{"line 1: not valid UTF-8"}},
		{"part without type", `[{"role":"user","content":[{"a":1}]},{"role":"user","content":[{"type":"tool_result","content":"ok"}]}]`, source.Messages, 1, []string{`message 1, byte 1: part 1 of "content": it has neither`}},
		{"no time", "{\"text\":\"a\"}\n{\"text\":\"fine\",\"time\":\"2024\"}", source.Messages, 1, []string{`line 1: "time" is missing`}},
		{"after the array", `[{"text":"a","time":"2024"}] extra`, source.Messages, 1, []string{"byte"}},
		{"NUL", `[{"text":"a\u0000b","time":"2024"}]`, source.Messages, 0, []string{"message 1, byte 1: text has a NUL byte"}},
		{"wrong encoding", "15/03/2024, 10:00 - Jos\xe9: ol\xe1\n15/03/2024, 10:01 - Ana: fine\n", source.WhatsApp, 1, []string{"line 1: not valid UTF-8"}},
		{"no such day", "15/03/2024, 10:00 - Ana: a\n16/03/2024, 10:00 - Ana: a\n31/02/2024, 10:01 - Ana: b\n", source.WhatsApp, 2, []string{"line 3: there is no day"}},
		{"before the chat", "hello\n15/03/2024, 10:00 - Ana: a\n", source.WhatsApp, 1, []string{"line 1: it stands before the first message"}},
		{"no chat", "hello\n", source.WhatsApp, 0, []string{"line 1: no line begins a message"}},
		{"front matter", "---\ndate: soon\n---\ntext", source.Markdown, 0, []string{`line 1: front matter: date: time "soon"`}},
		{"Latin-1 text", "caf\xe9", source.Text, 0, []string{"line 1: not valid UTF-8 (byte 3 of the line); convert"}},
		{"no PDF", "%PDF-1.4 but no more", source.PDF, 0, []string{"the PDF cannot be read"}},
		{"memory without time", `[{"id":1,"memory":"x"}]`, source.Mem0, 0, []string{`memory 1, byte 1: neither "created_at"`}},
		{"uneven", `[{"question_id":"q","haystack_sessions":[[]],"haystack_dates":[],"haystack_session_ids":["a"]}]`, source.LongMemEval, 0, []string{"question 1, byte 1: 1 sessions, but 0 dates"}},
		{"session without date", `[{"sample_id":"c","conversation":{"session_1":[{"dia_id":"D1:1","speaker":"a","text":"b"}]}}]`, source.LoCoMo, 0, []string{"sample 1, session_1, byte 1: session_1_date_time"}},
		{"nothing", "", source.Messages, 0, []string{"there is nothing to import"}},
	} {
		good, bad := read(t, "file", c.data, source.Options{Format: c.format})
		if len(good) != c.good || len(bad) != len(c.want) {
			t.Errorf("%s: %d good and %v", c.name, len(good), bad)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(bad[i].Error(), want) || daybook.KindOf(bad[i]) != daybook.Invalid {
				t.Errorf("%s: %v, want Invalid %q", c.name, bad[i], want)
			}
		}
	}
}

// Text is read in any Unicode encoding and with any line ends, to the same notes.
func TestEncodings(t *testing.T) {
	const text = "15.03.24, 14:23 - Zoë: naïve 🚲\nsecond line\n16.03.24, 09:00 - Zoë: done\n"
	want, bad := read(t, "chat.txt", text, source.Options{})
	if len(want) != 2 || len(bad) != 0 {
		t.Fatalf("%v, %v", want, bad)
	}
	for name, other := range map[string]string{
		"UTF-8 with mark": "\xef\xbb\xbf" + text, "CRLF": strings.ReplaceAll(text, "\n", "\r\n"),
		"UTF-16 LE": wide(text, binary.LittleEndian), "UTF-16 BE": wide(text, binary.BigEndian),
	} {
		got, bad := read(t, "chat.txt", other, source.Options{})
		if diff := cmp.Diff(want, got); diff != "" || len(bad) != 0 {
			t.Errorf("%s: %v %s", name, bad, diff)
		}
	}
}

func wide(text string, order binary.ByteOrder) string {
	var out []byte
	for _, u := range utf16.Encode([]rune("\uFEFF" + text)) {
		b := make([]byte, 2)
		order.PutUint16(b, u)
		out = append(out, b...)
	}
	return string(out)
}

func zipped(t testing.TB, files ...string) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestZip(t *testing.T) {
	claude, err := os.ReadFile("testdata/claude.json")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := gather(t, open(t, "conversations.json", claude, source.Options{}))
	s := open(t, "export.zip", zipped(t, "users.json", `[{"uuid":"a"}]`, "data/conversations.json", string(claude), "chat.html", "<html>"), source.Options{})
	got, bad := gather(t, s)
	if s.Format() != source.Claude || len(bad) != 0 || len(got) != len(want) || !reflect.DeepEqual(got[0].Note, want[0].Note) {
		t.Errorf("%s: %v, bad %v", s.Format(), got, bad)
	}
	if at := got[0].At.String(); at != "data/conversations.json: conversation 1, message 1, byte 1" {
		t.Errorf("the place is %q", at)
	}
	s = open(t, "vault.zip", zipped(t, "b/2024-03-05.md", "# Day\n\nRain.", "a.txt", "Sun.", "__MACOSX/._a.txt", "junk", "pic.png", "x"), source.Options{})
	got, bad = gather(t, s)
	if len(bad) != 0 || len(got) != 2 || got[0].Text != "Sun." || got[1].Text != "Day\n\nRain." || got[1].Time.Format("2006-01-02") != "2024-03-05" {
		t.Errorf("%v, bad %v", got, bad)
	}
}

// Records without sessions are cut where nobody spoke for long.
func TestGaps(t *testing.T) {
	const chat = `{"time":"2024-01-01T10:00:00Z","speaker":"a","text":"1"}
{"time":"2024-01-01T13:59:00Z","speaker":"a","text":"2"}
{"time":"2024-01-01T18:00:00Z","speaker":"a","text":"3"}
{"time":"2024-01-01T18:30:00Z","session":"own","speaker":"a","text":"4"}
`
	sessions := func(o source.Options) (names []string) {
		good, _ := read(t, "c.jsonl", chat, o)
		for _, r := range good {
			names = append(names, r.Session)
		}
		return names
	}
	first, second := "c 2024-01-01 10:00", "c 2024-01-01 18:00"
	for _, c := range []struct {
		o    source.Options
		want []string
	}{
		{source.Options{}, []string{first, first, second, "own"}},
		{source.Options{Gap: time.Hour}, []string{first, "c 2024-01-01 13:59", second, "own"}},
		{source.Options{Gap: 24 * time.Hour}, []string{first, first, first, "own"}},
		{source.Options{Session: "mine"}, []string{"mine", "mine", "mine", "own"}},
	} {
		if diff := cmp.Diff(c.want, sessions(c.o)); diff != "" {
			t.Errorf("%+v: %s", c.o, diff)
		}
	}
	// Where a session is assumed, the id does not depend on it.
	a, _ := read(t, "c.jsonl", chat, source.Options{})
	b, _ := read(t, "c.jsonl", chat, source.Options{Gap: time.Minute})
	for i := range a {
		if a[i].ID != b[i].ID {
			t.Errorf("record %d has another id with another gap", i)
		}
	}
}

// Zones move times and not ids.
func TestZone(t *testing.T) {
	rome := time.FixedZone("CET", 3600)
	for _, text := range []string{"15.03.24, 14:23 - Ana: hi\n", `{"id":"x","time":"2024-03-15 14:23","text":"hi"}`} {
		utc, _ := read(t, "f", text, source.Options{})
		got, _ := read(t, "f", text, source.Options{Zone: rome})
		if got[0].Time.Format("15:04") != "13:23" || got[0].ID != utc[0].ID {
			t.Errorf("%v and %v", utc[0], got[0])
		}
	}
	got, _ := read(t, "f", `{"id":"x","time":"2024-03-15T14:23:00+02:00","text":"hi"}`, source.Options{Zone: rome})
	if got[0].Time.Format("15:04") != "12:23" {
		t.Errorf("a time with a zone of its own became %v", got[0].Time)
	}
}

// Conversations of OpenAI's training files, one a line, are sessions.
func TestConversationLines(t *testing.T) {
	got, bad := read(t, "train.jsonl", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}
{"messages":[{"role":"user","content":"a"}]}
{"id":"x","messages":[{"role":"user","content":""},{"role":"user","content":"c"}]}
`, source.Options{Me: "Ana"})
	var lines []string
	ids := map[daybook.NoteID]bool{}
	for _, r := range got {
		lines = append(lines, r.Session+" "+r.Speaker+" "+r.Text)
		ids[r.ID] = true
	}
	if diff := cmp.Diff([]string{"train Ana a", "train assistant b", "train 2 Ana a", "x Ana c"}, lines); diff != "" || len(ids) != 4 {
		t.Errorf("%d ids, %s", len(ids), diff)
	}
	if len(bad) != 1 || bad[0].Error() != `message 1, line 3: "content" is missing or empty` {
		t.Errorf("%v", bad)
	}
}
