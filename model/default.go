package model

import (
	_ "embed"
	"fmt"
	"sync"
)

// The embedded encoder; NOTICE says where it comes from. It is a
// string so that it stays in the read-only part of the binary: pages are read
// when they are first used, and a process that never encodes reads none.
//
//go:embed assets/e5-small-v2.dbm
var asset string

// The embedded reader, trained from the encoder by tools/reader; docs/reader.md is its card.
//
//go:embed assets/reader.dbm
var readerAsset string

// Default returns the encoder inside the binary. The first call opens it; all
// calls share it. Its checksum is not read at every start (see
// LocalEncoder.Verify), its shape and its floats are. DAYBOOK_CPU forces the
// instruction set: portable, avx2, avx512 or amx.
func Default() (*LocalEncoder, error) { return openDefault() }

var openDefault = sync.OnceValues(func() (*LocalEncoder, error) {
	l, err := load(asset)
	if err != nil {
		return nil, fmt.Errorf("open the embedded encoder: %w", err)
	}
	return asEncoder(l)
})

// DefaultReader returns the reader inside the binary. The first call opens it; all calls share it.
func DefaultReader() (*LocalReader, error) { return openDefaultReader() }

var openDefaultReader = sync.OnceValues(func() (*LocalReader, error) {
	encoder, err := Default()
	if err != nil {
		return nil, err
	}
	r, err := OpenReader(encoder, readerAsset)
	if err != nil {
		return nil, fmt.Errorf("open the embedded reader: %w", err)
	}
	return r, nil
})
