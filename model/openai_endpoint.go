package model

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"daybook"
)

// Secret is a string that prints as [key], whatever prints it. Convert it to a
// string only where it goes on the wire.
type Secret string

const redacted = "[key]"

func (s Secret) String() string               { return redacted }
func (s Secret) GoString() string             { return redacted }
func (s Secret) Format(f fmt.State, _ rune)   { _, _ = f.Write([]byte(redacted)) }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(redacted) }
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(redacted) }
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Endpoint says where a model is served and how to treat the server. BaseURL
// and Model are needed; the zero value of the rest means the defaults given.
type Endpoint struct {
	BaseURL string // up to what precedes /chat/completions, as in https://api.openai.com/v1
	Key     Secret // sent as a bearer token; empty sends none
	Model   string

	// For embeddings only.
	Dim                        int    // the length vectors must have; 0 takes that of the first reply
	QueryPrefix, PassagePrefix string // what the model wants before a text encoded AsQuery, AsPassage

	Timeout     time.Duration // for one attempt; when streaming, for each wait; 60 s
	Retries     int           // further attempts when the server is busy or broken; 4, negative for none
	MaxWait     time.Duration // a server that asks for a longer pause is given up; 60 s
	Concurrency int           // calls under way at once; 4

	Transport http.RoundTripper // nil makes one
	Clock     Clock             // nil is the system's
	Jitter    func() float64    // in [0, 1), safe for concurrent use; nil is math/rand
}

// String names the model and its host, and nothing secret: a base URL may hold
// a password.
func (e Endpoint) String() string {
	host := "an invalid address"
	if u, err := e.parse(); err == nil {
		host = u.Host
	}
	return fmt.Sprintf("%s at %s", e.Model, host)
}

// GoString is String, for %#v.
func (e Endpoint) GoString() string { return e.String() }

// LogValue is String, for slog.
func (e Endpoint) LogValue() slog.Value { return slog.StringValue(e.String()) }

// defaultBaseURL serves when a key and a model are given and no address.
const defaultBaseURL = "https://api.openai.com/v1"

// ChatEndpoint reads where the language model is from the environment:
// DAYBOOK_LLM_BASE_URL, DAYBOOK_LLM_API_KEY, DAYBOOK_LLM_MODEL and, where these
// are not set, OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL. DAYBOOK_LLM_TIMEOUT
// ("90s") and DAYBOOK_LLM_CONCURRENCY ("8") are optional.
//
// OPENAI_API_KEY is not sent to a server named by DAYBOOK_LLM_BASE_URL: a key is
// for the address it was given with. A model must be named, so that a key that
// lies about in the environment costs nothing. The error is NotFound when no
// model is named at all, Invalid when what is there makes no sense.
func ChatEndpoint(getenv func(string) string) (Endpoint, error) {
	return endpointFrom(getenv, "DAYBOOK_LLM", []string{"OPENAI"})
}

// EmbedEndpoint does the same for embeddings with DAYBOOK_EMBED_BASE_URL,
// DAYBOOK_EMBED_API_KEY, DAYBOOK_EMBED_MODEL, DAYBOOK_EMBED_DIM,
// DAYBOOK_EMBED_QUERY_PREFIX, DAYBOOK_EMBED_PASSAGE_PREFIX, DAYBOOK_EMBED_TIMEOUT
// and DAYBOOK_EMBED_CONCURRENCY. Address and key fall back to DAYBOOK_LLM_* and
// then OPENAI_*; the model does not, as theirs is a chat model. Prefixes are
// taken as they are, the space at their end too ("query: ").
func EmbedEndpoint(getenv func(string) string) (Endpoint, error) {
	e, err := endpointFrom(getenv, "DAYBOOK_EMBED", []string{"DAYBOOK_LLM", "OPENAI"})
	if err != nil {
		return Endpoint{}, err
	}
	e.QueryPrefix, e.PassagePrefix = getenv("DAYBOOK_EMBED_QUERY_PREFIX"), getenv("DAYBOOK_EMBED_PASSAGE_PREFIX")
	return e, nil
}

func endpointFrom(getenv func(string) string, prefix string, fallbacks []string) (Endpoint, error) {
	get := func(name string) string { return strings.TrimSpace(getenv(name)) }
	e := Endpoint{Model: get(prefix + "_MODEL")}
	if e.Model == "" && prefix == "DAYBOOK_LLM" {
		e.Model = get("OPENAI_MODEL")
	}
	if e.Model == "" {
		return Endpoint{}, noModel(get, prefix)
	}
	e.BaseURL, e.Key = address(get, append([]string{prefix}, fallbacks...))
	for name, set := range map[string]func(string) error{
		"_TIMEOUT":     e.setTimeout,
		"_CONCURRENCY": e.setConcurrency,
		"_DIM":         e.setDim,
	} {
		value := get(prefix + name)
		if value == "" {
			continue
		}
		if err := set(value); err != nil {
			return Endpoint{}, daybook.Errorf(daybook.Invalid, "%s%s=%q: %w", prefix, name, value, err)
		}
	}
	if _, err := e.parse(); err != nil {
		return Endpoint{}, fmt.Errorf("%s endpoint: %w", prefix, err)
	}
	return e, nil
}

// noModel tells a user who named a server but no model from one who did neither.
func noModel(get func(string) string, prefix string) error {
	if get(prefix+"_BASE_URL") != "" || get(prefix+"_API_KEY") != "" {
		return daybook.Errorf(daybook.Invalid, "%s_MODEL is not set", prefix)
	}
	return daybook.Errorf(daybook.NotFound, "no model configured: %s_MODEL is not set", prefix)
}

// address takes the first base URL given, and the first key that was given at
// or before it; a key of a later family belongs to another server.
func address(get func(string) string, families []string) (base string, key Secret) {
	for _, family := range families {
		if key == "" {
			key = Secret(get(family + "_API_KEY"))
		}
		if base = get(family + "_BASE_URL"); base != "" {
			return base, key
		}
	}
	return defaultBaseURL, key
}

func (e *Endpoint) setTimeout(value string) error {
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return fmt.Errorf(`want a duration such as "90s"`)
	}
	e.Timeout = d
	return nil
}

func (e *Endpoint) setConcurrency(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return fmt.Errorf("want a number from 1 up")
	}
	e.Concurrency = n
	return nil
}

func (e *Endpoint) setDim(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxDim {
		return fmt.Errorf("want a number from 1 to %d", maxDim)
	}
	e.Dim = n
	return nil
}

// parse checks the endpoint. Its errors are Invalid and never quote the
// address or the key, since either may hold a password.
func (e Endpoint) parse() (*url.URL, error) {
	if e.Model == "" {
		return nil, daybook.Errorf(daybook.Invalid, "no model named")
	}
	if strings.ContainsFunc(string(e.Key), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, daybook.Errorf(daybook.Invalid, "the key has characters that no key has")
	}
	u, err := url.Parse(e.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, daybook.Errorf(daybook.Invalid, "base URL: want http(s)://host/path")
	}
	u.Fragment = ""
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions")
	return u, nil
}

// withDefaults fills what the user left out.
func (e Endpoint) withDefaults() Endpoint {
	if e.Timeout <= 0 {
		e.Timeout = time.Minute
	}
	if e.Retries == 0 {
		e.Retries = 4
	}
	if e.MaxWait <= 0 {
		e.MaxWait = time.Minute
	}
	if e.Concurrency <= 0 {
		e.Concurrency = 4
	}
	if e.Clock == nil {
		e.Clock = systemClock{}
	}
	return e
}
