package recall

// Signal names one thing that speaks for or against a note.
type Signal int

// The signals. Likeness is relative to the pool: 0 for its best note, -1 for its
// middle one, so that encoders with other scales give other numbers and not
// another order. Words are relative to the best note's.
const (
	Dense        Signal = iota // likeness of the note to the question
	DenseRank                  // its rank by likeness
	LatentLike                 // likeness of the note with what was said before it
	LatentRank                 //
	Words                      // BM25 of the note
	WordsRank                  //
	Window                     // BM25 of the note and the turns around it
	WindowRank                 //
	Statement                  // likeness to the question turned into a statement
	Feedback                   // likeness to the best three of a first pass
	Around                     // the best likeness among the turns next to it
	Before                     // likeness of the turn before it, where that asks something
	Coverage                   // share of the question's words, by rarity, in its best passage
	Speaker                    // said by the one whom the question names, or by the asker
	OtherSpeaker               // said by another than the one named
	FirstPerson                // and speaks in the first person
	AsksBack                   // is a question itself
	SaidWhen                   // names a time, where the question asks when
	InWindow                   // said in the time that the question names
	SpeaksOf                   // speaks of that time
	Length                     // logarithm of its length
	Image                      // shows something
	Assistant                  // said by an assistant
	Recent                     // how late in the memory it was said
	Important                  // importance of the facts that stand on it
	Linked                     // an evolution link leads to it from a better note
	signals
)

// Signals hold a value for each signal.
type Signals [signals]float64

var signalNames = [signals]string{
	"dense", "dense_rank", "latent", "latent_rank", "words", "words_rank", "window", "window_rank", "statement", "feedback",
	"around", "before", "coverage", "speaker", "other_speaker", "first_person", "asks_back", "said_when", "in_window", "speaks_of",
	"length", "image", "assistant", "recent", "important", "linked",
}

func (s Signal) String() string { return signalNames[s] }

// GoString is the name of the constant.
func (s Signal) GoString() string { return signalConstants[s] }

var signalConstants = [signals]string{
	"Dense", "DenseRank", "LatentLike", "LatentRank", "Words", "WordsRank", "Window", "WindowRank", "Statement", "Feedback",
	"Around", "Before", "Coverage", "Speaker", "OtherSpeaker", "FirstPerson", "AsksBack", "SaidWhen", "InWindow", "SpeaksOf",
	"Length", "Image", "Assistant", "Recent", "Important", "Linked",
}

// NumSignals is how many signals there are.
const NumSignals = int(signals)

// WeightSet says how much each signal counts. Assisted weights are added to the
// plain ones in so far as an assistant takes part.
type WeightSet struct{ Plain, Assisted Signals }

// Weights returns the weights in use.
func Weights() WeightSet { return WeightSet{weights, assisted} }

// Score is the weighted sum of signals.
func (w *WeightSet) Score(s *Signals, assist float64) (sum float64) {
	for i, x := range s {
		sum += (w.Plain[i] + assist*w.Assisted[i]) * x
	}
	return sum
}

// parts returns what each signal adds to the score, by name, without zeros.
func (w *WeightSet) parts(s *Signals, assist float64) map[string]float64 {
	parts := map[string]float64{}
	for i, x := range s {
		if part := (w.Plain[i] + assist*w.Assisted[i]) * x; part != 0 {
			parts[Signal(i).String()] = part
		}
	}
	return parts
}
