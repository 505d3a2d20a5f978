package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Lines stands between a host and the protocol over standard input and output. A line that
// is no message, or is too long, is answered with an error, and the next one is read; the
// SDK would end the connection.
type Lines struct {
	in   *bufio.Reader
	most int

	mu  sync.Mutex // of out
	out io.Writer

	rest []byte // of the message that is being handed on
}

// NewLines returns lines of at most so many bytes.
func NewLines(in io.Reader, out io.Writer, most int) *Lines {
	return &Lines{in: bufio.NewReaderSize(in, 64<<10), out: out, most: most}
}

// Read hands on messages, each with the end of its line.
func (l *Lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.line()
		if fault := l.fault(line, err); fault != nil {
			if err := l.refuse(fault); err != nil {
				return 0, err
			}
		} else if len(bytes.TrimSpace(line)) > 0 {
			l.rest = append(bytes.TrimSpace(line), '\n')
		} else if err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

var errTooLong = errors.New("too long")

// line reads up to the end of a line. Of one that is too long the rest is passed over.
func (l *Lines) line() (line []byte, err error) {
	long := false
	for {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > l.most; !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			return nil, errTooLong
		}
		return line, err
	}
}

// fault says why a line is no message, or nil.
func (l *Lines) fault(line []byte, err error) *jsonrpc.Error {
	if errors.Is(err, errTooLong) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("the message is longer than %d bytes", l.most)}
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if !json.Valid(line) {
		return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is no JSON; send one message a line"}
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the line is no message of JSON-RPC 2.0"}
	}
	return nil
}

// refuse answers a line of which no id is known.
func (l *Lines) refuse(fault *jsonrpc.Error) error {
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": fault.Code, "message": fault.Message}})
	if err != nil {
		return err
	}
	_, err = l.Write(append(answer, '\n'))
	return err
}

// Write writes one message whole.
func (l *Lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

// Close leaves both ends open: others go on using them.
func (l *Lines) Close() error { return nil }
