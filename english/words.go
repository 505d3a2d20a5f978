package english

// The closed classes and everyday nouns that reading needs. All of it is general
// knowledge of English.

var (
	weekdays      = set("monday tuesday wednesday thursday friday saturday sunday tues weds thurs")
	months        = set("january february march april may june july august september october november december")
	numberWords   = set("one two three four five six seven eight nine ten eleven twelve thirteen fifteen twenty thirty forty fifty hundred thousand million")
	interjections = set("hey hi hello wow yay yeah yep yup nope haha lol omg ugh oh ah aw aww hmm thanks congrats bye okay please hahaha lmao ooh yikes whoa woah oops ok phew yes tbh btw ngl imo fyi")
	indefinite    = set("someone somebody everyone everybody anyone anybody nobody one something everything nothing anything")

	// subordinators begin a dependent clause.
	subordinators = set("because since so when if although though while after before until till unless whereas once as that what which who whom whose where why how whether whenever wherever")
	// clauseVerbs take a clause with or without "that".
	clauseVerbs = set("say think believe know hear tell hope wish guess feel suppose mention mean swear bet realize realise notice find learn explain claim report see remember forget decide suggest assume imagine admit announce reply ask wonder fear dream expect figure understand promise agree argue insist worry doubt read")
	// sayVerbs report somebody's words.
	sayVerbs = set("say tell hear claim mention report announce explain reply suggest insist read state swear argue rumor rumour")
	// wishVerbs name what is wanted and not yet so.
	wishVerbs = set("want hope wish dream long crave aspire")
	// planVerbs name what is meant to be done.
	planVerbs = set("plan intend aim arrange schedule consider contemplate decide prepare mean think expect")
	// changeVerbs say that one state made way for another.
	changeVerbs = set("change switch become move start begin stop quit replace transition shift turn convert swap leave join upgrade evolve adopt trade transfer relocate")
	// linkVerbs join a subject with what it is.
	linkVerbs = set("be become seem feel look stay remain get turn sound appear smell taste")

	prepositions = set("in on at to from for with by about into onto over under of near beside behind between through during without within against across along around toward towards upon off out up down after before since until till like as per via than inside outside above below among despite except past instead")

	particles = set("up out off down in on over back away around along through together apart by about forward ahead")

	// phrasal pairs a verb with particles that change its meaning.
	phrasal = phrasalTable(`pick up out|move in out on back away|give up back away out in|take up off over on out back|get up back along off over out away through around together|go out back on off away through over up down|
come back over up in out across along|set up off out|put on off away up down together|turn on off down up out in into|find out|figure out|work out|hang out up|grow up out|break up down out in|sign up in out|sign off|end up|
wake up|catch up|show up off|check out in|run out into away|drop off out by in|look up out forward|make up out|carry on out|cut down off back out|bring up back over along|call off back up|calm down|clean up out|
cheer up|close down|dress up|eat out|fall apart out|fill in out up|hand in out over|hold on up back|keep up on|log in out on|pass away out on|pay off back|point out|settle down in|shut down|slow down|speed up|split up|
stand up out|stay up in over|switch over off on|throw away out up|try on out|warm up|wear out off|write down up|open up|head out back over|start out over up|stop by|swing by|use up|sit down|lie down|sort out|team up|
back out up|burn out|chill out|cool down|drive around|follow up|fix up|freak out|lay off|let down|live together|mess up|pull off out|rule out|save up|sell out off|ship off|sleep in over|step down up|stick around|tear down|
tidy up|wind down up|wrap up|zone out|freshen up|meet up|link up|match up|switch back|walk away out back|ask out around|blow up off out|bump up|cross off|phase out|opt out in`)
)

func phrasalTable(text string) map[string]bool {
	m := map[string]bool{}
	for _, row := range splitRows(text) {
		for _, particle := range row[1:] {
			m[row[0]+" "+particle] = true
		}
	}
	return m
}

// personNouns are nouns for people: kin, ties, and what people do.
var personNouns = set(`
mother father mom mum mama papa dad daddy mommy parent son daughter child kid baby toddler brother sister sibling twin husband wife spouse partner fiance fiancee
fiancé fiancée girlfriend boyfriend ex uncle aunt auntie cousin nephew niece grandmother grandfather grandma grandpa granny nana grandparent grandson granddaughter
grandchild stepmother stepfather stepmom stepdad stepson stepdaughter stepbrother stepsister godmother godfather godson goddaughter hubby
mother-in-law father-in-law brother-in-law sister-in-law son-in-law daughter-in-law
friend bestie buddy pal mate roommate flatmate housemate neighbor neighbour colleague coworker co-worker teammate classmate acquaintance guest host stranger
boss manager supervisor employer employee assistant director president chief ceo cto founder owner landlord landlady tenant client customer patient student pupil
teacher professor tutor instructor coach trainer mentor mentee advisor adviser counselor counsellor therapist psychologist psychiatrist doctor physician surgeon nurse dentist
pediatrician vet veterinarian pharmacist midwife paramedic lawyer attorney judge accountant banker broker agent realtor engineer programmer developer designer architect
scientist researcher analyst consultant writer author journalist reporter editor artist painter sculptor musician singer drummer guitarist pianist dancer actor actress
photographer filmmaker chef cook baker barista waiter waitress bartender butcher farmer gardener carpenter plumber electrician mechanic contractor builder driver pilot
captain officer policeman policewoman detective firefighter soldier marine guard clerk cashier receptionist secretary librarian janitor cleaner nanny babysitter
hairdresser barber stylist tailor salesman saleswoman salesperson recruiter intern apprentice volunteer priest pastor rabbi imam monk nun
man woman boy girl guy lady gentleman person people adult teenager teen human dude bloke fellow folk folks family crowd couple team crew relative ancestor
player athlete runner swimmer cyclist champion fan member leader candidate mayor senator minister king queen prince princess hero
specialist expert technician operator worker staff nutritionist dietitian physiotherapist optometrist dermatologist cardiologist sitter groomer walker caretaker housekeeper`)

// petNouns are animals that live with people.
var petNouns = set("dog puppy pup cat kitten pet hamster parrot rabbit bunny horse pony goldfish turtle guinea-pig lizard")

// timeNouns name stretches and points of time.
var timeNouns = set(`second minute hour day night week weekend fortnight month year decade century morning afternoon evening noon midnight today tomorrow yesterday tonight spring summer
autumn fall winter season semester term quarter time moment while monday tuesday wednesday thursday friday saturday sunday january february march april may june july
august september october november december lunchtime birthday christmas easter thanksgiving halloween daytime future past`)

// firstNames are common given names.
var firstNames = set(`
aaron abby abigail adam adrian aidan aisha alan albert alejandro alex alexander alexandra alexis alice alicia alina alison allison amanda amber amelia amir amy ana
andre andrea andrew andy angela anita anna anne annie anthony antonio april ariana arthur ashley audrey austin ava barbara beatrice becky bella ben benjamin beth betty
bianca bill billy blake bob bonnie brad bradley brandon brenda brian bruce caitlin caleb calvin cameron carl carla carlos carmen carol caroline carolyn casey
catherine cathy cecilia charles charlie charlotte chelsea chen chloe chris christian christina christine christopher cindy claire clara clark colin connor corey craig cynthia
daisy damian dan dana daniel daniela danielle danny darren dave david dawn dean deborah deepak denise dennis derek diana diane diego dominic donald donna doris dorothy doug douglas
dylan ed eddie edgar eduardo edward elaine eleanor elena eli elijah elizabeth ella ellen ellie emily emma eric erica erik erin ethan eva evan evelyn fatima felix
fernando fiona frances francesca francis frank fred gabriel gabriela gary gavin george gina giulia gloria gordon grace graham grant greg gregory hannah harold harper harriet harry
hassan heather hector heidi helen henry holly hugo ian ibrahim irene iris isaac isabel isabella isla ivan ivy jack jackie jackson jacob jade jaime jake james jamie jan jane
janet janice jared jasmine jason javier jay jean jeff jeffrey jen jenna jennifer jenny jeremy jerry jesse jessica jill jim jimmy joan joanna joe joel john johnny jon jonathan
jordan jorge jose joseph josh joshua joy joyce juan juan judith judy julia julian julie justin kai karen karl kate katherine kathleen kathy katie kayla keith kelly ken kenneth kenji kevin kim
kimberly kira kristen kurt kyle laila larry laura lauren leah lee leo leon leonard liam lily linda lisa liz logan lorenzo louis louise lucas lucia lucy luis luke luna lydia lynn madison
maggie malik marco marcus margaret maria mariam marie marilyn mario mark martha martin mary mason matt matthew maya megan mei melanie melissa mia michael michelle miguel mike
mila mohammed molly monica morgan nadia nancy naomi natalie natasha nate nathan neil nia nicholas nick nicole nina noah nora norma oliver olivia omar oscar owen paige pam
pamela pat patricia patrick paul paula pedro peggy penny peter phil philip phoebe priya rachel rafael raj ralph ravi ray raymond rebecca renee ricardo richard rick rita rob robert
roberto robin rodrigo roger ron ronald rosa rose rosie ross roy ruby russell ruth ryan sally sam samantha samuel sandra sara sarah scott sean sebastian sergio shane shannon sharon shawn
sheila shirley simon sofia sonia sophia sophie stacy stan stella stephanie stephen steve steven stuart sue susan suzanne sylvia tamara tanya tara ted teresa terry theo theresa
thomas tiffany tim timothy tina todd tom tommy tony tracy trevor tyler valerie vanessa vera veronica victor victoria vincent violet vivian walter wanda wayne wei wendy wesley
wesley will william willow wyatt yasmin yuki yusuf zachary zara zoe`)
