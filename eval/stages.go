package eval

import (
	"slices"
	"strings"
)

// Where gold can be lost on the way to an answer. A system that tells more about
// its way gets a finer verdict: without trails, a note that is not among the rows
// is only "not found".
const (
	stageFound      = "found"
	stageLost       = "not found"
	stageNoLeg      = "not found by any leg"
	stageRanked     = "found but ranked below k"
	stageMislabeled = "found but mislabelled"
	stageDropped    = "dropped by the budget"
	stageAnswer     = "answer wrong although the evidence was there"
	// Of questions whose evidence is not known, and of those that nothing answers.
	stageWrong    = "answer wrong"
	stageAnswered = "answered although nobody said it"
)

// stages in the order of the way.
var stages = []string{stageNoLeg, stageLost, stageRanked, stageDropped, stageMislabeled, stageAnswer, stageWrong, stageAnswered, stageFound}

// unknownRank is the rank in a trail of a system that does not tell.
const unknownRank = -1

// stageOf says where a note of the evidence was lost, at depth k, and its rank; 0
// when it was not returned.
func stageOf(q Question, r Result, id string, k int) (stage string, rank int) {
	rank = 1 + slices.IndexFunc(r.Rows, func(row Row) bool { return row.ID == id })
	if rank == 0 {
		return lostStage(r, id), 0
	}
	row := r.Rows[rank-1]
	switch {
	case rank > k:
		return stageRanked, rank
	case row.Dropped || r.Packet != nil && !slices.Contains(r.Packet, id):
		return stageDropped, rank
	case mislabelled(q, row.Role):
		return stageMislabeled, rank
	}
	return stageFound, rank
}

func lostStage(r Result, id string) string {
	trail, told := r.Trails[id]
	switch {
	case !told || trail.Rank == unknownRank:
		return stageLost
	case trail.Dropped:
		return stageDropped
	case trail.Rank > 0 || len(trail.Legs) > 0:
		return stageRanked
	}
	return stageNoLeg
}

// mislabelled reports whether the role of a row of the evidence is none of those
// that the question asks for. Without a role nothing is said.
func mislabelled(q Question, role string) bool {
	role = strings.ToLower(role)
	if q.State == nil || role == "" {
		return false
	}
	switch q.State.Kind {
	case "current":
		return saysNotCurrent(role)
	case "historical": // as of a date, what held then is current or historical, as one looks at it
		return role == "current"
	case "contested":
		return role != "contested"
	}
	return false
}

// rightF1 is from where on an answer counts as right where only its words can be
// compared.
const rightF1 = 0.5

// endStage is where a question ends whose evidence, as far as it is known, was
// there. Of some only phrases are known that some row must have.
func endStage(q Question, l Levels) string {
	phrases, known := l.Scores[q.ID]["must@5"]
	switch {
	case known && phrases < 1 && !q.Absent && len(q.Evidence) == 0:
		return stageLost
	case !wrongAnswer(l, q.ID):
		return stageFound
	case q.Absent:
		return stageAnswered
	case len(q.Evidence) == 0:
		return stageWrong
	}
	return stageAnswer
}

// wrongAnswer reports whether the answer is known to be wrong: by the judge, else
// by the value, else by its words. A quoted row is no answer that could be.
func wrongAnswer(l Levels, id string) bool {
	if l.Reader == (Quoting{}).Reader() {
		return false
	}
	s := l.Scores[id]
	for _, m := range []struct {
		metric string
		least  float64
	}{{"judge", 1}, {"right", 1}, {"answer_acc", 1}, {"valid_acc", 1}, {"answer_must", 1}, {"abstention", 1}, {"f1", rightF1}} {
		if v, ok := s[m.metric]; ok {
			return v < m.least
		}
	}
	return false
}
