package model

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"strings"
	"time"
)

const (
	maxEvent  = 1 << 20      // bytes of one event
	maxStream = maxReplyBody // bytes of a whole stream
	endOfData = "[DONE]"     // the event that closes a stream
)

// Stream asks for a reply piece by piece; see Streamer. Retries happen only
// before the first piece. The time-out is for each wait, not for the whole.
func (c *OpenAI) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		release, err := c.wire.acquire(ctx)
		if err != nil {
			yield(Chunk{}, err)
			return
		}
		defer release()
		live, err := c.openStream(ctx, req)
		if err != nil {
			yield(Chunk{}, err)
			return
		}
		defer live.close()
		c.relay(live, yield)
	}
}

// stream is a reply under way, with the clock that cuts it off when it stalls.
type stream struct {
	ctx    context.Context // the caller's
	resp   *http.Response
	stall  *time.Timer
	cancel context.CancelFunc
	wait   time.Duration
}

func (s *stream) close() {
	s.stall.Stop()
	s.cancel()
	_ = s.resp.Body.Close()
}

// Read reads from the server and allows it a fresh wait for what comes next.
func (s *stream) Read(p []byte) (int, error) {
	s.stall.Reset(s.wait)
	return s.resp.Body.Read(p)
}

func (c *OpenAI) openStream(ctx context.Context, req Request) (*stream, error) {
	var live *stream
	err := c.negotiate(req, func(d dialect) error {
		body, err := d.body(c.Model(), req, true)
		if err != nil {
			return err
		}
		return c.wire.retry(ctx, func() error {
			live, err = c.wire.openStream(ctx, body)
			return err
		})
	})
	return live, err
}

func (w *wire) openStream(ctx context.Context, body []byte) (*stream, error) {
	attempt, cancel := context.WithCancelCause(ctx)
	live := &stream{ctx: ctx, wait: w.endpoint.Timeout, cancel: func() { cancel(context.Canceled) }}
	live.stall = time.AfterFunc(live.wait, func() { cancel(context.DeadlineExceeded) })
	resp, err := w.post(attempt, "/chat/completions", body, "text/event-stream")
	if err != nil {
		live.stall.Stop()
		cause := context.Cause(attempt)
		live.cancel()
		return nil, w.transportError(ctx, errors.Join(err, cause))
	}
	live.resp = resp
	if resp.StatusCode != http.StatusOK {
		defer live.close()
		return nil, w.statusError(resp)
	}
	return live, nil
}

// relay passes on what the server sends, in whichever of the two shapes it
// chose.
func (c *OpenAI) relay(live *stream, yield func(Chunk, error) bool) {
	media, _, _ := mime.ParseMediaType(live.resp.Header.Get("Content-Type"))
	if media != "text/event-stream" {
		c.relayWhole(live, yield)
		return
	}
	reply := Reply{Model: c.Model()}
	ended := false
	var text strings.Builder
	for data, err := range events(&capped{r: live, left: maxStream}) {
		if err != nil {
			yield(Chunk{}, c.streamError(live, err))
			return
		}
		if data == endOfData {
			ended = true
			break
		}
		piece, err := c.parsePiece(data, &reply, &ended)
		if err != nil {
			yield(Chunk{}, err)
			return
		}
		text.WriteString(piece)
		if piece != "" && !yield(Chunk{Text: piece}, nil) {
			return
		}
	}
	if !ended {
		yield(Chunk{}, c.wire.trouble(CutOff, "the stream ended before the reply did"))
		return
	}
	reply.Text = c.wire.scrub(text.String())
	yield(Chunk{Reply: &reply}, nil)
}

// relayWhole serves for servers that ignore stream and send the reply at once.
func (c *OpenAI) relayWhole(live *stream, yield func(Chunk, error) bool) {
	resp := *live.resp
	resp.Body = io.NopCloser(live)
	data, err := c.wire.readReply(live.ctx, &resp, maxReplyBody)
	if err != nil {
		yield(Chunk{}, err)
		return
	}
	reply, err := c.parseReply(data)
	if err != nil {
		yield(Chunk{}, err)
		return
	}
	yieldReply(yield, reply)
}

// parsePiece reads one event and notes what it says about the whole reply.
func (c *OpenAI) parsePiece(data string, reply *Reply, ended *bool) (string, error) {
	var got chatReply
	if err := json.Unmarshal([]byte(data), &got); err != nil {
		return "", c.wire.trouble(Garbled, "not a piece of a completion: "+err.Error())
	}
	if got.Error != nil {
		return "", c.wire.trouble(Broken, serverSaid([]byte(data)).Message)
	}
	if got.Model != "" {
		reply.Model = c.modelName(got.Model)
	}
	if got.Usage != nil {
		reply.Usage = got.Usage.usage()
	}
	if len(got.Choices) == 0 { // the piece that carries the usage
		return "", nil
	}
	choice := got.Choices[0]
	if stop := choice.stop(); stop != Finished {
		reply.Stop = stop
	}
	if choice.FinishReason != "" {
		*ended = true
	}
	if choice.Delta.Content == nil {
		return "", nil
	}
	return c.wire.scrub(*choice.Delta.Content), nil
}

func (c *OpenAI) streamError(live *stream, err error) error {
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return c.wire.trouble(TooLarge, fmt.Sprintf("an event of more than %d bytes, or a stream of more than %d", maxEvent, maxStream))
	case live.ctx.Err() == nil && errors.Is(err, context.Canceled): // our own stall clock
		err = context.DeadlineExceeded
	}
	return c.wire.bodyError(live.ctx, err)
}

// capped reads at most left bytes; more is bufio.ErrTooLong, not an end.
type capped struct {
	r    io.Reader
	left int
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, bufio.ErrTooLong
	}
	n, err := c.r.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// events yields the data of each server-sent event. An event that the end of
// the input cuts off is dropped; an error of r ends the sequence, and so does
// bufio.ErrTooLong for an event of more than maxEvent bytes.
func events(r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		lines := lineReader{r: bufio.NewReader(r)}
		var data []string
		size := 0
		for {
			line, err := lines.next()
			if err == io.EOF {
				return
			}
			if value, ok := strings.CutPrefix(line, "data:"); ok {
				data = append(data, strings.TrimPrefix(value, " "))
				size += len(value)
			}
			if size > maxEvent {
				err = bufio.ErrTooLong
			}
			if err != nil {
				yield("", err)
				return
			}
			if line == "" && data != nil {
				if !yield(strings.Join(data, "\n"), nil) {
					return
				}
				data, size = nil, 0
			}
		}
	}
}

// lineReader reads lines that end in \n, \r\n or \r. It takes a time that grows
// with the bytes and not with how they are cut up, and hands out a line at its
// end without waiting for what follows.
type lineReader struct {
	r     *bufio.Reader
	begun bool // something has been read, so a byte order mark is past
	cr    bool // the last line ended in \r, so a \n belongs to it
}

// next returns a line without its end. The error is io.EOF at the end, where a
// line without an end is dropped.
func (l *lineReader) next() (string, error) {
	var line []byte
	for {
		c, err := l.r.ReadByte()
		if err != nil {
			return "", err
		}
		wasCR := l.cr
		l.cr = c == '\r'
		switch {
		case c == '\n' && wasCR:
		case c == '\n', c == '\r':
			return l.clean(line), nil
		case len(line) >= maxEvent:
			return "", bufio.ErrTooLong
		default:
			line = append(line, c)
		}
	}
}

// clean drops the byte order mark that may begin a stream.
func (l *lineReader) clean(line []byte) string {
	if l.begun {
		return string(line)
	}
	l.begun = true
	return strings.TrimPrefix(string(line), "\ufeff")
}
