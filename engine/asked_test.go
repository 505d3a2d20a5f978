package engine_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/model"
	"daybook/recall"
	"daybook/store/sqlite"
)

// questionCounter counts the texts of questions that are encoded.
type questionCounter struct {
	*mixer
	texts int
}

func (c *questionCounter) EncodeEach(ctx context.Context, texts []model.Text) (model.Vectors, error) {
	c.texts += len(texts)
	return c.mixer.EncodeEach(ctx, texts)
}

// A question that is asked again is not encoded again, and finds the same.
func TestQuestionsAreEncodedOnce(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	enc, scope := &questionCounter{mixer: speedEncoder(t)}, daybook.Scope{User: "u"}
	e := engine.New(s).WithEncoder(enc)
	defer e.Close() //nolint:errcheck // the test is over
	if _, err := e.Add(t.Context(), scope, by, speedNotes(0, 40)); err != nil {
		t.Fatal(err)
	}
	ask := func(question string) (rows []recall.Row) {
		t.Helper()
		r, err := e.Recall(t.Context(), scope, recall.Question{Text: question}, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Rows
	}
	const question = "Where did Ana go with Marta last summer?"
	first := ask(question)
	if enc.texts == 0 {
		t.Fatal("nothing was encoded")
	}
	enc.texts = 0
	if again := ask(question); enc.texts > 0 || !reflect.DeepEqual(first, again) {
		t.Errorf("asked again, %d texts were encoded, and the rows are %v, not %v", enc.texts, again, first)
	}
}

// A bare answer is read with the question it was given to, now and after the vectors of
// sentences were made anew; it is quoted as it was said.
func TestBareAnswersAreAnswers(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	local, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	scope, at := daybook.Scope{User: "u"}, time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	plain := engine.New(s).WithEncoder(local)
	defer plain.Close() //nolint:errcheck // the test is over
	e := plain.WithLearner(extract.Local{Encoder: local})
	talk := []string{"Hi! How was the weekend?", "Lovely, we went to the lake.", "How many kids do you have?", "Two, both in school.", "Where do you live?", "Lund, since May."}
	for i, text := range talk {
		n := daybook.Note{Speaker: []string{"Ben", "Anna"}[i%2], Session: "s", Time: at.Add(time.Duration(i) * time.Minute), Text: text}
		if _, err := e.Add(t.Context(), scope, by, []daybook.Note{n}); err != nil {
			t.Fatal(err)
		}
	}
	check := func() {
		t.Helper()
		for question, want := range map[string][2]string{
			"How many kids does Anna have?": {"two kids", talk[3]},
			"Where does Anna live?":         {"in Lund", talk[5]},
		} {
			a, err := e.Ask(t.Context(), scope, engine.Asked{Text: question})
			if err != nil {
				t.Fatal(err)
			}
			if a.Text != want[0] || len(a.Citations) != 1 || a.Citations[0].Quote != want[1] {
				t.Errorf("%s %q, citing %+v", question, a.Text, a.Citations)
			}
		}
	}
	check()
	if err := plain.DropOtherSpaces(t.Context(), scope); err != nil { // those of sentences, too
		t.Fatal(err)
	}
	e = engine.New(s).WithEncoder(local)
	check()
}
