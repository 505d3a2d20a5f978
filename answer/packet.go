package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"daybook"
)

// Budget is how many tokens a packet may have: for rows and for paths. What rows
// leave over spills to the paths.
type Budget struct {
	Rows, Paths int
	// MaxRows is the most rows; 0 means no limit.
	MaxRows int
}

// DefaultBudget holds about twenty rows of a conversation.
var DefaultBudget = Budget{Rows: 1400, Paths: 600, MaxRows: 20}

// Of returns a budget of n tokens in all, split as the default is.
func (b Budget) Of(n int) Budget {
	if n <= 0 {
		return b
	}
	rows := n * b.Rows / (b.Rows + b.Paths)
	return Budget{Rows: rows, Paths: n - rows, MaxRows: b.MaxRows}
}

// Packet is the evidence that is handed to a reader.
type Packet struct {
	Question string       `json:"question"`
	View     daybook.View `json:"view"`
	At       daybook.Span `json:"at,omitzero"`
	Now      time.Time    `json:"now,omitzero"`
	Items    []Item       `json:"items"`
	Paths    []string     `json:"paths,omitempty"`
	Tokens   int          `json:"tokens"`             // of Text
	Left     int          `json:"left_out,omitempty"` // rows that the budget had no room for
}

// Item is one row of a packet. N is what an answer cites it by.
type Item struct {
	N       int            `json:"n"`
	ID      daybook.NoteID `json:"id"`
	Source  string         `json:"source_id,omitempty"`
	Role    daybook.Role   `json:"role,omitempty"`
	Reason  string         `json:"reason,omitempty"`
	Value   string         `json:"value,omitempty"`
	Time    time.Time      `json:"time"`
	Session string         `json:"session,omitempty"`
	Speaker string         `json:"speaker,omitempty"`
	Text    string         `json:"text"`
	Score   float64        `json:"score"`
	State   bool           `json:"state"` // speaks of the asked state
	// Outdated are values that it gives beside and that were superseded.
	Outdated []string `json:"outdated,omitempty"`
	place    int      // among the rows as they were found, before they were grouped
	pointed  *pointed // nil where no pointer read it
}

// found are the first n rows as they were found, not as they are grouped.
func (p *Packet) found(n int) []*Item {
	items := make([]*Item, len(p.Items))
	for i := range p.Items {
		items[i] = &p.Items[i]
	}
	slices.SortFunc(items, func(a, b *Item) int { return cmp.Compare(a.place, b.place) })
	return items[:min(n, len(items))]
}

// Assemble makes the packet: rows in the order of the resolution but grouped by state,
// each whole or not at all, without repetitions; then the paths, best first.
func Assemble(r *Resolved, paths []string, b Budget) *Packet {
	p := &Packet{Question: r.Text, View: r.View, At: r.At, Now: r.Now, Items: []Item{}}
	room, seen := b.Rows-tokens(p.head()), map[string]bool{}
	for _, at := range byState(r) {
		row := &r.Rows[at]
		key := daybook.Fold(row.Speaker + " " + row.Text)
		if seen[key] && !row.State {
			continue
		}
		seen[key] = true
		it := item(len(p.Items)+1, row)
		it.place = at
		cost := tokens(it.line())
		if cost > room || b.MaxRows > 0 && len(p.Items) == b.MaxRows {
			p.Left++
			continue
		}
		room -= cost
		p.Items = append(p.Items, it)
	}
	room += b.Paths
	for _, path := range paths {
		if cost := tokens(pathLine(path)); cost <= room && !slices.Contains(p.Paths, path) {
			room -= cost
			p.Paths = append(p.Paths, path)
		}
	}
	p.Tokens = tokens(p.String())
	return p
}

// byState is the order of the rows with those of one state together: behind the first of the asked
// state the others, and behind what holds what it took the place of.
func byState(r *Resolved) (order []int) {
	placed := make([]bool, len(r.Rows))
	place := func(i int) {
		if !placed[i] {
			placed[i], order = true, append(order, i)
		}
	}
	for i := range r.Rows {
		place(i)
		for j := i + 1; j < len(r.Rows); j++ {
			if r.Rows[j].Heir == r.Rows[i].ID || r.Stands && r.Rows[i].State && r.Rows[j].State {
				place(j)
			}
		}
	}
	return order
}

func item(n int, row *Row) Item {
	return Item{N: n, ID: row.ID, Source: row.SourceID, Role: row.Role, Reason: row.Reason, Value: row.Value,
		Time: row.Time, Session: row.Session, Speaker: row.Speaker, Text: row.Text, Score: row.Score, State: row.State, Outdated: row.Outdated}
}

// tokens is about how many tokens a model spends on a text: four bytes each.
func tokens(text string) int { return (len(text) + 3) / 4 }

// Label is the marker of a role in the text of a packet, "" for none.
func Label(r daybook.Role) string { return labels[r] }

// labels are the markers of roles in the text of a packet: words that a small
// model takes for what they say.
var labels = map[daybook.Role]string{
	daybook.RoleCurrent:    "NOW",
	daybook.RoleHistorical: "OUTDATED",
	daybook.RoleTransition: "CHANGE",
	daybook.RoleContested:  "CONFLICT",
	daybook.RolePlanned:    "PLAN",
	daybook.RoleAside:      "NOT A FACT",
}

// String is the packet as text: one line per row, the marker of its role in
// brackets, what was said between quotation marks. Nothing that a note says can
// look like a line, a marker or a number of its own.
func (p *Packet) String() string {
	var b strings.Builder
	b.WriteString(p.head())
	for i := range p.Items {
		b.WriteString(p.Items[i].line())
	}
	for _, path := range p.Paths {
		b.WriteString(pathLine(path))
	}
	return b.String()
}

func (p *Packet) head() string {
	var b strings.Builder
	fmt.Fprintf(&b, "QUESTION: \"%s\"\n", Inline(p.Question))
	fmt.Fprintf(&b, "WANTED: %s\n", wanted[p.View])
	if !p.At.From.IsZero() && p.View == daybook.Historical {
		fmt.Fprintf(&b, "TIME: %s\n", p.At)
	}
	if !p.Now.IsZero() {
		fmt.Fprintf(&b, "TODAY: %s\n", p.Now.Format("2006-01-02"))
	}
	b.WriteString("NOTES:\n")
	return b.String()
}

var wanted = map[daybook.View]string{
	daybook.Current:    "what holds now",
	daybook.Historical: "what held before",
	daybook.Change:     "what changed, when and why",
	daybook.Neutral:    "what the notes say",
}

func (it *Item) line() string {
	label, reason := labels[it.Role], ""
	if label != "" {
		label = "[" + label + "] "
	}
	if it.Role != daybook.RoleHistorical && len(it.Outdated) > 0 {
		label += "[" + labels[daybook.RoleHistorical] + ": \"" + Inline(strings.Join(it.Outdated, ", ")) + "\"] "
	}
	if it.Reason != "" {
		reason = " (" + inlineReason(it.Reason) + ")"
	}
	return fmt.Sprintf("[%d] %s%s %s: \"%s\"%s\n", it.N, label, it.Time.Format("2006-01-02"), Inline(it.Speaker), Inline(it.Text), reason)
}

// inlineReason makes a reason safe on a line of a packet. What it quotes of notes stays
// between its quotation marks: see strconv.Quote for how they were written.
func inlineReason(reason string) string {
	parts := strings.Split(strings.ReplaceAll(reason, `\"`, "'"), `"`)
	if len(parts)%2 == 0 {
		return Inline(reason)
	}
	for i := range parts {
		parts[i] = inlined(parts[i])
	}
	return strings.Join(parts, `"`)
}

func pathLine(path string) string { return "PATH: \"" + Inline(path) + "\"\n" }

// Inline makes text safe between quotation marks on one line of a packet: no line
// breaks or control characters, no quotation marks that end it, no brackets that
// look like markers, nothing invisible.
func Inline(text string) string { return strings.Join(strings.Fields(inlined(text)), " ") }

// inlined is Inline with spaces as they are.
func inlined(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '"' || r == '“' || r == '”' || r == '„':
			return '\''
		case r == '[' || r == '【' || r == '［':
			return '('
		case r == ']' || r == '】' || r == '］':
			return ')'
		case r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029:
			return ' '
		case unicode.Is(unicode.Cf, r) && r != zeroWidthJoiner && r != zeroWidthNonJoiner:
			return -1 // invisible, or turning the direction of what follows
		}
		return r
	}, text)
}

// Invisible characters that writing needs: in emoji, and in Persian and others.
const (
	zeroWidthNonJoiner = 0x200c
	zeroWidthJoiner    = 0x200d
)
