package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"daybook"
	"daybook/model/internal/bert"
)

// Options fill in what a folder does not say about itself, or overrule it.
type Options struct {
	Name, Licence, Origin      string
	Pooling                    string // mean, cls
	QueryPrefix, PassagePrefix string
	MaxTokens                  int
	Heads                      int // attention heads, when no config.json says it
}

// source is what Read found: tensors under the names Hugging Face gives a bare
// BERT model, and the files beside them.
type source struct {
	dir     string
	weights string // path of the weights
	tokens  string // path of tokenizer.json, "" when there is only vocab.txt
	config  config
	tensors tensors
}

// Read reads a Hugging Face folder, or one .onnx or .safetensors file with its
// tokenizer beside it.
func Read(path string, o Options) (*bert.Checkpoint, error) {
	s, err := open(path)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(s.weights)
	if err != nil {
		return nil, fileError("read weights", err)
	}
	if err := s.parse(data); err != nil {
		return nil, daybook.Errorf(daybook.KindOf(err), "read %s: %w", filepath.Base(s.weights), err)
	}
	c, err := s.assemble(o)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	c.Config.SourceSHA256 = hex.EncodeToString(sum[:])
	return c, nil
}

func (s *source) parse(data []byte) (err error) {
	if !strings.HasSuffix(s.weights, ".onnx") {
		s.tensors, err = readSafetensors(data)
		return err
	}
	graph, err := readONNX(data)
	if err != nil {
		return err
	}
	s.tensors = graph.tensors()
	if !s.config.present {
		s.config = graph.guess(s.tensors)
	}
	return nil
}

// open finds the files.
func open(path string) (*source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileError("open model", err)
	}
	s := &source{dir: path}
	if info.IsDir() {
		s.weights, err = findWeights(path)
		if err != nil {
			return nil, err
		}
	} else {
		s.dir, s.weights = filepath.Dir(path), path
	}
	if !strings.HasSuffix(s.weights, ".onnx") && !strings.HasSuffix(s.weights, ".safetensors") {
		return nil, daybook.Errorf(daybook.Invalid, "%s: want a folder, a .safetensors or an .onnx file", filepath.Base(path))
	}
	s.tokens = findTokenizer(s)
	if s.config, err = readConfig(filepath.Join(s.dir, "config.json")); err != nil {
		return nil, err
	}
	if !s.config.present && strings.HasSuffix(s.weights, ".safetensors") {
		return nil, daybook.Errorf(daybook.Invalid, "no config.json beside %s", filepath.Base(s.weights))
	}
	return s, nil
}

func findWeights(dir string) (string, error) {
	for _, name := range []string{"model.safetensors", "model.onnx", "onnx/model.onnx"} {
		if exists(filepath.Join(dir, name)) {
			return filepath.Join(dir, name), nil
		}
	}
	found, _ := filepath.Glob(filepath.Join(dir, "*.onnx"))
	if len(found) == 1 {
		return found[0], nil
	}
	for _, name := range []string{"model.safetensors.index.json", "pytorch_model.bin", "tf_model.h5", "model.gguf"} {
		if exists(filepath.Join(dir, name)) {
			return "", daybook.Errorf(daybook.Invalid, "weights are in %s, which is not supported; want model.safetensors or model.onnx", name)
		}
	}
	return "", daybook.Errorf(daybook.Invalid, "no model.safetensors or model.onnx in %s", filepath.Base(dir))
}

func findTokenizer(s *source) string {
	base := strings.TrimSuffix(s.weights, filepath.Ext(s.weights))
	for _, p := range []string{base + "-tokenizer.json", filepath.Join(s.dir, "tokenizer.json"), filepath.Join(filepath.Dir(s.weights), "tokenizer.json")} {
		if exists(p) {
			return p
		}
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// fileError gives an error of the file system its kind.
func fileError(doing string, err error) error {
	kind := daybook.Unavailable
	if errors.Is(err, fs.ErrNotExist) {
		kind = daybook.NotFound
	}
	return daybook.Errorf(kind, "%s: %w", doing, err)
}
