package eval

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"

	"daybook"
)

// smoke is a tiny conversation of our own, in GHOST's format, so that a bench
// can be run by everyone.
//
//go:embed smoke/*.jsonl
var smoke embed.FS

// LoadSmoke returns the set that is bundled.
func LoadSmoke() (Dataset, error) {
	dir, err := os.MkdirTemp("", "daybook-smoke-*")
	if err != nil {
		return Dataset{}, daybook.Errorf(daybook.Unavailable, "unpack the smoke set: %w", err)
	}
	defer os.RemoveAll(dir)
	files, err := fs.Sub(smoke, "smoke")
	if err != nil {
		return Dataset{}, err
	}
	to := filepath.Join(dir, "smoke")
	if err := os.CopyFS(to, files); err != nil {
		return Dataset{}, daybook.Errorf(daybook.Unavailable, "unpack the smoke set: %w", err)
	}
	data, err := LoadGhost(to)
	data.Name = "smoke"
	return data, err
}
