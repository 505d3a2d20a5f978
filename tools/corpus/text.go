package main

import (
	"fmt"
	"hash/crc32"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The reading form of a chat is plain text, so that people can write and read it:
//
//	# name: wren
//	# genre: coding agent
//	# region: Cornwall, terse
//	== 2025-02-11 19:42
//	1 Tamsin: repo is wrenly. flutter app
//	+ wrenly | framework | Flutter | flutter | holds
//	2 assistant: Noted. minSdk 21, still accurate?
//	3 Tamsin: 24 since november
//	+ wrenly | minSdk | 24 | 24 | holds | 2024-11 | x2
//	? current | lowest android version we support | 24 | API 24 | 21 | 3 | 24 | wrenly / minSdk
//
// A claim has who, about, value, words and stance, then in any order a date (since), xN,M (the
// messages it closes), =N,M (the messages that say the same) and !implied or !spread. "." as
// words means that they are the value. A question has kind, question, answer, other right
// answers, stale answers, evidence, words, and then a state, @date and a form where they apply;
// parts of a list are parted by " ; ".

// parseError is a fault in the reading form of a chat.
type parseError struct {
	Line int
	What string
}

func (e parseError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

// chatParser reads the reading form line by line.
type chatParser struct {
	chat    Chat
	line    int
	session int
	last    time.Time
	faults  []error
}

func parseText(text string) (Chat, []error) {
	p := &chatParser{}
	for i, line := range strings.Split(text, "\n") {
		p.line = i + 1
		p.read(strings.TrimRight(line, " \r"))
	}
	return p.chat, p.faults
}

func (p *chatParser) fault(format string, args ...any) {
	p.faults = append(p.faults, parseError{p.line, fmt.Sprintf(format, args...)})
}

func (p *chatParser) read(line string) {
	switch {
	case line == "":
	case strings.HasPrefix(line, "# "):
		p.header(line[2:])
	case strings.HasPrefix(line, "== "):
		p.sitting(line[3:])
	case strings.HasPrefix(line, "+ "):
		p.claim(line[2:])
	case strings.HasPrefix(line, "? "):
		p.question(line[2:])
	default:
		p.message(line)
	}
}

func (p *chatParser) header(line string) {
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch strings.TrimSpace(key) {
	case "name":
		p.chat.Name = value
	case "genre":
		p.chat.Genre = value
	case "region":
		p.chat.Region = value
	}
}

func (p *chatParser) sitting(line string) {
	at, err := time.Parse("2006-01-02 15:04", strings.TrimSpace(line))
	if err != nil {
		p.fault("a sitting begins with == YYYY-MM-DD HH:MM, not %q", line)
		return
	}
	if !at.After(p.last) {
		p.fault("the sitting of %s begins before the message above it", line)
	}
	p.session++
	p.last = at
}

var messageLine = regexp.MustCompile(`^(\d+)(?: (\d\d:\d\d))? ([^:]{1,40}): (.*)$`)

func (p *chatParser) message(line string) {
	m := messageLine.FindStringSubmatch(line)
	if m == nil {
		p.fault("neither a message (N Speaker: text), a sitting (==), a claim (+) nor a question (?): %q", line)
		return
	}
	if p.session == 0 {
		p.fault("a message before the first sitting (== YYYY-MM-DD HH:MM)")
	}
	number, err := strconv.Atoi(m[1])
	if err != nil || number != len(p.chat.Messages)+1 {
		p.fault("message %s stands where %d is next", m[1], len(p.chat.Messages)+1)
	}
	msg := Message{
		ID:      p.id(number),
		Session: fmt.Sprintf("s%d", p.session),
		Time:    p.clock(m[2], m[4]),
		Speaker: m[3],
		Text:    strings.ReplaceAll(m[4], `\n`, "\n"),
	}
	p.chat.Messages = append(p.chat.Messages, msg)
}

// clock gives a message its time: as written, or some time after the message before, by the
// length of its text.
func (p *chatParser) clock(written, text string) time.Time {
	if at, err := time.Parse("15:04", written); err == nil {
		day := p.last.Truncate(24 * time.Hour)
		next := day.Add(time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute)
		if !next.After(p.last) {
			next = p.last.Add(20 * time.Second)
		}
		p.last = next
		return next
	}
	if len(p.chat.Messages) > 0 && p.chat.Messages[len(p.chat.Messages)-1].Session == fmt.Sprintf("s%d", p.session) {
		p.last = p.last.Add(time.Duration(8+len(text)/2+int(crc32.ChecksumIEEE([]byte(text))%110)) * time.Second)
	}
	return p.last
}

func (p *chatParser) id(number int) string { return fmt.Sprintf("%sm%03d", p.chat.Name, number) }

func (p *chatParser) ids(list string) []string {
	out := []string{}
	for part := range strings.SplitSeq(list, ",") {
		number, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || number < 1 {
			p.fault("%q is not the number of a message", part)
			continue
		}
		out = append(out, p.id(number))
	}
	return out
}

func fields(line string) []string {
	parts := strings.Split(" "+line+" ", " | ")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

var (
	sinceField = regexp.MustCompile(`^\d{4}(-\d\d){0,2}$`)
	idsField   = regexp.MustCompile(`^[x=]\s*\d`)
)

func (p *chatParser) claim(line string) {
	parts := fields(line)
	if len(parts) < 5 {
		p.fault("a claim has who | about | value | words | stance; this one has %d parts", len(parts))
		return
	}
	if len(p.chat.Messages) == 0 {
		p.fault("a claim before the first message")
		return
	}
	msg := p.chat.Messages[len(p.chat.Messages)-1]
	c := Claim{Msg: msg.ID, Who: parts[0], About: parts[1], Value: parts[2], Words: parts[3], Stance: parts[4], Closes: []string{}, SameAs: []string{}}
	if c.Words == "." {
		c.Words = c.Value
	}
	c.Words = p.exact(msg.Text, strings.ReplaceAll(c.Words, `\n`, "\n"))
	for _, part := range parts[5:] {
		switch {
		case part == "":
		case sinceField.MatchString(part):
			c.Since = part
		case idsField.MatchString(part) && part[0] == 'x':
			c.Closes = p.ids(part[1:])
		case idsField.MatchString(part):
			c.SameAs = p.ids(part[1:])
		case part == "!implied" || part == "!spread":
			c.Told = part[1:]
		default:
			p.fault("%q is no date, xN (closes), =N (same as), !implied or !spread", part)
		}
	}
	p.chat.Claims = append(p.chat.Claims, c)
}

// exact gives the stretch of the text that the words name, whatever their case.
func (p *chatParser) exact(text, words string) string {
	if strings.Contains(text, words) {
		return words
	}
	if i := strings.Index(strings.ToLower(text), strings.ToLower(words)); i >= 0 && i+len(words) <= len(text) &&
		strings.EqualFold(text[i:i+len(words)], words) {
		return text[i : i+len(words)]
	}
	return words
}

func list(part string) []string {
	out := []string{}
	for item := range strings.SplitSeq(part, ";") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

func (p *chatParser) question(line string) {
	parts := fields(line)
	if len(parts) < 3 && (len(parts) < 2 || parts[0] != "absent") {
		p.fault("a question has kind | question | answer | accept | stale | evidence | words; this one has %d parts", len(parts))
		return
	}
	for len(parts) < 7 {
		parts = append(parts, "")
	}
	q := Question{
		ID: fmt.Sprintf("%sq%02d", p.chat.Name, len(p.chat.Questions)+1), Kind: parts[0], Question: parts[1], Answer: parts[2],
		Accept: list(parts[3]), Stale: list(parts[4]), Evidence: []string{}, Words: parts[6],
	}
	if parts[5] != "" {
		q.Evidence = p.ids(parts[5])
	}
	if q.Kind == "list" {
		q.Items = list(q.Answer)
		q.Answer = strings.Join(q.Items, ", ")
	}
	if m := p.find(q.Evidence); m != nil {
		if q.Words == "." {
			q.Words = q.Answer
		}
		q.Words = p.exact(m.Text, strings.ReplaceAll(q.Words, `\n`, "\n"))
	}
	for _, part := range parts[7:] {
		p.about(&q, part)
	}
	p.chat.Questions = append(p.chat.Questions, q)
}

func (p *chatParser) about(q *Question, part string) {
	switch who, about, ok := strings.Cut(part, " / "); {
	case part == "":
	case slices.Contains(forms, part):
		q.Form = part
	case strings.HasPrefix(part, "@"):
		q.At = part[1:]
	case ok:
		q.Who, q.About = strings.TrimSpace(who), strings.TrimSpace(about)
	default:
		p.fault("%q is no state (who / about), @date or form (%s)", part, strings.Join(forms, ", "))
	}
}

// find returns the first message of the evidence.
func (p *chatParser) find(evidence []string) *Message {
	if len(evidence) == 0 {
		return nil
	}
	for i := range p.chat.Messages {
		if p.chat.Messages[i].ID == evidence[0] {
			return &p.chat.Messages[i]
		}
	}
	return nil
}

// number gives what the reading form calls a message.
func number(chat, id string) string {
	return strings.TrimLeft(strings.TrimPrefix(id, chat+"m"), "0")
}

func numbers(chat string, ids []string) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = number(chat, id)
	}
	return strings.Join(out, ",")
}

// formatText writes a chat in its reading form. Message ids are renumbered to NAMEm001 …
func formatText(c Chat) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# name: %s\n# genre: %s\n# region: %s\n", c.Name, c.Genre, c.Region)
	byMessage := map[string][]Claim{}
	for _, claim := range c.Claims {
		byMessage[claim.Msg] = append(byMessage[claim.Msg], claim)
	}
	session := ""
	for i, m := range c.Messages {
		if m.Session != session {
			session = m.Session
			fmt.Fprintf(&b, "== %s\n", m.Time.Format("2006-01-02 15:04"))
		}
		fmt.Fprintf(&b, "%d %s: %s\n", i+1, m.Speaker, strings.ReplaceAll(m.Text, "\n", `\n`))
		for _, claim := range byMessage[m.ID] {
			b.WriteString("+ " + formatClaim(c.Name, claim) + "\n")
		}
	}
	for _, q := range c.Questions {
		b.WriteString("? " + formatQuestion(c.Name, q) + "\n")
	}
	return b.String()
}

func formatClaim(chat string, c Claim) string {
	words := strings.ReplaceAll(c.Words, "\n", `\n`)
	if c.Words == c.Value {
		words = "."
	}
	parts := []string{c.Who, c.About, c.Value, words, c.Stance}
	if c.Since != "" {
		parts = append(parts, c.Since)
	}
	if len(c.Closes) > 0 {
		parts = append(parts, "x"+numbers(chat, c.Closes))
	}
	if len(c.SameAs) > 0 {
		parts = append(parts, "="+numbers(chat, c.SameAs))
	}
	if c.Told != "" {
		parts = append(parts, "!"+c.Told)
	}
	return strings.Join(parts, " | ")
}

func formatQuestion(chat string, q Question) string {
	answer := q.Answer
	if len(q.Items) > 0 {
		answer = strings.Join(q.Items, " ; ")
	}
	words := strings.ReplaceAll(q.Words, "\n", `\n`)
	if words == q.Answer && words != "" {
		words = "."
	}
	parts := []string{q.Kind, q.Question, answer, strings.Join(q.Accept, " ; "), strings.Join(q.Stale, " ; "), numbers(chat, q.Evidence), words}
	if q.Who != "" {
		parts = append(parts, q.Who+" / "+q.About)
	}
	if q.At != "" {
		parts = append(parts, "@"+q.At)
	}
	if q.Form != "" {
		parts = append(parts, q.Form)
	}
	return strings.TrimRight(strings.Join(parts, " | "), " |")
}
