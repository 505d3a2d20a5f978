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
	readRows    = 240 // candidates that are read
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
	Dense:        0.401,
	DenseRank:    0.768,
	LatentLike:   2.085,
	WordsRank:    0.171,
	Window:       1.588,
	WindowRank:   0.707,
	WindowCover:  6.875,
	Passage:      2.191,
	Statement:    -0.325,
	Topic:        0.998,
	Feedback:     -0.422,
	Around:       0.568,
	SessionBest:  0.823,
	OtherSpeaker: -1.847,
	FirstPerson:  0.299,
	SecondPerson: -0.489,
	FirstPast:    0.359,
	AsksBack:     -0.584,
	Answers:      0.904,
	SaidWhen:     1.935,
	InWindow:     4.311,
	SpeaksOf:     1.766,
	Opening:      0.853,
	Specific:     1.698,
	Length:       -2.037,
	Image:        -0.123,
	Assistant:    -0.557,
	Recent:       -0.488,
	Important:    0.300,
	Linked:       0.500,
}

// assisted are added to the weights in so far as a person talks to an assistant,
// in long messages.
var assisted = Signals{
	Dense:        0.326,
	DenseRank:    0.535,
	LatentLike:   -1.895,
	Window:       -0.361,
	WindowRank:   0.289,
	Statement:    0.729,
	Feedback:     0.357,
	Around:       -0.222,
	OtherSpeaker: 1.438,
	AsksBack:     -0.017,
	SaidWhen:     -1.361,
	Length:       -2.439,
	Assistant:    -0.167,
	Recent:       -1.484,
}
