package source

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"daybook"

	"go.yaml.in/yaml/v3"
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

// frontMatter reads the fields of a document's front matter: its author, its time, and all
// of them as metadata of its notes. What is no YAML stays text.
func (rd *reader) frontMatter(lines []string) (d document, err error) {
	fields := map[string]any{}
	if yaml.Unmarshal([]byte(strings.Join(lines, "\n")), &fields) != nil {
		var b blocks
		for i, l := range lines {
			b.line(i+2, l)
		}
		b.flush()
		return document{blocks: b.done}, nil
	}
	d.metadata = map[string]any{}
	for name, value := range fields {
		if value = inJSON(value); value != nil {
			d.metadata[name] = value
		}
	}
	d.author, _ = field(fields, "author").(string)
	for _, name := range []string{"date", "created", "created_at"} {
		value := inJSON(field(fields, name))
		if value == nil || value == "" {
			continue
		}
		if d.time, err = rd.when(fmt.Sprint(value)); err != nil {
			return d, daybook.Errorf(daybook.Invalid, "front matter: %s: %w", name, err)
		}
		return d, nil
	}
	return d, nil
}

// field finds a field whatever the case of its name.
func field(fields map[string]any, name string) any {
	for key, value := range fields {
		if strings.EqualFold(key, name) {
			return value
		}
	}
	return nil
}

// inJSON is a value of YAML as JSON has it: times are text, keys of maps are text.
func inJSON(value any) any {
	switch v := value.(type) {
	case time.Time:
		if v.Equal(v.Truncate(24 * time.Hour)) {
			return v.Format(time.DateOnly)
		}
		return v.Format(time.RFC3339)
	case []any:
		list := make([]any, 0, len(v))
		for _, each := range v {
			list = append(list, inJSON(each))
		}
		return list
	case map[string]any:
		for key, each := range v {
			v[key] = inJSON(each)
		}
		return v
	case map[any]any:
		return fmt.Sprint(v)
	}
	return value
}
