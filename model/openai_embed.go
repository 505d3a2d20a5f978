package model

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"daybook"
)

const (
	maxDim       = 1 << 16
	embedBatch   = 64
	maxEmbedBody = 64 << 20
)

// OpenAIEncoder makes vectors over the OpenAI-compatible /embeddings protocol.
// It is an Encoder, with the errors of OpenAI. Texts go out in batches; a text
// that is too long for the server is Invalid and is not cut.
type OpenAIEncoder struct {
	wire *wire
	id   string
	dim  atomic.Int64 // 0 until configured or learned
}

// NewOpenAIEncoder returns an encoder of the endpoint. It does not call the
// server. The error is Invalid.
func NewOpenAIEncoder(e Endpoint) (*OpenAIEncoder, error) {
	w, err := newWire(e)
	if err != nil {
		return nil, err
	}
	if e.Dim < 0 || e.Dim > maxDim {
		return nil, daybook.Errorf(daybook.Invalid, "dimension %d: want 0 to %d", e.Dim, maxDim)
	}
	enc := &OpenAIEncoder{wire: w, id: embedID(w.base.Host, e)}
	enc.dim.Store(int64(e.Dim))
	return enc, nil
}

// embedID covers the prefixes: an index made with others is stale, as it is for
// a local model.
func embedID(host string, e Endpoint) string {
	id := "openai:" + host + "/" + e.Model
	if e.QueryPrefix == "" && e.PassagePrefix == "" {
		return id
	}
	return id + "@" + hashJSON([]string{e.QueryPrefix, e.PassagePrefix})[:8]
}

// ID names the space of the vectors: openai:, the host, the model and, where the
// endpoint has prefixes, a hash of them.
func (e *OpenAIEncoder) ID() string { return e.id }

// Close lets go of idle connections.
func (e *OpenAIEncoder) Close() error {
	e.wire.close()
	return nil
}

// Encode implements Encoder; the endpoint says what stands before queries and
// passages.
func (e *OpenAIEncoder) Encode(ctx context.Context, as As, texts []string) (Vectors, error) {
	vectors, _, err := e.encodeCounted(ctx, as, texts)
	return vectors, err
}

// encodeCounted is Encode that also tells the tokens the server counted.
func (e *OpenAIEncoder) encodeCounted(ctx context.Context, as As, texts []string) (Vectors, Usage, error) {
	prefix, err := as.prefix(e.wire.endpoint.QueryPrefix, e.wire.endpoint.PassagePrefix)
	if err != nil {
		return Vectors{}, Usage{}, err
	}
	vectors := Vectors{Encoder: e.id, Dim: int(e.dim.Load())}
	var spent Usage
	for start := 0; start < len(texts); start += embedBatch {
		batch := texts[start:min(start+embedBatch, len(texts))]
		rows, usage, err := e.encodeBatch(ctx, inputs(prefix, batch))
		spent = spent.plus(usage)
		if err != nil {
			return Vectors{}, spent, fmt.Errorf("encode texts %d to %d: %w", start, start+len(batch)-1, err)
		}
		vectors.Dim = rows.Dim
		vectors.Data = append(vectors.Data, rows.Data...)
	}
	return vectors, spent, nil
}

type embedBody struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

type embedReply struct {
	Data []struct {
		Index     *int            `json:"index"`
		Embedding json.RawMessage `json:"embedding"`
	} `json:"data"`
	Usage *chatUsage `json:"usage"`
	Error any        `json:"error"`
}

func (e *OpenAIEncoder) encodeBatch(ctx context.Context, inputs []string) (Vectors, Usage, error) {
	body, err := json.Marshal(embedBody{Model: e.wire.endpoint.Model, Input: inputs})
	if err != nil {
		return Vectors{}, Usage{}, daybook.Errorf(daybook.Internal, "encode request: %w", err)
	}
	data, err := e.wire.exchange(ctx, "/embeddings", body, maxEmbedBody)
	if err != nil {
		return Vectors{}, Usage{}, err
	}
	var got embedReply
	if err := json.Unmarshal(data, &got); err != nil {
		return Vectors{}, Usage{}, e.wire.trouble(Garbled, "not a list of vectors: "+err.Error())
	}
	if got.Error != nil {
		return Vectors{}, Usage{}, e.wire.trouble(Broken, serverSaid(data).Message)
	}
	rows, err := e.rows(got, len(inputs))
	return rows, got.Usage.usage(), err
}

// inputs puts the prefix before every text. What is empty then goes out as a
// space: servers refuse an empty text, and every text gets a vector.
func inputs(prefix string, texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = prefix + text
		if strings.TrimSpace(out[i]) == "" {
			out[i] = " "
		}
	}
	return out
}

// rows puts the vectors in the order of the texts, each exactly once.
func (e *OpenAIEncoder) rows(got embedReply, want int) (Vectors, error) {
	if len(got.Data) != want {
		return Vectors{}, e.wire.trouble(Garbled, fmt.Sprintf("%d vectors for %d texts", len(got.Data), want))
	}
	vectors := Vectors{Encoder: e.id}
	seen := make([]bool, want)
	for i, item := range got.Data {
		if item.Index != nil {
			i = *item.Index
		}
		if i < 0 || i >= want || seen[i] {
			return Vectors{}, e.wire.trouble(Garbled, fmt.Sprintf("vector index %d is out of range or repeated", i))
		}
		seen[i] = true
		row, err := parseVector(item.Embedding)
		if err != nil {
			return Vectors{}, e.wire.trouble(Garbled, fmt.Sprintf("vector %d: %v", i, err))
		}
		if err := e.checkDim(len(row)); err != nil {
			return Vectors{}, err
		}
		if vectors.Data == nil {
			vectors.Dim = len(row)
			vectors.Data = make([]float32, want*len(row))
		}
		copy(vectors.Row(i), row)
	}
	return vectors, nil
}

// checkDim holds every vector to the length configured, or that of the first.
func (e *OpenAIEncoder) checkDim(n int) error {
	if want := e.dim.Load(); want == 0 {
		e.dim.CompareAndSwap(0, int64(n))
	}
	if want := int(e.dim.Load()); n != want {
		return e.wire.trouble(WrongDim, fmt.Sprintf("vectors of length %d, want %d", n, want))
	}
	return nil
}

// parseVector reads a list of numbers, or their little-endian bytes in base64,
// and scales it to length 1.
func parseVector(raw json.RawMessage) ([]float32, error) {
	var row []float32
	if bytes.HasPrefix(raw, []byte(`"`)) {
		var packed []byte
		if err := json.Unmarshal(raw, &packed); err != nil {
			return nil, err
		}
		row = floats(packed)
	} else {
		if bytes.IndexByte(raw, 'n') >= 0 { // a null would be read as 0
			return nil, fmt.Errorf("null among the numbers")
		}
		if err := json.Unmarshal(raw, &row); err != nil {
			return nil, err
		}
	}
	if len(row) == 0 || len(row) > maxDim {
		return nil, fmt.Errorf("length %d", len(row))
	}
	return row, normalise(row)
}

// floats unpacks little-endian float32s; bytes left over make it return nil.
func floats(packed []byte) []float32 {
	if len(packed)%4 != 0 {
		return nil
	}
	row := make([]float32, len(packed)/4)
	for i := range row {
		row[i] = math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:]))
	}
	return row
}

// packFloats is the inverse of floats, as text.
func packFloats(row []float32) string {
	packed := make([]byte, 0, 4*len(row))
	for _, v := range row {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(v))
	}
	return base64.StdEncoding.EncodeToString(packed)
}

// normalise scales row to length 1 in place.
func normalise(row []float32) error {
	var sum float64
	for _, v := range row {
		sum += float64(v) * float64(v)
	}
	norm := math.Sqrt(sum)
	if norm == 0 || math.IsNaN(norm) || math.IsInf(norm, 0) {
		return fmt.Errorf("a vector of length %v cannot be scaled to 1", norm)
	}
	for i := range row {
		row[i] = float32(float64(row[i]) / norm)
	}
	return nil
}
