package recall

// Every number that recall is tuned by stands in this file. The tables at the end
// are fitted by
//
//	go run ./tools/rank --locomo FILE --beam FOLDER --write recall/weights.go
//
// to the development halves of LoCoMo and BEAM 100K; docs/results.md has that run,
// and what each group of signals adds. The weights of Important, Linked and
// Expanded are set by hand: they count only where something was learned, or where a
// language model helps, which those runs lack. The
// other constants were set by hand on the same development data: how many rows
// legs bring and how many are read were changed while watching its figures.

// How many candidates each leg brings, and how far it looks for them.
const (
	legRows     = 100 // of each leg
	wordRows    = 300 // notes by words before the window around them is summed up
	windowTurns = 4   // notes before and after that speak for a note
	windowFirst = 0.4 // how much the next one counts
	windowFade  = 0.7 // how much less each further one does
	timeRows    = 400 // notes of a time window that are compared with the question
	namedRows   = 100 // events of an entity whose notes are
	hubNotes    = 40  // a name in more notes than this, and in more than namedRows or
	hubShare    = 8   // in one of so many, says nothing: it is a hub
	expandRows  = 20  // best candidates whose neighbours join the pool
	nextTurns   = 2   // how many on either side
	readRows    = 320 // candidates whose cards are read
)

// What models add, where there are any. Set by hand: nothing was measured with them.
const (
	rerankRows     = 30  // best candidates that a cross-encoder looks at
	rerankModel    = 0.8 // its part beside that of the words: γ of Hydra eq. 14
	rerankSignals  = 0.3 // the part of the order before: β of Hydra eq. 15
	maxExpansions  = 4   // other ways of asking that are searched
	expansionBytes = 400 // a longer one is left out
	expansionRows  = 40  // of each, by meaning and by words
)

// How signals are made.
const (
	rankShift    = 10   // a rank r counts rankShift/(rankShift+r)
	leastSpread  = 0.04 // of cosines: a small pool, whose notes are all about as far from the question, is not pulled apart
	feedbackRows = 3    // best notes of a first look that others are compared with
	rarestWords  = 5    // words that make a note specific
	recencyRate  = 1e-7 // G-Long's λ, per second
)

// What was learned: TRACE's limits and discounts of paths.
const (
	linkRows         = 10 // best candidates whose links are followed
	tiesOfNote       = 8  // evolution links of each
	fewSeeds         = 3  // with fewer events to begin with, those of the best row's session join
	sessionEvents    = 10 // so many of them
	fanOut           = 5  // links of an event that are followed
	pathHops         = 4  // links of a path
	rawPaths         = 50 // paths that are scored
	pathEvents       = 8  // events whose links are looked up
	chainEvents      = 4  // the first of them, of which also what only follows in time is, where that is asked for
	keptPaths        = 3  // that are returned
	leastPath        = 0.30
	enablesLink      = 0.5 // what "enables" counts of its confidence
	contradictedPath = 0.5 // what a path with a contradiction counts of its own

	pathNS, pathPC, pathTC, pathUV = 0.4, 0.3, 0.15, 0.15 // eq. 16
)

// weights say how much each signal counts, in talk among people. Fitted by
// tools/rank; docs/results.md has the run.
var weights = Signals{
	Dense:        -0.100,
	DenseRank:    1.770,
	LatentLike:   2.392,
	WordsRank:    0.072,
	Window:       1.819,
	WindowRank:   0.777,
	WindowCover:  6.432,
	Passage:      1.155,
	Statement:    0.341,
	Topic:        0.825,
	Feedback:     -0.385,
	Around:       0.294,
	SessionBest:  0.902,
	OtherSpeaker: -0.543,
	FirstPerson:  0.116,
	SecondPerson: -0.494,
	FirstPast:    0.309,
	AsksBack:     -0.102,
	Answers:      0.873,
	SaidWhen:     1.778,
	InWindow:     4.680,
	SpeaksOf:     1.292,
	Opening:      1.044,
	Specific:     0.721,
	Length:       -1.672,
	Image:        0.044,
	Assistant:    -0.568,
	Recent:       -0.888,
	Important:    0.300,
	Linked:       0.500,
	Expanded:     2.000,
}

// assisted are added to the weights in so far as a person talks to an assistant,
// in long messages.
var assisted = Signals{
	Dense:        -0.860,
	DenseRank:    0.570,
	LatentLike:   -1.214,
	Window:       0.054,
	WindowRank:   0.403,
	Statement:    -0.010,
	Feedback:     0.247,
	Around:       -0.186,
	OtherSpeaker: 0.667,
	AsksBack:     -0.331,
	SaidWhen:     -1.209,
	Length:       -2.256,
	Assistant:    -0.170,
}
