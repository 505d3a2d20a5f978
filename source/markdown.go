package source

import (
	"regexp"
	"strings"
	"time"

	"daybook"
)

var (
	mdHeading   = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	mdUnderline = regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)
	mdFence     = regexp.MustCompile("^ {0,3}(```+|~~~+)")
	mdField     = regexp.MustCompile(`^([A-Za-z_][\w -]*):(?:[ \t]+(.*))?$`)
)

// markdown gathers the blocks of a document under their headings.
type markdown struct {
	blocks
	rd      *reader
	path    [6]string
	dates   [6]time.Time
	fence   string // the fence that an open piece of code began with
	pending bool   // the last heading has no text under it yet
	level   int    // of the last heading
	began   int    // its line
	at      int
}

// readMarkdown reads a document: front matter, headings, blocks. A heading that is
// a date, as in a diary, is the time of what stands under it.
func readMarkdown(rd *reader) error {
	lines, err := rd.documentLines()
	if err != nil || lines == nil {
		return err
	}
	m := &markdown{rd: rd}
	var d document
	n := frontMatter(lines)
	if n > 0 {
		if d, err = rd.frontMatter(lines[1 : n-1]); err != nil {
			rd.bad(Position{Line: 1}, err)
			return nil
		}
	}
	for i := n; i < len(lines); i++ {
		m.at = i + 1
		m.next(lines[i])
	}
	m.flush()
	m.loneHeading()
	d.blocks = append(d.blocks, m.done...)
	rd.document(d)
	return nil
}

// next takes a line in.
func (m *markdown) next(line string) {
	if f := mdFence.FindStringSubmatch(line); f != nil && (m.fence == "" || strings.HasPrefix(f[1], m.fence)) {
		if m.fence == "" {
			m.fence = f[1]
		} else {
			m.fence = ""
		}
		m.text(line)
		return
	}
	if m.fence != "" {
		m.code(line)
		return
	}
	if h := mdHeading.FindStringSubmatch(line); h != nil {
		m.flush()
		m.heading(len(h[1]), h[2])
		return
	}
	if u := mdUnderline.FindStringSubmatch(line); u != nil && len(m.lines) == 1 {
		title := m.lines[0]
		m.lines = nil
		m.heading(map[byte]int{'=': 1, '-': 2}[u[1][0]], title)
		return
	}
	m.text(line)
}

func (m *markdown) text(line string) {
	if strings.TrimSpace(line) != "" {
		m.pending = false
	}
	m.line(m.at, line)
}

// code keeps blank lines inside code.
func (m *markdown) code(line string) {
	if line == "" && len(m.lines) > 0 {
		m.lines = append(m.lines, line)
		return
	}
	m.text(line)
}

func (m *markdown) heading(level int, title string) {
	if level <= m.level {
		m.loneHeading()
	}
	m.level, m.began = level, m.at
	m.path[level-1] = strings.TrimSpace(title)
	m.dates[level-1] = time.Time{}
	if t, g, err := daybook.ParseTime(title); err == nil && (g == daybook.Day || g == daybook.Minute) {
		m.dates[level-1] = inZone(t, m.rd.Zone)
	}
	for i := level; i < len(m.path); i++ {
		m.path[i], m.dates[i] = "", time.Time{}
	}
	m.current = block{path: m.headings(), time: m.date()}
	m.pending = title != ""
}

// loneHeading keeps a heading that has nothing under it: the next one would push
// it out. One with deeper headings under it stays in their path.
func (m *markdown) loneHeading() {
	if m.pending {
		m.done = append(m.done, block{m.current.path, m.current.path, m.began, m.current.time})
		m.pending = false
	}
}

func (m *markdown) headings() string {
	var names []string
	for _, name := range m.path {
		if name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, " > ")
}

// date is the date of the innermost heading that is one.
func (m *markdown) date() (t time.Time) {
	for _, d := range m.dates {
		if !d.IsZero() {
			t = d
		}
	}
	return t
}

// frontMatter returns how many lines of front matter a document begins with.
func frontMatter(lines []string) int {
	if len(lines) < 2 || strings.TrimRight(lines[0], " \t") != "---" {
		return 0
	}
	for i, l := range lines[1:] {
		l = strings.TrimRight(l, " \t")
		if l == "---" || l == "..." {
			return i + 2
		}
		if i == 0 && mdField.FindString(l) == "" {
			return 0 // a rule, not front matter
		}
	}
	return 0
}

// frontMatter reads what a document says of itself. All of it is kept as a block,
// too.
func (rd *reader) frontMatter(lines []string) (d document, err error) {
	var b blocks
	for i, l := range lines {
		b.line(i+2, l)
		field := mdField.FindStringSubmatch(l)
		if field == nil {
			continue
		}
		value := strings.Trim(strings.TrimSpace(field[2]), `"'`)
		switch key := strings.ToLower(field[1]); {
		case value == "":
		case key == "author":
			d.author = value
		case key == "date" || d.time.IsZero() && (key == "created" || key == "created_at"):
			if d.time, err = rd.when(value); err != nil {
				return d, daybook.Errorf(daybook.Invalid, "front matter: %s: %w", key, err)
			}
		}
	}
	b.flush()
	d.blocks = b.done
	return d, nil
}
