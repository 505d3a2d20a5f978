package english

import (
	"fmt"
	"strings"
	"testing"
)

// clauseCases: a sentence, then for each clause of interest: who, verb, tense,
// object or attribute, flags. "-" stands for none, "*" for anything.
const clauseCases = `
I moved to Rome last year. | speaker, move, past, -, -
I live in Berlin. | speaker, live, present, -, -
I have a dog named Max. | speaker, have, present, a dog, -
We bought a house in Portland. | speaker, buy, past, a house, -
Went hiking yesterday. | speaker, go, past, -, occasion
Started a new job today. | speaker, start, past, a new job, -
Just got back from Lisbon! | speaker, get back, past, -, -
Going to Rome next week. | speaker, go, -, -, plan
Love this song! | *, love, *, this song, *
My dad takes the bus to work every day. | person, take, present, the bus, habitual
My manager is Lorenzo. | speaker thing, be, present, Lorenzo, -
My new manager is called Priya. | speaker thing, call, present, *, -
My brother is a pilot. | person, be, present, a pilot, -
My sister lives in Oslo. | person, live, present, -, -
My car is a blue Honda. | speaker thing, be, present, a blue Honda, -
My favorite color is green. | speaker thing, be, present, -, -
Our landlord raised the rent. | person, raise, past, the rent, -
Your job sounds stressful. | hearer thing, sound, present, -, -
You should try yoga. | hearer, try, present, yoga, -
Anna works at a bank. | person, work, present, -, -
Anna's car broke down. | person thing, break down, past, -, -
Her new apartment is tiny. | person thing, be, present, -, -
The car is red. | thing, be, present, -, -
It rained all day. | thing, rain, past, -, -
The doctor told me to rest. | person, tell, past, me, -; speaker, rest, -, -, -
They moved the office to Denver. | person, move, past, the office, -
I used to live in Berlin. | speaker, live, past, -, ended
I no longer eat meat. | speaker, eat, present, meat, negated ended
I don't drink coffee anymore. | speaker, drink, present, coffee, negated ended
I don't drink coffee any more. | speaker, drink, present, coffee, negated ended
I stopped eating meat. | speaker, stop, past, -, ended; speaker, eat, -, meat, ended
I quit smoking last year. | speaker, quit, past, *, ended
We switched from Netflix to Hulu. | speaker, switch, past, -, replaces
I take the train instead of the bus. | speaker, take, present, the train, replaces
I replaced my laptop with a tablet. | speaker, replace, past, my laptop, replaces
I'm going to buy a bike. | speaker, buy, future, a bike, plan
I will call you. | speaker, call, future, you, plan
I'm planning to adopt a cat. | speaker, plan, present, -, plan; speaker, adopt, -, a cat, plan
We're thinking of moving to Spain. | speaker, think, present, -, plan; speaker, move, -, -, plan
I'm flying to Paris tomorrow. | speaker, fly, present, -, plan
I want to learn Spanish. | speaker, want, present, -, wish; speaker, learn, -, Spanish, wish
I'd love to visit Japan. | speaker, love, present, -, wish; speaker, visit, -, Japan, wish
I would like a bigger garden. | speaker, like, present, a bigger garden, wish
I hope to get the job. | speaker, hope, present, -, wish; speaker, get, -, the job, wish plan
I wish I had a dog. | speaker, wish, present, -, wish; speaker, have, past, a dog, wish
If it rains, I will take the bus. | thing, rain, present, -, conditional; speaker, take, future, the bus, conditional plan
I would move if I had money. | speaker, move, present, -, conditional hypothetical; speaker, have, past, money, conditional
I might sell the car. | speaker, sell, present, the car, hypothetical hedged
She said that she had quit her job. | person, quit, past, her job, *
Ben told me that Carla moved. | person, tell, past, me, -; person, move, past, -, reported
I heard that the shop closed. | speaker, hear, past, -, -; thing, close, past, -, reported
According to Ben, the shop closed. | thing, close, past, -, reported
Apparently she got married. | person, marry, past, -, reported
I think Anna lives in Paris. | speaker, think, present, -, hedged; person, live, present, -, hedged
I'm taking the bus this week only. | speaker, take, present, the bus, temporary
I'm staying with my aunt for two weeks. | speaker, stay, present, -, temporary
I'm using my old phone for now. | speaker, use, present, my old phone, temporary
I work from home until Friday. | speaker, work, present, -, temporary
I took the tram just this once. | speaker, take, past, the tram, temporary
I'm driving a rental while my car is being repaired. | speaker, drive, present, a rental, temporary; speaker thing, repair, present, -, -
For the next two days I'm eating only soup. | speaker, eat, present, *, temporary
I've lived here for ten years. | speaker, live, present, -, -
I also play the piano. | speaker, play, present, the piano, additive
I bought another bike. | speaker, buy, past, another bike, additive
I speak French as well. | speaker, speak, present, French, additive
On top of that, I joined a choir. | speaker, join, past, a choir, additive
I have no pets. | speaker, have, present, no pets, negated
I never eat breakfast. | speaker, eat, present, breakfast, negated
Nobody came to the party. | person, come, past, -, negated
Call me tomorrow. | hearer, call, -, me, imperative
Please send me the address. | hearer, send, -, *, imperative
Don't forget the keys. | hearer, forget, *, the keys, *
Do you still play tennis? | hearer, play, present, tennis, question
Where did you grow up? | hearer, grow up, past, -, question
Is your mom okay? | person, be, present, -, question
What are you doing tonight? | hearer, do, present, -, question plan
Have you ever been to Japan? | hearer, be, present, -, question
I wonder if she still lives there. | person, live, present, -, question
My sister, who lives in Oslo, is a doctor. | person, live, present, -, -; person, be, present, a doctor, -
The woman who lives next door is a nurse. | person, be, present, a nurse, -
The book that I bought is great. | speaker, buy, past, -, -; thing, be, present, -, -
When I was a kid, my dad drove a truck. | speaker, be, past, a kid, -; person, drive, past, a truck, -
I sold my bike because I needed money. | speaker, sell, past, my bike, -; speaker, need, past, money, -
I moved to Rome and started a new job. | speaker, move, past, -, -; speaker, start, past, a new job, -
I like tea but my wife prefers coffee. | speaker, like, present, tea, -; person, prefer, present, coffee, -
It was late, so we went home. | thing, be, past, -, -; speaker, go, past, -, -
Although I was tired, I finished the race. | speaker, be, past, -, -; speaker, finish, past, the race, -
After moving to Oslo, I joined a gym. | speaker, move, -, -, -; speaker, join, past, a gym, -
My brother and his wife have two kids. | person, have, present, two kids, -
Anna and Ben got married in June. | person, marry, past, -, -
I picked the kids up from school. | speaker, pick up, past, the kids, -
We gave up the apartment. | speaker, give up, past, the apartment, ended
I've been working at Siemens since 2019. | speaker, work, present, -, -
She has worked there for years. | person, work, present, -, -
The house was sold last month. | thing, sell, past, -, -
I was offered a job. | speaker, offer, past, *, -
I got promoted. | speaker, promote, past, -, -
I have to work on Saturday. | speaker, work, present, -, -
I can't swim. | speaker, swim, present, -, negated
I'm able to work remotely. | speaker, work, present, -, -
I was going to call you. | speaker, call, past, you, *
i dont like tea | speaker, like, present, tea, negated
im working at a cafe now | speaker, work, present, -, -
ive got a new phone | speaker, get, present, a new phone, -
gonna see a movie tonight | speaker, see, future, a movie, plan
"I love this place," she said. | speaker, love, present, this place, quoted; person, say, past, -, -
My doctor says I should eat less salt. | person, say, present, -, -; speaker, eat, present, *, reported
My kids love their new school. | person, love, present, their new school, -
My dog is sick. | person, be, present, -, -
Tom's wife is a lawyer. | person, be, present, a lawyer, -
Each morning I run five miles. | speaker, run, present, five miles, habitual
I usually drink green tea. | speaker, drink, present, green tea, habitual
The team needs a new coach. | person, need, present, a new coach, -
I asked Anna to water the plants. | speaker, ask, past, Anna, -; person, water, -, the plants, -
I want my son to learn the piano. | person, learn, -, the piano, wish
I decided to become vegan. | speaker, decide, past, -, plan; speaker, become, -, *, plan
I can't wait to see you. | speaker, see, -, you, plan
I'm looking forward to the trip. | speaker, look forward, present, -, plan
My commute takes an hour. | speaker thing, take, present, an hour, -
My parents' house is old. | person thing, be, present, -, -
One of my cats died. | *, die, past, -, -
There is a new café in our street. | thing, be, present, a new café, -
I don't think she likes me. | person, like, present, me, negated hedged
Back then I worked as a waiter. | speaker, work, past, -, ended
Maybe we'll move. | speaker, move, future, -, plan hedged
I haven't eaten sugar for a month. | speaker, eat, present, sugar, negated
My neighbor claims that he saw a bear. | person, see, past, a bear, reported
My dentist is Dr. Alvarez now. | speaker thing, be, present, Dr. Alvarez, -
Until my laptop is fixed I'm borrowing Eva's. | speaker, borrow, present, *, temporary
My mom wants me to visit. | person, want, present, me, wish; speaker, visit, -, -, wish
The flight that we booked got cancelled. | thing, cancel, past, -, -
My daughter's school starts at eight. | person thing, start, present, -, -
I grew up on a farm. | speaker, grow up, past, -, -
My phone number is 555-1234. | speaker thing, be, present, *, -
This morning I ran ten miles. | speaker, run, past, ten miles, occasion
Yesterday I took a taxi. | speaker, take, past, a taxi, occasion
Unless it rains, we'll hike. | thing, rain, present, -, conditional; speaker, hike, future, -, conditional plan
My boss, Lena, is great. | person, be, present, -, -
She asked me where I work. | person, ask, past, me, -; speaker, work, present, -, -
We named the puppy Max. | speaker, name, past, *, -
I feel like a new person. | speaker, feel, present, -, -
He never told me he was married. | person, tell, past, me, negated; person, be, past, -, *
`

func TestClauses(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(clauseCases)) {
		text, want, _ := strings.Cut(strings.TrimSpace(line), " | ")
		s := ReadSentence(text)
		for _, w := range strings.Split(want, "; ") {
			if got := findClause(&s, strings.Split(w, ", ")); got != "" {
				t.Errorf("%s\n  want %s\n  got  %s", text, w, got)
			}
		}
	}
}

// findClause returns "" if a clause is as wanted, else what there is.
func findClause(s *Sentence, want []string) string {
	var got []string
	for _, c := range s.Clauses {
		row := clauseRow(s, c)
		same := true
		for i, w := range want {
			same = same && (w == "*" || w == row[i])
		}
		if same {
			return ""
		}
		got = append(got, strings.Join(row, ", "))
	}
	return strings.Join(got, "; ")
}

func clauseRow(s *Sentence, c Clause) []string {
	g := s.Group(c)
	object := c.Attribute
	if object < 0 && len(c.Objects) > 0 {
		object = c.Objects[0]
	}
	row := []string{string(c.Who), g.Lemma, string(g.Tense), s.PhraseText(object), c.Flags.String()}
	for i, cell := range row {
		if cell == "" {
			row[i] = "-"
		}
	}
	return row
}

func TestVerbGroups(t *testing.T) {
	for text, want := range map[string]string{
		"I had been living there.":      "live past perfect progressive",
		"It has been repaired.":         "repair present perfect passive",
		"She is being treated.":         "treat present progressive passive",
		"I would have gone.":            "go past perfect would",
		"We couldn't have known.":       "know past perfect negated could",
		"Did she not call?":             "call past negated inverted",
		"I'm about to leave.":           "leave future",
		"Will you be working tomorrow?": "work future progressive inverted",
		"He's gone.":                    "go present perfect",
		"She's tired of it.":            "be present",
		"You ought to see it.":          "see present ought",
		"I got to see it.":              "get past",
		"They aren't coming.":           "come present progressive negated",
		"What have you been up to?":     "be present perfect inverted",
	} {
		s := ReadSentence(text)
		if len(s.Groups) == 0 {
			t.Errorf("%s: no verb", text)
			continue
		}
		if got := describeGroup(s.Groups[0]); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func describeGroup(g VerbGroup) string {
	out := []string{g.Lemma, string(g.Tense)}
	for _, f := range []struct {
		on   bool
		name string
	}{{g.Perfect, "perfect"}, {g.Progressive, "progressive"}, {g.Passive, "passive"}, {g.Negated, "negated"}, {g.Inverted, "inverted"}} {
		if f.on {
			out = append(out, f.name)
		}
	}
	if g.Modal != "" {
		out = append(out, g.Modal)
	}
	return strings.Join(out, " ")
}

func TestPhrases(t *testing.T) {
	s := ReadSentence("My sister's new job at the bank of England pays Anna's two kids.")
	var got []string
	for i, np := range s.Phrases {
		got = append(got, fmt.Sprintf("%s<%s>%s", s.PhraseText(i), np.Owner, s.Head(i)))
	}
	want := "My sister's new job<My sister>job|the bank<>bank|England<>england|Anna's two kids<Anna>kid"
	if strings.Join(got, "|") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, "|"), want)
	}
	if full := s.FullText(1); full != "the bank of England" {
		t.Errorf("full text %q", full)
	}
}

// FuzzRead: no text breaks the reader; offsets stay inside it and in order.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"I don't know. Really?", "im gonna go 😊 We", "\"", "'s", "n't", "", "a\xff\xfeb", "did did did", "to to to be", "I’ve", "who who", "and, and; but", "Is?", "he 's 's"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, s := range Read(text) {
			s.Names()
			for _, tok := range s.Tokens {
				if tok.Start < last || tok.End > len(text) || tok.End <= tok.Start || text[tok.Start:tok.End] != tok.Text {
					t.Fatalf("token %q at %v of %q", tok.Text, tok.Span, text)
				}
				last = tok.End
			}
		}
		ReadQuestion(text)
		AsStatement(text, "Anna")
	})
}

func BenchmarkRead(b *testing.B) {
	text := "My sister, who lives in Oslo, told me that she's planning to switch from coffee to green tea because she couldn't sleep last week."
	ReadSentence(text)
	b.ReportAllocs()
	for b.Loop() {
		ReadSentence(text)
	}
}

func BenchmarkReadShort(b *testing.B) {
	ReadSentence("x")
	for b.Loop() {
		ReadSentence("I moved to Rome last year.")
	}
}
