package main

import (
	"strings"
	"time"
)

// Chat is one annotated conversation of the corpus.
type Chat struct {
	Name      string
	Genre     string // what kind of talk it is: flatmates, on-call, a shop's orders
	Region    string // where its people are and how they write
	Messages  []Message
	Claims    []Claim
	Questions []Question
}

// Message is one line of the talk.
type Message struct {
	ID      string    `json:"id"`
	Session string    `json:"session"`
	Time    time.Time `json:"time"`
	Speaker string    `json:"speaker"`
	Text    string    `json:"text"`
}

// Claim is one thing that a careful reader takes from a message.
type Claim struct {
	Msg    string   `json:"msg"`
	Who    string   `json:"who"`
	About  string   `json:"about"`
	Value  string   `json:"value"`
	Words  string   `json:"words"`
	Stance string   `json:"stance"`
	Since  string   `json:"since"`
	Closes []string `json:"closes"`
	SameAs []string `json:"same_as"`
	// Told says how a change is told where it is not said outright: "implied" or "spread"
	// (over several messages).
	Told string `json:"told,omitempty"`
}

// State is the name of the state that the claim is of.
func (c Claim) State() string { return stateName(c.Who, c.About) }

func stateName(who, about string) string {
	return strings.ToLower(strings.TrimSpace(who)) + " / " + strings.ToLower(strings.TrimSpace(about))
}

// Question is asked after the last message of the chat.
type Question struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Kind     string   `json:"kind"`
	Answer   string   `json:"answer"`
	Accept   []string `json:"accept"`
	Stale    []string `json:"stale"`
	Evidence []string `json:"evidence"`
	Words    string   `json:"words"`
	Items    []string `json:"items,omitempty"`
	// Who and About name the state that is asked for, At the date of an as-of question,
	// Form the shape of the answer where the kind does not give it (yes/no, how many …).
	Who   string `json:"who,omitempty"`
	About string `json:"about,omitempty"`
	At    string `json:"at,omitempty"`
	Form  string `json:"form,omitempty"`
}

var (
	stances = []string{"holds", "ended", "planned", "hypothetical", "reported", "denied", "joke", "past", "suggestion", "rule"}
	kinds   = []string{"current", "historical", "asof", "when", "why", "how", "plain", "multi", "absent", "contested", "list"}
	forms   = []string{"yes/no", "how many", "how long", "how much", "order", "summary", "who", "where", "what", "when", "which"}
)
