package eval

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/model"
	"daybook/store/sqlite"
)

// learner opens engines that learn without a language model.
func learner(t *testing.T) func(context.Context) (*engine.Engine, func() error, error) {
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context) (*engine.Engine, func() error, error) {
		s, err := sqlite.Open(ctx, t.TempDir())
		if err != nil {
			return nil, nil, err
		}
		e := engine.New(s).WithEncoder(enc).WithLearner(extract.Local{Encoder: enc})
		return e, e.Close, nil
	}
}

// noted is what became of the facts of one note.
type noted struct {
	contested bool
	endedBy   string // the note that ended one of them
}

// notesOf reads what became of the notes of a scope, by SourceID.
func notesOf(t *testing.T, e *engine.Engine, texts map[daybook.NoteID]daybook.Note) map[string]noted {
	t.Helper()
	states, err := e.Facts(t.Context(), oursScope, engine.FactQuery{All: true})
	if err != nil {
		t.Fatal(err)
	}
	source := map[daybook.FactID]string{}
	for _, s := range states {
		for _, p := range s.Periods {
			for _, f := range p.Facts {
				source[f.ID] = texts[f.Sources[0]].SourceID
			}
		}
	}
	out := map[string]noted{}
	for _, s := range states {
		for _, p := range s.Periods {
			for _, f := range p.Facts {
				n := out[source[f.ID]]
				n.contested = n.contested || p.Role == daybook.RoleContested
				if p.EndedBy != "" && p.Modality == daybook.Asserted {
					n.endedBy = source[p.EndedBy]
				}
				out[source[f.ID]] = n
			}
		}
	}
	return out
}

// softly reports whether a possible update leads from one note to the other.
func softly(t *testing.T, e *engine.Engine, from, to string) bool {
	t.Helper()
	newer, err := e.Learned(t.Context(), oursScope, from, daybook.AsOf{})
	if err != nil {
		t.Fatal(err)
	}
	older, err := e.Learned(t.Context(), oursScope, to, daybook.AsOf{})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, f := range older.Facts {
		ids[string(f.ID)] = true
	}
	for _, l := range newer.Links {
		if l.Kind == daybook.MayUpdate && ids[l.To] {
			return true
		}
	}
	return false
}

// share counts how often something was so.
type share struct{ yes, all int }

func (s *share) add(ok bool) {
	s.all++
	if ok {
		s.yes++
	}
}

func (s share) rate() float64 { return float64(s.yes) / float64(max(s.all, 1)) }

// bankOf learns each conversation into a memory of its own and returns what all of
// them keep; look is called with each while it is open.
func bankOf(t *testing.T, d Dataset, look func(*ourMemory, Conversation)) (bank []BankRow) {
	t.Helper()
	o := Ours{Open: learner(t), Recall: stating}
	for _, c := range d.Conversations {
		m, err := o.Build(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		mine := m.(*ourMemory)
		rows, err := mine.Bank(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			r.Conversation = c.ID
			bank = append(bank, r)
		}
		look(mine, c)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return bank
}

// TestBankOfGhost builds GHOST dev through the engine, scores the bank, and lists
// the closings in talk that states nothing, to be read.
func TestBankOfGhost(t *testing.T) {
	root := os.Getenv("DAYBOOK_DATA")
	if root == "" {
		t.Skip("SKIPPED: the bank is not measured; set DAYBOOK_DATA to the folder of the data sets")
	}
	d, err := LoadGhost(filepath.Join(root, "ghost", "dev"))
	if err != nil {
		t.Fatal(err)
	}
	var contested, chains, closed, plain share
	bank := bankOf(t, d, func(m *ourMemory, c Conversation) {
		scoreLines(t, m.engine, timelinesOf(d, c.ID), c, &contested, &chains, &closed)
		plainClosings(t, m.engine, d, c, &plain)
	})
	scores := ScoreBank(d.Timelines, bank)
	for name, r := range scores {
		t.Logf("%-26s %.4f of %d", name, r.Rate, r.N)
	}
	t.Logf("closed or softly linked %.4f of %d; contested %.4f of %d; chains and reverts %.4f of %d; plain closings %d of %d turns",
		closed.rate(), closed.all, contested.rate(), contested.all, chains.rate(), chains.all, plain.yes, plain.all)
}

func timelinesOf(d Dataset, conversation string) (lines []Timeline) {
	for _, l := range d.Timelines {
		if l.Conversation == conversation {
			lines = append(lines, l)
		}
	}
	return lines
}

func named(c Conversation) map[daybook.NoteID]daybook.Note {
	notes := map[daybook.NoteID]daybook.Note{}
	for _, n := range c.Notes {
		n = n.Named()
		notes[n.ID] = n
	}
	return notes
}

func scoreLines(t *testing.T, e *engine.Engine, lines []Timeline, c Conversation, contested, chains, closed *share) {
	t.Helper()
	became := notesOf(t, e, named(c))
	for _, l := range lines {
		if l.Chain == "contested" {
			contested.add(became[l.States[0].Evidence].contested && became[l.States[1].Evidence].contested)
			continue
		}
		right := true
		for i, s := range l.States {
			by := became[s.Evidence].endedBy
			if i+1 == len(l.States) {
				right = right && by == ""
				if by != "" && os.Getenv("DAYBOOK_MISSES") != "" {
					t.Logf("%s %s: %q holds and was closed by %q", l.Chain, l.Attribute, textIn(c, s.Evidence), textIn(c, by))
				}
				continue
			}
			next := l.States[i+1].Evidence
			right = right && by == next
			closed.add(by == next || softly(t, e, next, s.Evidence))
			if by != next && os.Getenv("DAYBOOK_MISSES") != "" {
				t.Logf("%s %s: %q was not closed by %q but by %q", l.Chain, l.Attribute, textIn(c, s.Evidence), textIn(c, next), textIn(c, by))
			}
		}
		if l.Chain == "three" || l.Chain == "revert" {
			chains.add(right)
		}
	}
}

// plainClosings logs what ended in notes that no timeline and no question names.
func plainClosings(t *testing.T, e *engine.Engine, d Dataset, c Conversation, plain *share) {
	t.Helper()
	spoken := map[string]bool{}
	for _, l := range timelinesOf(d, c.ID) {
		for _, s := range l.States {
			spoken[s.Evidence] = true
		}
	}
	for _, q := range c.Questions {
		for _, ids := range [][]string{q.Evidence, q.State.StaleEvidence, q.State.LureEvidence, q.State.NeutralEvidence, q.State.ContextEvidence} {
			for _, id := range ids {
				spoken[id] = true
			}
		}
	}
	became := notesOf(t, e, named(c))
	for _, n := range c.Notes {
		if spoken[n.SourceID] {
			continue
		}
		by := became[n.SourceID].endedBy
		if plain.add(by != ""); by != "" {
			t.Logf("closed in %s: %q by %q", c.ID, n.Text, textIn(c, by))
		}
	}
}

func textIn(c Conversation, id string) string {
	for _, n := range c.Notes {
		if n.SourceID == id {
			return n.Text
		}
	}
	return id
}
