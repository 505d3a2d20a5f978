package tree

import (
	"slices"
	"strings"

	"daybook"
	"daybook/xpath"
)

// findVersion reads which version is meant: the original, the current, the one before a
// change, or versions themselves.
func (r *reading) findVersion() {
	step := func(at xpath.Range, pred xpath.Pred) {
		r.version = &xpath.Step{Descend: true, Type: VersionType, At: at, Pred: pred}
	}
	for i, w := range r.words {
		switch {
		case (w.stem == stem("version") || w.stem == stem("revision")) && i > 0 && ordinals[r.words[i-1].Norm] != 0:
			step(one(ordinals[r.words[i-1].Norm]), nil)
			r.take(i-1, i+1)
		case (w.stem == stem("version") || w.stem == stem("revision")) && i > 0 && (r.words[i-1].Norm == "which" || r.words[i-1].Norm == "what"):
			rest := r.free(i+1, r.endOf(i))
			step(xpath.Range{}, xpath.Local{Attr: "patch_info", Text: rest})
			r.take(i, r.endOf(i))
			return
		case w.Norm == "original" || w.Norm == "originally":
			step(one(1), nil)
			r.take(i, i+1)
		case w.Norm == "before" && i+2 < len(r.words) && (r.words[i+1].Tag == "PRP" || r.words[i+1].Norm == "that" || r.words[i+1].Norm == "the") && r.intent == Read:
			if rest := r.free(i+1, r.endOf(i)); rest != "" {
				step(xpath.Range{}, xpath.Local{Attr: "ended_by", Text: rest})
				r.version.Pred = xpath.Local{Attr: "ended_by", Text: rest}
				r.take(i, r.endOf(i))
			}
		}
	}
}

// endOf is the word behind the sentence of a word.
func (r *reading) endOf(i int) int {
	_, last := r.span(r.words[i].sentence)
	return last + 1
}

// free joins the words of meaning from one place up to another.
func (r *reading) free(from, to int) string {
	var out []string
	for _, w := range r.words[from:to] {
		if w.meaningful() {
			out = append(out, w.Text)
		}
	}
	return strings.Join(out, " ")
}

// findNew reads what an addition adds: what stands in quotes, or the noun phrase after
// the verb, up to the place that it goes to.
func (r *reading) findNew() {
	if r.intent != Add {
		return
	}
	end := r.endOf(r.verb)
	from, to := r.verb+1, r.verb+1
	if q := slices.IndexFunc(r.words[from:end], func(w word) bool { return isQuote(w.Text) }); q >= 0 {
		open := from + q
		if close := slices.IndexFunc(r.words[open+1:end], func(w word) bool { return isQuote(w.Text) }); close > 0 {
			r.newNode(r.textOf(open+1, open+1+close))
			r.take(open, open+close+2)
			return
		}
	}
	for to < end && !slices.Contains([]string{"to", "on", "in", "into", "under", "before", "after", "between", "as", "at", ",", ".", "?", "!", "for", "by"}, r.words[to].Norm) {
		to++
	}
	if to < end && r.words[to].Norm == "to" && to+1 < end && r.words[to+1].Tag == "VB" { // a task to practise scales
		for to++; to < end && !slices.Contains([]string{"to", "on", "in", "under", ",", "."}, r.words[to].Norm); to++ {
		}
	}
	r.newNode(r.textOf(from, to))
	r.take(from, to)
}

func isQuote(s string) bool {
	return slices.Contains([]string{"'", `"`, "“", "”", "‘", "’", "``", "''"}, s)
}

// textOf is the request's own text from one word up to another.
func (r *reading) textOf(from, to int) string {
	var out strings.Builder
	for i := from; i < to; i++ {
		if i > from && r.words[i].Start > r.words[i-1].End {
			out.WriteByte(' ')
		}
		out.WriteString(r.words[i].Text)
	}
	return out.String()
}

// newNode notes what is added; a type that it begins with is its type.
func (r *reading) newNode(text string) {
	r.node = &NewNode{}
	words := strings.Fields(text)
	for len(words) > 1 && slices.Contains([]string{"a", "an", "the", "some", "another", "new"}, strings.ToLower(words[0])) {
		words = words[1:]
	}
	if len(words) > 0 {
		for _, t := range r.contentTypes() {
			if w := typeWords(t); len(w) > 0 && stem(strings.ToLower(words[0])) == w[len(w)-1] {
				r.node.Type = t
				if words = words[1:]; len(words) > 1 && (words[0] == "to" || words[0] == "called" || words[0] == "named") {
					words = words[1:]
				}
				break
			}
		}
	}
	r.node.Text = strings.Join(words, " ")
}

// finishAdd settles where an addition goes and what type it has.
func (r *reading) finishAdd(plan *Plan, steps []xpath.Step) error {
	if plan.Node == nil || plan.Node.Text == "" && plan.Node.Type == "" {
		return daybook.Errorf(daybook.Invalid, "the request is not understood: it does not say what to add")
	}
	if len(steps) == 0 {
		return daybook.Errorf(daybook.Invalid, "the request is not understood: it does not say where to add %q", plan.Node.Text)
	}
	last := &steps[len(steps)-1]
	if last.Type == xpath.Any || !r.inner(last.Type) { // words that describe a container
		if parents := r.parentsOf(plan.Node.Type); len(parents) > 0 {
			last.Type = parents[len(parents)-1]
		}
	}
	plan.Query.Steps = r.below(steps)
	t, _ := r.schema.Type(last.Type)
	if plan.Node.Type == "" {
		kinds := slices.Clone(t.Children)
		switch len(kinds) {
		case 0:
			return daybook.Errorf(daybook.Invalid, "the request is not understood: nothing stands below a %s", last.Type)
		case 1:
			plan.Node.Type = kinds[0]
		default:
			words := append([]string{""}, strings.Fields(plan.Node.Text)...)
			typ, err := r.sense(words[len(words)-1], kinds)
			if err != nil {
				return err
			}
			if typ == "" {
				typ = kinds[0]
			}
			plan.Node.Type = typ
		}
	}
	r.label(plan.Node)
	if last.Pred == nil || r.says(r.main, "all", "every", "each") {
		plan.One = false
	} else {
		plan.One = true
	}
	return nil
}

// parentsOf are the types that nodes of a type, or the innermost ones, stand
// below.
func (r *reading) parentsOf(typ string) []string {
	if typ == "" {
		if leaves := r.leafTypes(); len(leaves) > 0 {
			typ = leaves[0]
		}
	}
	t, _ := r.schema.Type(typ)
	return t.Parents
}

// label puts a new node's text where nodes of its type have their names.
func (r *reading) label(n *NewNode) {
	t, _ := r.schema.Type(n.Type)
	for _, attr := range []string{"name", "title", "description"} {
		if slices.Contains(t.Attrs, attr) && n.Text != "" {
			n.Attrs, n.Text = append(n.Attrs, Attr{attr, n.Text}), ""
			return
		}
	}
}

// findSet reads what an update sets: "mark … done", "to high priority", "set the
// cost to $10", "change … to …".
func (r *reading) findSet() error {
	if r.intent != Update {
		return nil
	}
	end := r.endOf(r.verb)
	to := -1
	for i := end - 1; i > r.verb; i-- {
		if n := r.words[i].Norm; n == "to" || n == "as" || n == "for" || n == "with" || n == "into" {
			if n == "for" && r.words[r.verb].Norm != "swap" || n == "with" && r.words[r.verb].Norm != "replace" {
				continue
			}
			to = i
			break
		}
	}
	if r.words[r.verb].Norm == "mark" && to < 0 || r.words[r.verb].Norm == "make" && to < 0 {
		to = r.trailingValue(end) - 1
	}
	if to < 0 || to+1 >= end {
		return nil
	}
	text := strings.Trim(r.textOf(to+1, end), " .!?'\"")
	words := stems(text)
	for _, v := range r.values() {
		if s := stems(v.text); len(s) > 0 && containsAll(words, s) {
			r.set = append(r.set, Attr{v.attr, v.text})
			r.take(to, end)
			return nil
		}
	}
	attr := r.settable(to)
	if attr == "" && r.words[r.verb].Norm == "mark" && slices.ContainsFunc(r.values(), func(v attrValue) bool { return v.attr == "status" }) {
		attr = "status"
	}
	r.set = []Attr{{attr, text}}
	r.take(to, end)
	return nil
}

func containsAll(have, want []string) bool {
	for _, w := range want {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return true
}

// trailingValue finds the value at the end of "mark that task done".
func (r *reading) trailingValue(end int) int {
	for _, v := range r.values() {
		for i := end - 1; i > r.verb; i-- {
			if s := stems(v.text); len(s) == 1 && r.words[i].stem == s[0] {
				return i
			}
		}
	}
	return 0
}

// settable is the attribute that an update names before "to": "set the cost to";
// or what the nodes are called.
func (r *reading) settable(to int) string {
	for _, t := range r.schema.Types {
		for _, attr := range t.Attrs {
			for _, s := range stems(strings.ReplaceAll(attr, "_", " ")) {
				for i := r.verb + 1; i < to; i++ {
					if r.words[i].stem == s && r.schema.Below(VersionType, t.Name) {
						r.words[i].taken = true
						return attr
					}
				}
			}
		}
	}
	return ""
}

// finishEdit settles what an update or a move needs.
func (r *reading) finishEdit(plan *Plan) error {
	for i, a := range plan.Set {
		if a[0] == "" {
			plan.Set[i][0] = r.nameAttr(plan.Query)
		}
	}
	return nil
}

// nameAttr is the attribute that holds what the found nodes are called.
func (r *reading) nameAttr(q xpath.Query) string {
	if len(q.Steps) > 0 {
		t, ok := r.schema.Type(q.Steps[len(q.Steps)-1].Type)
		for _, attr := range []string{"name", "title", "description"} {
			if ok && slices.Contains(t.Attrs, attr) {
				return attr
			}
		}
	}
	return "name"
}
