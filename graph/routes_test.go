package graph

import (
	"slices"
	"strings"
	"testing"

	"daybook"
)

// Routes go through entities that events share, as far as they may, and through none
// that is everywhere.
func TestRoutes(t *testing.T) {
	p := newPen(t)
	for _, e := range []struct{ text, with string }{
		{"met", "a b"}, {"painted", "b"}, {"sailed", "b c"}, {"sank", "c"}, {"spoke", "a hub"}, {"one", "hub"}, {"two", "hub"}, {"three", "hub"},
	} {
		event := daybook.Event{Kind: daybook.Action, Text: e.text}
		for who := range strings.FieldsSeq(e.with) {
			event.Participants = append(event.Participants, daybook.EntityID("ent_"+who))
		}
		event = event.Named()
		p.write(daybook.Op{Event: &event})
	}
	for _, c := range []struct {
		within Reach
		want   []string
	}{
		{Reach{Events: 9, Hops: 0, Entities: 4, Few: 3}, []string{"met", "spoke"}},
		{Reach{Events: 1, Hops: 0, Entities: 4, Few: 3}, []string{"met"}},
		{Reach{Events: 9, Hops: 1, Entities: 4, Few: 3}, []string{"met", "spoke", "met b painted", "met b sailed"}},
		{Reach{Events: 9, Hops: 2, Entities: 4, Few: 3}, []string{"met", "spoke", "met b painted", "met b sailed", "met b sailed c sank"}},
		{Reach{Events: 9, Hops: 1, Entities: 0, Few: 3}, []string{"met", "spoke"}},
	} {
		var got []string
		p.read(func(b *Book) error {
			routes, err := b.Routes("ent_a", c.within)
			for _, r := range routes {
				text := r.Events[0].Text
				for i, e := range r.Events[1:] {
					text += strings.TrimPrefix(string(r.Through[i]), "ent") + "_" + e.Text
				}
				got = append(got, strings.ReplaceAll(text, "_", " "))
			}
			return err
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("within %+v: %q, want %q", c.within, got, c.want)
		}
	}
}
