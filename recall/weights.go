package recall

// Every number that recall is tuned by stands in this file.

// How many candidates each leg brings, and how far it looks for them.
const (
	legRows     = 60  // of each leg
	wordRows    = 150 // notes by words before the window around them is summed up
	windowTurns = 4   // notes before and after that speak for a note
	windowFirst = 0.4 // how much the next one counts
	windowFade  = 0.7 // how much less each further one does
	timeRows    = 400 // notes of a time window that are compared with the question
	namedRows   = 400 // notes of an entity that are; an entity with more is a hub
	expandRows  = 12  // best candidates whose neighbours join the pool
	expandTurns = 2
	linkRows    = 10 // best candidates whose evolution links are followed
	rankShift   = 10 // a rank r counts rankShift/(rankShift+r)
)

// weights say how much each signal counts, in talk among people.
var weights = Signals{
	Dense: 1.0, DenseRank: .5, LatentLike: 0.7, LatentRank: .5, Words: 1, WordsRank: .2, Window: 1.5, WindowRank: .5,
	Statement: 0.5, Feedback: 0.3, Around: 0.3, Coverage: 1, Speaker: 1, OtherSpeaker: -1, AsksBack: -0.7, SaidWhen: 0.5, InWindow: 1.5,
}

// assisted are added to the weights in so far as the memory is one of a person who
// talks to an assistant, in long messages.
var assisted = Signals{}
