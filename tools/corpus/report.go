package main

import (
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// The least that the corpus holds, and the most of it that may repeat itself.
const (
	leastChats     = 450
	leastMessages  = 32000
	leastClaims    = 35000
	leastQuestions = 13000
	leastGenres    = 60
	leastIndirect  = 1.0 / 3 // of changes, told in other ways than outright
	mostRepeated   = 0.01    // of eight words in a row, that another chat has too
	gramWords      = 8
)

// heldOut is whether a chat is kept from training: one in ten, by its name.
func heldOut(name string) bool { return crc32.ChecksumIEEE([]byte(name))%10 == 0 }

// counts is what there is of the corpus.
type counts struct {
	Chats, HeldOut, Messages, Claims, Questions int
	Changes, Indirect                           int
	Stances, Kinds, Forms, Genres               map[string]int
	Grams, Repeated                             int
}

func count(chats []Chat) counts {
	n := counts{Stances: map[string]int{}, Kinds: map[string]int{}, Forms: map[string]int{}, Genres: map[string]int{}}
	for _, c := range chats {
		n.Chats++
		n.Messages += len(c.Messages)
		n.Claims += len(c.Claims)
		n.Questions += len(c.Questions)
		n.Genres[c.Genre]++
		if heldOut(c.Name) {
			n.HeldOut++
		}
		text := map[string]string{}
		for _, m := range c.Messages {
			text[m.ID] = m.Text
		}
		for _, claim := range c.Claims {
			n.Stances[claim.Stance]++
			if len(claim.Closes) > 0 {
				n.Changes++
				if indirect(claim, text[claim.Msg]) {
					n.Indirect++
				}
			}
		}
		for _, q := range c.Questions {
			n.Kinds[q.Kind]++
			if q.Form != "" {
				n.Forms[q.Form]++
			}
		}
	}
	n.Grams, n.Repeated = repeated(chats)
	return n
}

// indirect is whether a change is not said outright in its message: its annotator says so, or the
// value is not among the message's words.
func indirect(c Claim, text string) bool {
	return c.Told != "" || !strings.Contains(" "+strings.Join(words(text), " ")+" ", " "+strings.Join(words(c.Value), " ")+" ")
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// repeated counts the runs of eight words within messages, and those that two chats have.
func repeated(chats []Chat) (all, twice int) {
	owner := map[string]int{} // which chat has a run; -1 for several
	each := func(do func(chat int, gram string)) {
		for i, c := range chats {
			for _, m := range c.Messages {
				w := words(m.Text)
				for j := 0; j+gramWords <= len(w); j++ {
					do(i, strings.Join(w[j:j+gramWords], " "))
				}
			}
		}
	}
	each(func(chat int, gram string) {
		if o, seen := owner[gram]; seen && o != chat {
			owner[gram] = -1
		} else {
			owner[gram] = chat
		}
	})
	each(func(_ int, gram string) {
		all++
		if owner[gram] < 0 {
			twice++
		}
	})
	return all, twice
}

// shortcomings says what the corpus lacks.
func (n counts) shortcomings() (out []string) {
	least := func(what string, have, want int) {
		if have < want {
			out = append(out, fmt.Sprintf("%d %s; at least %d are wanted", have, what, want))
		}
	}
	least("chats", n.Chats, leastChats)
	least("messages", n.Messages, leastMessages)
	least("claims", n.Claims, leastClaims)
	least("questions", n.Questions, leastQuestions)
	least("genres", len(n.Genres), leastGenres)
	for _, s := range stances {
		least("claims that are "+s, n.Stances[s], 300)
	}
	for _, k := range kinds {
		least("questions of kind "+k, n.Kinds[k], 250)
	}
	if share := ratio(n.Indirect, n.Changes); share < leastIndirect {
		out = append(out, fmt.Sprintf("%.3f of the changes are implied or spread; at least %.3f are wanted", share, leastIndirect))
	}
	if share := ratio(n.Repeated, n.Grams); share > mostRepeated {
		out = append(out, fmt.Sprintf("%.4f of all runs of %d words are in two chats; at most %.2f may be", share, gramWords, mostRepeated))
	}
	return out
}

func ratio(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }

func (n counts) print(w io.Writer) {
	fmt.Fprintf(w, "%d chats (%d held out), %d messages, %d claims, %d questions, %d genres\n", n.Chats, n.HeldOut, n.Messages, n.Claims, n.Questions, len(n.Genres))
	fmt.Fprintf(w, "%d changes, %.3f of them implied or spread over several messages\n", n.Changes, ratio(n.Indirect, n.Changes))
	fmt.Fprintf(w, "%.5f of the runs of %d words are in two chats\n", ratio(n.Repeated, n.Grams), gramWords)
	for _, t := range []struct {
		name string
		of   map[string]int
	}{{"stances", n.Stances}, {"kinds", n.Kinds}, {"forms", n.Forms}} {
		fmt.Fprintf(w, "%s:", t.name)
		for _, k := range slices.SortedFunc(maps.Keys(t.of), func(a, b string) int { return t.of[b] - t.of[a] }) {
			fmt.Fprintf(w, " %s %d", k, t.of[k])
		}
		fmt.Fprintln(w)
	}
}
