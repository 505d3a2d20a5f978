package model

import (
	"context"

	"daybook/model/internal/bert"
)

// statedAbove is how likely a token must be part of a value.
const statedAbove = 0.5

// longestName is how many tokens a holder's name has at most.
const longestName = 8

// statementInput is a window as it is read, and what its parts are.
type statementInput struct {
	bert.Input
	message textPlace
	context []textPlace
	names   []namePlace // known names, and the speaker
}

// namePlace is where a name stands in an input.
type namePlace struct {
	first, last int
	name        string
}

// Statements implements Reader.
func (r *LocalReader) Statements(ctx context.Context, windows []Window) ([][]Statement, error) {
	if err := r.checkWindows(windows); err != nil {
		return nil, err
	}
	out, reads, inputs := make([][]Statement, len(windows)), make([]statementInput, len(windows)), make([]bert.Input, len(windows))
	for i, w := range windows {
		reads[i] = r.statementInput(w)
		inputs[i] = reads[i].Input
	}
	err := r.states(ctx, "read statements", inputs, func(i int, rows [][]float32) { out[i] = r.statements(reads[i], rows) })
	return out, err
}

func (r *LocalReader) statementInput(w Window) statementInput {
	t := r.net.Tokenizer
	var in statementInput
	ids := []int32{t.Class}
	for _, name := range w.Known[:min(len(w.Known), mostKnown)] {
		part := r.ids(name, nameTokens)
		if len(part) == 0 {
			continue
		}
		if len(ids)+1+len(part) > knownTokens {
			break
		}
		ids = append(append(ids, markName), part...)
		in.names = append(in.names, namePlace{len(ids) - len(part), len(ids) - 1, name})
	}
	ids = append(ids, t.Separator)
	context, places := r.before(w.Before, contextMessages, contextTokens)
	for _, p := range places {
		p.at += len(ids)
		in.context = append(in.context, p)
	}
	ids = append(ids, context...)
	in.Second = len(ids)
	head, speaker := r.head(w.Said, nameTokens)
	in.names = append(in.names, namePlace{len(ids) + speaker, len(ids) + len(head) - 2, w.Speaker})
	ids = append(ids, head...)
	in.message = textPlace{at: len(ids), text: w.Text, tokens: r.tokens(w.Text, messageTokens)}
	in.IDs = append(append(ids, in.message.tokens.ids...), t.Separator)
	return in
}

// statements finds the stretches that state a value and reads each.
func (r *LocalReader) statements(in statementInput, rows [][]float32) (out []Statement) {
	n := len(in.message.tokens.ids)
	inside, begins := make([]float32, n), make([]float32, n)
	for i := range n {
		tag := r.heads.tag.of(rows[in.message.at+i])
		inside[i], begins[i] = sigmoid(tag[0]), sigmoid(tag[1])
	}
	var keys [][]float32
	for _, span := range stretches(inside, begins) {
		if keys == nil {
			keys = r.holderKeys(rows)
		}
		out = append(out, r.statement(in, rows, keys, inside, span))
	}
	return out
}

// stretches are the runs of tokens that are likely enough to be part of a value; a run is cut
// where another value begins.
func stretches(inside, begins []float32) (spans [][2]int) {
	start := -1
	for i := range len(inside) + 1 {
		on := i < len(inside) && inside[i] > statedAbove
		if start >= 0 && (!on || begins[i] > 0.5) {
			spans = append(spans, [2]int{start, i - 1})
			start = -1
		}
		if on && start < 0 {
			start = i
		}
	}
	return spans
}

func (r *LocalReader) statement(in statementInput, rows, keys [][]float32, inside []float32, span [2]int) Statement {
	var s Statement
	for i := span[0]; i <= span[1]; i++ {
		s.Sure += inside[i] / float32(span[1]-span[0]+1)
	}
	first, last := rows[in.message.at+span[0]], rows[in.message.at+span[1]]
	s.Start, s.End = in.message.tokens.starts[span[0]], in.message.tokens.ends[span[1]]
	p := softmax(r.heads.stance.of(first, last, rows[0]))
	at := best(p)
	s.Stance, s.StanceSure = stances[at], p[at]
	s.Vector = r.heads.vector.of(first, last, rows[0])
	bert.Unit(s.Vector)
	s.Holder, s.HolderSure = in.holder(r.heads.holderQuery.of(first, last, rows[0]), keys)
	return s
}

func (r *LocalReader) holderKeys(rows [][]float32) [][]float32 {
	keys := make([][]float32, len(rows))
	for i, row := range rows {
		keys[i] = r.heads.holderKey.of(row)
	}
	return keys
}

// holder is the name that the query points at, and how sure that is: all places of one name count
// together. The class token stands for a holder that is not named.
func (in statementInput) holder(query []float32, keys [][]float32) (name string, sure float32) {
	first, last := make([]float32, len(keys)), make([]float32, len(keys))
	for i, k := range keys {
		first[i], last[i] = dot(query[:holderDim], k[:holderDim])/8, dot(query[holderDim:], k[holderDim:])/8
	}
	p := softmax(first)
	at := best(p)
	name = in.nameAt(at, last)
	if name == "" {
		return "", p[at]
	}
	for i, v := range p {
		if i == at || in.knownAt(i) == name {
			sure += v
		}
	}
	return name, sure
}

// knownAt is the known name or speaker that a token belongs to.
func (in statementInput) knownAt(token int) string {
	for _, n := range in.names {
		if token >= n.first && token <= n.last {
			return n.name
		}
	}
	return ""
}

// nameAt is the name that begins with a token: one that is known, or the words up to the best last
// token of the same text.
func (in statementInput) nameAt(token int, last []float32) string {
	if name := in.knownAt(token); name != "" {
		return name
	}
	for _, p := range append([]textPlace{in.message}, in.context...) {
		if token < p.at || token >= p.at+len(p.tokens.ids) {
			continue
		}
		end := token
		for i := token; i < min(p.at+len(p.tokens.ids), token+longestName); i++ {
			if last[i] > last[end] {
				end = i
			}
		}
		if start, stop, ok := p.words(token, end); ok {
			return p.text[start:stop]
		}
	}
	return ""
}

func dot(a, b []float32) (sum float32) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
