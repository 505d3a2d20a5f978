package engine_test

import (
	"context"
	"reflect"
	"testing"

	"daybook"
	"daybook/engine"
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
