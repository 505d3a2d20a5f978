// Command abouts names what statements are about: the names that the corpus uses in several
// chats, each with the vector that the embedded reader gives it.
//
//	go run ./tools/corpus export DIR && go run ./tools/abouts --out extract/assets/abouts.bin DIR
//
// It has to be run again whenever the reader was trained again.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"daybook/extract"
	"daybook/model"
)

func main() {
	out := flag.String("out", "extract/assets/abouts.bin", "file to write")
	least := flag.Int("least", 4, "in how many chats a name must be used")
	flag.Parse()
	if err := run(flag.Arg(0), *out, *least); err != nil {
		fmt.Fprintln(os.Stderr, "abouts:", err)
		os.Exit(1)
	}
}

func run(dir, out string, least int) error {
	names, err := names(dir, least)
	if err != nil {
		return err
	}
	reader, err := model.DefaultReader()
	if err != nil {
		return err
	}
	vectors, err := reader.About(context.Background(), names)
	if err != nil {
		return err
	}
	fmt.Println(len(names), "names")
	return os.WriteFile(out, extract.PackAbouts(names, vectors), 0o644)
}

// names are what claims are about in at least so many chats, sorted.
func names(dir string, least int) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.claims.jsonl"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no claims in %q; go run ./tools/corpus export DIR writes them (%w)", dir, err)
	}
	chats := map[string]int{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		here := map[string]bool{}
		for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
			var c struct {
				About string `json:"about"`
			}
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				return nil, fmt.Errorf("%s: %w", f, err)
			}
			here[strings.ToLower(c.About)] = true
		}
		for name := range here {
			chats[name]++
		}
	}
	var all []string
	for name, n := range chats {
		if n >= least {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all, nil
}
