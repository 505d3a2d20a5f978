package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"daybook"
	"daybook/engine"
	"daybook/model"
	"daybook/source"
)

// locomo imports the conversations of LoCoMo dev, each into a scope of its own,
// and returns the scopes.
func locomo(t *testing.T, e *engine.Engine) (scopes []daybook.Scope) {
	t.Helper()
	root := os.Getenv("DAYBOOK_DATA")
	if root == "" {
		t.Skip("SKIPPED: names and topics are not measured; set DAYBOOK_DATA to the folder of the data sets")
	}
	f, err := os.Open(filepath.Join(root, "locomo", "locomo_dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	s, err := source.Open(source.Input{Name: f.Name(), Data: f, Size: info.Size()}, source.Options{Format: source.LoCoMo})
	if err != nil {
		t.Fatal(err)
	}
	notes := map[string][]daybook.Note{}
	var order []string
	for r, err := range s.Records() {
		if err != nil {
			t.Fatal(err)
		}
		sample, _, _ := strings.Cut(r.Session, "/")
		if notes[sample] == nil {
			order = append(order, sample)
		}
		notes[sample] = append(notes[sample], r.Note)
	}
	for _, sample := range order {
		scope := daybook.Scope{User: sample}
		if _, err := e.Add(t.Context(), scope, engine.By{Author: "test"}, notes[sample]); err != nil {
			t.Fatal(err)
		}
		scopes = append(scopes, scope)
	}
	return scopes
}

// TestNamesOfRealConversations prints the merges that names call for, to be read.
func TestNamesOfRealConversations(t *testing.T) {
	e := grammarian(t)
	names, merged := 0, 0
	for _, scope := range locomo(t, e) {
		views, err := e.EntityViews(t.Context(), scope, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		names += len(views)
		for _, v := range views {
			if merged += len(v.Aliases); len(v.Aliases) > 0 {
				t.Logf("%s: %s (%s) = %s", scope.User, v.Name, v.Kind, strings.Join(v.Aliases, ", "))
			}
		}
	}
	t.Logf("%d entities, %d other names merged", names, merged)
}

// TestTopicsOfRealConversations prints the topics of each conversation, to be read.
func TestTopicsOfRealConversations(t *testing.T) {
	e := grammarian(t)
	scopes := locomo(t, e)
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	e = e.WithEncoder(enc)
	for _, scope := range scopes {
		topics, err := e.Topics(t.Context(), scope, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		sessions := 0
		for _, topic := range topics {
			sessions += len(topic.Sessions)
			t.Logf("%s: %2d sessions  %s", scope.User, len(topic.Sessions), topic.Label)
		}
		t.Logf("%s: %d topics of %d sessions", scope.User, len(topics), sessions)
		if len(topics) < 3 || len(topics) > 12 {
			t.Errorf("%s: %d topics; a conversation of %d sessions should have 3 to 12", scope.User, len(topics), sessions)
		}
	}
}
