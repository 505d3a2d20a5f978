package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/model"
	"daybook/recall"
	"daybook/store/sqlite"

	"pgregory.net/rapid"
)

// smallMemory is a small memory: what people said, a minute apart.
func smallMemory(t *testing.T, e *engine.Engine, scope daybook.Scope, said ...string) {
	t.Helper()
	for i, s := range said {
		speaker, text, _ := strings.Cut(s, ": ")
		n := daybook.Note{SourceID: fmt.Sprintf("t%d", i+1), Session: "s", Speaker: speaker, Text: text, Time: begin.Add(time.Duration(i) * time.Minute)}
		if _, err := e.Add(t.Context(), scope, by, []daybook.Note{n}); err != nil {
			t.Fatal(err)
		}
	}
}

func rowIDs(r recall.Result) (ids []string) {
	for _, row := range r.Rows {
		ids = append(ids, row.SourceID)
	}
	return ids
}

var smallTalk = []string{
	"Ana: I adopted a grey cat last week",
	"Bo: That is lovely, what is the name of the cat?",
	"Ana: We named the cat Miso",
	"Bo: I painted the fence green",
	"Ana: The boat race was cold",
	"Bo: My cat is called Tuna and she is old",
}

// A question is answered by the one whom it names, with reasons; without an
// encoder it is found by words.
func TestRecall(t *testing.T) {
	scope := daybook.Scope{User: "u"}
	for _, enc := range []engine.Encoder{nil, &bag{id: "one"}} {
		e := open(t)
		if enc != nil {
			e = e.WithEncoder(enc)
		}
		smallMemory(t, e, scope, smallTalk...)
		r, err := e.Recall(t.Context(), scope, recall.Question{Text: "What is the name of Ana's cat?", K: 3, WhyNot: "t4"}, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		if ids := rowIDs(r); len(ids) != 3 || !slices.Contains(ids, "t3") || slices.Contains(ids, "t4") {
			t.Errorf("rows %v", ids)
		}
		top := r.Rows[0]
		if len(top.Explain.Legs) == 0 || len(top.Explain.Parts) == 0 || r.Tokens == 0 || r.Commit == (daybook.CommitID{}) {
			t.Errorf("not explained: %+v", r)
		}
		sum := 0.0
		for _, part := range top.Explain.Parts {
			sum += part
		}
		if d := sum - top.Score; d > 1e-9 || d < -1e-9 {
			t.Errorf("the parts make %v, the score is %v", sum, top.Score)
		}
		if r.WhyNot == nil || r.WhyNot.Reason == "" || r.WhyNot.Rank <= 3 && r.WhyNot.Rank > 0 {
			t.Errorf("why not: %+v", r.WhyNot)
		}
	}
}

// A budget leaves out what does not fit, and keeps to it.
func TestRecallBudget(t *testing.T) {
	e, scope := open(t).WithEncoder(&bag{id: "one"}), daybook.Scope{User: "u"}
	smallMemory(t, e, scope, smallTalk...)
	r, err := e.Recall(t.Context(), scope, recall.Question{Text: "Which cat?", Budget: 20}, daybook.AsOf{})
	if err != nil || r.Tokens > 20 || len(r.Rows) == 0 {
		t.Errorf("%d tokens in %d rows, %v", r.Tokens, len(r.Rows), err)
	}
	if _, err := e.Recall(t.Context(), scope, recall.Question{Text: "Which cat?", WhyNot: "t99"}, daybook.AsOf{}); daybook.KindOf(err) != daybook.NotFound {
		t.Errorf("a note that is not there: %v", err)
	}
}

// What is recalled as of a known-at time does not change by what is said,
// withdrawn or embedded later.
func TestRecallKnownAt(t *testing.T) {
	now := begin
	e := open(t).WithClock(func() time.Time { return now }).WithEncoder(&bag{id: "one"})
	scope, q := daybook.Scope{User: "u"}, recall.Question{Text: "What is the name of Ana's cat?"}
	smallMemory(t, e, scope, smallTalk[:4]...)
	then := daybook.AsOf{ValidAt: begin, KnownAt: begin.Add(time.Second)}
	now = begin.Add(time.Hour)
	before, err := e.Recall(t.Context(), scope, q, then)
	if err != nil || len(before.Rows) != 4 {
		t.Fatalf("%d rows, %v", len(before.Rows), err)
	}
	addTexts(t, e, scope, "the name of the cat of Ana is not Miso", "more cats")
	if _, err := e.Retract(t.Context(), scope, by, "t3", "wrong"); err != nil {
		t.Fatal(err)
	}
	after, err := e.Recall(t.Context(), scope, q, then)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprint(before.Rows), fmt.Sprint(after.Rows); a != b {
		t.Errorf("as of then it was\n%s\nand is\n%s", a, b)
	}
	if r, err := e.Recall(t.Context(), scope, q, daybook.AsOf{}); err != nil || slices.Contains(rowIDs(r), "t3") {
		t.Errorf("a withdrawn note is recalled: %v, %v", rowIDs(r), err)
	}
}

// Both ends of an update come back, with their roles, and a path joins the events;
// a path never leads from an effect to a later cause.
func TestRecallLearned(t *testing.T) {
	e, scope := open(t).WithEncoder(&bag{id: "one"}), daybook.Scope{User: "u"}
	smallMemory(t, e, scope, smallTalk...)
	note := func(id string) daybook.NoteID { return daybook.Note{SourceID: id}.Named().ID }
	for _, f := range []struct{ object, from, source string }{{"Acme", "2020", "t5"}, {"Globex", "2024", "t4"}} {
		at, g, err := daybook.ParseTime(f.from)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.AddFact(t.Context(), scope, by, engine.NewFact{
			Subject: "Bo", Relation: "works_at", Object: f.object, Valid: daybook.Span{From: at, Granularity: g}, Sources: []string{string(note(f.source))},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	day := func(n int) daybook.Span { return daybook.Span{From: begin.AddDate(0, 0, n)} }
	events := []daybook.Event{
		{Kind: daybook.Action, Text: "Ana adopted a cat.", Sources: []daybook.NoteID{note("t1")}, Time: day(0)},
		{Kind: daybook.Action, Text: "Ana named the cat.", Sources: []daybook.NoteID{note("t3")}, Time: day(1)},
		{Kind: daybook.Action, Text: "The race was cold.", Sources: []daybook.NoteID{note("t5")}, Time: day(2)},
	}
	for i := range events {
		events[i] = events[i].Named()
		if _, err := e.AddEvent(t.Context(), scope, by, events[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range [][2]int{{0, 1}, {2, 1}} { // the second leads back in time
		if _, err := e.Relate(t.Context(), scope, by, daybook.Link{Kind: daybook.Causes, From: string(events[l[0]].ID), To: string(events[l[1]].ID), By: "test"}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := e.Recall(t.Context(), scope, recall.Question{Text: "Who painted the fence green?"}, daybook.AsOf{})
	if err != nil {
		t.Fatal(err)
	}
	roles := map[string]daybook.Role{}
	linked := false
	for _, row := range r.Rows {
		roles[row.SourceID] = row.Role
		linked = linked || len(row.Explain.Links) > 0 && row.Explain.Legs["link"] > 0
	}
	if roles["t4"] != daybook.RoleCurrent || roles["t5"] != daybook.RoleHistorical || roles["t6"] != "" || !linked {
		t.Errorf("roles %v, linked %v", roles, linked)
	}
	r, err = e.Recall(t.Context(), scope, recall.Question{Text: "Why did Ana name the cat?"}, daybook.AsOf{})
	if err != nil || len(r.Paths) != 1 || !strings.HasPrefix(r.Paths[0].String(), "Ana ") || strings.Contains(r.Paths[0].String(), "race") {
		t.Errorf("paths %v, %v", r.Paths, err)
	}
}

// An engine that followed the ledger step by step recalls what a fresh one does.
func TestLawRecall(t *testing.T) {
	laws(t, func(w *world) {
		ctx, enc := context.Background(), &bag{id: "one"}
		w.eng = w.eng.WithEncoder(enc)
		ask := func(e *engine.Engine) string {
			r, err := e.Recall(ctx, w.scope, recall.Question{Text: "What did Ana say of the text of n1?"}, daybook.AsOf{ValidAt: begin})
			w.must(err)
			r.TookMS = 0
			return fmt.Sprintf("%+v", r)
		}
		for range rapid.IntRange(1, 12).Draw(w.t, "steps") {
			switch rapid.IntRange(0, 3).Draw(w.t, "what") {
			case 0:
				w.step()
			case 1:
				w.forgetNote()
			case 2:
				w.revert()
			default:
				w.addNote()
			}
			w.tick()
			if rapid.Bool().Draw(w.t, "read") {
				ask(w.eng)
			}
		}
		clock := func() time.Time { return *w.now }
		w.same("what is recalled", ask(w.eng), ask(engine.New(w.store).WithClock(clock).WithEncoder(enc)))
	})
}

// Many recall while one adds: no error, and every row is whole.
func TestRecallWhileAdding(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e, scope := engine.New(s).WithEncoder(&bag{id: "one"}), daybook.Scope{User: "u"}
	smallMemory(t, e, scope, smallTalk...)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 64 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				r, err := e.Recall(t.Context(), scope, recall.Question{Text: "What is the name of Ana's cat?"}, daybook.AsOf{})
				if err != nil {
					t.Error(err)
					return
				}
				for _, row := range r.Rows {
					if row.Text == "" || row.ID == "" {
						t.Errorf("a torn row: %+v", row)
					}
				}
			}
		})
	}
	for i := range 20 {
		n := daybook.Note{SourceID: fmt.Sprint("more", i), Speaker: "Ana", Text: fmt.Sprint("the cat, day ", i), Time: begin, Session: "s"}
		if _, err := e.Add(t.Context(), scope, by, []daybook.Note{n}); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	readers.Wait()
}

// wants is a reranker that likes texts with a word, or fails.
type wants struct {
	word string
	err  error
}

func (w wants) Rerank(_ context.Context, _ string, texts []string) ([]float32, error) {
	scores := make([]float32, len(texts))
	for i, text := range texts {
		if strings.Contains(text, w.word) {
			scores[i] = 5
		}
	}
	return scores, w.err
}

// A reranker moves what it likes to the front and says so; one that fails changes
// nothing but what is said.
func TestRecallReranked(t *testing.T) {
	e, scope := open(t), daybook.Scope{User: "u"}
	smallMemory(t, e, scope, smallTalk...)
	ask := func(e *engine.Engine) recall.Result {
		r, err := e.Recall(t.Context(), scope, recall.Question{Text: "What is the name of Ana's cat?"}, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	plain, better, failed := ask(e), ask(e.WithReranker(wants{word: "Miso"})), ask(e.WithReranker(wants{err: daybook.Errorf(daybook.Unavailable, "asleep")}))
	if plain.Rows[0].SourceID == "t3" || better.Rows[0].SourceID != "t3" {
		t.Errorf("first is %s, reranked %s; want t3 only then", plain.Rows[0].SourceID, better.Rows[0].SourceID)
	}
	x := better.Rows[0].Explain
	if x.Rerank == nil || x.Rerank.Raw != 5 || x.Rerank.Semantic != 1 || x.Parts["rerank"] <= 0 {
		t.Errorf("explained as %+v, parts %v", x.Rerank, x.Parts)
	}
	if !slices.Equal(rowIDs(failed), rowIDs(plain)) || len(failed.Missed) != 1 || !strings.Contains(failed.Missed[0], "asleep") {
		t.Errorf("without the reranker: %v, missed %q; want %v", rowIDs(failed), failed.Missed, rowIDs(plain))
	}
}

// says is a language model with one reply.
type says struct {
	text string
	err  error
	seen *[]model.Request
}

func (s says) Complete(_ context.Context, req model.Request) (model.Reply, error) {
	*s.seen = append(*s.seen, req)
	return model.Reply{Text: s.text}, s.err
}

// Another way of asking finds what the question's own words do not; one call is made,
// and its failure is said.
func TestRecallExpanded(t *testing.T) {
	e, scope := open(t), daybook.Scope{User: "u"}
	smallMemory(t, e, scope, smallTalk...)
	var seen []model.Request
	ask := func(c model.Completer) recall.Result {
		r, err := e.WithExpander(c).Recall(t.Context(), scope, recall.Question{Text: "Which regatta?", K: 1}, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := ask(says{text: `{"queries":["boat race","Which regatta?","boat race"]}`, seen: &seen})
	if !slices.Equal(rowIDs(r), []string{"t5"}) || !slices.Equal(r.Asked, []string{"boat race"}) || r.Rows[0].Explain.Legs["expansion"] != 1 {
		t.Errorf("found %v by asking %q, %+v; want t5 by the boat race", rowIDs(r), r.Asked, r.Rows)
	}
	if len(seen) != 1 || seen[0].Purpose != "expand-1" || !strings.Contains(seen[0].Messages[1].Content, "Which regatta?") {
		t.Errorf("the model saw %+v", seen)
	}
	for _, c := range []model.Completer{says{text: "no JSON", seen: &seen}, says{err: daybook.Errorf(daybook.Unavailable, "asleep"), seen: &seen}} {
		if r := ask(c); len(r.Rows) != 0 || len(r.Missed) != 1 || len(r.Asked) != 0 {
			t.Errorf("with %+v: %v, missed %q", c, rowIDs(r), r.Missed)
		}
	}
}

// What was learned of an entity that the question names leads to the notes that it was
// learned from.
func TestRecallByEntity(t *testing.T) {
	scope := daybook.Scope{User: "u"}
	for _, c := range []struct {
		e    *engine.Engine
		want int
	}{{learning(t), 1}, {open(t), 0}} {
		smallMemory(t, c.e, scope, append(slices.Clone(smallTalk), "Ana: I met Rosa Lind at the market and she sold me a lamp")...)
		r, err := c.e.Recall(t.Context(), scope, recall.Question{Text: "What did Rosa Lind sell?", K: 7}, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Rows[0].SourceID != "t7" || r.Rows[0].Explain.Legs["entity"] != c.want {
			t.Errorf("first is %s, by legs %v; want t7, entity %d", r.Rows[0].SourceID, r.Rows[0].Explain.Legs, c.want)
		}
	}
}

// What events tell of beside an entity that the question names leads one hop further.
func TestRecallByHop(t *testing.T) {
	e, scope := learning(t), daybook.Scope{User: "u"}
	smallMemory(t, e, scope, append(slices.Clone(smallTalk), "Ana: I met Rosa Lind and Karl Berg at the market", "Ana: Karl Berg painted a mural for the harbour")...)
	r, err := e.Recall(t.Context(), scope, recall.Question{Text: "What does Rosa Lind know of art?", K: 9}, daybook.AsOf{})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(r.Rows, func(row recall.Row) bool { return row.SourceID == "t8" })
	if at < 0 || r.Rows[at].Explain.Legs["hop"] == 0 || r.Rows[at].Explain.Legs["entity"] != 0 {
		t.Fatalf("the mural is at %d of %+v; want it by a hop from Rosa Lind", at, r.Rows)
	}
	x := r.Rows[at].Explain
	if x.Legs["route"] == 0 || !strings.HasPrefix(x.Route, "Rosa Lind — ") || !strings.Contains(x.Route, "market (") || !strings.Contains(x.Route, " — Karl Berg — ") {
		t.Errorf("the mural's route is %q, by legs %v", x.Route, x.Legs)
	}
}

// A cross-encoder reads routes as text, and says which is best; what a route gains by its
// last event is shown as a path.
func TestRecallByRoute(t *testing.T) {
	e, scope := learning(t), daybook.Scope{User: "u"}
	smallMemory(t, e, scope, append(slices.Clone(smallTalk), "Ana: I met Rosa Lind and Karl Berg at the market",
		"Ana: Karl Berg painted a mural for the harbour", "Ana: Karl Berg sold a boat to the school")...)
	ask := func(word string) (first string, paths []recall.Path) {
		r, err := e.WithReranker(wants{word: word}).Recall(t.Context(), scope, recall.Question{Text: "What does Rosa Lind know of a mural for the harbour?", K: 9}, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range r.Rows {
			if row.Explain.Legs["route"] == 1 {
				first = row.SourceID
			}
		}
		return first, r.Paths
	}
	for word, want := range map[string]string{"mural": "t8", "school": "t9"} {
		first, paths := ask(word)
		at := slices.IndexFunc(paths, func(p recall.Path) bool { return slices.Equal(p.Through, []string{"Karl Berg"}) })
		if first != want || at < 0 || !strings.Contains(paths[at].String(), " — Karl Berg — ") {
			t.Errorf("asked for the %s, the first route leads to %s, want %s; paths %v", word, first, want, paths)
		}
	}
}

// A wide question looks at the entities of what it found, and at its topic.
func TestRecallWide(t *testing.T) {
	e, scope := learning(t), daybook.Scope{User: "u"}
	art := []string{"I met Rosa Lind and Karl Berg at the market", "Karl Berg painted a mural for the harbour", "I bought a brush and paint at the market"}
	for i, session := range [][]string{art, {"My knee hurts when I run", "The doctor looked at my knee"}, {"The train to Lyon was late", "We changed trains in Dijon"}, art} {
		for j, text := range session {
			n := daybook.Note{SourceID: fmt.Sprint(i, j), Session: fmt.Sprint(i), Speaker: "Ana", Text: text, Time: begin.AddDate(0, i, j)}
			if _, err := e.Add(t.Context(), scope, by, []daybook.Note{n}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, wide := range []bool{false, true} {
		r, err := e.Recall(t.Context(), scope, recall.Question{Text: "Whom did she meet at the market?", K: 9, Wide: wide}, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		by := func(leg string) bool {
			return slices.ContainsFunc(r.Rows, func(row recall.Row) bool { return row.Explain.Legs[leg] > 0 })
		}
		if by("near") != wide || by("topic") != wide {
			t.Errorf("wide %v: near %v, on topic %v", wide, by("near"), by("topic"))
		}
	}
}

// A question that lists gets what was said twice once, and then the rest.
func TestRecallVaries(t *testing.T) {
	e, scope := learning(t), daybook.Scope{User: "u"}
	smallMemory(t, e, scope, "Ana: I read the book about whales", "Ana: I read the book about whales!", "Ana: I read a novel about the sea", "Bo: The weather is fine")
	r, err := e.Recall(t.Context(), scope, recall.Question{Text: "Which books did Ana read?", K: 4}, daybook.AsOf{})
	if err != nil || r.Shape != recall.Aggregate {
		t.Fatal(r.Shape, err)
	}
	at := slices.IndexFunc(r.Rows, func(row recall.Row) bool { return row.Explain.Parts["said_again"] < 0 })
	if got := rowIDs(r); at < slices.Index(got, "t3") {
		t.Errorf("rows %v, said again at %d", got, at)
	}
}

// A question that asks two things at once is searched for each.
func TestRecallByParts(t *testing.T) {
	e, scope := open(t), daybook.Scope{User: "u"}
	smallMemory(t, e, scope, smallTalk...)
	r, err := e.Recall(t.Context(), scope, recall.Question{Text: "What did they say about the boat and the cat?", K: 7}, daybook.AsOf{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"What did they say about the boat?", "What did they say about the cat?"}
	if !slices.Equal(r.Asked, want) || !slices.ContainsFunc(r.Rows, func(row recall.Row) bool { return row.Explain.Legs["part"] > 0 && row.Explain.Parts["parted"] > 0 }) {
		t.Errorf("asked %q, rows %+v", r.Asked, r.Rows)
	}
}

// What shares rare words with the best is ranked by them.
func TestRecallRelated(t *testing.T) {
	e, scope := open(t), daybook.Scope{User: "u"}
	smallMemory(t, e, scope, append(slices.Clone(smallTalk), "Ana: The regatta was won by the Halcyon", "Bo: The Halcyon leaks")...)
	r, err := e.Recall(t.Context(), scope, recall.Question{Text: "Who won the regatta?", K: 9}, daybook.AsOf{})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(r.Rows, func(row recall.Row) bool { return row.SourceID == "t8" })
	if at < 0 || r.Rows[at].Explain.Parts["related"] <= 0 {
		t.Errorf("what leaks is at %d of %+v; want it to be related", at, r.Rows)
	}
}

// Of a note that a leg found, but that was not worth ranking, just that is said.
func TestWhyNotOfWhatIsNotRanked(t *testing.T) {
	e, scope := open(t).WithEncoder(speedEncoder(t)), daybook.Scope{User: "u"}
	if _, err := e.Add(t.Context(), scope, by, speedNotes(0, 2100)); err != nil {
		t.Fatal(err)
	}
	for i := range 2100 {
		r, err := e.Recall(t.Context(), scope, recall.Question{Text: "Who went to a pottery class with Ana and a friend in 2026?", WhyNot: fmt.Sprint(i)}, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		if a := r.WhyNot; a.Rank == 0 && len(a.Legs) > 0 {
			if !strings.Contains(a.Reason, "by a first look are ranked") {
				t.Errorf("%+v", a)
			}
			return
		}
	}
	t.Error("no note was found by a leg and left out")
}
