package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"daybook/engine"
	"daybook/graph"
)

type statsCmd struct{}

func (c *statsCmd) Run(a *app) error {
	return a.reading(func(e *engine.Engine) error {
		st, err := e.Stats(a.ctx, a.scope())
		if err != nil {
			return err
		}
		if a.JSON {
			return a.json(st)
		}
		var rows [][]string
		for _, r := range []struct {
			name string
			n    int64
		}{
			{"notes", int64(st.Notes)}, {"facts", int64(st.Facts)}, {"events", int64(st.Events)}, {"links", int64(st.Links)},
			{"entities", int64(st.Entities)}, {"commits", int64(st.Commits)}, {"bytes (whole home)", st.Bytes},
		} {
			rows = append(rows, []string{r.name, fmt.Sprint(r.n)})
		}
		a.table(rows)
		for _, by := range slices.Sorted(maps.Keys(st.Makers)) {
			a.printf("%s made %s\n", line(by, 60), made(st.Makers[by]))
		}
		return nil
	})
}

// made lists what one maker made: "2 events, 1 fact".
func made(m graph.Made) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{m.Enrichments, "enriched text"}, {m.Events, "event"}, {m.Facts, "fact"}, {m.Links, "link"}} {
		if p.n > 0 {
			parts = append(parts, plural(p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}
