package engine

import (
	"fmt"
	"testing"

	"daybook/model"
)

// Of many texts the first are forgotten, unless they are asked for again and again.
func TestAskedVectorsForget(t *testing.T) {
	a := newLately[askedText, []float32](askedTexts)
	key := func(i int) askedText { return askedAs(model.Text{As: model.AsQuery, Text: fmt.Sprint("text ", i)}) }
	a.put(key(0), []float32{1})
	a.put(key(1), []float32{2})
	for i := range 3 * askedTexts {
		a.put(key(2+i), []float32{3})
		if v, _ := a.get(key(1)); len(v) != 1 || v[0] != 2 {
			t.Fatalf("after %d others, the vector that is asked for all the time is %v", i, v)
		}
	}
	if v, ok := a.get(key(0)); ok {
		t.Errorf("the first vector is still there: %v", v)
	}
	if n := len(a.young) + len(a.old); n > 2*askedTexts {
		t.Errorf("%d vectors are kept", n)
	}
}
