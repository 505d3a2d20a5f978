package main

import (
	"fmt"
	"strings"
	"time"
)

// Progress is drawn again after watchedEvery where a person watches, and written as a line
// after loggedEvery where it goes to a file or a pipe.
const (
	watchedEvery = 200 * time.Millisecond
	loggedEvery  = 5 * time.Second
	barWidth     = 24
)

// progress shows how far long work is: a bar on a terminal, a line every few seconds
// elsewhere. A stage begins anew with its own total and rate.
type progress struct {
	t     terminal
	now   func() time.Time
	stage string
	began time.Time // the stage
	first int       // what was done when it began
	shown time.Time
}

func (t terminal) newProgress() *progress { return &progress{t: t, now: time.Now} }

// show tells that done of total things are done in a stage. Total 0 is not known.
func (p *progress) show(stage string, done, total int, things string) {
	now := p.now()
	if stage != p.stage {
		p.stage, p.began, p.first = stage, now, done
		p.shown = now
		if !p.t.watches {
			return // short work says nothing
		}
		p.shown = time.Time{}
	}
	every := loggedEvery
	if p.t.watches {
		every = watchedEvery
	}
	if now.Sub(p.shown) < every {
		return
	}
	p.shown = now
	text := p.text(now, done, total, things)
	if p.t.watches {
		p.t.progress("%s", text)
	} else {
		fmt.Fprintf(p.t.err, "%s\n", text)
	}
}

// text is one line of progress.
func (p *progress) text(now time.Time, done, total int, things string) string {
	rate := 0.0
	if spent := now.Sub(p.began).Seconds(); spent > 0 {
		rate = float64(done-p.first) / spent
	}
	switch {
	case total <= 0 && done == 0:
		return p.stage
	case total <= 0:
		return fmt.Sprintf("%s: %d %s", p.stage, done, things)
	}
	share := float64(done) / float64(total)
	parts := []string{fmt.Sprintf("%3.0f %%", 100*share), fmt.Sprintf("%d of %d %s", done, total, things)}
	if rate > 0 {
		left := time.Duration(float64(total-done) / rate * float64(time.Second))
		parts = append(parts, fmt.Sprintf("%.0f/s", rate), shortly(left)+" left")
	}
	bar := ""
	if p.t.watches {
		full := min(int(share*barWidth), barWidth)
		bar = "[" + strings.Repeat("#", full) + strings.Repeat("·", barWidth-full) + "] "
	}
	return p.stage + ": " + bar + strings.Join(parts, ", ")
}

// shortly is a time in the unit that matters.
func shortly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Round(time.Second).Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
