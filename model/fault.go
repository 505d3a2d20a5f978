package model

import (
	"context"
	"hash/fnv"
	"math"
	"strings"
	"sync/atomic"

	"daybook"
)

// Fault is one way in which a model misbehaves.
type Fault uint8

// The faults. What each does to a completer, and to an encoder where that
// differs:
const (
	NoFault  Fault = iota // answers as the inner model does
	TimeOut               // returns a TimedOut ServerError at once
	Hang                  // waits until the context ends, then is Unavailable
	Break                 // returns a Broken ServerError, as for a 500
	Refuse                // declines to answer; an encoder returns Rejected
	Truncate              // gives the first half and says CutShort; an encoder gives half the rows
	Cut                   // gives the first half and says nothing; an encoder gives half the rows
	Garble                // swaps characters so that JSON breaks; an encoder gives NaN
	HTML                  // says a gateway's error page; an encoder returns Garbled
	Empty                 // says nothing; an encoder gives no rows
	Prattle               // wraps the reply in chatter and a code fence; an encoder answers well
	numFaults
)

var faultNames = [numFaults]string{"none", "time out", "hang", "break", "refuse", "truncate", "cut", "garble", "html", "empty", "prattle"}

func (f Fault) String() string {
	if f < numFaults {
		return faultNames[f]
	}
	return "unknown fault"
}

// Schedule chooses the fault of a call: n counts the calls from 0, key tells
// requests apart and is the same for the same request.
type Schedule func(n int, key string) Fault

// InTurn gives the faults one after another, from the start again after the
// last. With callers at once, who gets which depends on who comes first; use
// Sometimes there.
func InTurn(faults ...Fault) Schedule {
	return func(n int, _ string) Fault {
		if len(faults) == 0 {
			return NoFault
		}
		return faults[n%len(faults)]
	}
}

// Sometimes gives one of the faults to the fraction rate of all requests,
// chosen by seed and request alone: the order of the calls does not matter.
func Sometimes(seed uint64, rate float64, faults ...Fault) Schedule {
	return func(_ int, key string) Fault {
		h := fnv.New64a()
		var salt [8]byte
		for i := range salt {
			salt[i] = byte(seed >> (8 * i))
		}
		_, _ = h.Write(salt[:])
		_, _ = h.Write([]byte(key))
		x := mix(h.Sum64())
		if len(faults) == 0 || float64(x>>11)/(1<<53) >= rate {
			return NoFault
		}
		return faults[mix(x)%uint64(len(faults))]
	}
}

// mix spreads a hash over all 64 bits (splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// FaultyCompleter is a Completer that misbehaves on schedule, for tests of
// whoever calls models. Safe for concurrent use when the inner one is.
type FaultyCompleter struct {
	inner    Completer
	schedule Schedule
	calls    atomic.Int64
}

// NewFaultyCompleter returns c with faults.
func NewFaultyCompleter(c Completer, s Schedule) *FaultyCompleter {
	return &FaultyCompleter{inner: c, schedule: s}
}

// Calls returns how many calls there have been.
func (f *FaultyCompleter) Calls() int { return int(f.calls.Load()) }

// Complete asks the inner completer unless the fault forbids, and spoils what
// it says.
func (f *FaultyCompleter) Complete(ctx context.Context, req Request) (Reply, error) {
	fault := f.schedule(int(f.calls.Add(1)-1), requestHash("", req))
	switch fault {
	case Refuse:
		return Reply{Text: "I cannot help with that.", Model: "faulty", Stop: Withheld}, nil
	case HTML:
		return Reply{Text: gatewayPage, Model: "faulty"}, nil
	case Empty:
		return Reply{Model: "faulty"}, nil
	}
	if err := faultError(ctx, fault); err != nil {
		return Reply{}, err
	}
	reply, err := f.inner.Complete(ctx, req)
	if err != nil {
		return reply, err
	}
	return spoil(reply, fault), nil
}

const gatewayPage = "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n"

// faultError returns the error of faults that are one.
func faultError(ctx context.Context, fault Fault) error {
	e := &ServerError{Host: "faulty"}
	switch fault {
	case TimeOut:
		e.Trouble = TimedOut
	case Break:
		e.Trouble, e.Status = Broken, 500
	case Hang:
		<-ctx.Done()
		return daybook.Errorf(daybook.Unavailable, "call model server faulty: %w", context.Cause(ctx))
	default:
		return nil
	}
	return e.kinded()
}

func spoil(reply Reply, fault Fault) Reply {
	switch fault {
	case Truncate:
		reply.Text = cutText(reply.Text, len(reply.Text)/2)
		reply.Stop = CutShort
	case Cut:
		reply.Text = cutText(reply.Text, len(reply.Text)/2)
	case Garble:
		reply.Text = strings.NewReplacer(`"`, `'`, "{", "(", "}", ")", ":", "=").Replace(reply.Text)
	case Prattle:
		reply.Text = "Sure! Here is what you asked for:\n\n```json\n" + reply.Text + "\n```\n\nLet me know if you need {more}."
	}
	return reply
}

// FaultyEncoder is an Encoder that misbehaves on schedule. Unlike an honest
// one it may return too few rows, or NaN.
type FaultyEncoder struct {
	inner    Encoder
	schedule Schedule
	calls    atomic.Int64
}

// NewFaultyEncoder returns e with faults.
func NewFaultyEncoder(e Encoder, s Schedule) *FaultyEncoder {
	return &FaultyEncoder{inner: e, schedule: s}
}

// Calls returns how many calls there have been.
func (f *FaultyEncoder) Calls() int { return int(f.calls.Load()) }

// Encode asks the inner encoder unless the fault forbids, and spoils the rows.
func (f *FaultyEncoder) Encode(ctx context.Context, as As, texts []string) (Vectors, error) {
	fault := f.schedule(int(f.calls.Add(1)-1), string(as)+"\x00"+strings.Join(texts, "\x00"))
	switch fault {
	case Refuse:
		return Vectors{}, (&ServerError{Host: "faulty", Trouble: Rejected, Status: 400}).kinded()
	case HTML:
		return Vectors{}, (&ServerError{Host: "faulty", Trouble: Garbled, Status: 200}).kinded()
	}
	if err := faultError(ctx, fault); err != nil {
		return Vectors{}, err
	}
	vectors, err := f.inner.Encode(ctx, as, texts)
	if err != nil {
		return vectors, err
	}
	switch fault {
	case Truncate, Cut:
		vectors.Data = vectors.Data[:vectors.Len()/2*vectors.Dim]
	case Empty:
		vectors.Data = nil
	case Garble:
		vectors.Data = append([]float32(nil), vectors.Data...)
		for i := range vectors.Data {
			vectors.Data[i] = float32(math.NaN())
		}
	}
	return vectors, nil
}
