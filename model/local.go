package model

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"unsafe"

	"daybook"
	"daybook/model/internal/bert"
	"daybook/model/internal/kernel"
)

// Info describes a loaded model, for people.
type Info struct {
	ID           string `json:"id"` // stable; part of every vector it makes
	Name         string `json:"name"`
	Task         string `json:"task"` // encode, rerank, entail, tag; classify for what no slot takes
	Licence      string `json:"licence"`
	Origin       string `json:"origin"`
	SourceSHA256 string `json:"source_sha256"` // of the weights it was converted from
	Kernel       string `json:"kernel"`        // instruction set in use: amx, avx512, avx2, portable
	Dim          int    `json:"dim"`           // length of a vector; 0 for a model that makes none
	Layers       int    `json:"layers"`
	MaxTokens    int    `json:"max_tokens"` // of one window
	Bytes        int    `json:"bytes"`      // size of the model file
}

// Inspect opens the model file at path, whatever its task, verifies it and
// describes it. A missing file is NotFound, a damaged one Corrupt, one that this
// program cannot run Invalid.
func Inspect(path string) (Info, error) {
	l, err := openFile(path)
	if err != nil {
		return Info{}, err
	}
	return l.info, nil
}

// local is a model of ours that runs in this process.
type local struct {
	net  *bert.Network
	file *bert.File
	info Info
}

// Info describes the model.
func (l *local) Info() Info { return l.info }

// Verify reads all of the model's bytes and compares their checksum; a
// difference is Corrupt.
func (l *local) Verify() error { return l.file.Verify() }

// openFile loads a model file from disk, checksum included.
func openFile(path string) (*local, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		kind := daybook.Unavailable
		if errors.Is(err, fs.ErrNotExist) {
			kind = daybook.NotFound
		}
		return nil, daybook.Errorf(kind, "open model: %w", err)
	}
	l, err := load(unsafe.String(unsafe.SliceData(data), len(data)))
	if err != nil {
		return nil, daybook.Errorf(daybook.KindOf(err), "open model %s: %w", path, err)
	}
	if err := l.Verify(); err != nil {
		return nil, daybook.Errorf(daybook.KindOf(err), "open model %s: %w", path, err)
	}
	return l, nil
}

// load makes a model of a file's bytes, which it keeps using.
func load(data string) (*local, error) {
	file, err := bert.Parse(data)
	if err != nil {
		return nil, err
	}
	set, err := kernel.Choose(os.Getenv(kernel.Variable))
	if err != nil {
		return nil, err
	}
	warnPortable(set)
	net, err := bert.Load(file, set)
	if err != nil {
		return nil, err
	}
	l := &local{net: net, file: file}
	l.info = describe(file, set.Name(), len(data))
	return l, nil
}

func describe(f *bert.File, kernelName string, size int) Info {
	c := &f.Config
	info := Info{
		ID: f.ID(), Name: c.Name, Task: task(c.Head), Licence: c.Licence, Origin: c.Origin, SourceSHA256: c.SourceSHA256,
		Kernel: kernelName, Layers: c.Layers, MaxTokens: c.MaxTokens, Bytes: size,
	}
	if c.Pooling != "none" {
		info.Dim = c.Hidden
	}
	return info
}

// task says what a model with this head is for.
func task(h *bert.Head) string {
	switch {
	case h == nil:
		return "encode"
	case h.PerToken:
		return "tag"
	case hasEntailment(h.Labels):
		return "entail"
	case len(h.Labels) <= 2:
		return "rerank"
	}
	return "classify"
}

func hasEntailment(labels []string) bool {
	return strings.Contains(strings.ToLower(strings.Join(labels, " ")), "entail")
}

// warnPortable says once per process that this processor gets the slow kernels.
func warnPortable(set *kernel.Set) {
	if set.Name() == "portable" {
		portableWarning.Do(func() {
			slog.Warn("no vector instructions in use: models run in plain Go, 25 to 100 times slower")
		})
	}
}

var portableWarning sync.Once
