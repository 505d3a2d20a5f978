package model

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"

	"daybook"
)

// OpenAI asks a chat model over the OpenAI-compatible protocol, as served by
// OpenAI, Ollama, vLLM, llama.cpp, DeepSeek, OpenRouter and others. It is a
// Completer and a Streamer, safe for concurrent use.
//
// Servers differ in what they take. A parameter that one refuses by name is
// left out or replaced, and this is remembered: a JSON schema becomes JSON mode
// and then a plain prompt, max_tokens becomes max_completion_tokens, temperature
// and seed are dropped.
//
// Errors are *ServerError, Unavailable or Invalid as Trouble says; a cancelled
// context is Unavailable too.
type OpenAI struct {
	wire     *wire
	mu       sync.Mutex
	dialects map[string]dialect // by schema name: a server may refuse one schema and take another
}

// NewOpenAI returns a client of the endpoint. It does not call the server. The
// error is Invalid.
func NewOpenAI(e Endpoint) (*OpenAI, error) {
	w, err := newWire(e)
	if err != nil {
		return nil, err
	}
	return &OpenAI{wire: w, dialects: map[string]dialect{}}, nil
}

// Model returns the name of the model asked for.
func (c *OpenAI) Model() string { return c.wire.endpoint.Model }

// Close lets go of idle connections.
func (c *OpenAI) Close() error {
	c.wire.close()
	return nil
}

// Complete asks for one reply; see Completer.
func (c *OpenAI) Complete(ctx context.Context, req Request) (Reply, error) {
	var reply Reply
	err := c.negotiate(req, func(d dialect) error {
		body, err := d.body(c.Model(), req, false)
		if err != nil {
			return err
		}
		data, err := c.wire.exchange(ctx, "/chat/completions", body, maxReplyBody)
		if err != nil {
			return err
		}
		reply, err = c.parseReply(data)
		return err
	})
	return reply, err
}

// negotiate calls ask in the dialect known to work for the schema. When the
// server refuses a parameter it asks again without; when that works, it
// remembers.
func (c *OpenAI) negotiate(req Request, ask func(dialect) error) error {
	if err := req.Check(); err != nil {
		return err
	}
	name := ""
	if req.Schema != nil {
		name = req.Schema.Name()
	}
	d := c.dialect(name)
	for {
		err := ask(d)
		if err == nil {
			c.learn(name, d)
			return nil
		}
		next, ok := d.without(err, req)
		if !ok {
			return err
		}
		d = next
	}
}

func (c *OpenAI) dialect(schema string) dialect {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dialects[schema]
}

func (c *OpenAI) learn(schema string, d dialect) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dialects[schema] = d
}

// dialect is what a server has been found not to take. Each refusal makes it
// smaller, so a negotiation ends.
type dialect struct {
	format        format
	newTokenField bool // max_completion_tokens
	noTemperature bool
	noSeed        bool
	noUsageOption bool // stream_options
}

// format is how a schema is sent.
type format int

const (
	bySchema format = iota // response_format json_schema, enforced by the server
	byMode                 // response_format json_object, the schema in the prompt
	byPrompt               // the schema in the prompt only
)

// chatBody is the request as it goes on the wire.
type chatBody struct {
	Model               string          `json:"model"`
	Messages            []Message       `json:"messages"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	Seed                int64           `json:"seed,omitempty"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	Stream              bool            `json:"stream,omitempty"`
	StreamOptions       *streamOptions  `json:"stream_options,omitempty"`
}

type responseFormat struct {
	Type       string      `json:"type"`
	JSONSchema *wireSchema `json:"json_schema,omitempty"`
}

type wireSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

func (d dialect) body(model string, req Request, stream bool) ([]byte, error) {
	body := chatBody{Model: model, Messages: req.Messages, Stream: stream}
	if d.newTokenField {
		body.MaxCompletionTokens = req.MaxTokens
	} else {
		body.MaxTokens = req.MaxTokens
	}
	if !d.noTemperature {
		body.Temperature = &req.Temperature
	}
	if !d.noSeed {
		body.Seed = req.Seed
	}
	if stream && !d.noUsageOption {
		body.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if req.Schema != nil {
		d.sendSchema(&body, req.Schema)
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, daybook.Errorf(daybook.Internal, "encode request for %s: %w", req.label(), err)
	}
	return data, nil
}

func (d dialect) sendSchema(body *chatBody, schema *Schema) {
	switch d.format {
	case bySchema:
		body.ResponseFormat = &responseFormat{Type: "json_schema", JSONSchema: &wireSchema{
			Name: schema.name, Schema: schema.text, Strict: schema.root.strict()}}
		return
	case byMode:
		body.ResponseFormat = &responseFormat{Type: "json_object"}
	}
	body.Messages = withSchemaPrompt(body.Messages, schema)
}

// withSchemaPrompt says in words what the server cannot enforce. It goes into
// the first system message, since some models know only one.
func withSchemaPrompt(messages []Message, schema *Schema) []Message {
	order := "Reply with one JSON value that fits this JSON Schema, and nothing else:\n" + schema.String()
	if messages[0].Role == System {
		first := Message{System, messages[0].Content + "\n\n" + order}
		return append([]Message{first}, messages[1:]...)
	}
	return append([]Message{{System, order}}, messages...)
}

// without returns a smaller dialect when err says that the server refuses
// something the request used.
func (d dialect) without(err error, req Request) (dialect, bool) {
	refusal, ok := errors.AsType[*ServerError](err)
	if !ok {
		return d, false
	}
	switch refusal.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented:
	default:
		return d, false
	}
	switch {
	case req.Schema != nil && d.format < byPrompt && refusal.about("response_format", "json_schema", "json_object", "structured output", "grammar", "guided"):
		d.format++
	case !d.newTokenField && req.MaxTokens > 0 && refusal.refuses("max_tokens"):
		d.newTokenField = true
	case !d.noTemperature && refusal.refuses("temperature"):
		d.noTemperature = true
	case !d.noSeed && req.Seed != 0 && refusal.refuses("seed"):
		d.noSeed = true
	case !d.noUsageOption && refusal.refuses("stream_options"):
		d.noUsageOption = true
	default:
		return d, false
	}
	return d, true
}

// about reports whether the server names one of the things.
func (e *ServerError) about(things ...string) bool {
	said := strings.ToLower(e.Detail + " " + e.param)
	for _, thing := range things {
		if strings.Contains(said, thing) {
			return true
		}
	}
	return false
}

// refuses reports whether the server does not know the parameter at all; one
// whose value it dislikes is the caller's mistake.
func (e *ServerError) refuses(parameter string) bool {
	return e.about(parameter) && e.about("support", "unknown", "unrecogni", "unexpected", "not permitted", "not allowed", "extra")
}

// chatReply is what servers send; pointers tell absent from empty.
type chatReply struct {
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage"`
	Error   any          `json:"error"`
}

type chatChoice struct {
	Message      chatMessage `json:"message"`
	Delta        chatMessage `json:"delta"`
	FinishReason string      `json:"finish_reason"`
}

type chatMessage struct {
	Content *string `json:"content"`
	Refusal *string `json:"refusal"`
}

type chatUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	CacheHitTokens   int `json:"prompt_cache_hit_tokens"` // DeepSeek
	PromptDetails    struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

func (u *chatUsage) usage() Usage {
	if u == nil {
		return Usage{}
	}
	in := max(u.PromptTokens, 0)
	cached := max(u.PromptDetails.CachedTokens, u.CacheHitTokens, 0)
	return Usage{In: in, CachedIn: min(cached, in), Out: max(u.CompletionTokens, 0)}
}

// parseReply reads a whole reply.
func (c *OpenAI) parseReply(data []byte) (Reply, error) {
	var got chatReply
	if err := json.Unmarshal(data, &got); err != nil {
		return Reply{}, c.wire.trouble(Garbled, "not a completion: "+err.Error())
	}
	if got.Error != nil { // some gateways send errors with status 200
		return Reply{}, c.wire.trouble(Broken, serverSaid(data).Message)
	}
	if len(got.Choices) == 0 {
		return Reply{}, c.wire.trouble(Garbled, "a completion without choices")
	}
	choice := got.Choices[0]
	reply := Reply{Model: c.modelName(got.Model), Usage: got.Usage.usage(), Stop: choice.stop()}
	switch {
	case choice.Message.Content != nil:
		reply.Text = c.wire.scrub(*choice.Message.Content)
	case reply.Stop == Finished:
		return Reply{}, c.wire.trouble(Garbled, "a completion without content")
	}
	return reply, nil
}

func (c *OpenAI) modelName(said string) string {
	if said == "" {
		return c.Model()
	}
	return c.wire.scrub(said)
}

func (c chatChoice) stop() Stop {
	switch {
	case c.FinishReason == "content_filter",
		c.Message.Refusal != nil && *c.Message.Refusal != "",
		c.Delta.Refusal != nil && *c.Delta.Refusal != "":
		return Withheld
	case c.FinishReason == "length":
		return CutShort
	}
	return Finished
}
