package english

import (
	"slices"
	"strings"
	"testing"

	"daybook"
)

// questionViews are questions about many attributes, by the view that they ask
// for.
var questionViews = map[daybook.View]string{
	daybook.Current: `
Where does Anna live?
Where does Anna live now?
What is Tom's job?
What's Tom's current job?
Who is Maria's boss?
What car does Melanie drive these days?
Which gym does he go to?
Does Priya still play tennis?
Is Leo still vegetarian?
What is the name of her dog?
What language is Omar learning?
How many kids does she have?
How often does Ben go running?
What time does Clara get up?
Who does Nina live with?
What is Sofia's favorite band?
What phone is Raj using at the moment?
Which school do their kids attend?
Is Hannah married?
Is Paul no longer working at the bank?
How long has Anna lived in Rome?
How long has he been working there?
What's her latest hobby?
What is his most recent address?
What does she usually eat for breakfast?
How does Kim get to work?
What medication is my father taking?
Does Eva have any allergies?
Which streaming service do we subscribe to?
Who is the CEO of her company now?
What is the current rent of the apartment?
Are they living together?
Has she been feeling better lately?
What are Jonas's plans for dinner currently?
What does Lena prefer, tea or coffee?
Which team does Marco support?
What diet is Yuki following right now?
Who takes care of the garden these days?
What is your favorite color?
What do I owe Sam?
What kind of music does she like?
What's the wifi password?
Do I still have a meeting on Mondays?
Where do my parents live today?
What color is her hair now?
Which bank does Felix use?
Does he drink coffee any more?
Is she single?
What is the status of the project?
Who is on the team at present?
What sport does Iris do nowadays?
What insurance do we have?
Which doctor is treating Grandma?`,
	daybook.Historical: `
Where did Anna use to live?
Where did Anna live before?
What was Tom's previous job?
Who was Maria's boss in 2019?
What car did Melanie drive before the Honda?
Which gym did he go to originally?
What was Leo's first car?
What did Priya use to play?
Where was Omar working two years ago?
Who was her dentist back then?
What was the name of his old dog?
Which phone did Raj have last year?
What was Sofia's favorite band when she was a teenager?
Where did they live prior to moving to Spain?
What was the rent in 2021?
Who used to take care of the garden?
Who was the manager at that time?
What diet was Yuki following in March 2022?
What did she study in college?
Which team did Marco support as a child?
What language was he learning earlier?
Did Hannah use to smoke?
Did Ben work at a bank before?
Was Eva ever married before?
Where had Clara been living before Paris?
What had been his job before the merger?
What kind of car did we own back in 2015?
Who was my roommate in college?
What was her original plan?
What was the first school the kids attended?
Who lived with Nina last summer?
What was his former address?
What did Kim drive at the time?
As of June 2020, where did Lena work?
What hobby did she have before pottery?
What was the old wifi password?
Which bank did Felix use previously?
What color was her hair last year?
Where did my parents live in those days?
What was Jonas's initial opinion?
Where did she work?
What did he believe?
What was Anna's nickname growing up?
Who was his wife?
Which doctor was treating Grandma a year ago?
What insurance did we have until May?
What was I allergic to as a kid?
What did Iris drink before she gave up coffee?
How did Kim use to get to work?
How many cats did she have in 2018?`,
	daybook.Change: `
When did Anna move to Rome?
How has Tom's diet changed?
How did her taste in music change over time?
Why did Leo stop eating meat?
When did Priya quit tennis?
When did she start working there?
Since when did he become a vegan?
Since when has Oscar been on a diet?
Has the rent gone up?
What made Maria change her job?
Did Melanie switch cars?
Has Omar moved?
Has Sofia's address changed?
What changed in his morning routine?
Why did she switch from tea to coffee?
From which bank did Felix switch?
When did Hannah get a new phone to replace the old one?
What replaced the Honda?
Who replaced the manager?
How did Ben's opinion of the project evolve?
When did they begin learning Spanish?
What was her job before and what is it now?
Where did he live before and where does he live now?
What has changed since May?
Did anything change in Eva's plans?
Why did Clara leave the company?
When did Kim join the new team?
What is the difference between her old and new routine and when did it change?
What was the reason for the switch?
What is the history of her addresses?
How have his hobbies changed over the years?
When did Raj upgrade his phone?
Has she changed her mind?
When was the last change of the password?
How did the team transition to remote work?
Did she stop smoking?
Has he started a new diet?
When did Nina become a manager?
Why did Jonas quit his job?
When did the rent change?
What did she switch to?
Did they relocate?
Tell me how her schedule changed.
What were her jobs over the years?
When did Lena stop taking the bus?
When did Marco begin to support Milan?
Which update did she make to the plan and why did it change?`,
	daybook.Neutral: `
When did Anna visit the museum?
What did Tom buy on Friday?
What did Maria say about the party?
Who called yesterday?
What will Leo do tomorrow?
Where will they go next summer?
Who won the match?
What did Sofia cook for the guests last night?
When did Omar break his leg?
How did the interview go?
What happened at the wedding?
Did Priya send the letter?
Has Ben ever been to Japan?
Will she come?
When is she going to call?
Who did Hannah meet at the station?
What did Eva find in the attic?
How many books did Clara publish?
Why did Raj call the doctor?
What gift did Kim bring?
What did Mia wear to the wedding?`,
}

// TestQuestionViews holds the views to a measured share; each miss is logged.
func TestQuestionViews(t *testing.T) {
	right, all := 0, 0
	for want, text := range questionViews {
		for line := range strings.Lines(strings.TrimSpace(text)) {
			line = strings.TrimSpace(line)
			all++
			if got := ReadQuestion(line); got.View == want {
				right++
			} else {
				t.Logf("%s: %s, want %s (verb %q %s, marks %b)", line, got.View, want, got.Verb.Lemma, got.Verb.Tense, got.Marks)
			}
		}
	}
	t.Logf("%d of %d views right", right, all)
	if right < all*95/100 {
		t.Errorf("only %d of %d views are right", right, all)
	}
}

func TestAsStatement(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"What coffee does Caroline drink?", "I drink coffee"},
		{"Where does Caroline live?", "I live"},
		{"Where did Caroline live before Rome?", "I lived before Rome"},
		{"Who is Caroline's manager?", "my manager is"},
		{"What is Caroline's favorite band?", "my favorite band is"},
		{"What was her previous job?", "my previous job was"},
		{"What car is Caroline driving now?", "I am driving car now"},
		{"Does Caroline still play tennis?", "I play tennis"},
		{"When did Caroline move to Oslo?", "I moved to Oslo"},
		{"How long has Caroline lived in Oslo?", "I have lived in Oslo"},
		{"What does Caroline's sister do for work?", "my sister does for work"},
		{"What phone do you use?", "I use phone"},
		{"What did Caroline use to drive?", "I used to drive"},
		{"Where does Ben work?", "Ben works"},
		{"How many kids does Caroline have?", "I have kids"},
		{"What gym does Caroline go to?", "I go gym to"},
		{"Who does Caroline live with?", "I live with"},
		{"Why did Caroline give up meat?", "I gave up meat"},
	} {
		if got := AsStatement(c.question, "Caroline"); got != c.want {
			t.Errorf("%s: %q, want %q", c.question, got, c.want)
		}
	}
}

func TestReadQuestion(t *testing.T) {
	for _, c := range []struct{ text, wh, asked, subject, verb string }{
		{"What car does Melanie drive?", "what", "car", "Melanie", "drive"},
		{"How many kids does she have?", "how many", "kids", "she", "have"},
		{"How long has Anna lived in Rome?", "how long", "", "Anna", "live"},
		{"Who is Tom's boss?", "who", "", "Tom's boss", "be"},
		{"Does Leo still smoke?", "", "", "Leo", "smoke"},
		{"What kind of music does he like?", "what", "music", "he", "like"},
		{"On which day did Anna leave?", "when", "day", "Anna", "leave"},
		{"Which of her friends moved?", "which", "", "", "move"},
		{"Do you know where Anna lives?", "where", "", "Anna", "live"},
		{"Tell me what Ben eats.", "what", "", "Ben", "eat"},
		{"How often does Kim swim?", "how often", "", "Kim", "swim"},
		{"What's the name of her dog?", "what", "", "the name of her dog", "be"},
	} {
		q := ReadQuestion(c.text)
		if q.Wh != c.wh || q.Asked != c.asked || q.Subject != c.subject && c.subject != "" || q.Verb.Lemma != c.verb {
			t.Errorf("%s: wh %q asked %q subject %q verb %q", c.text, q.Wh, q.Asked, q.Subject, q.Verb.Lemma)
		}
		if q.YesNo != (c.wh == "") {
			t.Errorf("%s: yes/no is %v", c.text, q.YesNo)
		}
	}
	if parts := ReadQuestion("Where does Anna live and what does she do?").Parts; len(parts) != 2 || parts[1] != "what does she do?" {
		t.Errorf("parts %q", parts)
	}
}

func TestConjuncts(t *testing.T) {
	for text, want := range map[string][]string{
		"What did Ann say about her garden and her job?": {"What did Ann say about her garden?", "What did Ann say about her job?"},
		"What do both Ann and Bo collect?":               {"What do Ann collect?", "What do Bo collect?"},
		"Where does Anna live and what does she do?":     {"Where does Anna live", "what does she do?"},
		"Does Leo prefer the sea or the mountains?":      {"Does Leo prefer the sea?", "Does Leo prefer the mountains?"},
		"What was said between Ann and Bo?":              nil,
		"What did she and I eat?":                        nil,
		"Where does Anna live?":                          nil,
	} {
		q := ReadQuestion(text)
		if got := q.Conjuncts(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"Anna moved to Lisbon with Ben Carter.":     "Anna:person Lisbon:place Ben Carter:person",
		"I work at Nordwind and live in Zwolle.":    "Nordwind:organisation Zwolle:place",
		"Dr. Wu teaches at the University of Oslo.": "Dr. Wu:person University of Oslo:organisation",
		"Hiking is fun. ":                           "",
		"Yesterday we met on Friday in May.":        "",
		"My friend Tamsin loves Central Park.":      "Tamsin:person Central Park:place",
		"Went to see Kowalski Ltd. about it":        "Kowalski Ltd:organisation",
		"We switched to Spotify":                    "Spotify:",
	} {
		s := ReadSentence(text)
		var got []string
		for _, n := range s.Names() {
			got = append(got, n.Text+":"+string(n.Kind))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}

// What asks the hearer to do something is not answered by yes or no.
func TestRequestsAreNoYesNoQuestions(t *testing.T) {
	for text, want := range map[string]bool{
		"Can you list my appointments?":                false,
		"Could you go over the plans for the kitchen?": false,
		"Would you please sum up our talks?":           false,
		"Will you walk me through the changes?":        false,
		"Can Ana swim?":                                true,
		"Could we go by train?":                        true,
		"Do you have my address?":                      true,
		"Would she like it?":                           true,
	} {
		if q := ReadQuestion(text); q.YesNo != want {
			t.Errorf("%s: yes/no is %v", text, q.YesNo)
		}
	}
}
