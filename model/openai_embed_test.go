package model_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"daybook"
	"daybook/model"
)

func serveEncoder(t *testing.T, handler http.HandlerFunc, dim int, changes ...func(*model.Endpoint)) *model.OpenAIEncoder {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	e := endpoint(server.URL)
	e.Dim = dim
	for _, change := range changes {
		change(&e)
	}
	enc, err := model.NewOpenAIEncoder(e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { enc.Close() })
	return enc
}

// embedder answers each text with a vector made of its length, last text first.
func embedder(t *testing.T, batches *[]int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/embeddings" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		*batches = append(*batches, len(body.Input))
		var rows []string
		for i := len(body.Input) - 1; i >= 0; i-- {
			if body.Input[i] == "" {
				t.Error("an empty text was sent")
			}
			rows = append(rows, fmt.Sprintf(`{"index":%d,"embedding":[%d,4]}`, i, len(body.Input[i])))
		}
		sendJSON(w, 200, `{"data":[`+strings.Join(rows, ",")+`],"usage":{"prompt_tokens":5}}`)
	}
}

func TestEncode(t *testing.T) {
	var batches []int
	enc := serveEncoder(t, embedder(t, &batches), 0)
	texts := make([]string, 100)
	for i := range texts {
		texts[i] = strings.Repeat("x", i)
	}
	got, err := enc.Encode(t.Context(), model.AsText, texts)
	if err != nil {
		t.Fatal(err)
	}
	if got.Len() != 100 || got.Dim != 2 || fmt.Sprint(batches) != "[64 36]" {
		t.Fatalf("%d rows of %d in batches %v", got.Len(), got.Dim, batches)
	}
	if got.Encoder != enc.ID() || !strings.HasPrefix(enc.ID(), "openai:127.0.0.1:") || !strings.HasSuffix(enc.ID(), "/m") {
		t.Errorf("encoder %q", got.Encoder)
	}
	for i := range texts {
		row := got.Row(i)
		n := float64(max(i, 1)) // the empty text went out as a space
		if want := n / math.Hypot(n, 4); math.Abs(float64(row[0])-want) > 1e-6 {
			t.Fatalf("row %d is %v, want %v first", i, row, want)
		}
	}
	if none, err := enc.Encode(t.Context(), model.AsText, nil); err != nil || none.Len() != 0 || len(batches) != 2 {
		t.Errorf("no texts: %v, %v", none, err)
	}
}

func packed(values ...float32) string {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return `"` + base64.StdEncoding.EncodeToString(b) + `"`
}

func TestEncodeBase64(t *testing.T) {
	enc := serveEncoder(t, func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, 200, `{"data":[{"embedding":`+packed(3, 4)+`}]}`)
	}, 2)
	got, err := enc.Encode(t.Context(), model.AsText, []string{"a"})
	if err != nil || math.Abs(float64(got.Data[0])-0.6) > 1e-6 || math.Abs(float64(got.Data[1])-0.8) > 1e-6 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestBadVectors(t *testing.T) {
	inf := float32(math.Inf(1))
	nan := float32(math.NaN())
	tests := map[string]struct {
		body    string
		trouble model.Trouble
		kind    daybook.Kind
	}{
		"wrong dimension": {`{"data":[{"embedding":[1,2,3]}]}`, model.WrongDim, daybook.Invalid},
		"empty vector":    {`{"data":[{"embedding":[]}]}`, model.Garbled, daybook.Unavailable},
		"no vector":       {`{"data":[{}]}`, model.Garbled, daybook.Unavailable},
		"null vector":     {`{"data":[{"embedding":null}]}`, model.Garbled, daybook.Unavailable},
		"null inside":     {`{"data":[{"embedding":[1,null]}]}`, model.Garbled, daybook.Unavailable},
		"nan":             {`{"data":[{"embedding":[1,NaN]}]}`, model.Garbled, daybook.Unavailable},
		"nan as bytes":    {`{"data":[{"embedding":` + packed(1, nan) + `}]}`, model.Garbled, daybook.Unavailable},
		"inf as bytes":    {`{"data":[{"embedding":` + packed(1, inf) + `}]}`, model.Garbled, daybook.Unavailable},
		"too great":       {`{"data":[{"embedding":[1,1e300]}]}`, model.Garbled, daybook.Unavailable},
		"all zero":        {`{"data":[{"embedding":[0,0]}]}`, model.Garbled, daybook.Unavailable},
		"words":           {`{"data":[{"embedding":["a","b"]}]}`, model.Garbled, daybook.Unavailable},
		"broken base64":   {`{"data":[{"embedding":"!!"}]}`, model.Garbled, daybook.Unavailable},
		"odd bytes":       {`{"data":[{"embedding":"AAAA"}]}`, model.Garbled, daybook.Unavailable},
		"too few":         {`{"data":[]}`, model.Garbled, daybook.Unavailable},
		"too many":        {`{"data":[{"embedding":[1,2]},{"embedding":[1,2]}]}`, model.Garbled, daybook.Unavailable},
		"index too great": {`{"data":[{"index":7,"embedding":[1,2]}]}`, model.Garbled, daybook.Unavailable},
		"index negative":  {`{"data":[{"index":-1,"embedding":[1,2]}]}`, model.Garbled, daybook.Unavailable},
		"half a json":     {`{"data":[{"embedding":[1,`, model.Garbled, daybook.Unavailable},
		"html":            {`<html>no</html>`, model.Garbled, daybook.Unavailable},
		"error":           {`{"error":"model is loading"}`, model.Broken, daybook.Unavailable},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			enc := serveEncoder(t, func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, test.body)
			}, 2)
			got, err := enc.Encode(t.Context(), model.AsText, []string{"a"})
			wantTrouble(t, err, test.trouble, test.kind)
			if got.Data != nil {
				t.Errorf("vectors came with the error: %v", got)
			}
		})
	}
}

func TestRepeatedIndex(t *testing.T) {
	enc := serveEncoder(t, func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, 200, `{"data":[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`)
	}, 2)
	_, err := enc.Encode(t.Context(), model.AsText, []string{"a", "b"})
	wantTrouble(t, err, model.Garbled, daybook.Unavailable)
}

// TestLearnedDimension has a server change its mind.
func TestLearnedDimension(t *testing.T) {
	row := "[1,2]"
	enc := serveEncoder(t, func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, 200, `{"data":[{"embedding":`+row+`}]}`)
	}, 0)
	if _, err := enc.Encode(t.Context(), model.AsText, []string{"a"}); err != nil {
		t.Fatal(err)
	}
	row = "[1,2,3]"
	_, err := enc.Encode(t.Context(), model.AsText, []string{"a"})
	wantTrouble(t, err, model.WrongDim, daybook.Invalid)
}
