package model_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"daybook"
	"daybook/model"
)

// canned is a Completer that always says the same.
type canned string

func (c canned) Complete(context.Context, model.Request) (model.Reply, error) {
	return model.Reply{Text: string(c), Model: "canned", Usage: model.Usage{In: 10, Out: 5}}, nil
}

// script says one thing after another, and remembers what it was asked.
type script struct {
	replies []model.Reply
	asked   []model.Request
}

func (s *script) Complete(_ context.Context, req model.Request) (model.Reply, error) {
	s.asked = append(s.asked, req)
	return s.replies[min(len(s.asked), len(s.replies))-1], nil
}

func says(texts ...string) *script {
	s := &script{}
	for _, text := range texts {
		s.replies = append(s.replies, model.Reply{Text: text, Usage: model.Usage{In: 10, Out: 5}})
	}
	return s
}

func askJSON() model.Request {
	req := ask("hi")
	req.Schema = answerSchema
	return req
}

func TestRepair(t *testing.T) {
	good := `{"word":"yes","n":1}`
	tests := map[string]string{
		"as is":              good,
		"spaces":             "\n\t " + good + " \n",
		"bom":                "\ufeff" + good,
		"fence":              "```json\n" + good + "\n```",
		"bare fence":         "```\n" + good + "\n```",
		"fence not closed":   "```json\n" + good,
		"fence in one line":  "```" + good + "```",
		"chatter":            "Sure! Here you go:\n" + good + "\nAnything else?",
		"brackets before":    "As in [1] and {this}, the answer is " + good,
		"another value":      `{"wrong":true} I mean ` + good,
		"thought":            "<think>is it {\"word\":\"no\",\"n\":0}? no.</think>\n" + good,
		"trailing comma":     `{"word":"yes","n":1,}`,
		"missing bracket":    `{"n":1,"word":"yes"`,
		"trailing bracket":   good + "}",
		"raw line break":     "{\"word\":\"yes\",\"n\":1}",
		"prose and no close": `The answer: {"n":1,"word":"yes"` + "\n",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			got, _, err := model.CompleteJSON[answer](t.Context(), says(text), askJSON(), 1)
			if err != nil || got != (answer{"yes", 1}) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestRepairEscapesControlCharacters(t *testing.T) {
	got, _, err := model.CompleteJSON[answer](t.Context(), says("{\"word\":\"a\nb\tc\x01\",\"n\":1}"), askJSON(), 1)
	if err != nil || got.Word != "a\nb\tc\x01" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestUnsafeRepairs are replies that must not be guessed at.
func TestUnsafeRepairs(t *testing.T) {
	tests := map[string]string{
		"in a string":       `{"n":1,"word":"ye`,
		"in a number":       `{"word":"yes","n":1`,
		"after a comma":     `{"n":1,"word":"yes",`,
		"after a colon":     `{"n":1,"word":`,
		"after a key":       `{"n":1,"word"`,
		"wrong bracket":     `{"n":1,"word":"yes"]`,
		"nothing":           ``,
		"prose":             `I would rather not.`,
		"html":              `<html><body>502</body></html>`,
		"no integer":        `{"word":"yes","n":1.5}`,
		"too small":         `{"word":"yes","n":-1}`,
		"extra":             `{"word":"yes","n":1,"why":"because"}`,
		"missing":           `{"word":"yes"}`,
		"number for string": `{"word":1,"n":1}`,
		"list":              `[{"word":"yes","n":1}]`,
		"too great for T":   `{"word":"yes","n":1e30}`,
		"absurd number":     `{"word":"yes","n":1e999999999}`,
		"tiny number":       `{"word":"yes","n":-1e-999999999}`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, err := model.CompleteJSON[answer](t.Context(), says(text), askJSON(), 1)
			if _, ok := errors.AsType[*model.NonsenseError](err); !ok && name != "tiny number" {
				t.Errorf("%q was taken: %v", text, err)
			}
		})
	}
}

func TestCutShortIsNotClosed(t *testing.T) {
	s := &script{replies: []model.Reply{{Text: `{"n":1,"word":"yes"`, Stop: model.CutShort}}}
	_, _, err := model.CompleteJSON[answer](t.Context(), s, askJSON(), 2)
	if e, ok := errors.AsType[*model.NonsenseError](err); !ok || !strings.Contains(e.Problem, "cut off") {
		t.Errorf("got %v", err)
	}
}

func TestRetryTellsWhatWasWrong(t *testing.T) {
	s := says(`{"word":"yes"}`, "", `{"word":"yes","n":"one"}`, `{"word":"yes","n":1}`)
	req := askJSON()
	got, reply, err := model.CompleteJSON[answer](t.Context(), s, req, 5)
	if err != nil || got != (answer{"yes", 1}) {
		t.Fatalf("got %+v, %v", got, err)
	}
	if reply.Usage != (model.Usage{In: 40, Out: 20}) {
		t.Errorf("usage %+v, want that of all four", reply.Usage)
	}
	if len(req.Messages) != 1 {
		t.Errorf("the caller's messages changed: %v", req.Messages)
	}
	last := s.asked[3].Messages
	var all []string
	for _, m := range last {
		all = append(all, string(m.Role)+": "+m.Content)
	}
	for _, want := range []string{`$: "n" is missing`, "the reply was empty", "$.n: want integer, got string"} {
		if !strings.Contains(strings.Join(all, "\n"), want) {
			t.Errorf("the model was not told %q:\n%s", want, strings.Join(all, "\n"))
		}
	}
	if len(last) != 6 { // question, bad reply, complaint, complaint about nothing, bad reply, complaint
		t.Errorf("%d messages", len(last))
	}
}

func TestNonsense(t *testing.T) {
	s := says("my secret diary")
	_, reply, err := model.CompleteJSON[answer](t.Context(), s, askJSON(), 0)
	e, ok := errors.AsType[*model.NonsenseError](err)
	if !ok || daybook.KindOf(err) != daybook.Unavailable {
		t.Fatalf("got %v", err)
	}
	if e.Attempts != 3 || len(s.asked) != 3 || e.Purpose != "test" || e.Text != "my secret diary" || e.Refused {
		t.Errorf("got %+v after %d calls", e, len(s.asked))
	}
	if strings.Contains(err.Error(), "diary") {
		t.Errorf("the error quotes the reply: %v", err)
	}
	if reply.Usage.In != 30 {
		t.Errorf("usage %+v", reply.Usage)
	}
}

func TestRefusalIsNotRetried(t *testing.T) {
	s := &script{replies: []model.Reply{{Text: "No.", Stop: model.Withheld}}}
	_, _, err := model.CompleteJSON[answer](t.Context(), s, askJSON(), 3)
	if e, ok := errors.AsType[*model.NonsenseError](err); !ok || !e.Refused || e.Attempts != 1 || len(s.asked) != 1 {
		t.Errorf("got %v after %d calls", err, len(s.asked))
	}
}

func TestCompleteJSONNeedsSchema(t *testing.T) {
	if _, _, err := model.CompleteJSON[answer](t.Context(), says("{}"), ask("hi"), 1); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("got %v", err)
	}
}

func TestSchema(t *testing.T) {
	tests := []struct{ schema, good, bad string }{
		{`{"type":"string","minLength":2,"maxLength":3}`, `"äöü"`, `"a"`},
		{`{"type":"string","maxLength":3}`, `"abc"`, `"abcd"`},
		{`{"type":["string","null"]}`, `null`, `1`},
		{`{"type":"integer"}`, `3.0`, `3.1`},
		{`{"type":"number","minimum":0.1,"maximum":0.3}`, `0.3`, `0.30000000000000001`},
		{`{"type":"boolean"}`, `true`, `"true"`},
		{`{"enum":["a",1,null,{"x":[1]}]}`, `{"x":[1]}`, `"b"`},
		{`{"enum":[1]}`, `1.0`, `2`},
		{`{"const":"a"}`, `"a"`, `"b"`},
		{`{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":2}`, `[1,2]`, `[1,"2"]`},
		{`{"type":"array","minItems":1}`, `[null]`, `[]`},
		{`{"type":"array","maxItems":1}`, `[1]`, `[1,2]`},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"a":"x","b":1}`, `{"b":1}`},
		{`{"type":"object","additionalProperties":{"type":"integer"}}`, `{"b":1}`, `{"b":"1"}`},
		{`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"array","items":{"type":"string"}}}}}}`, `{"a":{"b":["x"]}}`, `{"a":{"b":["x",1]}}`},
		{`{"description":"anything","title":"t"}`, `[1,{"a":null}]`, `[1`},
	}
	for _, test := range tests {
		s, err := model.ParseSchema("s", test.schema)
		if err != nil {
			t.Errorf("%s: %v", test.schema, err)
			continue
		}
		if err := s.Validate([]byte(test.good)); err != nil {
			t.Errorf("%s refuses %s: %v", test.schema, test.good, err)
		}
		if err := s.Validate([]byte(test.bad)); daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("%s on %s: %v", test.schema, test.bad, err)
		}
	}
}

func TestSchemaErrorsSayWhere(t *testing.T) {
	s := model.MustSchema("s", `{"type":"object","properties":{"facts":{"type":"array","items":{"type":"object","properties":{"kind":{"enum":["state","event"]}}}}}}`)
	err := s.Validate([]byte(`{"facts":[{"kind":"state"},{"kind":"rumour"}]}`))
	if want := `$.facts[1].kind: want one of "state", "event"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestParseSchemaRefuses(t *testing.T) {
	tests := map[string]string{
		`{"type":"text"}`:                    "no such type",
		`{"pattern":"x"}`:                    "pattern: keyword not supported",
		`{"properties":{"a":{"oneOf":[]}}}`:  "$.a: oneOf: keyword not supported",
		`{"type":"object"`:                   "unexpected EOF",
		`[]`:                                 "must be an object",
		`{} {}`:                              "more text",
		`{"minLength":-1}`:                   "whole number",
		`{"minimum":"1"}`:                    "want a number",
		`{"enum":[]}`:                        "list of values",
		`{"required":[1]}`:                   "list of strings",
		`{"properties":{},"required":["a"]}`: "not among the properties",
		`{"items":[{"type":"string"}]}`:      "must be an object",
		`{"additionalProperties":"no"}`:      "must be an object",
		`{"properties":[]}`:                  "object of schemas",
		`{"minimum":1e999}`:                  "out of range",
	}
	for text, want := range tests {
		_, err := model.ParseSchema("s", text)
		if daybook.KindOf(err) != daybook.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	for _, name := range []string{"", "a b", "ä", strings.Repeat("x", 65)} {
		if _, err := model.ParseSchema(name, `{}`); daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("name %q: %v", name, err)
		}
	}
}

// TestSchemaKeepsOrder matters because models write in the order of the schema.
func TestSchemaKeepsOrder(t *testing.T) {
	s := model.MustSchema("s", `{ "type": "object", "properties": { "why": {}, "answer": {} } }`)
	if want := `{"type":"object","properties":{"why":{},"answer":{}}}`; s.String() != want || s.Name() != "s" {
		t.Errorf("got %s", s)
	}
}

func TestMustSchemaPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	model.MustSchema("s", "{")
}

func TestRequestCheckRefusesNaN(t *testing.T) {
	req := ask("x")
	req.Temperature = math.NaN()
	if err := req.Check(); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("got %v", err)
	}
}

func ExampleCompleteJSON() {
	schema := model.MustSchema("capital", `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)
	req := model.Request{
		Purpose:  "example",
		Messages: []model.Message{{Role: model.User, Content: "What is the capital of France?"}},
		Schema:   schema,
	}
	type capital struct{ City string }
	got, _, err := model.CompleteJSON[capital](context.Background(), canned("Sure: ```\n{\"city\":\"Paris\",}\n```"), req, 3)
	fmt.Println(got.City, err)
	// Output: Paris <nil>
}
