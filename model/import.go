package model

import (
	"bytes"
	"fmt"
	"unsafe"

	"daybook"
	"daybook/model/internal/bert"
	"daybook/model/internal/checkpoint"
)

// ImportOptions fill in what a model's folder does not say about itself, or
// overrule it. The zero value is right for a complete Hugging Face folder.
type ImportOptions struct {
	Name, Licence, Origin      string
	Pooling                    string // mean, cls
	QueryPrefix, PassagePrefix string
	MaxTokens                  int // of one window
	Heads                      int // attention heads, when no config.json says it
}

// Import converts a BERT-family model to a file of ours at dst. src is a
// Hugging Face folder (config.json, model.safetensors, tokenizer.json or
// vocab.txt), or an ONNX or safetensors file with what belongs to it beside it.
// dst appears whole or not at all.
//
// An architecture, tokenizer or pooling the encoder lacks is Invalid, and the
// error names it; files that are cut short or garbled are Corrupt.
func Import(src, dst string, o ImportOptions) (Info, error) {
	c, err := checkpoint.Read(src, checkpoint.Options(o))
	if err != nil {
		return Info{}, fmt.Errorf("import %s: %w", src, err)
	}
	var out bytes.Buffer
	if err := bert.Write(&out, c); err != nil {
		return Info{}, fmt.Errorf("import %s: %w", src, err)
	}
	l, err := load(unsafe.String(unsafe.SliceData(out.Bytes()), out.Len()))
	if err != nil {
		return Info{}, fmt.Errorf("import %s: load what was made of it: %w", src, err)
	}
	if err := replaceFile(dst, out.Bytes(), 0o644); err != nil {
		return Info{}, daybook.Errorf(daybook.Unavailable, "import %s: write model: %w", src, err)
	}
	return l.info, nil
}
