package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"daybook"
	"daybook/model"
)

// encoderFlag chooses the encoder that runs in this process. A value is a file that
// 'daybook model import' made, or the name under which the home keeps it.
type encoderFlag struct {
	Encoder string `help:"Encoder to use instead of the embedded one: a model file, or a name in the home's models." env:"DAYBOOK_ENCODER" placeholder:"MODEL"`
}

// rerankerFlag chooses the cross-encoder, which is none by default.
type rerankerFlag struct {
	Reranker string `help:"Reranker to use." env:"DAYBOOK_RERANKER" placeholder:"MODEL"`
}

// modelFlags choose every model that runs in this process.
type modelFlags struct {
	encoderFlag
	rerankerFlag
	Entailer string `help:"Entailment model to use." env:"DAYBOOK_ENTAILER" placeholder:"MODEL"`
}

const modelSuffix = ".dbm"

// modelPath finds a model by file name or by its name in the home.
func (a *app) modelPath(name string) (string, error) {
	for _, path := range []string{name, filepath.Join(a.Home, "models", name+modelSuffix)} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", daybook.Errorf(daybook.NotFound, "model %q is neither a file nor in %s; 'daybook models' lists what is there", name, filepath.Join(a.Home, "models"))
}

// localModel is what every model that runs in this process can say of itself.
type localModel interface{ Info() model.Info }

// encoder opens the encoder that the flags choose.
func (a *app) encoder(f encoderFlag) (*model.LocalEncoder, error) {
	if f.Encoder == "" {
		return model.Default()
	}
	path, err := a.modelPath(f.Encoder)
	if err != nil {
		return nil, err
	}
	return model.OpenEncoder(path)
}

type modelCmd struct {
	Import modelImportCmd `cmd:"" help:"Convert a BERT-family model to run in this binary: a Hugging Face folder, or an ONNX file with its tokenizer.json beside it."`
}

type modelImportCmd struct {
	From          string `arg:"" help:"Folder (config.json, model.safetensors, tokenizer.json or vocab.txt) or ONNX file."`
	Name          string `help:"Name to keep it under; by default that of the folder or file." placeholder:"NAME"`
	Out           string `short:"o" help:"File to write instead of keeping it in the home." placeholder:"FILE"`
	Licence       string `help:"Licence of the weights, to be shown with them." placeholder:"TEXT"`
	Origin        string `help:"Where the weights come from." placeholder:"TEXT"`
	Pooling       string `help:"mean or cls, where the folder does not say." placeholder:"HOW"`
	QueryPrefix   string `help:"What the model wants before a question." placeholder:"TEXT"`
	PassagePrefix string `help:"What the model wants before a text to be found." placeholder:"TEXT"`
	MaxTokens     int    `help:"Tokens of one window." placeholder:"N"`
	Heads         int    `help:"Attention heads, for an ONNX file without config.json." placeholder:"N"`
}

func (c *modelImportCmd) Run(a *app) error {
	name := c.Name
	if name == "" {
		base := filepath.Base(filepath.Clean(c.From))
		name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	if name != filepath.Base(name) || name == "." || name == ".." {
		return daybook.Errorf(daybook.Invalid, "model name %q cannot be the name of a file", name)
	}
	out := c.Out
	if out == "" {
		dir := filepath.Join(a.Home, "models")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return daybook.Errorf(daybook.Unavailable, "%w", err)
		}
		out = filepath.Join(dir, name+modelSuffix)
	}
	info, err := model.Import(c.From, out, model.ImportOptions{
		Name: name, Licence: c.Licence, Origin: c.Origin, Pooling: c.Pooling,
		QueryPrefix: c.QueryPrefix, PassagePrefix: c.PassagePrefix, MaxTokens: c.MaxTokens, Heads: c.Heads,
	})
	if err != nil {
		return err
	}
	if a.JSON {
		return a.json(modelRow{Info: info, From: out})
	}
	a.printf("%s: made to %s, %d layers, %.1f MB, kept as %s\n", a.bold(info.Name), info.Task, info.Layers, float64(info.Bytes)/1e6, out)
	return nil
}

type encodeCmd struct {
	modelFlags
	Text []string `arg:"" optional:"" help:"Text to encode; without any, each line of standard input."`
	As   string   `enum:"text,query,passage" default:"text" help:"What the text is to the encoder: text, query or passage."`
}

func (c *encodeCmd) Run(a *app) error {
	enc, err := a.encoder(c.encoderFlag)
	if err != nil {
		return err
	}
	as := map[string]model.As{"text": model.AsText, "query": model.AsQuery, "passage": model.AsPassage}[c.As]
	in := a.in
	if len(c.Text) > 0 {
		in = strings.NewReader(strings.Join(c.Text, " ") + "\n")
	}
	return model.EncodeLines(a.ctx, enc, as, in, a.out)
}

type modelsCmd struct {
	modelFlags
	Speed bool `help:"Also measure the encoder's speed on this machine." default:"true" negatable:""`
}

// modelRow describes a model, where it is from and what it is used for.
type modelRow struct {
	model.Info
	Slot      string  `json:"slot,omitempty"` // empty for a model that is only kept
	From      string  `json:"from"`
	PerSecond float64 `json:"texts_per_second,omitempty"`
	SingleMS  float64 `json:"single_ms,omitempty"`
	Error     string  `json:"error,omitempty"`
}

func (c *modelsCmd) Run(a *app) error {
	rows, err := c.slots(a)
	if err != nil {
		return err
	}
	kept, err := c.kept(a, rows)
	if err != nil {
		return err
	}
	rows = append(rows, kept...)
	if a.JSON {
		return a.json(map[string]any{"models": rows})
	}
	for _, r := range rows {
		a.printModel(r)
	}
	return nil
}

// slots lists what fills each slot now.
func (c *modelsCmd) slots(a *app) ([]modelRow, error) {
	enc, err := a.encoder(c.encoderFlag)
	if err != nil {
		return nil, err
	}
	row := modelRow{Info: enc.Info(), From: "this binary", Slot: "encoder"}
	if c.Encoder != "" {
		row.From = c.Encoder
	}
	if c.Speed {
		speed, err := model.MeasureSpeed(a.ctx, enc, time.Second)
		if err != nil {
			return nil, err
		}
		row.PerSecond, row.SingleMS = speed.TextsPerSecond, float64(speed.Single.Microseconds())/1000
	}
	rows := []modelRow{row}
	if c.Reranker != "" {
		r, err := openSlot(a, c.Reranker, model.OpenReranker)
		if err != nil {
			return nil, err
		}
		rows = append(rows, modelRow{Info: r.Info(), From: c.Reranker, Slot: "reranker"})
	}
	if c.Entailer != "" {
		r, err := openSlot(a, c.Entailer, model.OpenEntailer)
		if err != nil {
			return nil, err
		}
		rows = append(rows, modelRow{Info: r.Info(), From: c.Entailer, Slot: "entailer"})
	} else {
		rows = append(rows, modelRow{Info: model.Info{Name: model.NewLexicalEntailer(enc).Name(), Task: "entail"}, Slot: "entailer", From: "this binary"})
	}
	return append(rows, c.remote()...), nil
}

func openSlot[M localModel](a *app, name string, open func(string) (M, error)) (m M, err error) {
	path, err := a.modelPath(name)
	if err != nil {
		return m, err
	}
	return open(path)
}

// remote lists the servers that the environment names.
func (c *modelsCmd) remote() (rows []modelRow) {
	for _, s := range []struct {
		slot string
		find func(func(string) string) (model.Endpoint, error)
	}{{"completer", model.ChatEndpoint}, {"remote encoder", model.EmbedEndpoint}} {
		e, err := s.find(os.Getenv)
		switch {
		case err == nil:
			rows = append(rows, modelRow{Info: model.Info{Name: e.Model, Task: s.slot}, Slot: s.slot, From: e.String()})
		case daybook.KindOf(err) != daybook.NotFound:
			rows = append(rows, modelRow{Info: model.Info{Task: s.slot}, Slot: s.slot, From: "the environment", Error: err.Error()})
		}
	}
	return rows
}

// kept lists the models in the home that fill no slot now.
func (c *modelsCmd) kept(a *app, used []modelRow) (rows []modelRow, err error) {
	files, err := filepath.Glob(filepath.Join(a.Home, "models", "*"+modelSuffix))
	if err != nil {
		return nil, daybook.Errorf(daybook.Invalid, "list models: %w", err)
	}
	for _, path := range files {
		info, err := model.Inspect(path)
		row := modelRow{Info: info, From: path}
		if err != nil {
			row.Error = err.Error()
		}
		taken := false
		for _, u := range used {
			taken = taken || u.ID != "" && u.ID == row.ID
		}
		if !taken {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func (a *app) printModel(r modelRow) {
	head := r.Slot
	if head == "" {
		head = "kept, not in use"
	}
	a.printf("%s  %s\n", a.bold(r.Name), a.dim(head))
	for _, f := range []struct{ name, value string }{
		{"task", r.Task}, {"id", r.ID}, {"from", r.From}, {"licence", r.Licence}, {"origin", r.Origin}, {"kernel", r.Kernel}, {"error", r.Error},
	} {
		if f.value != "" {
			a.printf("  %-8s %s\n", f.name, line(f.value, 160))
		}
	}
	if r.Dim > 0 {
		a.printf("  %-8s %d layers, vectors of %d, windows of %d tokens, %.1f MB\n", "size", r.Layers, r.Dim, r.MaxTokens, float64(r.Bytes)/1e6)
	}
	if r.PerSecond > 0 {
		a.printf("  %-8s %.0f sentences/s in batches, %.1f ms for one\n", "speed", r.PerSecond, r.SingleMS)
	}
}
