package checkpoint

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"daybook"
	"daybook/model/internal/bert"
)

// assemble puts the tensors where the encoder wants them.
func (s *source) assemble(o Options) (*bert.Checkpoint, error) {
	if err := s.config.check(); err != nil {
		return nil, err
	}
	c := &bert.Checkpoint{}
	if err := s.describe(&c.Config, o); err != nil {
		return nil, err
	}
	p := parts{tensors: s.tensors.bare()}
	s.embeddings(&p, c)
	s.layers(&p, c)
	if p.err != nil {
		return nil, p.err
	}
	if err := s.head(&p, c); err != nil {
		return nil, err
	}
	var err error
	if c.Vocabulary, c.Config.Tokenizer, err = s.tokenizer(c.Config.Vocabulary); err != nil {
		return nil, err
	}
	return c, s.pooling(&c.Config, o)
}

// prefixes are what whole models put before the names of the bare one.
var prefixes = []string{"bert.", "roberta.", "distilbert.", "electra.", "xlm_roberta.", "camembert.", "0.auto_model.", "auto_model.", "model."}

// bare drops the prefix of a whole model from every name that has one.
func (t tensors) bare() tensors {
	out := tensors{}
	for name, x := range t {
		for _, p := range prefixes {
			if rest, ok := strings.CutPrefix(name, p); ok {
				name = rest
				break
			}
		}
		// The first BERT checkpoints called scale and shift gamma and beta.
		name = strings.Replace(strings.Replace(name, "LayerNorm.gamma", "LayerNorm.weight", 1), "LayerNorm.beta", "LayerNorm.bias", 1)
		out[name] = x
	}
	return out
}

func (t tensors) find(name string) (tensor, bool) {
	x, ok := t.bare()[name]
	return x, ok
}

// parts takes tensors by name and keeps the first that is missing.
type parts struct {
	tensors tensors
	err     error
}

func (p *parts) take(name string, dims int) tensor {
	t, ok := p.tensors[name]
	switch {
	case p.err != nil:
	case !ok:
		p.err = daybook.Errorf(daybook.Invalid, "weights have no tensor %s: not a BERT-family encoder, or an export that lost it", name)
	case len(t.shape) != dims:
		p.err = daybook.Errorf(daybook.Invalid, "tensor %s has shape %v, want %d dimensions", name, t.shape, dims)
	default:
		return t
	}
	return tensor{shape: make([]int, dims)}
}

func (p *parts) linear(name string) bert.Linear {
	w, b := p.take(name+".weight", 2), p.take(name+".bias", 1)
	return bert.Linear{In: w.shape[1], Out: w.shape[0], Weight: w.data, Bias: b.data}
}

func (p *parts) norm(name string) bert.Norm {
	return bert.Norm{Gamma: p.take(name+".weight", 1).data, Beta: p.take(name+".bias", 1).data}
}

func (s *source) embeddings(p *parts, c *bert.Checkpoint) {
	word, position := p.take("embeddings.word_embeddings.weight", 2), p.take("embeddings.position_embeddings.weight", 2)
	c.Word, c.Position = word.data, position.data
	c.EmbeddingNorm = p.norm("embeddings.LayerNorm")
	c.Config.Vocabulary, c.Config.Hidden, c.Config.Positions = word.shape[0], word.shape[1], position.shape[0]
	c.Config.Types, c.Type = 1, make([]float32, c.Config.Hidden)
	if t, ok := p.tensors["embeddings.token_type_embeddings.weight"]; ok && len(t.shape) == 2 {
		c.Config.Types, c.Type = t.shape[0], t.data
	}
}

// names of a layer's parts, after "<stack>.<i>.".
type layerNames struct {
	stack, query, key, value, output, attentionNorm, up, down, outputNorm string
}

var bertNames = layerNames{
	"encoder.layer", "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
	"attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm",
}

var distilNames = layerNames{
	"transformer.layer", "attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin",
	"sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm",
}

func (s *source) layers(p *parts, c *bert.Checkpoint) {
	n := bertNames
	if s.config.ModelType == "distilbert" {
		n = distilNames
	}
	for i := 0; ; i++ {
		at := fmt.Sprintf("%s.%d.", n.stack, i)
		if _, ok := p.tensors[at+n.query+".bias"]; !ok && i > 0 {
			break
		}
		c.Layers = append(c.Layers, bert.Layer{
			Query: p.linear(at + n.query), Key: p.linear(at + n.key), Value: p.linear(at + n.value), Output: p.linear(at + n.output),
			Up: p.linear(at + n.up), Down: p.linear(at + n.down),
			AttentionNorm: p.norm(at + n.attentionNorm), OutputNorm: p.norm(at + n.outputNorm),
		})
		if p.err != nil {
			return
		}
	}
	c.Config.Layers, c.Config.FFN = len(c.Layers), c.Layers[0].Up.Out
}

// head finds what stands on the encoder: nothing, a classifier over the class
// token, or one over every token.
func (s *source) head(p *parts, c *bert.Checkpoint) error {
	has := func(name string) bool { _, ok := p.tensors[name+".weight"]; return ok }
	perToken := strings.Contains(strings.Join(s.config.Architectures, " "), "ForTokenClassification")
	h := &bert.Head{PerToken: perToken}
	switch {
	case has("qa_outputs"):
		h.PerToken, c.HeadOut = true, p.linear("qa_outputs")
	case has("classifier.out_proj"):
		h.Dense, h.Activation, c.HeadDense, c.HeadOut = true, "tanh", p.linear("classifier.dense"), p.linear("classifier.out_proj")
		if s.config.ModelType == "electra" {
			h.Activation = "gelu"
		}
	case !has("classifier"):
		return nil
	case perToken:
		c.HeadOut = p.linear("classifier")
	case has("pre_classifier"):
		h.Dense, h.Activation, c.HeadDense, c.HeadOut = true, "relu", p.linear("pre_classifier"), p.linear("classifier")
	case has("pooler.dense"):
		h.Dense, h.Activation, c.HeadDense, c.HeadOut = true, "tanh", p.linear("pooler.dense"), p.linear("classifier")
	default:
		return daybook.Errorf(daybook.Invalid, "weights have a classifier but no pooler.dense before it")
	}
	h.Labels = s.config.labels(c.HeadOut.Out)
	if has("qa_outputs") && c.HeadOut.Out == 2 {
		h.Labels = []string{"start", "end"}
	}
	c.Config.Head = h
	return p.err
}

// describe fills in the names and the shape's words.
func (s *source) describe(c *bert.Config, o Options) (err error) {
	base := strings.TrimSuffix(filepath.Base(s.weights), filepath.Ext(s.weights))
	if base == "model" {
		abs, err := filepath.Abs(s.dir)
		if err != nil {
			return daybook.Errorf(daybook.Invalid, "name the model: %w", err)
		}
		base = filepath.Base(abs)
	}
	c.Name = first(o.Name, base)
	c.Licence = first(o.Licence, cardLicence(filepath.Join(s.dir, "README.md")), "unknown")
	c.Origin = first(o.Origin, s.config.Name, "unknown")
	c.Activation, err = s.config.activation()
	c.Epsilon = s.config.epsilon()
	c.PositionOffset = s.config.positionOffset()
	c.Heads = s.config.Heads
	if o.Heads > 0 {
		c.Heads = o.Heads
	}
	if err == nil && c.Heads == 0 {
		return daybook.Errorf(daybook.Invalid, "number of attention heads is unknown: there is no config.json beside the weights")
	}
	return err
}

// pooling fills in how vectors are made: Sentence Transformers' files say it,
// the options overrule them, mean pooling is the default.
func (s *source) pooling(c *bert.Config, o Options) error {
	c.Pooling, c.Normalise = "mean", true
	if c.Head != nil {
		c.Pooling, c.Normalise = "none", false
	}
	var st struct {
		Mean      bool `json:"pooling_mode_mean_tokens"`
		Class     bool `json:"pooling_mode_cls_token"`
		MaxTokens bool `json:"pooling_mode_max_tokens"`
	}
	if readJSON(filepath.Join(s.dir, "1_Pooling", "config.json"), &st) {
		switch {
		case st.Class && !st.Mean && !st.MaxTokens:
			c.Pooling = "cls"
		case !st.Mean || st.MaxTokens || st.Class:
			return daybook.Errorf(daybook.Invalid, "pooling is neither mean nor cls alone, which is not supported")
		}
	}
	var modules []struct{ Type string }
	readJSON(filepath.Join(s.dir, "modules.json"), &modules)
	for _, m := range modules {
		if strings.HasSuffix(m.Type, ".Dense") {
			return daybook.Errorf(daybook.Invalid, "a Dense module after pooling is not supported")
		}
	}
	var lengths struct {
		Max int `json:"max_seq_length"`
	}
	readJSON(filepath.Join(s.dir, "sentence_bert_config.json"), &lengths)
	room := c.Positions - c.PositionOffset
	c.MaxTokens = min(firstPositive(o.MaxTokens, lengths.Max, 512), room)
	c.Overlap = c.MaxTokens / 8
	c.Pooling = first(o.Pooling, c.Pooling)
	c.QueryPrefix, c.PassagePrefix = o.QueryPrefix, o.PassagePrefix
	return nil
}

// readJSON reports whether the file is there and parses.
func readJSON(path string, to any) bool {
	data, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(data, to) == nil
}

// cardLicence reads the licence line of a model card's front matter.
func cardLicence(path string) string {
	data, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(data), "---") {
		return ""
	}
	front, _, _ := strings.Cut(string(data)[3:], "\n---")
	for line := range strings.Lines(front) {
		if v, ok := strings.CutPrefix(line, "license:"); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func firstPositive(values ...int) int {
	for _, v := range values {
		if v > 0 {
			return v
		}
	}
	return 0
}
