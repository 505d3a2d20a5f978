package timex

import (
	"strings"

	"daybook"
)

// futureCues and pastCues are words that show what a clause speaks of. Regular
// pasts are told by their ending.
var (
	futureCues = daybook.WordSet(`will shall gonna plan plans planning hope hoping hopefully want wanna let upcoming tomorrow soon
		schedule remind book arrange deadline due would can could should might must set`)
	pastCues = daybook.WordSet(`was were did had went got came saw made took been ran won lost met said told found gave left began
		started became bought brought built caught chose ate fell felt flew forgot heard held hit kept knew led read rode sang sat sent slept
		spent spoke stood swam taught thought threw understood woke wore wrote drove drew broke ago last yesterday happened finally since
		didn't wasn't weren't hadn't i've we've they've you've`)
)

// direction says whether the clause around tokens i to end speaks of what was
// (-1) or of what is to come (1); 0 where it does not say. The nearest verb
// decides, and what precedes the words before what follows them.
func (p *parser) direction(i, end int) int {
	weak := 0 // "my flight is on Friday"
	for dist := 1; dist < 40; dist++ {
		before, after := p.cue(i-dist), p.cue(end+dist-1)
		if p.stop(i - dist) {
			before, i = 0, -1000
		}
		if p.stop(end + dist - 1) {
			after, end = 0, len(p.toks)+1000
		}
		if before != 0 {
			return before
		}
		if after != 0 {
			return after
		}
		if i > 0 && p.is(i-dist, "is", "are", "starts", "begins", "leaves", "lands", "arrives", "ends", "opens") {
			weak = 1
		}
	}
	return weak
}

func (p *parser) stop(i int) bool {
	if i < 0 || i >= len(p.toks) {
		return true
	}
	return p.is(i, "!", "?", ";") || p.is(i, ".") && (!p.tok(i+1).glued || !p.tok(i).glued)
}

// cue is the tense that a single word shows.
func (p *parser) cue(i int) int {
	t := p.tok(i)
	if t.kind != word {
		return 0
	}
	switch {
	case p.is(i, "have", "has"):
		j := p.skip(i+1, "not", "just", "already", "also", "never", "finally", "recently")
		if !p.is(j, "have", "has") && p.cue(j) < 0 {
			return -1
		}
		return 0
	case futureCues[t.text] || strings.HasSuffix(t.text, "'ll"):
		if p.is(i+1, "have") && p.cue(i+1) < 0 {
			return -1
		}
		return 1
	case p.is(i, "going") && p.is(i+1, "to"):
		return 1
	case strings.HasSuffix(t.text, "ing") && len(t.text) > 5 && p.present(i-1):
		return 1
	case strings.HasSuffix(t.text, "ed") && p.present(i-1):
		return 0 // "we are closed"
	case pastCues[t.text], len(t.text) > 4 && strings.HasSuffix(t.text, "ed") && !strings.HasSuffix(t.text, "eed"):
		return -1
	}
	return 0
}

// present reports whether token i, or the one before it, is a form of "be" in the
// present: "we're meeting on Friday" is to come.
func (p *parser) present(i int) bool {
	if p.is(i, "not", "also", "just", "really", "so") {
		i--
	}
	t := p.tok(i)
	return p.is(i, "am", "are", "is") || strings.HasSuffix(t.text, "'m") || strings.HasSuffix(t.text, "'re") || t.possessive && p.is(i, "he", "she", "it", "that")
}
