package answer

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"daybook"
	"daybook/model"
)

// Writer is the version of what a language model is asked for an answer with.
const Writer = "answer-1"

// Write lets a language model answer from the packet. Pieces of the reply are given
// to say as they come, where it is not nil. Citations that the packet does not hold
// are taken out of the answer and counted. A model that fails leaves the answer to
// the local reader and its pointer; the answer says why.
func Write(ctx context.Context, c model.Completer, m model.Pointer, r *Resolved, p *Packet, say func(string)) (Answer, error) {
	text, err := complete(ctx, c, RequestFor(r, p), say)
	if err != nil || strings.TrimSpace(text) == "" {
		a, unread := Read(ctx, m, r, p)
		a.Fallback = "the model gave no reply"
		if err != nil {
			a.Fallback = "the model failed: " + string(daybook.KindOf(err).String())
		}
		return a, unread
	}
	a := Answer{Question: r.Text, View: r.View, Intent: r.Intent, Rows: p.Items, Citations: []Citation{}, By: "model:" + Writer, Packet: p}
	a.Text, a.Removed = a.checked(p, strings.TrimSpace(text))
	a.Known = !strings.EqualFold(strings.Trim(a.Text, " ."), "not known") && a.Text != ""
	return a, nil
}

func complete(ctx context.Context, c model.Completer, req model.Request, say func(string)) (string, error) {
	var text strings.Builder
	for chunk, err := range model.Stream(ctx, c, req) {
		if err != nil {
			return "", err
		}
		text.WriteString(chunk.Text)
		if say != nil && chunk.Text != "" {
			say(chunk.Text)
		}
	}
	return text.String(), nil
}

var citation = regexp.MustCompile(`\s?\[(\d+(?:\s*,\s*\d+)*)\]`)

// checked keeps the citations that the packet holds and takes out the others.
func (a *Answer) checked(p *Packet, text string) (string, int) {
	removed := 0
	text = citation.ReplaceAllStringFunc(text, func(found string) string {
		var kept []string
		for _, digits := range strings.Split(citation.FindStringSubmatch(found)[1], ",") {
			n, err := strconv.Atoi(strings.TrimSpace(digits))
			if err != nil || n < 1 || n > len(p.Items) {
				removed++
				continue
			}
			kept = append(kept, strconv.Itoa(n))
			it := p.Items[n-1]
			if !slices.ContainsFunc(a.Citations, func(c Citation) bool { return c.N == n }) {
				a.Citations = append(a.Citations, Citation{N: n, ID: it.ID, Source: it.Source, Quote: it.Text})
			}
		}
		if len(kept) == 0 {
			return ""
		}
		return " [" + strings.Join(kept, ", ") + "]"
	})
	return strings.TrimSpace(text), removed
}
