package source

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"daybook"
)

// DateOrder is how a date is written.
type DateOrder string

// The orders that there are; an empty one is worked out.
const (
	DayMonthYear DateOrder = "dmy"
	MonthDayYear DateOrder = "mdy"
	YearMonthDay DateOrder = "ymd"
)

// A chat has a line "date, time - name: text" (Android) or "[date, time] name: text"
// (iOS) per message, in the form of the telephone's language; a line that does
// not begin so continues the message before it. The patterns see digits of any
// script as ASCII and any space as a blank.
const (
	waDate = `(\d{1,4})([./-]) ?(\d{1,2})[./-] ?(\d{1,4})\.?`
	waTime = `(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?`
	waWord = `[^\d\s\[\]:,-]{1,5}` // AM, p.m., 下午, klo
	waGap  = `[,،，]? ?(?:(` + waWord + `(?: m\.?)?) ?)?`
	waEnd  = `(?: ?(` + waWord + `(?: ?m\.)?))?`
)

var (
	waBracket = regexp.MustCompile(`^\[` + waDate + waGap + waTime + waEnd + `\] ?`)
	waDash    = regexp.MustCompile(`^` + waDate + waGap + waTime + waEnd + ` [-–] `)
	waKorean  = regexp.MustCompile(`^(\d{4})(년) (\d{1,2})월 (\d{1,2})일` + waGap + waTime + waEnd + `, `)
)

// halves are the marks of the twelve-hour clock, folded: true is after noon.
var halves = map[string]bool{
	"am": false, "pm": true, "a": false, "p": true, "오전": false, "오후": true, "上午": false, "下午": true, "午前": false, "午後": true,
	"ص": false, "م": true, "ق.ظ": false, "ب.ظ": true, "πμ": false, "μμ": true, "öö": false, "ös": true, "sa": false, "ch": true, "de": false, "du": true,
	"fm": false, "em": true, "पूर्वाह्न": false, "अपराह्न": true,
}

// waStyle is what all headers of one chat have in common. A line that looks like
// a header in another style is text.
type waStyle struct {
	pattern    *regexp.Regexp
	separator  string
	seconds    bool
	twelveHour bool
}

// waHeader is the beginning of a message.
type waHeader struct {
	style                waStyle
	date                 [3]int // in the order of the file
	long                 bool   // the first number is a year of four digits
	hour, minute, second int
	rest                 string // name and text
	raw                  string // date and time as they stand
}

// parseHeader reads the beginning of a message.
func parseHeader(line string) (h waHeader, ok bool) {
	line = strings.TrimLeftFunc(line, isMark)
	if begin, _ := utf8.DecodeRuneInString(line); begin != '[' && !unicode.IsDigit(begin) {
		return h, false
	}
	plain := strings.Map(plainRune, line)
	for _, pattern := range []*regexp.Regexp{waBracket, waDash, waKorean} {
		m := pattern.FindStringSubmatch(plain)
		if m == nil {
			continue
		}
		h = waHeader{style: waStyle{pattern, m[2], m[8] != "", false}, raw: strings.Trim(m[0], " []-–,"), rest: afterRunes(line, utf8.RuneCountInString(m[0]))}
		for i, g := range []int{1, 3, 4} {
			h.date[i], _ = strconv.Atoi(m[g]) // digits only
		}
		h.long = len(m[1]) == 4
		h.hour, _ = strconv.Atoi(m[6])
		h.minute, _ = strconv.Atoi(m[7])
		h.second, _ = strconv.Atoi(m[8])
		return h, h.clock(m[5], m[9])
	}
	return h, false
}

// afterRunes returns what follows the first n runes, byte by byte as it is:
// plainRune maps one rune to one rune, so that runes can be counted.
func afterRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[i:]
		}
		n--
	}
	return ""
}

// clock brings the hour to 24 and reports whether it is one. A word before the
// time that is no mark of a half day is "at"; after it, "h" or "Uhr" is no mark.
func (h *waHeader) clock(before, after string) bool {
	late, ok := halves[foldMark(before)]
	if after != "" {
		if late, ok = halves[foldMark(after)]; !ok && foldMark(after) != "h" && foldMark(after) != "uhr" {
			return false
		}
	}
	if ok {
		if h.hour > 12 {
			return false
		}
		h.style.twelveHour = true
		h.hour %= 12
		if late {
			h.hour += 12
		}
	}
	return h.hour < 24 && h.minute < 60 && h.second < 60
}

func foldMark(s string) string {
	s = strings.ToLower(strings.ReplaceAll(s, " ", ""))
	if _, ok := halves[s]; ok {
		return s
	}
	return strings.ReplaceAll(s, ".", "")
}

// isMark reports the invisible marks of direction that WhatsApp puts into lines.
func isMark(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) || r == '\uFEFF' }

// zeros of the scripts in whose digits telephones write dates.
var zeros = []rune{'٠', '۰', '०', '০', '๐', '０'}

// plainRune sees digits as ASCII and spaces as blanks; marks inside a header, too.
func plainRune(r rune) rune {
	if r < 0x80 {
		return r
	}
	if unicode.IsSpace(r) || isMark(r) {
		return ' '
	}
	for _, zero := range zeros {
		if r >= zero && r <= zero+9 {
			return '0' + r - zero
		}
	}
	return r
}

// day returns the date in an order, and whether there is such a day.
func (h waHeader) day(order DateOrder) (y, m, d int, ok bool) {
	switch order {
	case YearMonthDay:
		y, m, d = h.date[0], h.date[1], h.date[2]
	case MonthDayYear:
		m, d, y = h.date[0], h.date[1], h.date[2]
	default:
		d, m, y = h.date[0], h.date[1], h.date[2]
	}
	if y < 100 {
		y += 2000
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return y, m, d, y < 10000 && t.Day() == d && int(t.Month()) == m
}

// readWhatsApp reads an exported chat. What WhatsApp itself writes (lines about the group,
// "<Media omitted>", "This message was deleted") is left out and counted.
func readWhatsApp(rd *reader) error {
	chat, err := rd.surveyChat()
	if err != nil {
		return err
	}
	var open *waMessage
	for l, err := range rd.lines() {
		if err != nil {
			return err
		}
		h, ok := parseHeader(l.text)
		switch {
		case ok && h.style == chat.style:
			rd.closeMessage(chat, open)
			open = &waMessage{header: h, line: l.number, text: []string{h.rest}}
		case open != nil:
			open.text = append(open.text, l.text)
		case strings.TrimFunc(l.text, func(r rune) bool { return isMark(r) || unicode.IsSpace(r) }) != "":
			rd.badf(Position{Line: l.number}, "it stands before the first message of the chat; cut it off")
		}
		if rd.stopped {
			return nil
		}
	}
	rd.closeMessage(chat, open)
	return nil
}

// waMessage is a message that may go on in the next line.
type waMessage struct {
	header waHeader
	line   int
	text   []string
}

// closeMessage hands on a message that is whole.
func (rd *reader) closeMessage(chat waChat, m *waMessage) {
	if m == nil || rd.stopped {
		return
	}
	at, h := Position{Line: m.line}, m.header
	whole := strings.TrimRight(strings.Join(m.text, "\n"), "\n ")
	if err := checkLine(whole); err != nil {
		rd.bad(at, err)
		return
	}
	year, month, day, ok := h.day(chat.order)
	if !ok {
		rd.badf(at, "there is no day %s in the order %s (--date-order says otherwise)", h.raw, chat.order)
		return
	}
	name, text := splitName(whole)
	if reason := waLeftOut(whole, name, text); reason != "" {
		rd.leave(reason)
		return
	}
	t := time.Date(year, time.Month(month), day, h.hour, h.minute, h.second, 0, rd.Zone)
	stamp := time.Date(year, time.Month(month), day, h.hour, h.minute, h.second, 0, time.UTC).Format(time.RFC3339)
	rd.note(at, daybook.Note{SourceID: rd.id("whatsapp", stamp, name, text), Time: t, Speaker: name, Text: text}, Assumed{})
}

// waDeleted are what Android writes in the place of a message that was deleted, without the
// stop at its end; iOS marks it as it marks everything that it writes by itself.
var waDeleted = strings.Split(strings.ToLower(
	`This message was deleted|You deleted this message|Diese Nachricht wurde gelöscht|Du hast diese Nachricht gelöscht|Se eliminó este mensaje|Eliminaste este mensaje|`+
		`Ce message a été supprimé|Vous avez supprimé ce message|Questo messaggio è stato eliminato|Hai eliminato questo messaggio|Mensagem apagada|Esta mensagem foi apagada|`+
		`Dit bericht is verwijderd|U hebt dit bericht verwijderd`), "|")

var waOmitted = regexp.MustCompile(`^<[^<>\n]{3,60}>$`)

// waLeftOut says why a message is none of a person's, or nothing.
func waLeftOut(whole, name, text string) string {
	_, said, _ := strings.Cut(whole, ":")
	said = strings.TrimLeft(said, " \u202f\u00a0")
	switch {
	case text == "":
		return "without text"
	case name == "":
		return "lines of WhatsApp about the chat"
	case slices.Contains(waDeleted, strings.TrimRight(strings.ToLower(text), ".")):
		return "deleted messages"
	case waOmitted.MatchString(text):
		return "media that the export leaves out"
	case strings.HasPrefix(said, "\u200e") && !strings.Contains(text, "\n"): // iOS: written by the telephone
		return "media that the export leaves out, deleted messages, calls"
	}
	return ""
}

// splitName tells "name: text" from a line about the group, which has no name. A
// name is short and has no quotation marks; "Ana changed the subject to “a: b”" has.
func splitName(s string) (name, text string) {
	clean := func(s string) string {
		return strings.TrimFunc(s, func(r rune) bool { return isMark(r) || unicode.IsSpace(r) })
	}
	head, _, _ := strings.Cut(s, "\n")
	for i := range head {
		next, size := utf8.DecodeRuneInString(head[i+1:])
		if head[i] != ':' || size > 0 && !unicode.IsSpace(next) && !isMark(next) {
			continue
		}
		name = clean(strings.TrimPrefix(clean(s[:i]), "~"))
		if name == "" || len([]rune(name)) > 60 || strings.ContainsAny(name, "\"“”„«»") {
			break
		}
		return name, clean(s[i+1:])
	}
	return "", clean(s)
}
