package english

import "testing"

func TestAnswered(t *testing.T) {
	for _, c := range []struct{ question, answer, want string }{
		{"How many kids do you have?", "Two, both in school.", "I have two kids, both in school."},
		{"How many kids do you have?", "Three kids.", "I have three kids."},
		{"Which bank do you use?", "Monzo, for years now.", "I use Monzo as my bank, for years now."},
		{"Which bike did you buy?", "A green Gazelle.", "I bought a green Gazelle as my bike."},
		{"Where do you live these days?", "In Skagen.", "I live in Skagen these days."},
		{"Where do you live?", "Lund, since May.", "I live in Lund, since May."},
		{"Where are you from?", "Porto.", "I am from Porto."},
		{"Where do you work?", "Bosch.", "I work at Bosch."},
		{"And where does your sister live?", "Oslo!", "My sister lives in Oslo."},
		{"What's your name?", "Lena.", "My name is Lena."},
		{"Oh, what's your favourite colour?", "Dark green.", "My favourite colour is dark green."},
		{"So, what are you drinking in the mornings now?", "Oat milk.", "I am drinking oat milk in the mornings now."},
		{"What do you do for work?", "Nurse, at the county hospital.", "I work as a nurse, at the county hospital."},
		{"Who is your dentist?", "Dr. Weiss.", "My dentist is Dr. Weiss."},
		{"How old are you?", "34.", "I am 34."},
		{"What time do you get up?", "Six thirty, sadly.", "I get up at six thirty, sadly."},
		{"How often do you go running?", "Twice a week.", "I go twice a week running."},
		{"Do you have any pets?", "Yes, two.", "I have two pets."},
		{"Do you smoke?", "No.", "I do not smoke."},
		{"Are you a vegetarian?", "Yes!", "I am a vegetarian."},
		{"Are you a vegetarian?", "Nope.", "I am not a vegetarian."},
		// No answers, or sentences of their own.
		{"What's your name?", "Good question!", ""},
		{"What's your name?", "No idea, honestly.", ""},
		{"Where do you live?", "Not telling.", ""},
		{"Where do you live?", "I live in Rome.", ""},
		{"What should I cook?", "Pasta.", ""},
		{"Where did Tom go?", "Paris.", ""},
		{"Could you help me?", "Yes.", ""},
		{"Nice weather!", "Lovely.", ""},
		{"How many kids do you have?", "You?", ""},
	} {
		if got := Answered(c.question, c.answer); got != c.want {
			t.Errorf("%s – %s: %q, want %q", c.question, c.answer, got, c.want)
		}
	}
}
