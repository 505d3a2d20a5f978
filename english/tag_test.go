package english

import (
	"strings"
	"testing"
)

// goldTags are sentences of chat, tagged by hand.
var goldTags = []string{
	"I/PRP moved/VBD to/TO Rome/NNP last/JJ year/NN ./.",
	"i/PRP do/VBP nt/RB like/VB tea/NN at/IN all/DT",
	"im/ so/RB happy/JJ for/IN you/PRP !/.",
	"My/PRP$ dad/NN works/VBZ as/IN a/DT plumber/NN in/IN Leeds/NNP ./.",
	"Went/VBD hiking/VBG with/IN the/DT kids/NNS yesterday/NN ./.",
	"She/PRP 's/VBZ a/DT nurse/NN ./.",
	"Anna/NNP 's/POS car/NN broke/VBD down/RP again/RB ./.",
	"Do/VBP you/PRP still/RB play/VB the/DT guitar/NN ?/.",
	"What/WP do/VBP you/PRP do/VB for/IN work/NN ?/.",
	"I/PRP 've/VBP been/VBN living/VBG here/RB since/IN 2019/CD ./.",
	"We/PRP just/RB adopted/VBD a/DT puppy/NN named/VBN Max/NNP !/.",
	"I/PRP used/VBD to/TO smoke/VB but/CC I/PRP quit/VBD ./.",
	"Thanks/UH ,/, that/DT means/VBZ a/DT lot/NN to/TO me/PRP ./.",
	"I/PRP feel/VBP like/IN a/DT new/JJ person/NN ./.",
	"They/PRP like/VBP spicy/JJ food/NN ./.",
	"Call/VB me/PRP when/WRB you/PRP get/VBP home/RB ./.",
	"Remember/VB to/TO buy/VB milk/NN ./.",
	"My/PRP$ sister/NN and/CC her/PRP$ husband/NN bought/VBD a/DT house/NN ./.",
	"I/PRP think/VBP that/IN she/PRP lives/VBZ in/IN Oslo/NNP ./.",
	"The/DT movie/NN that/WDT won/VBD was/VBD boring/JJ ./.",
	"That/DT restaurant/NN is/VBZ great/JJ ./.",
	"I/PRP could/MD n't/RB sleep/VB last/JJ night/NN ./.",
	"We/PRP 're/VBP going/VBG to/TO visit/VB my/PRP$ parents/NNS in/IN June/NNP ./.",
	"My/PRP$ favorite/JJ color/NN is/VBZ green/JJ ./.",
	"I/PRP take/VBP the/DT bus/NN to/TO work/NN ./.",
	"He/PRP told/VBD me/PRP about/IN his/PRP$ new/JJ job/NN ./.",
	"Wow/UH ,/, congrats/UH on/IN the/DT promotion/NN !/.",
	"There/EX are/VBP three/CD cats/NNS in/IN our/PRP$ house/NN ./.",
	"I/PRP love/VBP cooking/VBG Italian/JJ food/NN ./.",
	"Where/WRB did/VBD you/PRP grow/VB up/RP ?/.",
	"I/PRP ca/MD n't/RB wait/VB to/TO see/VB it/PRP ./.",
	"Started/VBD a/DT new/JJ job/NN at/IN Google/NNP today/NN ./.",
	"My/PRP$ brother/NN plays/VBZ the/DT drums/NNS ./.",
	"Our/PRP$ neighbors/NNS have/VBP a/DT huge/JJ garden/NN ./.",
	"I/PRP hope/VBP you/PRP feel/VBP better/RBR soon/RB ./.",
	"It/PRP was/VBD raining/VBG so/RB we/PRP stayed/VBD inside/RB ./.",
	"I/PRP need/VBP a/DT break/NN ./.",
	"She/PRP has/VBZ worked/VBN there/RB for/IN years/NNS ./.",
	"Let/VB 's/PRP grab/VB lunch/NN on/IN Friday/NNP ./.",
	"I/PRP 'd/MD love/VB to/TO learn/VB Spanish/NNP ./.",
	"Will/NNP works/VBZ at/IN a/DT bank/NN ./.",
	"My/PRP$ commute/NN takes/VBZ an/DT hour/NN ./.",
	"We/PRP commute/VBP by/IN train/NN ./.",
	"Honestly/RB ,/, I/PRP prefer/VBP dogs/NNS ./.",
	"The/DT kids/NNS love/VBP their/PRP$ new/JJ school/NN ./.",
	"I/PRP painted/VBD the/DT kitchen/NN myself/PRP ./.",
	"This/DT is/VBZ my/PRP$ second/JJ marathon/NN ./.",
	"He/PRP never/RB eats/VBZ breakfast/NN ./.",
	"Is/VBZ your/PRP$ mom/NN feeling/VBG better/RBR ?/.",
	"My/PRP$ back/NN hurts/VBZ ./.",
	"I/PRP got/VBD promoted/VBN last/JJ week/NN ./.",
	"Which/WDT team/NN do/VBP you/PRP support/VB ?/.",
	"I/PRP am/VBP allergic/JJ to/TO peanuts/NNS ./.",
	"Her/PRP$ dog/NN is/VBZ called/VBN Rex/NNP ./.",
	"We/PRP had/VBD pizza/NN and/CC watched/VBD a/DT film/NN ./.",
	"If/IN it/PRP rains/VBZ ,/, we/PRP 'll/MD cancel/VB ./.",
	"I/PRP sold/VBD my/PRP$ old/JJ bike/NN because/IN I/PRP needed/VBD money/NN ./.",
	"Not/RB really/RB ,/, I/PRP am/VBP more/RBR of/IN a/DT cat/NN person/NN ./.",
	"What/WP car/NN does/VBZ Melanie/NNP drive/VB now/RB ?/.",
	"We/PRP might/MD move/VB next/JJ spring/NN ./.",
	"My/PRP$ roommate/NN cooks/VBZ most/JJS nights/NNS ./.",
	"Tom/NNP lost/VBD his/PRP$ keys/NNS ./.",
}

// TestTagsOfChat holds the tagger to its measured accuracy on hand-tagged chat.
func TestTagsOfChat(t *testing.T) {
	right, all := 0, 0
	for _, line := range goldTags {
		var words, tags []string
		for _, pair := range strings.Fields(line) {
			i := strings.LastIndexByte(pair, '/')
			words, tags = append(words, pair[:i]), append(tags, pair[i+1:])
		}
		if words[0] == "im" {
			words, tags = append([]string{"i", "m"}, words[1:]...), append([]string{"PRP", "VBP"}, tags[1:]...)
		}
		tokens := Tokens(goldText(words))
		if len(tokens) != len(words) {
			t.Errorf("%q: %d tokens, want %d", goldText(words), len(tokens), len(words))
			continue
		}
		Tag(tokens)
		for i, tok := range tokens {
			all++
			if tok.Tag == tags[i] {
				right++
			} else {
				t.Logf("%s: %s is %s, not %s", line, tok.Text, tags[i], tok.Tag)
			}
		}
	}
	t.Logf("%d of %d tags right: %.1f%%", right, all, 100*float64(right)/float64(all))
	if float64(right) < 0.97*float64(all) {
		t.Errorf("only %d of %d tags are right", right, all)
	}
}

// goldText joins words as they were written: clitics and marks without a space.
func goldText(words []string) string {
	var b strings.Builder
	for i, w := range words {
		glued := strings.HasPrefix(w, "'") || w == "n't" || w == "nt" || w == "m" || strings.Contains(".,!?", w)
		if i > 0 && !glued {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"I don't know.":                    "I do n't know .",
		"I’m Melanie’s friend":             "I ’m Melanie ’s friend",
		"can't won't cannot":               "ca n't wo n't can not",
		"im gonna go, dont wait":           "i m gon na go , do nt wait",
		"See https://a.example/x?y=1.":     "See https://a.example/x?y=1 .",
		"It cost $1,200.50 (20%) at 7:30!": "It cost $ 1,200.50 ( 20% ) at 7:30 !",
		"so fun 😊😊 right":                  "so fun 😊😊 right",
		"a well-known mother-in-law":       "a well-known mother-in-law",
		"Dr. Wu met J. Smith at 5 p.m.":    "Dr. Wu met J. Smith at 5 p.m.",
		"wait... what":                     "wait ... what",
		"@anna #fun":                       "@anna #fun",
		"my parents' house":                "my parents ' house",
		"rock 'n' roll":                    "rock ' n ' roll",
		"I'd've gone":                      "I'd 've gone",
		"":                                 "",
	} {
		var got []string
		for _, tok := range Tokens(text) {
			if tok.Of(text) != tok.Text {
				t.Errorf("%q: offsets of %q give %q", text, tok.Text, tok.Of(text))
			}
			got = append(got, tok.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"I met Dr. Wu. She was nice.":          "I met Dr. Wu.|She was nice.",
		"We paid 3.50 for it. Cheap!":          "We paid 3.50 for it.|Cheap!",
		"J. R. Smith wrote it.":                "J. R. Smith wrote it.",
		"Let's meet at 5 p.m. on Friday.":      "Let's meet at 5 p.m. on Friday.",
		"We left at 5 p.m. Then we ate.":       "We left at 5 p.m.|Then we ate.",
		"well... maybe not":                    "well... maybe not",
		"Well... Maybe not.":                   "Well...|Maybe not.",
		`"Stop!" she said. He did.`:            `"Stop!" she said.|He did.`,
		"no way!!! that is wild":               "no way!!!|that is wild",
		"so fun 😊 We should go again":          "so fun 😊|We should go again",
		"love it! 😍 me too":                    "love it! 😍|me too",
		"first line\nsecond line":              "first line|second line",
		"See www.example.org. It is good.":     "See www.example.org.|It is good.",
		"We like e.g. tea.":                    "We like e.g. tea.",
		"I live in the U.S. now.":              "I live in the U.S. now.",
		"ok. cool. see you":                    "ok.|cool.|see you",
		"He said \"I am here.\" Then he left.": `He said "I am here."|Then he left.`,
		"It was me and I.  Really?":            "It was me and I.|Really?",
		"   ":                                  "",
	} {
		var got []string
		for _, span := range Sentences(text) {
			got = append(got, span.Of(text))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", text, strings.Join(got, "|"), want)
		}
	}
}

func TestLemma(t *testing.T) {
	for in, want := range map[string]string{
		"went VBD": "go", "hiking VBG": "hike", "running VBG": "run", "tried VBD": "try", "makes VBZ": "make", "goes VBZ": "go", "watches VBZ": "watch",
		"stopped VBD": "stop", "travelled VBD": "travel", "moved VBD": "move", "playing VBG": "play", "danced VBD": "dance", "visited VBD": "visit",
		"children NNS": "child", "boxes NNS": "box", "parties NNS": "party", "buses NNS": "bus", "movies NNS": "movie", "houses NNS": "house", "dogs NNS": "dog",
		"women NNS": "woman", "classes NNS": "class", "cookies NNS": "cookie", "lying VBG": "lie", "agreed VBD": "agree", "using VBG": "use", "baked VBD": "bake",
		"starting VBG": "start", "swimming VBG": "swim", "tied VBD": "tie", "studies VBZ": "study", "taught VBD": "teach", "written VBN": "write", "jogging VBG": "jog",
		"volunteering VBG": "volunteer", "enjoyed VBD": "enjoy", "hoping VBG": "hope", "hopping VBG": "hop", "painted VBD": "paint", "adopted VBD": "adopt", "living VBG": "live",
		"commuting VBG": "commute", "changed VBD": "change", "replaced VBD": "replace", "heroes NNS": "hero", "knives NNS": "knife", "leaves VBZ": "leave", "was VBD": "be",
	} {
		f := strings.Fields(in)
		if got := Lemma(f[0], f[1]); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// TestLexiconIsOne holds that no word is added to the lexicon with two tags: which of
// them it had would be left to chance.
func TestLexiconIsOne(t *testing.T) {
	tagOf := map[string]string{}
	for tag, words := range lexiconMore {
		for _, w := range strings.Fields(words) {
			if other, ok := tagOf[w]; ok {
				t.Errorf("%q is %s and %s", w, other, tag)
			}
			tagOf[w] = tag
		}
	}
}
