package main

import (
	"errors"
	"log/slog"
	"os"
)

// lines is a file of the home that grows by whole lines.
type lines struct{ *os.File }

func openLines(path string) (lines, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return lines{f}, err
}

// Write adds a line, or nothing of it: half a line would spoil the next one.
func (l lines) Write(line []byte) (int, error) {
	n, err := l.File.Write(line)
	if err == nil || n <= 0 {
		return n, err
	}
	info, statErr := l.Stat()
	if statErr == nil {
		statErr = l.Truncate(info.Size() - int64(n))
	}
	return 0, errors.Join(err, statErr)
}

// auditLines is the audit log. What it has no room for goes to the server's log
// instead, so that it is seen.
type auditLines struct {
	lines
	log *slog.Logger
}

func (a auditLines) Write(line []byte) (int, error) {
	n, err := a.lines.Write(line)
	if err != nil {
		a.log.Error("the audit log cannot be written; make room on its disk", "error", err, "line", string(line))
	}
	return n, err
}
