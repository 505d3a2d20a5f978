package index_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"daybook"
	"daybook/index"
	"daybook/store"
)

func savedScope(t *testing.T) (*index.Index, []byte) {
	t.Helper()
	s := index.New()
	for seq := range uint64(30) {
		apply(t, s, []store.Place{{Seq: seq}, {Seq: seq, Pos: 1}}, nil)
	}
	if err := s.Apply(index.Change{Head: store.Commit{Seq: 29, ID: daybook.CommitID{7}, RecordedAt: time.UnixMicro(5).UTC(), Author: "a"}}); err != nil {
		t.Fatal(err)
	}
	list, err := index.NewList(2).With([]store.Vector{{Place: store.Place{Seq: 3}, Part: 1, Data: index.Pack([]float32{0.6, 0.8})}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.Snapshot().Save(&out, "encoder one", index.List{Name: "a list", UpTo: 9, Space: list}); err != nil {
		t.Fatal(err)
	}
	return s, out.Bytes()
}

// What was saved answers as before, and goes on from there.
func TestSave(t *testing.T) {
	s, saved := savedScope(t)
	v, lists, err := index.Load(bytes.NewReader(saved), int64(len(saved)), "encoder one")
	if err != nil {
		t.Fatal(err)
	}
	if len(lists) != 1 || lists[0].Name != "a list" || lists[0].UpTo != 9 || lists[0].Space.Len() != 1 {
		t.Fatalf("the lists are %+v", lists)
	}
	row := make([]float32, 2)
	if at, part := lists[0].Space.Row(row, 0); at.Seq != 3 || part != 1 || row[0] < 0.59 || row[0] > 0.61 {
		t.Errorf("a list has %v at %v, part %d", row, at, part)
	}
	if v.Head() != s.Snapshot().Head() || answers(v) != answers(s.Snapshot()) {
		t.Error("a loaded index answers otherwise than the saved one")
	}
	again := index.New()
	if err := again.Apply(index.Change{From: v}); err != nil {
		t.Fatal(err)
	}
	for _, x := range []*index.Index{s, again} {
		apply(t, x, []store.Place{{Seq: 40}}, []store.Place{{Seq: 3}})
	}
	if answers(again.Snapshot()) != answers(s.Snapshot()) {
		t.Error("a loaded index does not go on as the saved one does")
	}
}

// No byte can change, and no end be missing, without an error.
func TestLoadDamaged(t *testing.T) {
	_, saved := savedScope(t)
	if _, _, err := index.Load(bytes.NewReader(saved), int64(len(saved)), "encoder two"); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("made with another encoder: %v", err)
	}
	for at := 0; at < len(saved); at += 1 + at/50 {
		damaged := bytes.Clone(saved)
		damaged[at] ^= 0x10
		if _, _, err := index.Load(bytes.NewReader(damaged), int64(len(damaged)), "encoder one"); err == nil {
			t.Fatalf("byte %d was changed and nobody saw", at)
		}
		if _, _, err := index.Load(bytes.NewReader(saved[:at]), int64(at), "encoder one"); err == nil {
			t.Fatalf("all after byte %d is missing and nobody saw", at)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte("daybook index 1\n"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _, _ = index.Load(bytes.NewReader(data), int64(len(data)), "")
	})
}

// BenchmarkLoad reads a saved index: words and one vector a note.
func BenchmarkLoad(b *testing.B) {
	c := openCorpus(b)
	for _, n := range []int{100_000, 1_000_000} {
		path := filepath.Join(b.TempDir(), "index")
		saveCorpus(b, c, n, path)
		b.Run(map[bool]string{true: "1000000", false: "100000"}[n == 1_000_000], func(b *testing.B) {
			var l latencies
			for b.Loop() {
				l.time(func() {
					f, err := os.Open(path)
					if err != nil {
						b.Fatal(err)
					}
					defer f.Close()
					info, err := f.Stat()
					if err != nil {
						b.Fatal(err)
					}
					v, _, err := index.Load(f, info.Size(), "")
					if err != nil || v.Len() != n {
						b.Fatal(err)
					}
					b.ReportMetric(float64(info.Size())/float64(n), "B/note")
				})
			}
			l.report(b)
		})
	}
}

func saveCorpus(b *testing.B, c *corpus, n int, path string) {
	b.Helper()
	s := c.scope(b, n)
	rows := make([]store.Vector, 0, 65536)
	c.mixed(n, func(i int, v []float32) {
		rows = append(rows, store.Vector{Place: store.Place{Seq: uint64(i/8 + 1), Pos: i % 8}, Data: index.Pack(v)})
		if len(rows) == cap(rows) || i == n-1 {
			if err := s.Apply(index.Change{Vectors: []index.Vectors{{Space: "content", Dim: c.Dim, Rows: rows}}}); err != nil {
				b.Fatal(err)
			}
			rows = rows[:0]
		}
	})
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := s.Snapshot().Save(f, ""); err != nil {
		b.Fatal(err)
	}
}
