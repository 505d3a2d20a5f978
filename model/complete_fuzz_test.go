package model

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzRepair holds the repair to what it promises: valid values, no invented
// ones, no panic, and valid input left alone.
func FuzzRepair(f *testing.F) {
	for _, seed := range []string{
		"", "{", "[", `{"a":1}`, `{"a":[1,2,],}`, "```json\n{\"a\":1}\n```", "<think>{</think>[true", `x {"a":"b\"c"} y`,
		"{\"a\":\"b\nc\"}", `{"a":"b`, `{"a":{"b":[{"c":null`, `[[[[`, `]}`, "\ufeff[]", `{"a":1}{"b":2}`, `{"a" "b"}`, `[1,2`, "{\"\\", "```{",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, mayClose bool) {
		n := 0
		for value := range jsonIn(text, mayClose) {
			n++
			if !json.Valid(value) {
				t.Fatalf("%q gave invalid %q", text, value)
			}
			checkOrigin(t, text, string(value), mayClose)
			again := 0
			for same := range jsonIn(string(value), mayClose) {
				again++
				if string(same) != strings.TrimSpace(string(value)) {
					t.Fatalf("repairing %q again gave %q", value, same)
				}
			}
			if again != 1 {
				t.Fatalf("%q gave %d values the second time", value, again)
			}
		}
		if n > 2*maxStarts {
			t.Fatalf("%d values", n)
		}
	})
}

// checkOrigin: what is outside control characters, commas and closing brackets
// stands in the reply as it does in the value.
func checkOrigin(t *testing.T, text, value string, mayClose bool) {
	t.Helper()
	if len(value) > 6*len(text)+8 {
		t.Fatalf("%q grew to %q", text, value)
	}
	if !mayClose && strings.Count(value, "}")+strings.Count(value, "]") > strings.Count(text, "}")+strings.Count(text, "]") {
		t.Fatalf("%q was closed: %q", text, value)
	}
	if strings.Count(value, ",") > strings.Count(text, ",") || strings.Count(value, "{") > strings.Count(text, "{") {
		t.Fatalf("%q gained something: %q", text, value)
	}
}

// FuzzSchema checks that no schema and no value makes the validator panic.
func FuzzSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"enum":[1]}}}`, `{"a":1}`)
	f.Add(`{"minimum":1e-300,"maximum":1e300}`, `1e-400`)
	f.Add(`{"type":["integer","null"]}`, `1e999999999`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, err := ParseSchema("s", schema)
		if err != nil {
			return
		}
		if s.Validate([]byte(value)) == nil && !json.Valid([]byte(value)) {
			t.Fatalf("%s took %q", schema, value)
		}
	})
}
