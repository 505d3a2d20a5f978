package recall

// Every number that recall is tuned by stands in this file. The tables at the end
// are fitted by
//
//	go run ./tools/rank --locomo FILE --beam FOLDER --write recall/weights.go
//
// to the development halves of LoCoMo and BEAM 100K; docs/results.md has that run,
// and what each group of signals adds. The weights of Important and Linked are set by
// hand: they count only where something was learned, which those notes lack. The
// other constants were chosen once, by what the legs then found, and not fitted.

// How many candidates each leg brings, and how far it looks for them.
const (
	legRows     = 100 // of each leg
	wordRows    = 300 // notes by words before the window around them is summed up
	windowTurns = 4   // notes before and after that speak for a note
	windowFirst = 0.4 // how much the next one counts
	windowFade  = 0.7 // how much less each further one does
	timeRows    = 400 // notes of a time window that are compared with the question
	namedRows   = 400 // notes of an entity that are; an entity with more is a hub
	expandRows  = 20  // best candidates whose neighbours join the pool
	nextTurns   = 2   // how many on either side
	readRows    = 320 // candidates that are read
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
	pathSessions     = 3  // best candidates whose sessions' events are seeds
	sessionEvents    = 20 // of each such session
	fanOut           = 5  // links of an event that are followed
	pathHops         = 4  // links of a path
	rawPaths         = 50 // paths that are scored
	keptPaths        = 3  // that are returned
	leastPath        = 0.30
	enablesLink      = 0.5 // what "enables" counts of its confidence
	contradictedPath = 0.5 // what a path with a contradiction counts of its own

	pathNS, pathPC, pathTC, pathUV = 0.4, 0.3, 0.15, 0.15 // eq. 16
)

// weights say how much each signal counts, in talk among people. Fitted by
// tools/rank; docs/results.md has the run.
var weights = Signals{
	Dense:        0.523,
	DenseRank:    0.628,
	LatentLike:   2.077,
	WordsRank:    0.135,
	Window:       1.753,
	WindowRank:   0.642,
	WindowCover:  6.809,
	Passage:      2.174,
	Statement:    -0.334,
	Topic:        1.044,
	Feedback:     -0.465,
	Around:       0.565,
	SessionBest:  0.924,
	OtherSpeaker: -1.824,
	FirstPerson:  0.311,
	SecondPerson: -0.497,
	FirstPast:    0.376,
	AsksBack:     -0.599,
	Answers:      0.879,
	SaidWhen:     1.942,
	InWindow:     4.393,
	SpeaksOf:     1.696,
	Opening:      0.868,
	Specific:     1.779,
	Length:       -1.987,
	Image:        -0.120,
	Assistant:    -0.528,
	Recent:       -0.848,
	Important:    0.300,
	Linked:       0.500,
}

// assisted are added to the weights in so far as a person talks to an assistant,
// in long messages.
var assisted = Signals{
	Dense:        0.190,
	DenseRank:    0.779,
	LatentLike:   -1.866,
	Window:       -0.181,
	WindowRank:   0.187,
	Statement:    0.629,
	Feedback:     0.366,
	Around:       -0.139,
	OtherSpeaker: 1.410,
	AsksBack:     0.071,
	SaidWhen:     -1.361,
	Length:       -2.488,
	Assistant:    -0.159,
}
