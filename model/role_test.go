package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/model"
)

// compass is an Encoder that gives each role a direction of its own, and notes
// the roles it was asked in.
type compass struct{ asked *[]model.As }

var directions = map[model.As][]float32{model.AsText: {1, 0}, model.AsQuery: {0, 1}, model.AsPassage: {-1, 0}}

func (c compass) Encode(_ context.Context, as model.As, texts []string) (model.Vectors, error) {
	if c.asked != nil {
		*c.asked = append(*c.asked, as)
	}
	v := model.Vectors{Encoder: "compass", Dim: 2}
	for range texts {
		v.Data = append(v.Data, directions[as]...)
	}
	return v, nil
}

// TestRolePassesThroughWrappers asks every type of this package that is an
// Encoder over another one. One that is missing here fails it.
func TestRolePassesThroughWrappers(t *testing.T) {
	tape, err := model.RecordTape(filepath.Join(t.TempDir(), "tape.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer tape.Close()
	budget := model.NewBudget(0, nil)
	wrappers := map[string]model.Encoder{
		"BudgetEncoder": budget.Encoder(compass{}, "embed", "compass"),
		"FaultyEncoder": model.NewFaultyEncoder(compass{}, model.InTurn()),
		"TapeEncoder":   tape.Encoder(compass{}, "compass"),
	}
	leaves := []string{"LocalEncoder", "OpenAIEncoder"}
	if known := slices.Sorted(maps.Keys(wrappers)); !slices.Equal(encoderTypes(t), slices.Sorted(slices.Values(append(known, leaves...)))) {
		t.Errorf("the package's encoders are %v; this test knows %v and %v", encoderTypes(t), known, leaves)
	}
	wrappers["all"] = budget.Encoder(model.NewFaultyEncoder(tape.Encoder(compass{}, "all"), model.InTurn()), "embed", "compass")
	for name, e := range wrappers {
		for range 2 { // the second time the tape answers
			for as, want := range directions {
				if v, err := e.Encode(t.Context(), as, []string{"text"}); err != nil || !slices.Equal(v.Data, want) {
					t.Errorf("%s, as %q: %v, %v, want %v", name, as, v.Data, err, want)
				}
			}
		}
	}
}

// encoderTypes reads the package's source for types with a method Encode.
func encoderTypes(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "Encode" {
				types[receiver(f)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(types))
}

func receiver(f *ast.FuncDecl) string {
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	return fmt.Sprint(of)
}

// TestRoleIsOnTheTape: a text recorded in one role does not answer for another.
func TestRoleIsOnTheTape(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	tape, err := model.RecordTape(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tape.Encoder(compass{}, "compass").Encode(t.Context(), model.AsPassage, []string{"text"}); err != nil {
		t.Fatal(err)
	}
	if err := tape.Close(); err != nil {
		t.Fatal(err)
	}
	if tape, err = model.OpenTape(path); err != nil {
		t.Fatal(err)
	}
	e := tape.Encoder(nil, "compass")
	if v, err := e.Encode(t.Context(), model.AsPassage, []string{"text"}); err != nil || !slices.Equal(v.Data, directions[model.AsPassage]) {
		t.Errorf("got %v, %v", v, err)
	}
	for _, as := range []model.As{model.AsText, model.AsQuery} {
		if _, err := e.Encode(t.Context(), as, []string{"text"}); daybook.KindOf(err) != daybook.NotFound {
			t.Errorf("as %q: %v", as, err)
		}
	}
}

// TestRoleOfFaults: the same text in another role is another request.
func TestRoleOfFaults(t *testing.T) {
	var keys []string
	e := model.NewFaultyEncoder(compass{}, func(_ int, key string) model.Fault {
		keys = append(keys, key)
		return model.NoFault
	})
	for _, as := range []model.As{model.AsText, model.AsQuery, model.AsQuery} {
		if _, err := e.Encode(t.Context(), as, []string{"text"}); err != nil {
			t.Fatal(err)
		}
	}
	if keys[0] == keys[1] || keys[1] != keys[2] {
		t.Errorf("keys %q", keys)
	}
}

// TestRolesOfUsers checks in which role those who use an encoder ask it.
func TestRolesOfUsers(t *testing.T) {
	for name, c := range map[string]struct {
		want model.As
		use  func(model.Encoder) error
	}{
		"EncodeLines": {model.AsQuery, func(e model.Encoder) error {
			return model.EncodeLines(t.Context(), e, model.AsQuery, strings.NewReader("a\nb"), &bytes.Buffer{})
		}},
		"MeasureSpeed": {model.AsText, func(e model.Encoder) error {
			_, err := model.MeasureSpeed(t.Context(), e, time.Microsecond)
			return err
		}},
		"LexicalEntailer": {model.AsText, func(e model.Encoder) error {
			_, err := model.NewLexicalEntailer(e).Entail(t.Context(), []model.Pair{{Premise: "a", Hypothesis: "b"}})
			return err
		}},
	} {
		var asked []model.As
		if err := c.use(compass{&asked}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(asked) == 0 || slices.ContainsFunc(asked, func(as model.As) bool { return as != c.want }) {
			t.Errorf("%s asked as %q, want %q", name, asked, c.want)
		}
	}
}

func TestRoleLocalEncoder(t *testing.T) {
	e, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	const text = "Where does Amara keep the spare key?"
	for as, prefix := range map[model.As]string{model.AsQuery: "query: ", model.AsPassage: "passage: "} {
		got, err := e.Encode(t.Context(), as, []string{text})
		if err != nil {
			t.Fatal(err)
		}
		spelt, err := e.Encode(t.Context(), model.AsText, []string{prefix + text})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Data, spelt.Data) || got.Encoder != spelt.Encoder {
			t.Errorf("as %q differs from %q spelt out", as, prefix)
		}
	}
	if _, err := e.Encode(t.Context(), "answer", []string{text}); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("an unknown role: %v", err)
	}
}

func TestRoleOpenAIEncoder(t *testing.T) {
	var sent []string
	handler := func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		sent = append(sent, body.Input...)
		sendJSON(w, 200, `{"data":[`+strings.TrimSuffix(strings.Repeat(`{"embedding":[3,4]},`, len(body.Input)), ",")+`]}`)
	}
	plain := serveEncoder(t, handler, 0)
	with := serveEncoder(t, handler, 0, func(e *model.Endpoint) { e.QueryPrefix, e.PassagePrefix = "query: ", "passage: " })
	counted := model.NewBudget(0, nil).Encoder(with, "embed", "m")
	for _, e := range []model.Encoder{plain, with, counted} {
		for _, as := range []model.As{model.AsText, model.AsQuery, model.AsPassage} {
			if _, err := e.Encode(t.Context(), as, []string{"a", ""}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := e.Encode(t.Context(), "answer", []string{"a"}); daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("an unknown role: %v", err)
		}
	}
	bare := []string{"a", " "}
	prefixed := []string{"a", " ", "query: a", "query: ", "passage: a", "passage: "}
	if want := slices.Concat(bare, bare, bare, prefixed, prefixed); !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
	other := serveEncoder(t, handler, 0, func(e *model.Endpoint) { e.QueryPrefix = "search: " })
	id := func(e *model.OpenAIEncoder) string { _, after, _ := strings.Cut(e.ID(), "/"); return after }
	if id(plain) != "m" || id(with) == id(plain) || id(with) == id(other) {
		t.Errorf("ids %q, %q, %q do not tell the prefixes apart", id(plain), id(with), id(other))
	}
}
