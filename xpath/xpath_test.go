package xpath_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"daybook"
	"daybook/xpath"

	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, text string) xpath.Query {
	t.Helper()
	q, err := xpath.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return q
}

// Each query is written as it is printed; where two are given, the first is
// another way to write the second.
func TestCanonical(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""}, {"/Plan"}, {"//Day[3]/POI[-1]"}, {"//*[2:4]"}, {"//Day[2:]"}, {"//Day[-3:-1]"},
		{`//POI[node~="museum"]`}, {`//POI[node ~ "museum"]`, `//POI[node~="museum"]`},
		{`//POI[[[node~="museum"]]]`, `//POI[node~="museum"]`}, {`//POI[@name~="x"]`, `//POI[name~="x"]`},
		{`//POI[@name="say \"hi\" \\"]`}, {`//POI[@note=""]`},
		{`//POI[1-[node~="a"]*[node~="b"]]`, `//POI[1-([node~="a"]*[node~="b"])]`},
		{`//POI[(1-[node~="a"])*[node~="b"]]`},
		{`//POI[1-1-[node~="a"]]`, `//POI[1-(1-[node~="a"])]`},
		{`//POI[avg([node~="a"],[node~="b"])]`, `//POI[([node~="a"]+[node~="b"])/2]`},
		{`//POI[max(node~="a", node~="b", name~="c")]`, `//POI[max([node~="a"],[node~="b"],[name~="c"])]`},
		{`//Day[min(avg(/POI[node~="a"]),gmean(//*[2][1-[node~="b"]]))]`},
		{`(//Day[avg(/POI[node~="a"])])[1]/POI[-1]`}, {`((//Day)[2:3]/*)[-1]`},
		{`//POI[node~="lunch"][@+1]`}, {`//POI[2][@-2]`},
		{`//Day[as-of "2026-05-01"][2]`, `//Day[as-of "2026-05-01T23:59:59.999999Z"][2]`},
		{`//Day[2][node~="x"][as-of "2026-05-01T10:00:00Z"]`, `//Day[as-of "2026-05-01T10:00:00Z"][2][node~="x"]`},
		{" //Day \n /POI ", "//Day/POI"}, {`//POI[[node~="a"]·[node~="b"]]`, `//POI[[node~="a"]*[node~="b"]]`},
		{`//Größe[é_1.b-c~="ü"]`},
	} {
		want := c[1]
		if want == "" {
			want = c[0]
		}
		q := parse(t, c[0])
		if got := q.String(); got != want {
			t.Errorf("%s is printed as %s, want %s", c[0], got, want)
		}
		if diff := cmp.Diff(q, parse(t, q.String())); diff != "" {
			t.Errorf("%s reads differently when printed:\n%s", c[0], diff)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		query string
		at    int
		want  string
	}{
		{"Day", 0, "'/' or '//'"}, {"//", 2, "a node type or '*'"}, {"//Day[0]", 6, "start at 1"}, {"//Day[-0]", 7, "start at 1"},
		{"//Day[1", 7, "']', ':' or '-'"}, {"//Day[]", 6, "a position or a predicate"}, {"//Day[1:]", 8, "end of the range"},
		{"//Day[2][3]", 9, "a predicate"}, {`//POI[node="m"]`, 10, "'~='"}, {`//POI[node~="m]`, 12, "not closed"},
		{`//POI[2-[node~="m"]]`, 6, "a predicate"}, {`//Day[sum(/POI)]`, 6, "unknown function"}, {`//Day[avg(POI)]`, 10, "a step"},
		{`//POI[([node~="a"]+[node~="b"])]`, 31, "'/2' after a sum"}, {`//POI[name~="é"] x`, 18, "'/' or '//'"},
		{"(//Day)", 7, "a position"}, {"(//Day)[node~=\"x\"]", 8, "a position"}, {"()[1]", 1, "'/' or '//'"}, {"//Day[@+0]", 8, "start at 1"},
		{`//Day[as-of "some day"]`, 12, "a time"}, {"//Day[99999999999]", 6, "at most a billion"}, {"//Day[@+1][@+1]", 10, "one position"},
		{`//Day[gmean([node~="a"],[node~="b"])]`, 12, "a step"}, {"//D\xff", 3, "UTF-8"}, {`//POI[@="x"]`, 7, "name of an attribute"},
	} {
		_, err := xpath.Parse(c.query)
		wrong, ok := errors.AsType[*xpath.SyntaxError](err)
		if !ok || daybook.KindOf(err) != daybook.Invalid || wrong.At != c.at || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want byte %d and %q", c.query, err, c.at, c.want)
		}
	}
}

// Long and deep queries are refused, not run into the ground.
func TestLimits(t *testing.T) {
	deep := strings.Repeat("[", 1000)
	for name, query := range map[string]string{
		"10 KB":          strings.Repeat("//Day", 2048),
		"brackets":       "//Day" + deep + `node~="x"` + strings.Repeat("]", 1000),
		"open brackets":  "//Day" + deep,
		"complements":    "//Day[" + strings.Repeat("1-", 1000) + `node~="x"]`,
		"parentheses":    strings.Repeat("(", 1000) + "//Day",
		"aggregations":   "//Day[" + strings.Repeat("avg(/A[", 1000),
		"unclosed text":  `//Day[node~="` + strings.Repeat("x", 9000),
		"groups":         strings.Repeat("(", 500) + "//A" + strings.Repeat(")[1]", 500),
		"functions":      "//Day[" + strings.Repeat("min(", 1000),
		"sums":           "//Day[" + strings.Repeat("((", 1000),
		"just too large": "//" + strings.Repeat("x", xpath.MaxBytes),
	} {
		if _, err := xpath.Parse(query); daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("%s: %v, want Invalid", name, err)
		}
	}
	if _, err := xpath.Parse("//" + strings.Repeat("x", xpath.MaxBytes-2)); err != nil {
		t.Errorf("a query of the greatest length: %v", err)
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct{ from, to, n, low, high int }{
		{0, 0, 3, 0, 3}, {1, 1, 3, 0, 1}, {3, 3, 3, 2, 3}, {4, 4, 3, 0, 0}, {-1, -1, 3, 2, 3}, {-3, -3, 3, 0, 1}, {-4, -4, 3, 0, 0},
		{2, 9, 3, 1, 3}, {3, 2, 3, 0, 0}, {2, 0, 3, 1, 3}, {4, 0, 3, 0, 0}, {-2, -1, 3, 1, 3}, {-9, 2, 3, 0, 2}, {1, -1, 3, 0, 3}, {1, 1, 0, 0, 0},
	} {
		if low, high := (xpath.Range{From: c.from, To: c.to}).Bounds(c.n); low != c.low || high != c.high {
			t.Errorf("[%d:%d] of %d: %d to %d, want %d to %d", c.from, c.to, c.n, low, high, c.low, c.high)
		}
	}
}

// TestGoldErrors reads the malformed queries of the gold set, where there is one.
func TestGoldErrors(t *testing.T) {
	dir := os.Getenv("DAYBOOK_DATA")
	if dir == "" {
		t.Skip("DAYBOOK_DATA is not set: the gold set of malformed queries was NOT run")
	}
	text, err := os.ReadFile(filepath.Join(dir, "semantic_xpath", "grammar_errors.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		var c struct {
			ID, Query, Why string
			At             int `json:"error_at"`
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		n++
		_, err := xpath.Parse(c.Query)
		if wrong, ok := errors.AsType[*xpath.SyntaxError](err); !ok || wrong.At != c.At {
			t.Errorf("%s %s: %v; want byte %d: %s", c.ID, c.Query, err, c.At, c.Why)
		}
	}
	t.Logf("%d malformed queries", n)
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`//Day[avg(/POI[node~="conference"])]`, `//Day[3]/POI[1-[node~="workshop"]]`, `(//A[2:])[1]/*[@+1]`, `//A[as-of "2026-05-01"][@b="c"]`,
		`//A[([a~="x"]+min([b~="y"],1-[c~="z"]))/2]`, `//A[[a~"\"\\"]·[b~="é"]]`, "//A[1:", "((", "//A[@-", `//A[1-`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := xpath.Parse(text)
		if err != nil {
			wrong, ok := errors.AsType[*xpath.SyntaxError](err)
			if !ok || wrong.At < 0 || wrong.At > len(text) || wrong.Error() == "" {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		again, err := xpath.Parse(q.String())
		if err != nil && len(q.String()) <= xpath.MaxBytes && !strings.Contains(err.Error(), "nested") {
			t.Fatalf("%q is printed as %q: %v", text, q, err)
		}
		if err == nil && !cmp.Equal(q, again) {
			t.Fatalf("%q is printed as %q, which says something else", text, q)
		}
	})
}
