package model_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/model"
)

func TestFaults(t *testing.T) {
	good := `{"word":"yes","n":1}`
	troubles := map[model.Fault]model.Trouble{model.TimeOut: model.TimedOut, model.Break: model.Broken}
	texts := map[model.Fault]func(model.Reply) bool{
		model.NoFault:  func(r model.Reply) bool { return r.Text == good },
		model.Refuse:   func(r model.Reply) bool { return r.Stop == model.Withheld },
		model.Truncate: func(r model.Reply) bool { return r.Text == good[:10] && r.Stop == model.CutShort },
		model.Cut:      func(r model.Reply) bool { return r.Text == good[:10] && r.Stop == model.Finished },
		model.Garble:   func(r model.Reply) bool { return r.Text == `('word'='yes','n'=1)` },
		model.HTML:     func(r model.Reply) bool { return strings.HasPrefix(r.Text, "<!DOCTYPE html>") },
		model.Empty:    func(r model.Reply) bool { return r.Text == "" },
		model.Prattle:  func(r model.Reply) bool { return strings.Contains(r.Text, "```json\n"+good) },
	}
	for fault := model.NoFault; fault <= model.Prattle; fault++ {
		t.Run(fault.String(), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			reply, err := model.NewFaultyCompleter(canned(good), model.InTurn(fault)).Complete(ctx, ask("hi"))
			switch {
			case troubles[fault] != "":
				wantTrouble(t, err, troubles[fault], daybook.Unavailable)
			case fault == model.Hang:
				if !errors.Is(err, context.DeadlineExceeded) || daybook.KindOf(err) != daybook.Unavailable {
					t.Errorf("got %v", err)
				}
			case err != nil || !texts[fault](reply):
				t.Errorf("got %+v, %v", reply, err)
			}
		})
	}
}

// TestFaultsMeetCompleteJSON: whatever the model does, the outcome is a value
// or a typed error of kind Unavailable.
func TestFaultsMeetCompleteJSON(t *testing.T) {
	for fault := model.NoFault; fault <= model.Prattle; fault++ {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		c := model.NewFaultyCompleter(canned(`{"word":"yes","n":1}`), model.InTurn(fault))
		got, _, err := model.CompleteJSON[answer](ctx, c, askJSON(), 2)
		cancel()
		if err == nil && got != (answer{"yes", 1}) || err != nil && daybook.KindOf(err) != daybook.Unavailable {
			t.Errorf("%v: got %+v, %v", fault, got, err)
		}
		if healed := fault == model.NoFault || fault == model.Prattle; healed != (err == nil) {
			t.Errorf("%v: got %v", fault, err)
		}
		again := model.NewFaultyCompleter(canned(`{"word":"yes","n":1}`), model.InTurn(fault, model.NoFault))
		if fault != model.Hang && fault != model.TimeOut && fault != model.Break && fault != model.Refuse {
			if _, _, err := model.CompleteJSON[answer](t.Context(), again, askJSON(), 2); err != nil {
				t.Errorf("%v and then well: %v", fault, err)
			}
		}
	}
}

func TestSchedules(t *testing.T) {
	turn := model.InTurn(model.Cut, model.NoFault, model.HTML)
	got := fmt.Sprint(turn(0, ""), turn(1, ""), turn(2, ""), turn(3, ""), model.InTurn()(0, ""))
	if got != "cut none html cut none" {
		t.Errorf("got %s", got)
	}
	some := model.Sometimes(1, 0.3, model.Cut, model.HTML)
	same, other := model.Sometimes(1, 0.3, model.Cut, model.HTML), model.Sometimes(2, 0.3, model.Cut, model.HTML)
	counts := map[model.Fault]int{}
	differ := 0
	for i := range 2000 {
		key := fmt.Sprint("request ", i)
		fault := some(i, key)
		counts[fault]++
		if same(7, key) != fault {
			t.Fatal("the order of calls matters")
		}
		if other(i, key) != fault {
			differ++
		}
	}
	if counts[model.Cut] < 220 || counts[model.HTML] < 220 || counts[model.NoFault] < 1300 || counts[model.NoFault] > 1500 {
		t.Errorf("got %v", counts)
	}
	if differ < 300 {
		t.Errorf("the seed changes only %d", differ)
	}
}

func TestEncoderFaults(t *testing.T) {
	texts := []string{"a", "b", "c", "d"}
	for fault := model.NoFault; fault <= model.Prattle; fault++ {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		enc := model.NewFaultyEncoder(axis{}, model.InTurn(fault))
		v, err := enc.Encode(ctx, model.AsText, texts)
		cancel()
		switch fault {
		case model.NoFault, model.Prattle:
			if err != nil || v.Len() != 4 {
				t.Errorf("%v: %v, %v", fault, v, err)
			}
		case model.Truncate, model.Cut:
			if err != nil || v.Len() != 2 {
				t.Errorf("%v: %v, %v", fault, v, err)
			}
		case model.Empty:
			if err != nil || v.Len() != 0 {
				t.Errorf("%v: %v, %v", fault, v, err)
			}
		case model.Garble:
			if err != nil || !math.IsNaN(float64(v.Data[0])) {
				t.Errorf("%v: %v, %v", fault, v, err)
			}
		default:
			if kind := daybook.KindOf(err); err == nil || kind != daybook.Unavailable && kind != daybook.Invalid {
				t.Errorf("%v: %v", fault, err)
			}
		}
		if enc.Calls() != 1 {
			t.Errorf("%d calls", enc.Calls())
		}
	}
}
