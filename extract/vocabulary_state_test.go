package extract_test

import (
	"testing"

	"daybook/english"
	"daybook/extract"
)

// A question and a statement name one state, or none, by their words.
func TestNamedStates(t *testing.T) {
	for question, want := range map[string]string{
		"Where does Sam live?":           "lives_in",
		"Where do I live now?":           "lives_in",
		"What city does Sam live in?":    "lives_in",
		"Where did Sam live before?":     "lives_in",
		"Who does Sam work for?":         "works_at",
		"Who is Sam's manager?":          "manager",
		"Who is my dentist?":             "dentist",
		"Who was my previous dentist?":   "dentist",
		"What is Sam's main bank?":       "main_bank",
		"Which bank does Sam use?":       "bank",
		"What is my dog called?":         "dog",
		"What's my sister's name?":       "sister",
		"What is the name of my puppy?":  "dog",
		"What is my name?":               "name",
		"Do I have a girlfriend?":        "partner",
		"Do I have a car?":               "",
		"How old am I?":                  "age",
		"When is the launch?":            "launch",
		"What does Sam think of cities?": "",
		"How old is Sam?":                "",
	} {
		asking := english.ReadQuestion(question)
		if got := extract.AskedState(&asking); got != want {
			t.Errorf("%s asks for %q, not %q", question, got, want)
		}
	}
	for said, want := range map[string]string{
		"I live in New York.":        "lives_in",
		"I moved back to New York.":  "lives_in",
		"I lived in Paris.":          "",
		"My dentist is Dr. Weiss.":   "dentist",
		"Dr. Weiss is my dentist.":   "dentist",
		"I work at a hospital now.":  "works_at",
		"My main bank is Granite.":   "main_bank",
		"My manager is Inge Larsen.": "manager",
		"My new manager is Inge.":    "manager",
		"My recital is on 3 May.":    "recital",
		"My recital moved to 9 May.": "recital",
		"We raised my fee to $90.":   "fee",
	} {
		s := english.ReadSentence(said)
		st, ok := extract.StatementOf(&s, extract.States)
		if got := st.State(); !ok || got != want {
			t.Errorf("%s tells of %q, not %q", said, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{{"lives_in", "works_at", true}, {"works_at", "lives_in", true}, {"works_at", "job", false}, {"lives_in", "lives_in", false}, {"lives_in", "dentist", false}} {
		if got := extract.Apart(c.a, c.b); got != c.want {
			t.Errorf("Apart(%s, %s) is %v", c.a, c.b, got)
		}
	}
}
