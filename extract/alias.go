package extract

import (
	"slices"
	"strings"
	"unicode"

	"daybook"
)

// Alias says how one name is a form of another.
type Alias string

// Ways in which a name is a form of another. The first three are sure by the form
// alone; the others need the context to bear them out.
const (
	NoAlias    Alias = ""
	Possessive Alias = "possessive" // "Melanie's" for "Melanie"
	Titled     Alias = "title"      // "Dr. Anna Smith" for "Anna Smith"
	Kin        Alias = "kin"        // "Anna's mum" for "Anna's mother"
	Surname    Alias = "surname"    // "Dr. Smith" for "Anna Smith"
	FirstName  Alias = "first-name" // "Anna" for "Anna Smith"
	Nickname   Alias = "nickname"   // "Mel" for "Melanie"
	Acronym    Alias = "acronym"    // "NYC" for "New York City"
)

// Sure reports whether the forms of two names alone say that they name one entity.
func (a Alias) Sure() bool { return a == Possessive || a == Titled || a == Kin }

// AliasOf says how a short name is a form of a full one; NoAlias when it is none.
// It is never both ways.
func AliasOf(short, full string) Alias {
	s, f := splitName(short), splitName(full)
	if len(s.words) == 0 || len(f.words) == 0 || daybook.Fold(short) == daybook.Fold(full) {
		return NoAlias
	}
	if s.owner != "" || f.owner != "" {
		return kinAlias(s, f)
	}
	if isAcronym(short, full) {
		return Acronym
	}
	same := slices.Equal(s.words, f.words)
	switch {
	case same && s.possessive && !f.possessive && s.title == f.title:
		return Possessive
	case f.possessive || s.possessive:
		return NoAlias
	case same && len(s.words) > 1 && s.title != "" && f.title == "":
		return Titled
	case same || f.title != "" && s.title != "" && f.title != s.title:
		return NoAlias
	}
	return shortAlias(s, f)
}

// isAcronym reports whether a name in capitals is made of the initials of another.
func isAcronym(short, full string) bool {
	if short != strings.ToUpper(short) || len(short) < 3 {
		return false
	}
	var letters strings.Builder
	for _, w := range strings.Fields(full) {
		if r := []rune(w)[0]; unicode.IsUpper(r) {
			letters.WriteRune(r)
		}
	}
	return letters.String() == short
}

// shortAlias compares names of persons of different length or root.
func shortAlias(s, f nameParts) Alias {
	switch {
	case s.title != "" && len(s.words) == 1 && len(f.words) > 1 && f.words[len(f.words)-1] == s.words[0]:
		return Surname
	case s.title != "":
		return NoAlias
	case len(s.words) == 1 && len(f.words) > 1 && f.words[0] == s.words[0] && nameLike(f.words[1:]):
		return FirstName
	case len(s.words) <= len(f.words) && isDiminutive(s.words[0], f.words[0]) && slices.Equal(s.words[1:], f.words[1:]):
		return Nickname
	case len(s.words) == 1 && isDiminutive(s.words[0], f.words[0]) && nameLike(f.words[1:]):
		return Nickname
	}
	return NoAlias
}

// nameLike reports whether words can be the rest of a person's name: few, and no
// small words as titles of books and bands have.
func nameLike(words []string) bool {
	if len(words) > 2 {
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool {
		return smallWords[w] || strings.ContainsFunc(w, unicode.IsDigit)
	})
}

var smallWords = setOf("of and the in on at for to with from by or as day street avenue road park city school university college church hospital shop store cafe bar restaurant center centre show band")

// nameParts is a name taken apart.
type nameParts struct {
	owner      string // "anna" of "Anna's mother"
	title      string
	words      []string
	possessive bool
}

func splitName(name string) (p nameParts) {
	words := strings.Fields(strings.ReplaceAll(daybook.Fold(name), "’", "'"))
	for i, w := range words {
		if i < len(words)-1 && strings.HasSuffix(w, "'s") {
			p.owner = strings.TrimSuffix(strings.Join(words[:i+1], " "), "'s")
			words = words[i+1:]
			break
		}
	}
	for i, w := range words {
		bare := strings.Trim(w, ".,!?;:\"()")
		if i == 0 && honorifics[bare] != "" && len(words) > 1 {
			p.title = honorifics[bare]
			continue
		}
		if i == len(words)-1 && strings.HasSuffix(bare, "'s") {
			bare, p.possessive = strings.TrimSuffix(bare, "'s"), true
		}
		if bare != "" {
			p.words = append(p.words, bare)
		}
	}
	return p
}

// honorifics are titles before a name, each with the form that stands for it.
var honorifics = map[string]string{
	"mr": "mr", "mister": "mr", "mrs": "mrs", "missus": "mrs", "ms": "ms", "miss": "ms", "dr": "dr", "doctor": "dr", "prof": "prof", "professor": "prof",
	"sir": "sir", "lady": "lady", "rev": "rev", "reverend": "rev", "capt": "capt", "captain": "capt", "coach": "coach", "aunt": "aunt", "auntie": "aunt",
	"uncle": "uncle", "grandma": "grandmother", "grandpa": "grandfather", "sgt": "sgt", "sergeant": "sgt", "officer": "officer", "judge": "judge",
}

// kinWords are words for one tie, the plain one first.
var kinWords = [][]string{
	{"mother", "mom", "mum", "mama", "mommy", "mummy", "ma"}, {"father", "dad", "papa", "daddy", "pa"},
	{"grandmother", "grandma", "granny", "nana", "gran"}, {"grandfather", "grandpa", "granddad", "grandad", "gramps"},
	{"husband", "hubby"}, {"sister", "sis"}, {"brother", "bro"}, {"aunt", "auntie", "aunty"}, {"girlfriend", "gf"}, {"boyfriend", "bf"},
}

// kinAlias compares two ties to the same person.
func kinAlias(s, f nameParts) Alias {
	if s.owner != f.owner || len(s.words) != 1 || len(f.words) != 1 || s.possessive || f.possessive {
		return NoAlias
	}
	for _, words := range kinWords {
		if f.words[0] == words[0] && slices.Contains(words[1:], s.words[0]) {
			return Kin
		}
	}
	return NoAlias
}

// AliasWords are the words under which the names are found that a name may be a
// form of, or that may be forms of it.
func AliasWords(name string) (words []string) {
	p := splitName(name)
	if p.owner != "" {
		return kinNames(p)
	}
	if len(p.words) == 0 || len(p.words) > 6 {
		return nil
	}
	words = append(words, p.words[0])
	if last := p.words[len(p.words)-1]; last != p.words[0] {
		words = append(words, last)
	}
	if !p.possessive {
		words = append(words, p.words[len(p.words)-1]+"'s")
	}
	var letters strings.Builder
	for _, w := range p.words {
		letters.WriteRune([]rune(w)[0])
	}
	if letters.Len() > 2 {
		words = append(words, letters.String())
	}
	words = append(words, fullForms[p.words[0]]...)
	return append(words, shortForms[p.words[0]]...)
}

// kinNames are the other words for the tie that a name tells of.
func kinNames(p nameParts) []string {
	for _, words := range kinWords {
		if len(p.words) == 1 && slices.Contains(words, p.words[0]) {
			return words
		}
	}
	return nil
}

func isDiminutive(short, full string) bool { return slices.Contains(fullForms[short], full) }

// diminutives are given names of English with the short forms in use; a short
// form that stands for several names stands at each.
const diminutives = `abigail:abby abbie gail|adam:ad|adelaide:addie|agnes:aggie|albert:al bert bertie|alexander:alex xander sandy lex alec|alexandra:alex lexi sandra sasha|alfred:al alf alfie fred|
alice:ali allie|alison:ali allie|allison:ali allie|amanda:mandy|amelia:millie amy|anastasia:ana stacy|andrea:andie|andrew:andy drew|angela:angie|ann:annie|anna:annie|anne:annie|anthony:tony ant|antonia:toni|antonio:tony|
archibald:archie|arthur:art artie|ashley:ash|augustus:gus|barbara:barb barbie babs|bartholomew:bart|beatrice:bea trixie|benjamin:ben benny benji|bernadette:bernie|bernard:bernie|bethany:beth|bradley:brad|brandon:bran|bridget:bridie|
caitlin:cait|calvin:cal|cameron:cam|carolina:caro|caroline:caro carrie caz|carolyn:caro carrie|cassandra:cass cassie sandra|catherine:cathy cat kate katie cate|cecilia:cece|charles:charlie chuck chaz|charlotte:charlie lottie|
christian:chris|christina:chris chrissy tina|christine:chris chrissy tina|christopher:chris kit topher|clifford:cliff|constance:connie|cynthia:cindy|daniel:dan danny|danielle:dani danny|david:dave davey|deborah:deb debbie|debra:deb debbie|
dennis:den denny|dolores:lola|dominic:dom nick|donald:don donnie|dorothy:dot dottie|douglas:doug|edmund:ed eddie ned|eduardo:eddie edu|edward:ed eddie ted teddy ned|edwin:ed eddie|eleanor:ellie nell nora|elena:lena|elijah:eli|elizabeth:liz lizzie beth betsy betty eliza libby lisa|
emily:em emmy|emma:em|emmanuel:manny|eric:rick|ernest:ernie|esther:essie|eugene:gene|evelyn:evie eve|ezekiel:zeke|fernando:fer nando|florence:flo|frances:fran frannie|francesca:fran|francis:frank fran|francisco:paco pancho|franklin:frank|frederick:fred freddie|
gabriel:gabe|gabriela:gabby|gabrielle:gabby gabs|genevieve:gen gigi|geoffrey:geoff jeff|gerald:gerry jerry|gerard:gerry|gertrude:trudy|gregory:greg|guillermo:memo|gwendolyn:gwen|harold:harry hal|harriet:hattie|harrison:harry|helen:nell|henry:harry hank|herbert:herb bert|
howard:howie|ignacio:nacho|isaac:ike|isabel:izzy bella|isabella:izzy bella|isabelle:izzy bella|jacob:jake|jacqueline:jackie|james:jim jimmy jamie jem|jane:janie|janet:jan|jasmine:jas jazz|jeffrey:jeff|jennifer:jen jenny jenn|jeremiah:jerry|jeremy:jerry jez|jerome:jerry|
jessica:jess jessie|joan:joanie|joanna:jo joey|joanne:jo|john:johnny jack|jonathan:jon jonny jonty|jordan:jordy|jose:pepe|josephine:jo josie|joseph:joe joey|joshua:josh|judith:judy jude|julia:jules|julian:jules|julie:jules|juliet:jules|kathleen:kathy kath|katherine:kate katie kathy kat kit|kathryn:kate kathy|katrina:kat trina|
kenneth:ken kenny|kevin:kev|kimberly:kim|kristen:kris|kristina:kris tina|laura:laurie|lauren:laurie|lawrence:larry laurie|leonard:len lenny leo|leonardo:leo|leopold:leo|leslie:les|lillian:lily lil|linda:lindy|louis:lou|louise:lou|lucas:luke|lucille:lucy|lucinda:lucy|luisa:lu|lydia:lyd|
madeline:maddie|madison:maddie|magdalena:lena maggie|margaret:maggie meg peggy marge margie greta rita|maria:mia|marilyn:mari|marjorie:marge|martha:marty|martin:marty|mary:molly polly|matilda:tilly mattie|matthew:matt matty|maureen:mo|maximilian:max|maxwell:max|megan:meg|melanie:mel|melinda:mel mindy|melissa:mel missy|melvin:mel|
mercedes:mercy|michael:mike mikey mick mickey|michelle:shelly|miguel:mike|mildred:millie|minerva:minnie|miranda:randi|miriam:mimi|mitchell:mitch|mohammed:mo|mohamed:mo|monica:mon|montgomery:monty|nancy:nan|natalie:nat|natasha:nat tasha|nathan:nate nat|nathaniel:nate nat|nicholas:nick nicky nico|nicole:nicky nikki|
oliver:ollie|olivia:liv livvy|oscar:oz|pamela:pam|patricia:pat patty trish tricia|patrick:pat paddy rick|penelope:penny|percival:percy|peter:pete|philip:phil pip|phillip:phil pip|phoebe:phoebs|prudence:prue|rachel:rach|randall:randy|raphael:rafe|rafael:rafa|raymond:ray|rebecca:becky becca bec|reginald:reg reggie|
ricardo:rick|richard:rich rick dick ricky richie|robert:rob bob bobby robbie bert|roberta:bobbie|roberto:beto|roderick:rod|rodney:rod|roger:rog|roland:rollie|ronald:ron ronnie|rosalind:roz|rosemary:rosie|roxanne:roxy|rudolph:rudy|rupert:rupe|russell:russ|salvador:sal|salvatore:sal|samantha:sam sammy|samuel:sam sammy|
sandra:sandy|sarah:sally sadie|sebastian:seb bas|serena:rena|seymour:sy|sharon:shaz|sidney:sid|silvia:sil|simon:si|solomon:sol|sophia:sophie|stanley:stan|stephanie:steph|stephen:steve stevie|steven:steve stevie|stewart:stew|stuart:stu|susan:sue susie suzy|susannah:sue susie|suzanne:sue suzy|
sylvester:sly|sylvia:syl|tabitha:tabby|tamara:tammy|terence:terry|teresa:terry tess|theresa:terry tess|thaddeus:thad|theodore:ted theo teddy|theodora:thea dora|thomas:tom tommy|tiffany:tiff|timothy:tim timmy|tobias:toby|tracy:trace|trevor:trev|ursula:ulla|valentina:val|valerie:val|vanessa:nessa|veronica:ronnie vee|
victor:vic|victoria:vicky tori vic|vincent:vince vinny|violet:vi|virginia:ginny|vivian:viv|wallace:wally|walter:walt wally|wesley:wes|wilfred:wilf|wilhelmina:mina willa|william:will bill billy willy liam|winifred:winnie|winston:win|yvonne:evie|zachary:zach zack|zoe:zo`

var fullForms, shortForms = func() (map[string][]string, map[string][]string) {
	full, short := map[string][]string{}, map[string][]string{}
	for _, entry := range strings.Split(strings.ReplaceAll(diminutives, "\n", ""), "|") {
		name, forms, _ := strings.Cut(entry, ":")
		for _, f := range strings.Fields(forms) {
			full[f] = append(full[f], name)
			short[name] = append(short[name], f)
		}
	}
	return full, short
}()
