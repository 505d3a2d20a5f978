package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"daybook"
	"daybook/engine"
)

const (
	auditKind = "audit"
	// auditKept is how many lines the audit log has; older ones go.
	auditKept = 100_000
	// auditEvery is how long a line waits, so that many are written by one commit.
	auditEvery = 250 * time.Millisecond
	// auditWaiting is how many lines may wait; what comes then is written at once.
	auditWaiting = 1000
)

type auditCmd struct {
	Limit int `short:"n" help:"Most lines." default:"100"`
}

// Help says what the lines are.
func (c *auditCmd) Help() string {
	return `One JSON object a line, oldest first: every write, export, import and refusal of 'daybook serve', with the key, the
user, where it came from and what came of it; never the content. The newest 100,000 are kept.`
}

func (c *auditCmd) Run(a *app) error {
	if c.Limit < 1 {
		return daybook.Errorf(daybook.Invalid, "--limit %d is not a number of lines", c.Limit)
	}
	return a.existing(func(e *engine.Engine) error {
		lines, err := e.Records().List(a.ctx, auditKind)
		if err != nil {
			return err
		}
		for _, l := range lines[max(0, len(lines)-c.Limit):] {
			a.printf("%s", l)
		}
		return nil
	})
}

// auditLog keeps lines in the store. What cannot be kept goes to the server's log instead,
// so that it is seen.
type auditLog struct {
	records engine.Records
	log     *slog.Logger

	mu      sync.Mutex
	waiting map[string][]byte
	written int // lines that this process has added; makes ids unique
	stop    chan struct{}
	stopped chan struct{}
}

func openAudit(records engine.Records, log *slog.Logger) *auditLog {
	l := &auditLog{records: records, log: log, waiting: map[string][]byte{}, stop: make(chan struct{}), stopped: make(chan struct{})}
	go l.run()
	return l
}

// Write takes one line.
func (l *auditLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	l.written++
	id := fmt.Sprintf("%016x %08x", time.Now().UnixMicro(), l.written)
	l.waiting[id] = bytes.Clone(line)
	full := len(l.waiting) >= auditWaiting
	l.mu.Unlock()
	if full {
		l.flush()
	}
	return len(line), nil
}

func (l *auditLog) run() {
	defer close(l.stopped)
	for {
		select {
		case <-time.After(auditEvery):
			l.flush()
		case <-l.stop:
			l.flush()
			return
		}
	}
}

func (l *auditLog) flush() {
	l.mu.Lock()
	lines := l.waiting
	l.waiting = map[string][]byte{}
	l.mu.Unlock()
	if len(lines) == 0 {
		return
	}
	if err := l.records.Append(context.Background(), auditKind, lines, auditKept); err != nil {
		for _, line := range lines {
			l.log.Error("the audit log cannot be written; make room on its disk", "error", err, "line", string(line))
		}
	}
}

// Close writes what waits.
func (l *auditLog) Close() {
	close(l.stop)
	<-l.stopped
}
