package recall

import (
	"strings"

	"daybook"
)

// Path is a chain of events that supports an answer, with its scores.
type Path struct {
	Events []daybook.EventView `json:"events"`
	Links  []daybook.LinkView  `json:"links"`
	Score  float64             `json:"score"`
}

// String is the path on one line.
func (p Path) String() string {
	var out strings.Builder
	for i, e := range p.Events {
		if i > 0 {
			out.WriteString(" —" + string(p.Links[i-1].Kind) + "→ ")
		}
		out.WriteString(e.Text)
	}
	return out.String()
}
