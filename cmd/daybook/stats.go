package main

import (
	"fmt"

	"daybook/engine"
)

type statsCmd struct{}

func (c *statsCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
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
		return nil
	})
}
