package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"daybook"
)

// randomEvents of three people and a place, with anchors of several grains.
func randomEvents(rng *rand.Rand, n int) (events []daybook.Event) {
	grains := []daybook.Granularity{daybook.Instant, daybook.Instant, daybook.Day, daybook.Week, daybook.Month}
	people := []daybook.EntityID{"ent_a", "ent_b", "ent_c", "ent_p"}
	for i := range n {
		e := daybook.Event{Kind: daybook.Action, Text: fmt.Sprint("event ", i), Participants: []daybook.EntityID{people[rng.IntN(3)]}}
		if rng.IntN(3) == 0 {
			e.Participants = append(e.Participants, people[rng.IntN(4)])
		}
		from := time.Date(2024, time.Month(1+rng.IntN(14)), 1+rng.IntN(28), 0, 0, 0, 0, time.UTC)
		e.Time = daybook.Span{From: from, Granularity: grains[rng.IntN(len(grains))]}
		if e.Time.Granularity == daybook.Instant {
			e.Time.From, e.Time.Known = from.Add(time.Duration(rng.IntN(24))*time.Hour), daybook.Spoken
		}
		events = append(events, e.Named())
	}
	return events
}

// beforeLinks reads the before links of all events, seen from each end.
func beforeLinks(p *pen, events []daybook.Event) (from, to []string) {
	p.read(func(b *Book) error {
		for _, e := range events {
			links, err := b.EventLinks(e.ID)
			if err != nil {
				return err
			}
			for _, l := range links {
				if l.Kind == daybook.Before && l.From == string(e.ID) {
					from = append(from, l.From+" "+l.To)
				} else if l.Kind == daybook.Before {
					to = append(to, l.From+" "+l.To)
				}
			}
		}
		return nil
	})
	slices.Sort(from)
	slices.Sort(to)
	return from, to
}

func TestBeforeWhateverTheOrderOfArrival(t *testing.T) {
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 7))
		events := randomEvents(rng, 40)
		var first []string
		for round := range 2 {
			p := newPen(t)
			for part := range slices.Chunk(events, 7) {
				var ops []daybook.Op
				for i := range part {
					ops = append(ops, daybook.Op{Event: &part[i]})
				}
				p.write(ops...)
			}
			from, to := beforeLinks(p, events)
			if !slices.Equal(from, to) {
				t.Fatalf("seed %d: a link is seen from one of its ends only", seed)
			}
			if round > 0 && !slices.Equal(first, from) {
				t.Errorf("seed %d: %d links in one order of arrival, %d in another", seed, len(first), len(from))
			}
			if len(from) < len(events)/2 || len(from) > 4*len(events) {
				t.Errorf("seed %d: %d links for %d events", seed, len(from), len(events))
			}
			first = from
			rng.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		}
	}
}

func TestBefore(t *testing.T) {
	event := func(text string, at daybook.Span, who ...daybook.EntityID) daybook.Event {
		return daybook.Event{Kind: daybook.Action, Text: text, Participants: who, Time: at}.Named()
	}
	spoken := func(hour int) daybook.Span {
		return daybook.Span{From: time.Date(2024, 3, 5, hour, 0, 0, 0, time.UTC), Known: daybook.Spoken}
	}
	onDay := daybook.Span{From: time.Date(2024, 3, 5, 0, 0, 0, 0, time.UTC), Granularity: daybook.Day}
	plan := event("plan", spoken(11), "ent_a")
	plan.Modality = daybook.Planned
	plan = plan.Named()
	events := []daybook.Event{
		event("early", spoken(9), "ent_a"), event("late", spoken(10), "ent_a"), event("same time", spoken(10), "ent_a"), event("that day", onDay, "ent_a"),
		event("others", spoken(12), "ent_b"), event("crowd", spoken(13), "ent_a", "ent_b", "ent_c", "ent_d"), plan,
		event("long ago", daybook.Span{From: time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC), Granularity: daybook.Year}, "ent_a"),
	}
	p := newPen(t)
	for i := range events {
		p.write(daybook.Op{Event: &events[i]})
	}
	name := map[string]string{}
	for _, e := range events {
		name[string(e.ID)] = e.Text
	}
	var got []string
	from, _ := beforeLinks(p, events)
	for _, l := range from {
		var a, b string
		fmt.Sscan(l, &a, &b)
		got = append(got, name[a]+" → "+name[b])
	}
	slices.Sort(got)
	want := []string{"early → late", "early → same time", "long ago → early", "long ago → that day"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
