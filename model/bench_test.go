package model

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// benchTexts are sentences of exactly 22 or 128 tokens, class and separator
// included; tools/encoder/compare.sh gives the same ones to ONNX Runtime.
func benchTexts(b *testing.B, tokens int) []string {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("testdata/tokens%d.txt", tokens))
	if err != nil {
		b.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// BenchmarkEncode reports texts a second, the median of a call, and the
// processor time of one text, which a busy machine disturbs least. To measure
// another model than the embedded one, name its file in DAYBOOK_BENCH_MODEL.
func BenchmarkEncode(b *testing.B) {
	e, err := Default()
	if path := os.Getenv("DAYBOOK_BENCH_MODEL"); path != "" {
		e, err = OpenEncoder(path)
	}
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	for _, c := range []struct{ tokens, batch int }{{22, 32}, {22, 1}, {128, 8}, {128, 1}} {
		texts := benchTexts(b, c.tokens)[:c.batch]
		b.Run(fmt.Sprintf("tokens=%d/batch=%d/%s", c.tokens, c.batch, e.Info().Kernel), func(b *testing.B) {
			var took []time.Duration
			before := processorTime()
			for b.Loop() {
				start := time.Now()
				if _, err := e.Encode(ctx, AsText, texts); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			spent := processorTime() - before
			count := float64(b.N * c.batch)
			b.ReportMetric(count/b.Elapsed().Seconds(), "texts/s")
			b.ReportMetric(float64(median(took).Microseconds())/1000, "p50-ms")
			b.ReportMetric(spent.Seconds()*1000/count, "cpu-ms/text")
		})
	}
}

func BenchmarkTokenize(b *testing.B) {
	e, err := Default()
	if err != nil {
		b.Fatal(err)
	}
	text := benchTexts(b, 22)[0]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		e.net.Tokenizer.Encode(nil, text)
	}
}
