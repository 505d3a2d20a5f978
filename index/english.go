package index

import (
	"strings"

	"daybook"
)

// numberWords are the small numbers of English.
var numberWords = func() map[string]int {
	words := map[string]int{}
	for i, w := range strings.Fields(`zero one two three four five six seven eight nine ten eleven twelve thirteen
		fourteen fifteen sixteen seventeen eighteen nineteen twenty`) {
		words[w] = i
	}
	for i, w := range strings.Fields(`thirty forty fifty sixty seventy eighty ninety hundred`) {
		words[w] = 30 + 10*i
	}
	return words
}()

// months are the names of months and their usual short forms.
var months = func() map[string]int {
	words := map[string]int{"sept": 9}
	for i, w := range strings.Fields(`january february march april may june july august september october november december`) {
		words[w], words[w[:3]] = i+1, i+1
	}
	return words
}()

// inNames are the small words that stand inside names.
var inNames = daybook.WordSet(`of the and de la du van von der for in on at`)

// functionWords are the function words of English: articles, pronouns,
// prepositions, conjunctions, auxiliaries.
var functionWords = daybook.WordSet(`a an the and or but nor if of at by for with about to from in on into onto over under as than then so
	is are be been being was were am do does did doing done has have had having can could would should will shall may might must
	i'm i've i'll i'd you're you've you'll it's he's she's we're we've they're that's there's don't doesn't didn't isn't aren't wasn't
	weren't can't couldn't won't wouldn't shouldn't haven't hasn't hadn't
	what when where which who whom whose why how this that these those there here it its itself i you he she we they me him her us them
	my your his hers our ours their theirs myself yourself himself herself ourselves themselves not no yes up down out off
	because while until although though since after before also just`)

// irregular brings the forms of irregular verbs, and a few plurals, to the form
// that stemming knows. Each line: the base, then its other forms.
var irregular = func() map[string]string {
	forms := map[string]string{}
	for line := range strings.FieldsFuncSeq(`arise arose arisen; awake awoke awoken; be am is are was were been; bear bore borne; beat beaten;
		become became; begin began begun; bend bent; bind bound; bite bit bitten; bleed bled; blow blew blown; break broke broken;
		breed bred; bring brought; build built; burn burnt; buy bought; catch caught; choose chose chosen; cling clung; come came;
		creep crept; deal dealt; dig dug; do did done does; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven;
		eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found; flee fled; fling flung; fly flew flown;
		forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten;
		give gave given; go went gone goes; grind ground; grow grew grown; hang hung; have had has; hear heard; hide hid hidden;
		hold held; keep kept; kneel knelt; know knew known; lay laid; lead led; leap leapt; learn learnt; leave left; lend lent;
		light lit; lose lost; make made; mean meant; meet met; mistake mistook mistaken; overcome overcame; pay paid;
		prove proven; ride rode ridden; ring rang rung; rise rose risen; run ran; say said; see saw seen; seek sought; sell sold;
		send sent; sew sewn; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung;
		sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken; spend spent; spin spun; spring sprang sprung;
		stand stood; steal stole stolen; stick stuck; sting stung; strike struck; swear swore sworn; sweep swept; swim swam swum;
		swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw thrown;
		understand understood; undertake undertook undertaken; wake woke woken; wear wore worn; weave wove woven; weep wept;
		win won; wind wound; withdraw withdrew withdrawn; write wrote written;
		child children; person people; man men; woman women; foot feet; tooth teeth; mouse mice; goose geese; wife wives; life lives;
		knife knives; leaf leaves; shelf shelves; half halves`, func(r rune) bool { return r == ';' }) {
		fields := strings.Fields(line)
		for _, f := range fields[1:] {
			forms[f] = fields[0]
		}
	}
	delete(forms, "ground") // far more often what one stands on
	delete(forms, "leaves") // and what one does at the end
	return forms
}()
