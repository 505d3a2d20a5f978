package model_test

import (
	"testing"

	"daybook/model"
)

// plainEncoder hides the talent of encoding several kinds at once.
type plainEncoder struct{ model.Encoder }

// Texts of several kinds encoded at once are as if encoded one by one.
func TestEncodeEach(t *testing.T) {
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	texts := []model.Text{{As: model.AsQuery, Text: "Where does Ana live?"}, {As: model.AsPassage, Text: "Ana: I live in Lisbon."}, {As: model.AsText, Text: "I live in"}, {As: model.AsQuery, Text: "live"}}
	together, err := model.EncodeEach(t.Context(), enc, texts)
	if err != nil {
		t.Fatal(err)
	}
	apart, err := model.EncodeEach(t.Context(), plainEncoder{enc}, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range texts {
		dot := float32(0)
		for j := range together[i] {
			dot += together[i][j] * apart[i][j]
		}
		if dot < 0.9999 {
			t.Errorf("text %d: the vectors differ, their cosine is %f", i, dot)
		}
	}
}
