package english

import "strings"

// Answered is what somebody says who gives a bare answer to a question that was put to
// them, in their own words and as a sentence:
//
//	How many kids do you have?  Two, both in school.  I have two kids, both in school.
//	Which bank do you use?      Monzo.                I use Monzo as my bank.
//	Where do you live now?      Lund, since May.      I live in Lund now, since May.
//	Do you smoke?               No.                   I do not smoke.
//
// It is "" where the question asks nothing of the hearer or of what is theirs, where the
// answer is a sentence of its own, and where it is not of the kind that was asked for.
func Answered(question, answer string) string {
	if !strings.HasSuffix(strings.TrimSpace(question), "?") || len(answer) > bareBytes {
		return ""
	}
	s := ReadSentence(strings.TrimRight(answer, " .!"))
	if !s.IsBare() {
		return ""
	}
	q := ReadQuestion(question)
	if q.Verb.Main < 0 || q.Verb.Verb == "" || len(q.Parts) > 1 || !q.ofHearer() {
		return ""
	}
	core, rest := cutAnswer(&s)
	said := ""
	if q.YesNo {
		said = q.confirmed(core, rest)
	} else if said = q.filled(ReadSentence(core)); said != "" {
		said += rest
	}
	if said == "" {
		return ""
	}
	return upperFirst(said) + "."
}

// bareAnswer is the most tokens of a bare answer, bareBytes the most bytes.
const bareAnswer, bareBytes = 16, 120

// IsBare reports whether a sentence has no verb, so that it may be an answer that says
// something only with its question.
func (s *Sentence) IsBare() bool {
	return len(s.Groups) == 0 && len(s.Tokens) > 0 && len(s.Tokens) <= bareAnswer
}

// ofHearer reports whether the question is about the hearer or something of theirs.
func (q *Asking) ofHearer() bool {
	return q.Who == Hearer || q.Who == HearerThing || strings.EqualFold(q.Owner, "your")
}

// cutAnswer splits an answer into its first part, without a word that only leads up to
// it, and what follows with its comma.
func cutAnswer(s *Sentence) (core, rest string) {
	text := s.Text
	for {
		first, after, more := strings.Cut(text, ",")
		if !more || !leadsUp[strings.ToLower(first)] {
			if !more {
				return first, ""
			}
			return first, "," + after
		}
		text = strings.TrimSpace(after)
	}
}

// leadsUp are words that come before an answer.
var leadsUp = set("oh well hm hmm ah um uh so honestly actually haha just")

// judging are adjectives that begin a remark: "good question", "fair point".
var judging = set("good great nice fair tough hard fun funny lovely same excellent interesting")

// agrees and denies are whole answers.
var (
	agrees = set("yes yeah yep yup sure absolutely definitely indeed certainly")
	denies = set("no nope nah")
)

// confirmed is what a yes or a no says. A number behind it tells how many.
func (q *Asking) confirmed(core, rest string) string {
	g, word := q.Verb, strings.ToLower(core)
	if q.Who != Hearer || g.Modal != "" || g.Tense != Present || g.Negated {
		return ""
	}
	switch {
	case agrees[word] && rest == "":
		return q.statement("", "")
	case denies[word] && rest == "" && g.Verb == "be":
		return q.statement("not", "")
	case denies[word] && rest == "" && !g.Perfect && !g.Progressive && !g.Passive:
		return strings.Join(strings.Fields("I do not "+g.Lemma+" "+q.objectWords("you")), " ")
	case agrees[word] && len(q.Clause.Objects) > 0:
		number := ReadSentence(strings.TrimPrefix(rest, ","))
		thing := q.Sentence.Phrases[q.Clause.Objects[0]]
		if !number.isNumber() || thing.Pronoun {
			return ""
		}
		return "I " + conjugate(g, true) + " " + lowerFirst(number.Text) + " " + q.Sentence.Tokens[thing.Head].Text
	}
	return ""
}

// filled puts an answer into the place that the question left open.
func (q *Asking) filled(a Sentence) string {
	if len(a.Tokens) == 0 || !q.fits(&a) {
		return ""
	}
	value := a.Text
	if !a.beginsWithName() {
		value = lowerFirst(value)
	}
	switch {
	case q.Wh == "how many":
		if a.isNumber() {
			value += " " + q.Asked
		}
		return q.statement(value, q.Asked)
	case q.Wh == "where" && !a.startsWith("IN", "TO", "RB"):
		return q.statement(q.placeWord()+value, "")
	case q.Wh == "when" && !a.startsWith("IN", "RB", "JJ", "DT"):
		return q.statement(q.timeWord()+value, q.Asked)
	case q.Asked != "" && q.Verb.Verb != "be":
		return q.statement(value+" as my "+q.Asked, q.Asked)
	case q.Verb.Verb == "do" && !q.Verb.Progressive:
		if a.isBareNoun() {
			value = "a " + value
		}
		return "I work as " + value
	}
	return q.statement(value, q.Asked)
}

// fits reports whether an answer is of the kind that was asked for.
func (q *Asking) fits(a *Sentence) bool {
	first := a.Tokens[0]
	if denies[first.Norm] || agrees[first.Norm] || first.Norm == "not" || first.Tag == "UH" || strings.HasPrefix(first.Tag, "W") {
		return false
	}
	named, number := a.beginsWithName() || len(a.Names()) > 0, first.Tag == "CD"
	switch q.Wh {
	case "who":
		return named || len(a.Phrases) > 0 && a.Phrases[0].Human && a.Phrases[0].Determiner+a.Phrases[0].Owner != ""
	case "where":
		return named || first.Tag == "IN" && len(a.Phrases) > 0
	case "how many", "how old", "how much":
		return number || first.Norm == "a" || first.Norm == "about" || first.Norm == "around"
	case "when":
		return number || len(a.Phrases) > 0 && (a.Phrases[0].Time || first.Tag == "IN")
	case "how often", "how long":
		return number || len(a.Phrases) > 0 || strings.HasPrefix(first.Tag, "RB")
	case "what", "which":
		return a.isThing() && (q.Verb.Verb != "do" || q.AsksForWork())
	}
	return false
}

// isThing reports whether an answer names something: no pronoun, and no bare remark such
// as "good question".
func (s *Sentence) isThing() bool {
	if len(s.Phrases) == 0 {
		return s.startsWith("JJ", "CD", "NN") && len(s.Tokens) <= 2
	}
	p := s.Phrases[0]
	remark := p.Determiner == "" && p.Owner == "" && p.End > p.First+1 && judging[s.Tokens[p.First].Norm]
	return !p.Pronoun && !remark
}

// AsksForWork reports whether "what do you do" is asked for a living, and not on a day.
func (q *Asking) AsksForWork() bool {
	rest := strings.TrimSpace(strings.ToLower(q.objectWords("you")))
	return strings.HasSuffix(rest, "for work") || strings.HasSuffix(rest, "for a living") || rest == ""
}

// statement is the question as the hearer's own statement with a value behind the verb,
// without the noun that was asked for.
func (q *Asking) statement(value, without string) string {
	subject, first := q.subjectWords("you")
	rest := " " + q.objectWords("you")
	if without != "" {
		rest = strings.Replace(rest, " "+without, "", 1)
	}
	rest = strings.Replace(rest, " any ", " ", 1)
	if at := strings.TrimSpace(rest); prepositions[at] {
		return joinWords(subject, conjugate(q.Verb, first), at, value)
	}
	return joinWords(subject, conjugate(q.Verb, first), value, rest)
}

func joinWords(words ...string) string {
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// placeWord is the preposition that a verb has before a place.
func (q *Asking) placeWord() string {
	if rest := strings.TrimSpace(q.objectWords("you")); prepositions[rest] {
		return ""
	}
	switch q.Verb.Verb {
	case "move", "go", "travel", "fly", "drive":
		return "to "
	case "live", "stay", "grow", "be", "settle":
		return "in "
	}
	return "at "
}

// timeWord is the preposition before a bare time: "at six", and nothing before a date.
func (q *Asking) timeWord() string {
	if q.Asked == "time" {
		return "at "
	}
	return ""
}

// beginsWithName reports whether the first word, which has its capital from where it
// stands, is a name: no word that is known.
func (s *Sentence) beginsWithName() bool {
	t := s.Tokens[0]
	return t.Text != t.Norm && t.Tag != "CD" && (t.Tag == "NNP" || !isKnownWord(t.Norm))
}

// isNumber reports whether a text is a number and nothing else.
func (s *Sentence) isNumber() bool {
	for _, t := range s.Tokens {
		if t.Tag != "CD" {
			return false
		}
	}
	return len(s.Tokens) > 0
}

// startsWith reports whether the first token's tag begins with one of the tags.
func (s *Sentence) startsWith(tags ...string) bool {
	for _, tag := range tags {
		if strings.HasPrefix(s.Tokens[0].Tag, tag) {
			return true
		}
	}
	return false
}

// isBareNoun reports whether a text is a noun that lacks its article.
func (s *Sentence) isBareNoun() bool {
	return len(s.Phrases) > 0 && s.Phrases[0].First == 0 && !s.Phrases[0].Plural && s.Phrases[0].Determiner+s.Phrases[0].Owner == ""
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func lowerFirst(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}
