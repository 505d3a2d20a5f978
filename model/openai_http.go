package model

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"daybook"
)

// Clock tells the time and waits. Sleep returns early with the context's error.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Trouble sorts the ways in which a model server does not serve.
type Trouble string

// The troubles. All are kind Unavailable, but Rejected and WrongDim, which are
// Invalid: the same call will fail again.
const (
	TimedOut    Trouble = "timed out"       // no reply, or no further piece of one, in time
	Unreachable Trouble = "unreachable"     // no connection, or it broke
	RateLimited Trouble = "rate limited"    // and stayed so after the retries
	Broken      Trouble = "broken"          // a 5xx
	Rejected    Trouble = "rejected"        // a 4xx or a redirect: key, model, address or request are wrong
	Garbled     Trouble = "garbled"         // the reply is not what the API promises
	CutOff      Trouble = "cut off"         // the reply ends before its end
	TooLarge    Trouble = "too large"       // the reply is longer than we read
	WrongDim    Trouble = "wrong dimension" // vectors of another length than expected
)

// ServerError says how a model server did not serve. It never holds the key,
// the address beyond its host, or headers.
type ServerError struct {
	Host       string
	Trouble    Trouble
	Status     int           // HTTP status, 0 when none came
	Detail     string        // what the server said, or what is wrong with what it sent; short
	RetryAfter time.Duration // pause the server asked for
	param      string        // the field of the request it complains about
	absent     bool          // nobody is there, so there is nobody to wait for
}

func (e *ServerError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "model server %s: %s", e.Host, e.Trouble)
	if e.Status != 0 && e.Status != http.StatusOK {
		fmt.Fprintf(&b, " (status %d)", e.Status)
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}

func (e *ServerError) kinded() error {
	kind := daybook.Unavailable
	if e.Trouble == Rejected || e.Trouble == WrongDim {
		kind = daybook.Invalid
	}
	return daybook.Errorf(kind, "%w", e)
}

// passing reports whether another attempt may go better. A time-out does not
// count: the model was given its time, and whoever waits wants the local answer.
func (e *ServerError) passing() bool {
	switch e.Trouble {
	case RateLimited, Broken, CutOff:
		return true
	case Unreachable:
		return !e.absent
	}
	return false
}

const (
	maxErrorBody = 64 << 10
	maxReplyBody = 16 << 20
	maxDetail    = 300
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
)

// wire carries requests to one server: authentication, time-outs, retries, the
// concurrency limit, and errors without secrets. Safe for concurrent use.
type wire struct {
	endpoint Endpoint
	base     *url.URL // without user info and query
	query    string   // some gateways want one, and it may hold a key
	basic    *url.Userinfo
	secrets  []string
	http     *http.Client
	slots    chan struct{}
}

func newWire(e Endpoint) (*wire, error) {
	base, err := e.parse()
	if err != nil {
		return nil, err
	}
	e = e.withDefaults()
	w := &wire{
		endpoint: e,
		basic:    base.User,
		query:    base.RawQuery,
		secrets:  secretsOf(string(e.Key), base),
		slots:    make(chan struct{}, e.Concurrency),
	}
	base.User, base.RawQuery = nil, ""
	w.base = base
	w.http = &http.Client{
		Transport: transportOf(e),
		// A redirect would carry the prompt, and perhaps the key, elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return w, nil
}

// transportOf gives each client connections of its own, so that closing it
// closes no others.
func transportOf(e Endpoint) http.RoundTripper {
	if e.Transport != nil {
		return e.Transport
	}
	if standard, ok := http.DefaultTransport.(*http.Transport); ok {
		return standard.Clone()
	}
	return http.DefaultTransport // somebody has replaced it, and means it
}

// secretsOf lists every form in which a secret of the endpoint could come back.
func secretsOf(key string, base *url.URL) []string {
	secrets := []string{key}
	if password, ok := base.User.Password(); ok {
		secrets = append(secrets, password, url.QueryEscape(password), url.PathEscape(password), base.User.String())
	}
	for _, values := range base.Query() {
		for _, value := range values {
			secrets = append(secrets, value, url.QueryEscape(value))
		}
	}
	return secrets
}

func (w *wire) close() { w.http.CloseIdleConnections() }

// acquire waits for one of the slots and returns what frees it. Slots are held
// over pauses too: a server that is rate limited sees fewer callers, not more.
func (w *wire) acquire(ctx context.Context) (release func(), err error) {
	select {
	case w.slots <- struct{}{}:
		return func() { <-w.slots }, nil
	case <-ctx.Done():
		return nil, daybook.Errorf(daybook.Unavailable, "wait for model server %s: %w", w.base.Host, ctx.Err())
	}
}

// exchange posts body and returns the whole reply, after retries.
func (w *wire) exchange(ctx context.Context, path string, body []byte, limit int64) ([]byte, error) {
	release, err := w.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	var reply []byte
	err = w.retry(ctx, func() error {
		attempt, cancel := context.WithTimeout(ctx, w.endpoint.Timeout)
		defer cancel()
		resp, err := w.post(attempt, path, body, "application/json")
		if err != nil {
			return w.transportError(ctx, err)
		}
		defer resp.Body.Close()
		reply, err = w.readReply(ctx, resp, limit)
		return err
	})
	return reply, err
}

// retry runs try until it succeeds, fails for good, or has failed too often.
func (w *wire) retry(ctx context.Context, try func() error) error {
	for attempt := 0; ; attempt++ {
		err := try()
		trouble, ok := errors.AsType[*ServerError](err)
		if !ok || !trouble.passing() || attempt >= w.endpoint.Retries {
			return err
		}
		pause := w.pause(attempt, trouble.RetryAfter)
		if pause > w.endpoint.MaxWait {
			return err
		}
		if w.endpoint.Clock.Sleep(ctx, pause) != nil {
			return err // the trouble says more than "context cancelled"
		}
	}
}

// pause doubles with each attempt, is spread over its upper half, and is never
// shorter than what the server asked for.
func (w *wire) pause(attempt int, asked time.Duration) time.Duration {
	pause := min(firstPause<<min(attempt, 10), longestPause)
	spread := w.jitter() * float64(pause) / 2
	if asked > 0 {
		return asked + time.Duration(spread/4) // so that all who were told the same do not return at once
	}
	return pause/2 + time.Duration(spread)
}

func (w *wire) jitter() float64 {
	if w.endpoint.Jitter != nil {
		return w.endpoint.Jitter()
	}
	return rand.Float64()
}

func (w *wire) post(ctx context.Context, path string, body []byte, accept string) (*http.Response, error) {
	target := *w.base
	target.Path += path
	target.RawQuery = w.query
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", "daybook")
	switch {
	case w.endpoint.Key != "":
		req.Header.Set("Authorization", "Bearer "+string(w.endpoint.Key))
	case w.basic != nil:
		password, _ := w.basic.Password()
		req.SetBasicAuth(w.basic.Username(), password)
	}
	return w.http.Do(req)
}

// readReply returns the body of a good reply, or says what is wrong with it.
func (w *wire) readReply(ctx context.Context, resp *http.Response, limit int64) ([]byte, error) {
	if resp.StatusCode != http.StatusOK {
		return nil, w.statusError(resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, w.bodyError(ctx, err)
	}
	if int64(len(body)) > limit {
		return nil, w.trouble(TooLarge, fmt.Sprintf("more than %d bytes", limit))
	}
	if looksHTML(resp, body) {
		return nil, w.trouble(Garbled, "a web page instead of JSON; is the base URL right?")
	}
	return body, nil
}

func (w *wire) trouble(t Trouble, detail string) error {
	return (&ServerError{Host: w.base.Host, Trouble: t, Status: http.StatusOK, Detail: w.clean(detail)}).kinded()
}

// statusError turns a reply that is not 200 into an error.
func (w *wire) statusError(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // what came is all we can tell
	said := serverSaid(body)
	e := &ServerError{
		Host:       w.base.Host,
		Trouble:    troubleOf(resp.StatusCode, said.Code),
		Status:     resp.StatusCode,
		Detail:     w.clean(said.Message),
		RetryAfter: retryAfter(resp.Header, w.endpoint.Clock.Now()),
		param:      said.Param,
	}
	switch {
	case looksHTML(resp, body):
		e.Detail = "a web page instead of JSON"
	case resp.StatusCode == http.StatusNotFound && e.Detail == "":
		e.Detail = "no such path; does the base URL lack /v1?"
	}
	return e.kinded()
}

func troubleOf(status int, code string) Trouble {
	switch {
	case code == "insufficient_quota": // a 429 that no waiting cures
		return Rejected
	case status == http.StatusTooManyRequests:
		return RateLimited
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		return Broken
	case status >= 300:
		return Rejected
	}
	return Garbled // a 2xx that is not 200 carries no completion
}

// complaint is what servers put in the body of an error.
type complaint struct{ Message, Code, Param string }

// serverSaid reads the shapes in use: {"error":{"message":…}}, {"error":"…"},
// {"message":…}, {"detail":…}, or plain text.
func serverSaid(body []byte) complaint {
	var shape struct {
		Error   json.RawMessage `json:"error"`
		Message any             `json:"message"`
		Detail  any             `json:"detail"`
	}
	if json.Unmarshal(body, &shape) != nil {
		return complaint{Message: string(body)}
	}
	var inner struct{ Message, Code, Param any }
	if json.Unmarshal(shape.Error, &inner) == nil && inner.Message != nil {
		return complaint{words(inner.Message), words(inner.Code), words(inner.Param)}
	}
	var text string
	if json.Unmarshal(shape.Error, &text) == nil && text != "" {
		return complaint{Message: text}
	}
	return complaint{Message: strings.TrimSpace(words(shape.Message) + " " + words(shape.Detail))}
}

func words(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// retryAfter reads the pause a server asks for, in milliseconds, seconds or as
// a date; 0 when it asks for none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return pauseOf(ms / 1000)
	}
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		return pauseOf(seconds)
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now), 0)
	}
	return 0
}

// pauseOf guards against NaN, negative and absurd numbers.
func pauseOf(seconds float64) time.Duration {
	if !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, 1e6) * float64(time.Second))
}

// transportError says why no reply came. The error of net/http is not wrapped:
// it quotes the whole URL.
func (w *wire) transportError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return daybook.Errorf(daybook.Unavailable, "call model server %s: %w", w.base.Host, context.Cause(ctx))
	}
	if isTimeout(err) {
		detail := fmt.Sprintf("no reply in %v", w.endpoint.Timeout)
		return (&ServerError{Host: w.base.Host, Trouble: TimedOut, Detail: detail}).kinded()
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return (&ServerError{
		Host:    w.base.Host,
		Trouble: Unreachable,
		Detail:  w.clean(err.Error()),
		absent:  isAbsent(err),
	}).kinded()
}

// isAbsent reports whether nothing listens there under that name and
// certificate, which the next second will not change.
func isAbsent(err error) bool {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.IsNotFound
	}
	_, badCert := errors.AsType[*tls.CertificateVerificationError](err)
	return badCert || errors.Is(err, syscall.ECONNREFUSED)
}

// bodyError says why a reply that had begun did not end.
func (w *wire) bodyError(ctx context.Context, err error) error {
	if ctx.Err() != nil || isTimeout(err) {
		return w.transportError(ctx, err)
	}
	return w.trouble(CutOff, err.Error())
}

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

func looksHTML(resp *http.Response, body []byte) bool {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	head := strings.ToLower(string(bytes.TrimSpace(body[:min(len(body), 256)])))
	return media == "text/html" && !json.Valid(body) || strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
}

// tokenLike is what a key or password looks like when it is not ours to know:
// one a gateway in between uses, or a masked form of ours.
var tokenLike = regexp.MustCompile(`(?i)(bearer\s+|basic\s+)\S+|\b(sk|pk|key|gsk|hf|xai)[-_][\w*.\-]{6,}|://[^/\s@]+@`)

// clean makes text of a server fit to show: no secrets, one line, short. It
// cuts last, so that half a key cannot stay.
func (w *wire) clean(text string) string {
	for _, secret := range w.secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, redacted)
		}
	}
	text = tokenLike.ReplaceAllString(text, redacted)
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "�")), " ")
	return cutText(text, maxDetail)
}

// minSecretInReply keeps stand-in keys such as "ollama" from being taken out of
// ordinary prose.
const minSecretInReply = 16

// scrub takes our secrets out of a reply, which may be recorded.
func (w *wire) scrub(text string) string {
	for _, secret := range w.secrets {
		if len(secret) >= minSecretInReply {
			text = strings.ReplaceAll(text, secret, redacted)
		}
	}
	return text
}
