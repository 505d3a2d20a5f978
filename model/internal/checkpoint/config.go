package checkpoint

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"

	"daybook"
)

// config is what the importer reads of config.json, BERT's names and
// DistilBERT's.
type config struct {
	present       bool
	ModelType     string            `json:"model_type"`
	Architectures []string          `json:"architectures"`
	Hidden        int               `json:"hidden_size"`
	Heads         int               `json:"num_attention_heads"`
	Activation    string            `json:"hidden_act"`
	Epsilon       *float64          `json:"layer_norm_eps"`
	PadToken      *int              `json:"pad_token_id"`
	PositionKind  string            `json:"position_embedding_type"`
	Embedding     int               `json:"embedding_size"`
	Labels        map[string]string `json:"id2label"`
	Name          string            `json:"_name_or_path"`

	Dim              int    `json:"dim"`
	NHeads           int    `json:"n_heads"`
	DistilActivation string `json:"activation"`
	CrossAttention   bool   `json:"add_cross_attention"`
	IsDecoder        bool   `json:"is_decoder"`
}

// families are the architectures the encoder has, by model_type.
var families = []string{"bert", "roberta", "distilbert", "electra", "xlm-roberta", "camembert"}

// missing says, for well-known other families, what the encoder lacks.
var missing = map[string]string{
	"deberta": "disentangled attention", "deberta-v2": "disentangled attention", "mpnet": "relative position bias",
	"t5": "a decoder and relative position bias", "llama": "a causal decoder with rotary positions", "gpt2": "a causal decoder",
	"mistral": "a causal decoder with rotary positions", "qwen2": "a causal decoder with rotary positions",
	"modernbert": "rotary positions and gated feed-forward layers", "nomic_bert": "rotary positions and gated feed-forward layers",
	"albert": "parameter sharing between layers", "xlnet": "permutation attention", "bart": "a decoder",
}

func readConfig(path string) (config, error) {
	var c config
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return c, nil
	}
	if err != nil {
		return c, fileError("read config.json", err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, daybook.Errorf(daybook.Corrupt, "config.json: %w", err)
	}
	c.present = true
	if c.Dim > 0 {
		c.Hidden, c.Heads, c.Activation = c.Dim, c.NHeads, c.DistilActivation
	}
	return c, nil
}

// check refuses families the encoder cannot run.
func (c *config) check() error {
	if !slices.Contains(families, c.ModelType) {
		lacks, known := missing[c.ModelType]
		if !known {
			lacks = "this architecture"
		}
		return daybook.Errorf(daybook.Invalid, "model type %q is not supported: the encoder has no support for %s; it runs %s", c.ModelType, lacks, strings.Join(families, ", "))
	}
	if c.PositionKind != "" && c.PositionKind != "absolute" {
		return daybook.Errorf(daybook.Invalid, "position embeddings of type %q are not supported, only absolute ones", c.PositionKind)
	}
	if c.IsDecoder || c.CrossAttention {
		return daybook.Errorf(daybook.Invalid, "decoders and cross-attention are not supported")
	}
	if c.Embedding != 0 && c.Embedding != c.Hidden {
		return daybook.Errorf(daybook.Invalid, "embeddings of size %d projected to %d (embeddings_project) are not supported", c.Embedding, c.Hidden)
	}
	return nil
}

// activation maps config.json's word to ours.
func (c *config) activation() (string, error) {
	switch c.Activation {
	case "", "gelu":
		return "gelu", nil
	case "gelu_new", "gelu_pytorch_tanh", "gelu_fast":
		return "gelu_tanh", nil
	case "relu":
		return "relu", nil
	}
	return "", daybook.Errorf(daybook.Invalid, "activation %q is not supported; the encoder has gelu, gelu_new and relu", c.Activation)
}

func (c *config) epsilon() float64 {
	if c.Epsilon != nil {
		return *c.Epsilon
	}
	return 1e-12
}

// positionOffset is where RoBERTa begins to count.
func (c *config) positionOffset() int {
	switch c.ModelType {
	case "roberta", "xlm-roberta", "camembert":
		if c.PadToken != nil && *c.PadToken >= 0 && *c.PadToken < 16 {
			return *c.PadToken + 1
		}
		return 2
	}
	return 0
}

// labels orders id2label by id, and makes up names where there are none.
func (c *config) labels(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = c.Labels[strconv.Itoa(i)]
		if out[i] == "" {
			out[i] = "LABEL_" + strconv.Itoa(i)
		}
	}
	return out
}
