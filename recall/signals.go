package recall

// Signal names one thing that speaks for or against a note.
type Signal int

// The signals. Likeness is relative to the pool: 0 for its best note and -1 for
// its middle one, so that encoders with other scales give the same order. Words are
// relative to the best note's. Those marked × count only with what stands there.
const (
	Dense        Signal = iota // likeness of the note to the question
	DenseRank                  // its rank by likeness
	LatentLike                 // likeness of the note with what was said before it
	Window                     // BM25 of the note and the turns around it
	WindowRank                 // its rank by that
	WindowCover                // share of the question's words, by rarity, in the note and the turns next to it
	Statement                  // likeness to the question turned into a statement
	Topic                      // likeness to what the question is about, without names
	Feedback                   // likeness to the best three by a first look
	SessionBest                // how good the best other note of its session is by a first look
	OtherSpeaker               // said by another than the one whom the question names, or than the asker
	FirstPerson                // in the first person × said by the one who is meant
	SecondPerson               // says you × said by another
	FirstPast                  // the speaker tells what he or she did
	AsksBack                   // is a question itself
	Answers                    // has a number, where one is asked for; a name, where a name is
	SaidWhen                   // names a time × the question asks when
	InWindow                   // said in the time that the question names
	SpeaksOf                   // speaks of that time
	Opening                    // early in its session, where people tell their news
	Specific                   // how rare its rarest words are
	Length                     // logarithm of its length
	Image                      // shows something
	Assistant                  // said by an assistant
	Told                       // said by an assistant × the question asks what it said
	Replies                    // the same, and right after a note that is like the question
	Instructs                  // tells the listener what to do from now on × not said by an assistant
	Prefers                    // says what the speaker likes better × the question asks for advice
	Recent                     // how late in the memory it was said
	Important                  // importance of the facts that stand on it
	Expanded                   // its rank by another way of asking, which a language model gave
	Parted                     // its rank by one of the things that are asked at once
	Related                    // its rank by the words that tell the best by a first look from other notes
	Routed                     // its rank by the routes from entities that are named
	signals
)

// signalNames are the constants' names, and those that explanations use.
var signalNames = [signals][2]string{
	{"Dense", "dense"}, {"DenseRank", "dense_rank"}, {"LatentLike", "latent"}, {"Window", "window"},
	{"WindowRank", "window_rank"}, {"WindowCover", "window_cover"}, {"Statement", "statement"}, {"Topic", "topic"},
	{"Feedback", "feedback"}, {"SessionBest", "session_best"}, {"OtherSpeaker", "other_speaker"},
	{"FirstPerson", "first_person"}, {"SecondPerson", "second_person"}, {"FirstPast", "first_past"}, {"AsksBack", "asks_back"},
	{"Answers", "answers"}, {"SaidWhen", "said_when"}, {"InWindow", "in_window"}, {"SpeaksOf", "speaks_of"}, {"Opening", "opening"},
	{"Specific", "specific"}, {"Length", "length"}, {"Image", "image"}, {"Assistant", "assistant"}, {"Told", "told"}, {"Replies", "replies"}, {"Instructs", "instructs"}, {"Prefers", "prefers"}, {"Recent", "recent"},
	{"Important", "important"}, {"Expanded", "expanded"}, {"Parted", "parted"}, {"Related", "related"}, {"Routed", "routed"},
}

// String is the name that explanations use.
func (s Signal) String() string { return signalNames[s][1] }

// GoString is the name of the constant.
func (s Signal) GoString() string { return signalNames[s][0] }

// NumSignals is how many signals there are.
const NumSignals = int(signals)

// Signals hold a value for each signal.
type Signals [signals]float64

// Weights say how much each signal counts: those in use.
func Weights() Signals { return weights }

// Score is the sum of signals, weighted.
func (s *Signals) Score(weights *Signals) (sum float64) {
	for i, x := range s {
		sum += weights[i] * x
	}
	return sum
}

// parts are what each signal adds to the score, by name, without zeros.
func (s *Signals) parts(weights *Signals) map[string]float64 {
	parts := map[string]float64{}
	for i, x := range s {
		if part := weights[i] * x; part != 0 {
			parts[Signal(i).String()] = part
		}
	}
	return parts
}
