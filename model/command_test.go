package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"daybook"
)

func TestEncodeLines(t *testing.T) {
	e := embedded(t)
	for name, c := range map[string]struct {
		in   string
		want int
	}{
		"none": {"", 0}, "one": {"hello", 1}, "ended": {"hello\n", 1}, "empty lines": {"a\n\nb\r\n", 3},
		"many": {strings.Repeat("a line\n", 70), 70}, "long": {strings.Repeat("word ", 30000) + "\nb", 2},
	} {
		if raceEnabled && name == "long" {
			continue
		}
		var out bytes.Buffer
		if err := EncodeLines(context.Background(), e, AsText, strings.NewReader(c.in), &out); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if c.want == 0 {
			lines = lines[1:]
		}
		if len(lines) != c.want {
			t.Errorf("%s: %d vectors, want %d", name, len(lines), c.want)
		}
		for _, l := range lines {
			var v []float32
			if err := json.Unmarshal([]byte(l), &v); err != nil || len(v) != e.Dim() {
				t.Errorf("%s: not a vector: %.40s (%v)", name, l, err)
			}
		}
	}
}

func TestEncodeLinesBrokenReader(t *testing.T) {
	err := EncodeLines(context.Background(), embedded(t), AsText, iotest.ErrReader(errors.New("gone")), &bytes.Buffer{})
	if daybook.KindOf(err) != daybook.Unavailable {
		t.Errorf("broken reader: %v", err)
	}
}

func TestMeasureSpeed(t *testing.T) {
	s, err := MeasureSpeed(context.Background(), embedded(t), time.Millisecond)
	if err != nil || s.Single <= 0 || s.TextsPerSecond <= 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestLexicalEntailer(t *testing.T) {
	judge := NewLexicalEntailer(embedded(t))
	if !strings.Contains(judge.Name(), "lexical") {
		t.Errorf("its name hides what it is: %s", judge.Name())
	}
	got, err := judge.Entail(context.Background(), []Pair{
		{"A man is playing a guitar on the street", "A man is playing a guitar"},
		{"A man is playing a guitar", "A man is not playing a guitar"},
		{"A man is playing a guitar", "The quarterly budget was approved in Lisbon"},
		{"", ""},
	})
	if err != nil {
		t.Fatal(err)
	}
	if v := got[0]; v.Entail < v.Neutral || v.Entail < v.Contradict {
		t.Errorf("subset: %+v", v)
	}
	if v := got[1]; v.Contradict < v.Neutral || v.Contradict < v.Entail {
		t.Errorf("negation: %+v", v)
	}
	if v := got[2]; v.Neutral < v.Entail || v.Neutral < v.Contradict {
		t.Errorf("unrelated: %+v", v)
	}
	for _, v := range got {
		if s := v.Entail + v.Neutral + v.Contradict; s < 0.999 || s > 1.001 {
			t.Errorf("%+v adds up to %g", v, s)
		}
	}
}
