package extract_test

import (
	"strings"
	"testing"

	"daybook"
	"daybook/extract"
)

// given is what the memory returned before the cases of TestEchoes.
var given = []struct{ speaker, text string }{
	{"Ana", "My dentist is Dr. Weiss."},
	{"Ana", "I live in Lisbon, near the river."},
	{"Ana", "I changed dentists, I go to Dr. Moreau now."},
	{"Ana", "We adopted a puppy called Biscuit last Saturday and he already ate my left shoe."},
	{"Ben", "I started at Globex as a buyer in March."},
	{"", "Ana's dentist is Dr. Moreau since March 2026."}, // an answer
	{"", "Ana lives_in Lisbon"},                           // a fact
}

func returned() (all []extract.Returned) {
	for i, g := range given {
		all = append(all, extract.ReturnedText(daybook.NoteID(rune('a'+i)), g.speaker, g.text))
	}
	return all
}

// Each case is a note; what stands between {{ and }} is an echo and nothing else is.
var echoCases = []struct{ name, speaker, text string }{
	// What an agent sends back.
	{"a row, as it is", "assistant", "{{My dentist is Dr. Weiss.}}"},
	{"a row to the user", "assistant", "{{Your dentist is Dr. Weiss.}}"},
	{"a row with a name", "assistant", "{{Ana lives in Lisbon, near the river.}}"},
	{"a row and something new", "assistant", "{{You live in Lisbon, near the river.}} Shall I book a table at the Tagus Grill for Friday evening?"},
	{"an answer", "assistant", "{{Ana's dentist is Dr. Moreau, since March 2026.}}"},
	{"several rows", "assistant", "{{You adopted a puppy called Biscuit last Saturday.}} {{You go to Dr. Moreau now.}}"},
	{"in bold", "assistant", "{{**Biscuit** already ate your left shoe.}}"},
	{"the packet of a prompt", "system", "Answer from the notes.\n{{[1] [NOW] 2026-03-01 Ana: \"I changed dentists, I go to Dr. Moreau now.\"}}\n{{[2] [OUTDATED] 2026-01-10 Ana: \"My dentist is Dr. Weiss.\"}}"},
	{"the result of a tool", "tool", "{{{\"rows\":[{\"id\":\"note_0123456789abcdefghjkmnpqrs\",\"text\":\"My dentist is Dr. Weiss.\"}]}}}"},

	// What is carried inside of a user's message.
	{"rows of ours", "Ana", "{{[1] [OUTDATED] 2026-01-10 \"Ana\" said: \"My dentist is Dr. Weiss.\" (note_0123456789abcdefghjkmnpqrs)}}\nPlease book a check-up for Tuesday."},
	{"in tags", "Ana", "<memories>\n{{My dentist is Dr. Weiss.}}\n{{I live in Lisbon, near the river.}}\n</memories>\nI want to move to Faro next year."},
	{"in a fence", "Ana", "```\n{{My dentist is Dr. Weiss.}}\n```\nIs that still right?"},
	{"as a quotation", "Ana", "{{> My dentist is Dr. Weiss.}}\nNo, I see Dr. Ortega these days."},
	{"between quotation marks", "Ana", "You told me \"{{My dentist is Dr. Weiss.}}\" but I see Dr. Ortega."},
	{"with who said it", "Ana", "{{Ana: My dentist is Dr. Weiss.}}\n{{Ben: I started at Globex as a buyer in March.}}\nCan you find the address?"},
	{"with days", "Ana", "{{- 2026-01-10: My dentist is Dr. Weiss.}}\nThat was long ago."},
	{"a list below a heading", "Ana", "What I know of the user:\n{{- My dentist is Dr. Weiss.}}\n{{- I live in Lisbon, near the river.}}\n\nWhere should I eat tonight?"},
	{"a long list", "Ana", "{{* My dentist is Dr. Weiss.}}\n{{* I live in Lisbon, near the river.}}\n{{* I changed dentists, I go to Dr. Moreau now.}}"},

	// What people say themselves.
	{"the same words again", "Ana", "My dentist is Dr. Weiss."},
	{"the same words, and more", "Ana", "I live in Lisbon, near the river. My dentist is Dr. Weiss."},
	{"back to the old value", "Ana", "I changed back, my dentist is Dr. Weiss again."},
	{"after a greeting", "Ana", "Hello! I live in Lisbon, near the river, and I need a plumber."},
	{"a correction with a name in quotation marks", "Ana", "I live in \"Lisbon\", near the river."},
	{"a list of one's own", "Ana", "Some facts about me:\n- My dentist is Dr. Ortega now.\n- I live in Faro, near the beach."},
	{"one item of a list that is known", "Ana", "About me:\n- I live in Lisbon, near the river.\n- I am a potter.\n- I have two cats."},
	{"a title of a thing", "Ana", "I am reading \"The Lisbon Route\" and love it."},
	{"a key and a value", "Ana", "My dentist: Dr. Weiss, at Hill Street."},
	{"somebody else", "Ben", "I live in Lisbon too, near the river."},

	// What an agent says anew.
	{"something new of known things", "assistant", "Your dentist called: the appointment on Friday moved to Monday at nine."},
	{"a short answer", "assistant", "Lisbon."},
	{"a question", "assistant", "Which restaurant in Lisbon do you like best for a birthday?"},
	{"advice", "assistant", "A puppy needs three meals a day and a lot of sleep."},
}

// Cases that were written after the limits were set. At first 17 of these 20 were right, and what was wrong were
// echoes that were missed: a number before a row and words before one have been mended since; two words
// are too few to tell.
var laterCases = []struct{ name, speaker, text string }{
	{"as I recall", "assistant", "{{As far as I know, you live in Lisbon, near the river.}}"},
	{"two words of a row", "ai", "You changed dentists. {{You go to Dr. Moreau now.}}"},
	{"in the third person", "assistant", "{{She adopted a puppy called Biscuit last Saturday, and he already ate her left shoe.}}"},
	{"as bullets", "assistant", "Here is what I found:\n{{- Your dentist is Dr. Weiss}}\n{{- You live in Lisbon, near the river}}"},
	{"cut short", "system", "{{I changed dentists, I go to Dr. …}}"},
	{"another's row", "assistant", "{{Ben started at Globex as a buyer in March.}} Congratulations to him, that is a big step after four years of night school."},
	{"the row of a fact", "assistant", "{{fact: Ana lives_in Lisbon}}"},
	{"context before a question", "user", "<context>\n{{[1] We adopted a puppy called Biscuit last Saturday and he already ate my left shoe.}}\n</context>\nWhat food should I buy?"},
	{"typographic quotation marks", "Ana", "It says “{{I live in Lisbon, near the river.}}” in my profile, please delete that."},
	{"numbered rows", "Ana", "Memories:\n{{1. My dentist is Dr. Weiss.}}\n{{2. I changed dentists, I go to Dr. Moreau now.}}\nWho is my dentist?"},

	{"the same, in capitals", "Ana", "MY DENTIST IS DR. WEISS."},
	{"told to a friend", "Ana", "As I said yesterday, I live in Lisbon, near the river."},
	{"a story told again", "Ana", "Did I tell you? We adopted a puppy called Biscuit last Saturday and he already ate my left shoe."},
	{"a colon", "Ana", "News: I go to Dr. Moreau now."},
	{"a list of wishes", "Ana", "- find a dentist like Dr. Weiss in Faro\n- sell the flat near the river\n- buy Biscuit a bed"},
	{"one known line below a heading", "Ana", "My data:\n- I live in Lisbon, near the river.\nThat is all."},
	{"an address in a fence of words", "Ana", "He said I should \"call Dr. Weiss\", so I will."},
	{"no echo by an agent", "assistant", "I have noted that you prefer window seats on long flights."},
	{"plans by an agent", "assistant", "On Saturday we drive to Sintra, have lunch there, and take the train back to Lisbon in the evening."},
	{"another puppy", "assistant", "A puppy called Rusty was found near the station last Monday; his owners are looking for him."},
}

func TestEchoes(t *testing.T) {
	wrong := 0
	for _, c := range append(echoCases, laterCases...) {
		text := strings.NewReplacer("{{{", "{{\x01", "}}}", "\x02}}").Replace(c.text)
		plain := strings.NewReplacer("{{", "", "}}", "", "\x01", "{", "\x02", "}").Replace(text)
		want := strings.NewReplacer("\x01", "{", "\x02", "}").Replace(text)
		got := marked(plain, extract.Echoes(daybook.Note{Speaker: c.speaker, Text: plain}, returned()))
		if got != want {
			wrong++
			t.Errorf("%s: %s\n got %s\nwant %s", c.name, c.speaker, got, want)
		}
	}
	t.Logf("%d of %d notes are marked wrongly", wrong, len(echoCases)+len(laterCases))
}

func marked(text string, echoes []daybook.Echo) string {
	for i := len(echoes) - 1; i >= 0; i-- {
		e := echoes[i]
		text = text[:e.Start] + "{{" + text[e.Start:e.End] + "}}" + text[e.End:]
	}
	return text
}

// An echo names the notes that it is from.
func TestEchoSources(t *testing.T) {
	got := extract.Echoes(daybook.Note{Speaker: "assistant", Text: "Your dentist is Dr. Weiss."}, returned())
	if len(got) != 1 || len(got[0].Of) == 0 || got[0].Of[0] != "a" {
		t.Errorf("%+v", got)
	}
}

// Whatever the text, echoes lie in it, in order, and do not overlap.
func FuzzEchoes(f *testing.F) {
	for _, c := range echoCases {
		f.Add(c.speaker, c.text)
	}
	f.Fuzz(func(t *testing.T, speaker, text string) {
		n := daybook.Note{Speaker: speaker, Text: text}
		if daybook.CheckText("text", text) != nil {
			return
		}
		n.Echoes = extract.Echoes(n, append(returned(), extract.ReturnedText("x", "Ana", text)))
		last := 0
		for _, e := range n.Echoes {
			if _, ok := (daybook.Quote{Start: e.Start, End: e.End}).In(text); !ok || e.Start < last {
				t.Fatalf("echoes %v of %q", n.Echoes, text)
			}
			last = e.End
		}
		if own := n.Own(); len(own.Text) != len(text) {
			t.Fatalf("%q became %q", text, own.Text)
		}
	})
}
