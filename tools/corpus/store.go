package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// archivePath is where the corpus lies, seen from the root of the repository: one chat a line,
// compressed.
const archivePath = "tools/corpus/chats.jsonl.gz"

// readArchive returns the chats of the corpus, by name.
func readArchive(path string) ([]Chat, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the corpus: %w", err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", path, err)
	}
	var chats []Chat
	dec := json.NewDecoder(unzipped)
	for {
		var c Chat
		switch err := dec.Decode(&c); {
		case errors.Is(err, io.EOF):
			return chats, nil
		case err != nil:
			return nil, fmt.Errorf("%s: chat %d: %w", path, len(chats)+1, err)
		}
		chats = append(chats, c)
	}
}

// writeArchive packs the chats in the order of their names. The same chats give the same bytes.
func writeArchive(path string, chats []Chat) error {
	slices.SortFunc(chats, func(a, b Chat) int { return cmp.Compare(a.Name, b.Name) })
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(zip)
	enc.SetEscapeHTML(false)
	for _, c := range chats {
		if err := enc.Encode(c); err != nil {
			return fmt.Errorf("pack chat %s: %w", c.Name, err)
		}
	}
	if err := zip.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, packed.Bytes(), 0o644)
}

// replaceChats puts chats into a list, each in the place of the one of its name.
func replaceChats(all, some []Chat) []Chat {
	for _, c := range some {
		if at := slices.IndexFunc(all, func(o Chat) bool { return o.Name == c.Name }); at >= 0 {
			all[at] = c
		} else {
			all = append(all, c)
		}
	}
	return all
}

// readFolder reads chats that lie as NAME.jsonl, NAME.claims.jsonl and NAME.questions.jsonl.
func readFolder(folder string) ([]Chat, error) {
	found, err := filepath.Glob(filepath.Join(folder, "*.claims.jsonl"))
	if err != nil {
		return nil, err
	}
	var chats []Chat
	for _, file := range found {
		base := strings.TrimSuffix(file, ".claims.jsonl")
		c := Chat{Name: filepath.Base(base)}
		err := errors.Join(readLines(base+".jsonl", &c.Messages), readLines(file, &c.Claims), readLines(base+".questions.jsonl", &c.Questions))
		if err != nil {
			return nil, err
		}
		chats = append(chats, c)
	}
	return chats, nil
}

func readLines[T any](path string, into *[]T) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		*into = append(*into, v)
	}
	return lines.Err()
}

// writeFolder writes each chat as three files, as readFolder reads them.
func writeFolder(folder string, chats []Chat) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, c := range chats {
		base := filepath.Join(folder, c.Name)
		err := errors.Join(writeLines(base+".jsonl", c.Messages), writeLines(base+".claims.jsonl", c.Claims), writeLines(base+".questions.jsonl", c.Questions))
		if err != nil {
			return err
		}
	}
	return nil
}

func writeLines[T any](path string, rows []T) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, row := range rows {
		if err := enc.Encode(row); err != nil {
			return err
		}
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
