package recall

// Every number that recall is tuned by stands in this file. The tables at the end
// are fitted by
//
//	go run ./tools/rank --learn --locomo FILE --beam FOLDER --write recall/weights.go
//
// to the development halves of LoCoMo and BEAM 100K; docs/results.md has that run,
// and what each group of signals adds. The weights of Expanded and Important are
// set by hand: the one counts only where a language model helps, which those runs
// lack, and the other breaks ties. The other constants were set by hand on the same
// development data: how many rows legs bring and how many are read were changed
// while watching its figures.

// How many candidates each leg brings, and how far it looks for them.
const (
	legRows     = 100 // of each leg
	wordRows    = 300 // notes by words before the window around them is summed up
	windowTurns = 4   // notes before and after that speak for a note
	windowFirst = 0.4 // how much the next one counts
	windowFade  = 0.7 // how much less each further one does
	timeRows    = 400 // notes of a time window that are compared with the question
	namedRows   = 100 // events of an entity whose notes are
	hopEntities = 4   // entities beside one that is named whose notes join
	hopEvents   = 12  // events of either that are looked at; with more, it says nothing
	routeHops   = 1   // from one that is named, that a route goes
	routeCover  = 0.1 // what the words of the question count in a route beside its likeness
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
	rerankedRoutes = 20  // best routes that it looks at
	maxExpansions  = 4   // other ways of asking that are searched
	expansionBytes = 400 // a longer one is left out
	expansionRows  = 40  // of each, by meaning and by words
)

// How signals are made.
const (
	rankShift    = 10   // a rank r counts rankShift/(rankShift+r)
	leastSpread  = 0.04 // of cosines: a small pool, whose notes are all about as far from the question, is not pulled apart
	feedbackRows = 3    // best notes of a first look that others are compared with
	relatedRows  = 5    // best notes of a first look whose words are searched for
	relatedWords = 8    // so many of them
	rarestWords  = 5    // words that make a note specific
	recencyRate  = 1e-7 // G-Long's λ, per second
)

// Where every part is wanted.
const (
	variedRows = 40  // best candidates that are compared with each other
	sameSaid   = 0.8 // share of their words that two have in common who say the same
	saidAgain  = 2   // what the second loses
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
	keptRoutes       = 2  // so many routes beside them
	leastPath        = 0.30
	enablesLink      = 0.5 // what "enables" counts of its confidence
	contradictedPath = 0.5 // what a path with a contradiction counts of its own

	pathNS, pathPC, pathTC, pathUV = 0.4, 0.3, 0.15, 0.15 // eq. 16
)

// weights say how much each signal counts. Fitted by tools/rank;
// docs/results.md has the run.
var weights = Signals{
	Dense:        -0.344,
	DenseRank:    2.461,
	LatentLike:   1.858,
	Window:       1.984,
	WindowRank:   0.593,
	WindowCover:  6.397,
	Statement:    0.380,
	Topic:        0.011,
	Feedback:     -0.341,
	SessionBest:  1.055,
	OtherSpeaker: -0.434,
	FirstPerson:  0.100,
	SecondPerson: -0.631,
	FirstPast:    0.329,
	AsksBack:     -0.154,
	Answers:      0.884,
	SaidWhen:     1.656,
	InWindow:     4.483,
	SpeaksOf:     1.389,
	Opening:      1.084,
	Specific:     1.326,
	Length:       -3.233,
	Image:        0.053,
	Assistant:    -0.544,
	Told:         1.707,
	Replies:      1.814,
	Instructs:    1.897,
	Prefers:      2.086,
	Recent:       -0.932,
	Important:    0.100,
	Expanded:     3.000,
	Parted:       0.162,
	Related:      0.734,
	Routed:       0.408,
}
