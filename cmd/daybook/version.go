package main

import (
	"runtime"
	"runtime/debug"

	"daybook/model"
)

// version and revision are set when a release is built.
var version, revision = "dev", ""

// built describes this binary and the models in it.
type built struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Date     string `json:"date,omitempty"` // of the commit
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Encoder  string `json:"encoder"`
	Kernel   string `json:"kernel"`
}

func buildInfo() (built, error) {
	b := built{Version: version, Revision: revision, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Revision = s.Value
			case "vcs.time":
				b.Date = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	encoder, err := model.Default()
	if err != nil {
		return b, err
	}
	b.Encoder, b.Kernel = encoder.Info().ID, encoder.Info().Kernel
	return b, nil
}

type versionCmd struct{}

func (c *versionCmd) Run(a *app) error {
	b, err := buildInfo()
	if err != nil {
		return err
	}
	if a.JSON {
		return a.json(b)
	}
	a.printf("daybook %s\n", b.Version)
	commit := b.Revision
	if commit == "" {
		commit = "not known; the binary was built outside of a repository"
	}
	if b.Modified {
		commit += ", with changes that are not committed"
	}
	a.printf("  commit   %s\n", commit)
	if b.Date != "" {
		a.printf("  date     %s\n", b.Date)
	}
	a.printf("  go       %s %s\n", b.Go, b.Platform)
	a.printf("  encoder  %s (%s)\n", b.Encoder, b.Kernel)
	return nil
}
