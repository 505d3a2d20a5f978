package model

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"daybook"
	"daybook/model/internal/bert"
	"daybook/model/internal/kernel"
	"daybook/model/internal/wordpiece"
)

// LocalReader is a Reader that runs in this process, on the word embeddings of the encoder that
// it was trained from. tools/reader makes its file and says how it is read.
type LocalReader struct {
	local
	heads readerHeads
	colon []int32 // what stands after a speaker
}

// Words of the vocabulary that no text has, as training used them: around a value, before an earlier
// statement, and before a known name.
const (
	markOpen int32 = iota + 1
	markClose
	markEarlier
	markName
)

// How many tokens of each part are read, as in training.
const (
	nameTokens       = 6
	knownTokens      = 40
	contextTokens    = 70
	contextMessages  = 4
	contextText      = 60
	messageTokens    = 128
	newTokens        = 48
	earlierTokens    = 34
	beforePairTokens = 24
	rowTokens        = 110
	aroundTokens     = 40
	questionRead     = 48
	askedTokens      = 32 // of a question that candidates are chosen for
	markRoom         = 14 // of a marked message, for date, speaker and marks
	markedValue      = 12
	mostKnown        = 14
)

// MostEarlier is how many earlier statements a Comparison may have, and MostChoices how many
// candidates are chosen among.
const (
	MostEarlier = 5
	MostChoices = 6
)

// OpenReader makes a reader of a file's bytes, which it keeps using, and of the encoder that it was
// trained from. A file of another encoder is Invalid, a damaged one Corrupt.
func OpenReader(encoder *LocalEncoder, data string) (*LocalReader, error) {
	file, err := bert.Parse(data)
	if err != nil {
		return nil, err
	}
	net, err := encoder.net.Onto(file)
	if err != nil {
		return nil, err
	}
	r := &LocalReader{local: local{net: net, file: file, info: describe(file, encoder.info.Kernel, len(data))}}
	r.colon = net.Tokenizer.Encode(nil, ":")
	if r.heads, err = readHeads(file); err != nil {
		return nil, fmt.Errorf("reader %s: %w", file.Config.Name, err)
	}
	return r, nil
}

// dense is a small layer of float32.
type dense struct {
	in           int
	weight, bias []float32
}

// of applies the layer to the vectors given, one after the other as one.
func (d dense) of(parts ...[]float32) []float32 {
	out := make([]float32, len(d.bias))
	for o := range out {
		sum, row := d.bias[o], d.weight[o*d.in:(o+1)*d.in]
		for _, p := range parts {
			for j, v := range p {
				sum += v * row[j]
			}
			row = row[len(p):]
		}
		out[o] = sum
	}
	return out
}

type readerHeads struct {
	tag, stance, vector, holderQuery, holderKey dense
	kind, form, questionVector, aboutVector     dense
	pair, answer, points, yes                   dense
	answerStance, choice                        dense
}

const (
	vectorDim = 256 // of Statement.Vector
	holderDim = 64  // of the keys by which holders are found, for the first and for the last token
)

var stances = []Stance{Holds, Ended, Intended, Hypothetical, Reported, Denied, Joke, Past, Suggestion, Rule}

func readHeads(f *bert.File) (h readerHeads, err error) {
	hidden := f.Config.Hidden
	for _, part := range []struct {
		name    string
		to      *dense
		in, out int
	}{
		{"tag", &h.tag, 1, 2}, {"stance", &h.stance, 3, len(stances)}, {"vector", &h.vector, 3, vectorDim},
		{"holder_query", &h.holderQuery, 3, 2 * holderDim}, {"holder_key", &h.holderKey, 1, 2 * holderDim},
		{"kind", &h.kind, 2, len(QuestionKinds)}, {"form", &h.form, 2, len(QuestionForms)},
		{"question_vector", &h.questionVector, 2, vectorDim}, {"about_vector", &h.aboutVector, 2, vectorDim},
		{"pair", &h.pair, 2, 4}, {"answer", &h.answer, 1, 3}, {"points", &h.points, 1, 2}, {"yes", &h.yes, 1, 2},
		{"answer_stance", &h.answerStance, 3, len(stances)}, {"choice", &h.choice, 2, 3},
	} {
		part.to.in = part.in * hidden
		if part.to.weight, err = f.Halves("reader."+part.name+".weight", part.to.in*part.out); err != nil {
			return h, err
		}
		if part.to.bias, err = f.Halves("reader."+part.name+".bias", part.out); err != nil {
			return h, err
		}
	}
	return h, nil
}

func softmax(x []float32) []float32 {
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	sum := 0.0
	out := make([]float32, len(x))
	for i, v := range x {
		e := math.Exp(float64(v - most))
		out[i], sum = float32(e), sum+e
	}
	for i := range out {
		out[i] /= float32(sum)
	}
	return out
}

func best(x []float32) (at int) {
	for i, v := range x {
		if v > x[at] {
			at = i
		}
	}
	return at
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

// tokens is a text as tokens, with the bytes that each token's word covers.
type tokens struct {
	ids    []int32
	starts []int
	ends   []int
}

func (r *LocalReader) tokens(text string, most int) tokens {
	ids, words := r.net.Tokenizer.EncodeWords(text)
	t := tokens{ids: ids, starts: make([]int, len(ids)), ends: make([]int, len(ids))}
	for _, w := range words {
		t.cover(w)
	}
	return t.first(most)
}

func (t tokens) cover(w wordpiece.Word) {
	for i := w.First; i < w.Last; i++ {
		t.starts[i], t.ends[i] = w.Start, w.End
	}
}

func (t tokens) first(most int) tokens {
	n := min(len(t.ids), most)
	return tokens{t.ids[:n], t.starts[:n], t.ends[:n]}
}

// span gives the first and last token that touch the bytes; false when none does.
func (t tokens) span(start, end int) (first, last int, ok bool) {
	first = -1
	for i := range t.ids {
		if t.ends[i] > start && t.starts[i] < end {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return first, last, first >= 0
}

func (r *LocalReader) ids(text string, most int) []int32 {
	ids := r.net.Tokenizer.Encode(nil, text)
	return ids[:min(len(ids), most)]
}

// head is the date and the speaker that a message is read with.
func (r *LocalReader) head(m Said, name int) (ids []int32, speaker int) {
	if !m.Time.IsZero() {
		ids = r.ids(m.Time.UTC().Format(time.DateOnly), nameTokens)
	}
	speaker = len(ids)
	return slices.Concat(ids, r.ids(m.Speaker, name), r.colon), speaker
}

// before are messages before another as it is read with them: the nearest that fit, oldest first.
// It returns the tokens, and for each message that is there where its text begins.
func (r *LocalReader) before(messages []Said, count, most int) (ids []int32, places []textPlace) {
	for i := len(messages) - 1; i >= 0 && i >= len(messages)-count; i-- {
		m := messages[i]
		speaker := slices.Concat(r.ids(m.Speaker, nameTokens), r.colon)
		text := r.tokens(m.Text, contextText)
		part := slices.Concat(speaker, text.ids, []int32{r.net.Tokenizer.Separator})
		if len(ids)+len(part) > most {
			break
		}
		ids = append(part, ids...)
		for j := range places {
			places[j].at += len(part)
		}
		places = append(places, textPlace{at: len(speaker), text: m.Text, tokens: text})
	}
	return ids, places
}

// textPlace is where the tokens of a text stand in an input.
type textPlace struct {
	at     int
	text   string
	tokens tokens
}

// words gives the bytes between two tokens of the input, where both are of this text.
func (p textPlace) words(first, last int) (start, end int, ok bool) {
	if first < p.at || last >= p.at+len(p.tokens.ids) || last < first {
		return 0, 0, false
	}
	return p.tokens.starts[first-p.at], p.tokens.ends[last-p.at], true
}

func (r *LocalReader) checkWindows(windows []Window) error {
	for i, w := range windows {
		if err := checkLength("message", i, w.Text); err != nil {
			return err
		}
	}
	return nil
}

// states runs inputs and hands each one's rows to visit; see Network.Run.
func (r *LocalReader) states(ctx context.Context, what string, inputs []bert.Input, visit func(i int, rows [][]float32)) error {
	err := r.net.Run(ctx, inputs, func(i int, m kernel.Matrix) {
		rows := make([][]float32, m.Rows)
		for j := range rows {
			rows[j] = m.Row(j, r.net.Config.Hidden)
		}
		visit(i, rows)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Questions implements Reader.
func (r *LocalReader) Questions(ctx context.Context, questions []string) ([]Asked, error) {
	out := make([]Asked, len(questions))
	inputs, err := r.plainInputs(questions)
	if err != nil {
		return nil, err
	}
	err = r.states(ctx, "read questions", inputs, func(i int, rows [][]float32) {
		class, mean := rows[0], meanRow(rows)
		kinds, forms := softmax(r.heads.kind.of(class, mean)), softmax(r.heads.form.of(class, mean))
		k, f := best(kinds), best(forms)
		out[i] = Asked{Kind: QuestionKinds[k], KindSure: kinds[k], Form: QuestionForms[f], FormSure: forms[f], Vector: r.heads.questionVector.of(class, mean)}
		bert.Unit(out[i].Vector)
	})
	return out, err
}

// About returns vectors of names for what statements are about ("home city", "rent"), in the
// space of Statement.Vector.
func (r *LocalReader) About(ctx context.Context, names []string) ([][]float32, error) {
	out := make([][]float32, len(names))
	inputs, err := r.plainInputs(names)
	if err != nil {
		return nil, err
	}
	err = r.states(ctx, "read names", inputs, func(i int, rows [][]float32) {
		out[i] = r.heads.aboutVector.of(rows[0], meanRow(rows))
		bert.Unit(out[i])
	})
	return out, err
}

func (r *LocalReader) plainInputs(texts []string) ([]bert.Input, error) {
	inputs := make([]bert.Input, len(texts))
	for i, text := range texts {
		if err := checkLength("text", i, text); err != nil {
			return nil, err
		}
		t := r.net.Tokenizer
		ids := append(append([]int32{t.Class}, r.ids(text, questionRead)...), t.Separator)
		inputs[i] = bert.Input{IDs: ids, Second: len(ids)}
	}
	return inputs, nil
}

func meanRow(rows [][]float32) []float32 {
	mean := make([]float32, len(rows[0]))
	for _, row := range rows {
		for j, v := range row {
			mean[j] += v / float32(len(rows))
		}
	}
	return mean
}

// Compare implements Reader.
func (r *LocalReader) Compare(ctx context.Context, comparisons []Comparison) ([][]Bearing, error) {
	out := make([][]Bearing, len(comparisons))
	inputs, places := make([]bert.Input, len(comparisons)), make([][]int, len(comparisons))
	for i, c := range comparisons {
		if len(c.Earlier) == 0 || len(c.Earlier) > MostEarlier {
			return nil, daybook.Errorf(daybook.Invalid, "comparison %d has %d earlier statements, want 1 to %d", i, len(c.Earlier), MostEarlier)
		}
		if err := checkLength("message", i, c.New.Text); err != nil {
			return nil, err
		}
		inputs[i], places[i] = r.comparison(c)
	}
	err := r.states(ctx, "compare statements", inputs, func(i int, rows [][]float32) {
		for _, at := range places[i] {
			p := softmax(r.heads.pair.of(rows[at], rows[0]))
			out[i] = append(out[i], Bearing{Other: p[0], Repeats: p[1], Ends: p[2], Same: p[3]})
		}
	})
	return out, err
}

func (r *LocalReader) comparison(c Comparison) (bert.Input, []int) {
	context, _ := r.before(c.Before, 1, beforePairTokens)
	ids := append([]int32{r.net.Tokenizer.Class}, context...)
	return r.withCandidates(append(ids, r.marked(c.New, newTokens)...), c.Earlier)
}

// withCandidates ends the first part of an input and puts statements after it. It returns where
// each of them begins.
func (r *LocalReader) withCandidates(ids []int32, candidates []Stated) (in bert.Input, places []int) {
	t := r.net.Tokenizer
	ids = append(ids, t.Separator)
	in.Second = len(ids)
	for _, c := range candidates {
		places = append(places, len(ids))
		ids = append(append(append(ids, markEarlier), r.marked(c, earlierTokens)...), t.Separator)
	}
	in.IDs = ids
	return in, places
}

// Choose implements Reader.
func (r *LocalReader) Choose(ctx context.Context, question string, candidates []Stated) ([]Choice, error) {
	if len(candidates) == 0 || len(candidates) > MostChoices {
		return nil, daybook.Errorf(daybook.Invalid, "%d candidates to choose among, want 1 to %d", len(candidates), MostChoices)
	}
	if err := checkLength("question", 0, question); err != nil {
		return nil, err
	}
	for i, c := range candidates {
		if err := checkLength("message", i, c.Text); err != nil {
			return nil, err
		}
	}
	ids := append([]int32{r.net.Tokenizer.Class}, r.ids(question, askedTokens)...)
	in, places := r.withCandidates(ids, candidates)
	out := make([]Choice, len(candidates))
	err := r.states(ctx, "choose an answer", []bert.Input{in}, func(_ int, rows [][]float32) {
		for i, at := range places {
			p := softmax(r.heads.choice.of(rows[at], rows[0]))
			out[i] = Choice{Other: p[0], Related: p[1], Answers: p[2]}
		}
	})
	return out, err
}

// marked is a message with its value between marks, cut around it.
func (r *LocalReader) marked(s Stated, most int) []int32 {
	head, _ := r.head(s.Said, 4)
	text := r.tokens(s.Text, messageTokens)
	first, last, ok := text.span(s.Start, s.End)
	if !ok {
		first, last = 0, min(len(text.ids), 1)-1
	}
	room := most - markRoom
	start := max(0, min(first-room/2, len(text.ids)-room))
	end := min(len(text.ids), start+room)
	first, last = max(first, start), min(last, end-1)
	value := text.ids[first : last+1]
	ids := append(head, text.ids[start:first]...)
	ids = append(append(append(ids, markOpen), value[:min(len(value), markedValue)]...), markClose)
	return append(ids, text.ids[last+1:end]...)
}

// Answers implements Reader.
func (r *LocalReader) Answers(ctx context.Context, question string, windows []Window) ([]Answering, error) {
	if err := checkLength("question", 0, question); err != nil {
		return nil, err
	}
	if err := r.checkWindows(windows); err != nil {
		return nil, err
	}
	asked := r.ids(question, questionRead)
	out, inputs, texts := make([]Answering, len(windows)), make([]bert.Input, len(windows)), make([]textPlace, len(windows))
	for i, w := range windows {
		inputs[i], texts[i] = r.answerInput(asked, w)
	}
	err := r.states(ctx, "read answers", inputs, func(i int, rows [][]float32) {
		p := softmax(r.heads.answer.of(rows[0]))
		out[i] = Answering{None: p[0], Mentions: p[1], Answers: p[2], Yes: softmax(r.heads.yes.of(rows[0]))[1]}
		r.point(&out[i], texts[i], rows)
	})
	return out, err
}

func (r *LocalReader) answerInput(asked []int32, w Window) (bert.Input, textPlace) {
	t := r.net.Tokenizer
	ids := append(append([]int32{t.Class}, asked...), t.Separator)
	in := bert.Input{Second: len(ids)}
	context, _ := r.before(w.Before, 2, aroundTokens)
	head, _ := r.head(w.Said, nameTokens)
	ids = append(append(ids, context...), head...)
	text := textPlace{at: len(ids), text: w.Text, tokens: r.tokens(w.Text, rowTokens)}
	in.IDs = append(append(ids, text.tokens.ids...), t.Separator)
	return in, text
}

// longestAnswer is how many tokens an answer has at most.
const longestAnswer = 14

// point finds the stretch whose first and last token score best together.
func (r *LocalReader) point(a *Answering, text textPlace, rows [][]float32) {
	n := len(text.tokens.ids)
	first, last := make([]float32, n), make([]float32, n)
	for i := range n {
		p := r.heads.points.of(rows[text.at+i])
		first[i], last[i] = p[0], p[1]
	}
	a.SpanScore, a.Stance = float32(math.Inf(-1)), Holds
	from, to := 0, 0
	for i := range n {
		for j := i; j < min(n, i+longestAnswer); j++ {
			if s := first[i] + last[j]; s > a.SpanScore {
				a.SpanScore, a.Start, a.End = s, text.tokens.starts[i], text.tokens.ends[j]
				from, to = text.at+i, text.at+j
			}
		}
	}
	if n > 0 {
		a.Stance = stances[best(r.heads.answerStance.of(rows[from], rows[to], rows[0]))]
	}
}
