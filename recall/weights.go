package recall

// Every number that recall is tuned by stands in this file.

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
	Dense:        0.526,
	DenseRank:    0.649,
	LatentLike:   2.072,
	WordsRank:    0.125,
	Window:       1.760,
	WindowRank:   0.621,
	WindowCover:  6.780,
	Passage:      2.188,
	Statement:    -0.326,
	Topic:        1.031,
	Feedback:     -0.470,
	Around:       0.580,
	SessionBest:  0.910,
	OtherSpeaker: -1.820,
	FirstPerson:  0.311,
	SecondPerson: -0.492,
	FirstPast:    0.364,
	AsksBack:     -0.594,
	Answers:      0.883,
	SaidWhen:     1.931,
	InWindow:     4.606,
	SpeaksOf:     1.656,
	Opening:      0.886,
	Specific:     1.801,
	Length:       -1.951,
	Image:        -0.130,
	Assistant:    -0.573,
	Recent:       -0.574,
	Important:    0.300,
	Linked:       0.500,
}

// assisted are added to the weights in so far as a person talks to an assistant,
// in long messages.
var assisted = Signals{
	Dense:        0.205,
	DenseRank:    0.761,
	LatentLike:   -1.862,
	WordsRank:    0.000,
	Window:       -0.162,
	WindowRank:   0.191,
	WindowCover:  -0.000,
	Passage:      0.000,
	Statement:    0.602,
	Topic:        -0.000,
	Feedback:     0.332,
	Around:       -0.121,
	SessionBest:  0.000,
	OtherSpeaker: 1.396,
	FirstPerson:  -0.000,
	SecondPerson: 0.000,
	FirstPast:    -0.000,
	AsksBack:     0.043,
	Answers:      -0.000,
	SaidWhen:     -1.364,
	InWindow:     0.000,
	SpeaksOf:     0.000,
	Opening:      -0.000,
	Specific:     -0.000,
	Length:       -2.434,
	Image:        0.000,
	Assistant:    -0.172,
	Recent:       -1.780,
	Important:    0.300,
	Linked:       0.000,
}
