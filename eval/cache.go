package eval

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"daybook"
	"daybook/model"
)

// CachedEncoder keeps the vectors that it has made in a file, so that a second
// run of a benchmark does not encode again. It is safe for concurrent use in one
// process; two processes may each add to the file.
type CachedEncoder struct {
	encoder model.Encoder
	id      string
	mu      sync.Mutex
	known   map[vectorKey][]float32
	file    *os.File
}

type vectorKey [16]byte

func keyOf(as model.As, text string) (k vectorKey) {
	sum := sha256.Sum256([]byte(string(as) + "\x00" + text))
	copy(k[:], sum[:])
	return k
}

// OpenCachedEncoder keeps the vectors of the encoder with this id in a folder. A
// file that was cut off is used as far as it goes.
func OpenCachedEncoder(enc model.Encoder, id, folder string) (*CachedEncoder, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, daybook.Errorf(daybook.Unavailable, "open the cache of vectors: %w", err)
	}
	c := &CachedEncoder{encoder: enc, id: id, known: map[vectorKey][]float32{}}
	path := filepath.Join(folder, strings.Map(fileRune, id)+".vectors")
	whole, err := c.load(path)
	if err != nil {
		return nil, daybook.Errorf(daybook.Unavailable, "open the cache of vectors: %w", err)
	}
	if c.file, err = openAt(path, whole); err != nil {
		return nil, daybook.Errorf(daybook.Unavailable, "open the cache of vectors: %w", err)
	}
	return c, nil
}

// openAt opens a file to append to, without what comes after its whole part. Every
// write goes to the end, also when another process has written since.
func openAt(path string, whole int64) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > whole {
		err = f.Truncate(whole)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func fileRune(r rune) rune {
	if strings.ContainsRune(`/\:*?"<>| `, r) {
		return '_'
	}
	return r
}

// load reads records of key, length and numbers, and returns how many bytes of
// the file are whole records.
func (c *CachedEncoder) load(path string) (whole int64, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		var head [20]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return whole, nil
		}
		n := binary.LittleEndian.Uint32(head[16:])
		if n == 0 || n > 1<<14 {
			return whole, nil
		}
		data := make([]byte, 4*n)
		if _, err := io.ReadFull(r, data); err != nil {
			return whole, nil
		}
		row := make([]float32, n)
		for i := range row {
			row[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		c.known[vectorKey(head[:16])] = row
		whole += int64(len(head) + len(data))
	}
}

// ID is that of the encoder.
func (c *CachedEncoder) ID() string { return c.id }

// Encode implements model.Encoder.
func (c *CachedEncoder) Encode(ctx context.Context, as model.As, texts []string) (model.Vectors, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var missing []string
	for _, t := range texts {
		if _, ok := c.known[keyOf(as, t)]; !ok {
			missing = append(missing, t)
		}
	}
	if err := c.make(ctx, as, missing); err != nil {
		return model.Vectors{}, err
	}
	out := model.Vectors{Encoder: c.id}
	for _, t := range texts {
		row := c.known[keyOf(as, t)]
		out.Dim = len(row)
		out.Data = append(out.Data, row...)
	}
	return out, nil
}

// EncodeWords implements model.WordEncoder. Words are not kept: they are encoded each
// time. Those of an encoder that does not show them are not shown.
func (c *CachedEncoder) EncodeWords(ctx context.Context, texts []string, read func(text int, words []model.Word)) (model.Vectors, error) {
	if words, ok := c.encoder.(model.WordEncoder); ok {
		return words.EncodeWords(ctx, texts, read)
	}
	return c.Encode(ctx, model.AsText, texts)
}

// make encodes texts in batches and keeps each batch.
func (c *CachedEncoder) make(ctx context.Context, as model.As, texts []string) error {
	const batch = 64 // what a run that is cut off loses at most
	for len(texts) > 0 {
		some := texts[:min(batch, len(texts))]
		texts = texts[len(some):]
		made, err := c.encoder.Encode(ctx, as, some)
		if err != nil {
			return err
		}
		var out []byte
		for i, t := range some {
			k, row := keyOf(as, t), made.Row(i)
			c.known[k] = row
			out = append(out, k[:]...)
			out = binary.LittleEndian.AppendUint32(out, uint32(len(row)))
			for _, x := range row {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
			}
		}
		if _, err := c.file.Write(out); err != nil {
			return daybook.Errorf(daybook.Unavailable, "keep vectors: %w", err)
		}
	}
	return nil
}

// Close closes the file.
func (c *CachedEncoder) Close() error {
	if err := c.file.Close(); err != nil {
		return fmt.Errorf("close the cache of vectors: %w", err)
	}
	return nil
}
