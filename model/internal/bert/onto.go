package bert

import (
	"fmt"

	"daybook"
)

// Onto makes a network of a file that has no word embeddings of its own and reads with those
// of n, and with n's tokenizer. A file that was not trained from n's is Invalid, one whose
// parts do not fit n is Corrupt.
func (n *Network) Onto(f *File) (*Network, error) {
	if f.Config.TunedFrom != n.digest {
		return nil, daybook.Errorf(daybook.Invalid, "model file %s was trained from the network %.8s, not from %.8s", f.Config.Name, f.Config.TunedFrom, n.digest)
	}
	if f.Config.Hidden != n.Config.Hidden || f.Config.Vocabulary != n.Config.Vocabulary {
		return nil, daybook.Errorf(daybook.Corrupt, "model file %s: %d words of %d, its network has %d of %d",
			f.Config.Name, f.Config.Vocabulary, f.Config.Hidden, n.Config.Vocabulary, n.Config.Hidden)
	}
	r, c := reader{file: f}, &f.Config
	t := &Network{
		Config: f.Config, Tokenizer: n.Tokenizer, digest: f.Digest, set: n.set, word: n.word, wordScale: n.wordScale, zeros: n.zeros, helpers: n.helpers,
		position: r.floats("position", c.Positions*c.Hidden), types: r.floats("type", c.Types*c.Hidden), embedNorm: r.norm("norm", c.Hidden),
	}
	t.readLayers(&r)
	if r.err != nil {
		return nil, fmt.Errorf("model file %s: %w", f.Config.Name, r.err)
	}
	t.scratch.New = func() any { return new(scratch) }
	return t, nil
}

// Halves returns a section of n numbers of half precision, all finite. One that is missing, of
// another size or not finite is Corrupt.
func (f *File) Halves(name string, n int) ([]float32, error) { return f.halves(name, n) }
