package eval

import (
	"time"

	"daybook"
)

// Dataset is a set of conversations with questions about them.
type Dataset struct {
	Name          string
	Hash          string // SHA-256 over the files it was read from, in hexadecimal
	Conversations []Conversation
	// Tolerated says what was wrong in the files and did no harm, one line
	// each: an evidence id that names no note, for instance, and was left out.
	Tolerated []string
	// Timelines are how states went, where the set tells: the gold of the bank.
	Timelines []Timeline
	// Chats are how the states of natural chats went: the gold of ledger and labels.
	Chats []ChatState
}

// Conversation is one memory: its notes in order, and what is asked of it after
// the last one. Notes carry the data set's own ids as SourceID.
type Conversation struct {
	ID        string
	Notes     []daybook.Note
	Questions []Question
	// Stated is what notes state as keys with values, where the data set has them so.
	Stated []Stated
	// Apart are notes that whoever asks must not see, by SourceID, with the name of the
	// scope that they belong to. A system without scopes keeps all notes together.
	Apart map[string]string
}

// Stated is a value that somebody writes under a key, beside a note that says it in
// words.
type Stated struct {
	Note       string // SourceID
	Subject    string // whose state it is
	Key, Value string
	Time       time.Time // since when; later than that of what it takes the place of
	Supersedes []string  // SourceIDs of notes with what it takes the place of
}

// Question is one question with what is known of its answer.
type Question struct {
	ID       string
	Text     string
	Category string // as the data set names it, readable
	AsOf     time.Time
	// Answers are acceptable answers; none when the data set gives none.
	Answers []string
	// Evidence are the notes that answer it, by SourceID; none when it is not
	// known. Sessions are the sessions of the evidence where only those are
	// known.
	Evidence []string
	Sessions []string
	// Absent says that the conversation does not answer it: a system should
	// say so.
	Absent bool
	// State is set for questions about what holds, held or changed.
	State *StateProbe
	// Chat is set for questions about a natural chat.
	Chat *ChatGold
	// Rubric are the points that an answer is judged by, where there are any.
	Rubric []string
	// Published are answers of other systems that the data set brings along, by
	// the system's name.
	Published map[string]string
}

// Judging says by what rules a question about a state is judged.
type Judging string

// Rules of judging.
const (
	ByValue     Judging = ""          // is the value there, above and apart from the stale ones? (GHOST)
	ByPhrase    Judging = "phrase"    // are the phrases there, and the stale ones not? (StateBench)
	ByReference Judging = "reference" // is it what the current answer says, or the outdated one? (TRACE)
)

// StateProbe is what a question about a state needs to be judged.
type StateProbe struct {
	By        Judging
	Kind      string // current, historical, asof, transition_when, transition_why, transition_how, contested, absent
	Subject   string
	Attribute string
	Values    []string // the right value; two for how and contested
	// Stale are the values and notes of other states; Lures those of distractors;
	// Neutral and Context are notes that count neither way.
	StaleValues, LureValues          []string
	StaleEvidence, LureEvidence      []string
	NeutralEvidence, ContextEvidence []string
	Time                             time.Time // of the change, for when
	Role                             string    // expected, for contested
	NewKind, Chain, Level            string    // how hard it is made
	Distractors                      []string
}
