package tree_test

import (
	"strings"
	"testing"

	"daybook"
	"daybook/tree"

	"github.com/google/go-cmp/cmp"
)

// A tree that is written and read again is the same, but for our ids.
func TestFormats(t *testing.T) {
	file := &tree.Node{Type: "Plan", SourceID: "p", Attrs: []tree.Attr{{"name", `A "quoted" & <odd> name`}}, Children: []*tree.Node{
		{Type: "Day", SourceID: "d1", Attrs: []tree.Attr{{"index", "1"}, {"empty", ""}}, Children: []*tree.Node{
			{Type: "Stop", SourceID: "s1", Attrs: []tree.Attr{{"name", "Café: 9–10, #1"}, {"note", "true"}}, Text: "two words"},
		}},
		{Type: "Day", SourceID: "d2", Attrs: []tree.Attr{{"index", "2"}}},
	}}
	for _, format := range []string{tree.JSON, tree.XML, tree.YAML} {
		text, err := tree.Format(format, file)
		if err != nil {
			t.Fatal(err)
		}
		again, err := tree.Parse(format, text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", format, err, text)
		}
		if diff := cmp.Diff(file, again, sameNodes); diff != "" {
			t.Errorf("%s reads differently:\n%s\n%s", format, diff, text)
		}
	}
}

func TestMarkdownList(t *testing.T) {
	text := "# Home\n\n## Kitchen\n- [ ] Buy milk {due: Friday}\n  - [x] Check the fridge\n- [x] Wash up\n1. A plain item\n   with more about it\n\n## Garden\n* [ ] Mow\n"
	n, err := tree.Parse(tree.Markdown, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	yaml, err := tree.Format(tree.YAML, n)
	if err != nil {
		t.Fatal(err)
	}
	want := `type: List
attrs:
    name: Home
children:
    - type: Section
      attrs:
        name: Kitchen
      children:
        - type: Task
          attrs:
            description: Buy milk
            status: Todo
            due: Friday
          children:
            - type: Task
              attrs:
                description: Check the fridge
                status: Done
        - type: Task
          attrs:
            description: Wash up
            status: Done
        - type: Item
          attrs:
            description: A plain item
            note: with more about it
    - type: Section
      attrs:
        name: Garden
      children:
        - type: Task
          attrs:
            description: Mow
            status: Todo
`
	if diff := cmp.Diff(want, string(yaml)); diff != "" {
		t.Error(diff)
	}
}

// JSON and YAML that are not trees are read for their structure, XML as the
// paper's authors write it.
func TestForeignShapes(t *testing.T) {
	for name, c := range map[string]struct{ format, text, want string }{
		"json": {tree.JSON, `{"title":"Shop","tags":["a","b"],"tasks":[{"name":"Milk","done":true},{"name":"Tea","steps":["boil","pour"]}]}`,
			`<Root title="Shop" tags="a; b"><Task name="Milk" done="true"/><Task name="Tea" steps="boil; pour"/></Root>`},
		"yaml": {tree.YAML, "trip:\n  city: Rome\n  days:\n    - index: 1\n      stops:\n        - name: Forum\n",
			`<Root><Trip city="Rome"><Day index="1"><Stop name="Forum"/></Day></Trip></Root>`},
		"xml": {tree.XML, `<Itinerary><Day index="1"><POI id="a"><name>Forum</name><highlights><highlight>old</highlight><highlight>big</highlight></highlights></POI></Day></Itinerary>`,
			`<Itinerary><Day index="1"><POI id="a" name="Forum" highlights="old; big"/></Day></Itinerary>`},
	} {
		n, err := tree.Parse(c.format, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, err := tree.Format(tree.XML, n)
		if got := strings.Join(strings.Fields(strings.ReplaceAll(string(text), ">\n", "> ")), " "); err != nil || strings.ReplaceAll(got, "> <", "><") != c.want {
			t.Errorf("%s: got %s, want %s; %v", name, got, c.want, err)
		}
	}
	for _, bad := range []struct{ format, text string }{
		{tree.JSON, "7"}, {tree.JSON, "{"}, {tree.JSON, `{} {}`}, {tree.JSON, strings.Repeat("[", 500)}, {tree.XML, "<a>"}, {tree.XML, ""}, {tree.YAML, ""}, {tree.YAML, "a: [b"},
		{tree.Markdown, "only prose"}, {"csv", "a,b"}, {tree.JSON, "\xff"},
	} {
		if _, err := tree.Parse(bad.format, []byte(bad.text)); daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("%s %.20q: %v", bad.format, bad.text, err)
		}
	}
}

func FuzzParseTree(f *testing.F) {
	for _, s := range []string{`{"type":"A","children":[{"type":"B"}]}`, "<A><b>x</b></A>", "a:\n - b: 1\n", "# A\n- [ ] b\n  - c\n", `[1,{"x":null}]`, "a: &x [*x]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []string{tree.JSON, tree.XML, tree.YAML, tree.Markdown} {
			n, err := tree.Parse(format, []byte(text))
			if err != nil {
				if daybook.KindOf(err) != daybook.Invalid {
					t.Fatalf("%s: %v", format, err)
				}
				continue
			}
			edits, err := tree.Plant("t", n, "")
			if err == nil && len(fold(nil, edits)) == 0 {
				t.Fatalf("%s: %q plants nothing", format, text)
			}
		}
	})
}
