package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const small = `# name: wren
# genre: coding agent
# region: Cornwall, terse
== 2025-02-11 19:42
1 Tamsin: repo is wrenly. flutter app
+ wrenly | framework | Flutter | flutter | holds
2 assistant: README says minSdk 21, still accurate?
+ wrenly | minSdk | 21 | minSdk 21 | reported
3 Tamsin: 24 since november\nand CI is dead
+ wrenly | minSdk | 24 | . | holds | 2024-11 | x2
+ wrenly | CI | none | CI is dead | ended | !implied
== 2025-03-01 08:00
4 Tamsin: raise it to 26 tonight?
+ wrenly | minSdk | 26 | . | suggestion
5 assistant: minSdk 24 for now
+ wrenly | minSdk | 24 | minSdk 24 | holds | =3
? current | lowest android version we support | 24 | API 24 | 21 ; 26 | 3,5 | . | wrenly / minSdk
? asof | and in january 2025? | 24 |  |  | 3 | . | wrenly / minSdk | @2025-01-15
? list | what is the app made with | Flutter ; minSdk 24 |  |  | 1,3 |  |  | which
? absent | who signs the builds
`

// TestReadingForm: what is written in the reading form is read back the same, and is sound.
func TestReadingForm(t *testing.T) {
	chat, faults := parseText(small)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if found := checkChat(chat); len(found) > 0 {
		t.Error(found)
	}
	again, faults := parseText(formatText(chat))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if diff := cmp.Diff(chat, again); diff != "" {
		t.Errorf("read again (-first +second):\n%s", diff)
	}
	if got := chat.Messages[2].Text; got != "24 since november\nand CI is dead" {
		t.Errorf("message 3 is %q", got)
	}
	if c := chat.Claims[0]; c.Words != "flutter" || c.Value != "Flutter" {
		t.Errorf("first claim: %+v", c)
	}
}

// TestFaults: each thing that can be wrong is named.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"3 Tamsin: 24", "7 Tamsin: 24", "message 7 stands where 3 is next"},
		{"== 2025-03-01 08:00", "== 2024-03-01 08:00", "begins before the message above it"},
		{"== 2025-03-01 08:00", "== March", "a sitting begins with"},
		{"| flutter | holds", "| swift | holds", `the words "swift" are not in the message`},
		{"minSdk 21 | reported", "minSdk 21 | rumour", `"rumour" is no stance`},
		{"suggestion", "suggestion | x3", "only what holds, ended or is a rule closes"},
		{"holds | =3", "holds | =1", "has no claim of this state"},
		{"holds | =3", "holds | =9", "which is no message"},
		{"| 2024-11 | x2", "| 2024-11 | x5", "which comes later"},
		{"| 2024-11 | x2", "| soon", `"soon" is no date`},
		{"? current", "? now", `"now" is no kind`},
		{"| 3,5 |", "| 3,50 |", "is no message"},
		{"| wrenly / minSdk | @", "| wrenly / sdk | @", "no claim is of the state"},
		{"lowest android version we support | 24", "lowest | ", "no answer or no evidence"},
		{"1 Tamsin: repo", "Tamsin repo", "neither a message"},
	} {
		chat, faults := parseText(strings.Replace(small, c.old, c.new, 1))
		all := checkChat(chat)
		for _, f := range faults {
			all = append(all, f.Error())
		}
		if !strings.Contains(strings.Join(all, "\n"), c.want) {
			t.Errorf("%q for %q: %v; want %q", c.new, c.old, all, c.want)
		}
	}
}

// TestArchive: chats come back as they were packed, and the same chats give the same file.
func TestArchive(t *testing.T) {
	chat, _ := parseText(small)
	path := filepath.Join(t.TempDir(), "chats.jsonl.gz")
	if err := writeArchive(path, []Chat{chat}); err != nil {
		t.Fatal(err)
	}
	chats, err := readArchive(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Chat{chat}, chats); diff != "" {
		t.Error(diff)
	}
	folder := filepath.Join(t.TempDir(), "out")
	if err := writeFolder(folder, chats); err != nil {
		t.Fatal(err)
	}
	back, err := readFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	back[0].Genre, back[0].Region = chat.Genre, chat.Region // not in those files
	if diff := cmp.Diff(chats, back); diff != "" {
		t.Error(diff)
	}
}

func TestRepeated(t *testing.T) {
	say := func(name, text string) Chat { return Chat{Name: name, Messages: []Message{{Text: text}}} }
	all, twice := repeated([]Chat{
		say("a", "one two three four five six seven eight nine"),
		say("b", "So: one, two, three, four, five, six, seven, eight!"),
	})
	if all != 4 || twice != 2 {
		t.Errorf("%d of %d runs of words are in two chats, want 2 of 4", twice, all)
	}
}

// TestTimelines: states that change are worked out from the claims.
func TestTimelines(t *testing.T) {
	chat, _ := parseText(small)
	got := timelines(chat)
	if len(got) != 0 { // what was only reported before is no entry, so nothing ended
		t.Errorf("%d states changed, want none", len(got))
	}
	chat, faults := parseText(strings.Replace(small, "minSdk 21 | reported", "minSdk 21 | holds", 1))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	by, on := "wrenm003", "2024-11"
	want := []*timeline{{
		Subject: "wrenly", Attribute: "minSdk", Lures: []string{"wrenm004 (26, suggestion)"},
		Timeline: []*entry{
			{Value: "21", Told: []string{"wrenm002"}, HoldsFrom: "unknown", ClosedBy: &by, ClosedOn: &on},
			{Value: "24", Told: []string{"wrenm003", "wrenm005"}, HoldsFrom: "2024-11"},
		},
	}}
	if diff := cmp.Diff(want, timelines(chat)); diff != "" {
		t.Errorf("timelines (-want +got):\n%s", diff)
	}
}
