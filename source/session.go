package source

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"
)

// cutter cuts records that have no session into sessions, where the time between
// one and the next is longer than a gap.
type cutter struct{ start, last time.Time }

// session names the session of a record: the file and the time of its first
// message. Where the times are not the file's own the file is one session.
func (c *cutter) session(name string, t time.Time, gap time.Duration, assumed bool) string {
	if assumed {
		return name
	}
	if c.start.IsZero() || t.Sub(c.last).Abs() > gap {
		c.start = t
	}
	c.last = t
	return name + " " + c.start.UTC().Format("2006-01-02 15:04")
}

// id makes an id of what a record says. The same content a second time in the
// file gets another one.
func (rd *reader) id(prefix string, content ...string) string {
	sum := digest(content...)
	rd.seen[sum]++
	if n := rd.seen[sum]; n > 1 {
		sum += "-" + strconv.Itoa(n)
	}
	return prefix + ":" + sum
}

func digest(content ...string) string {
	h := sha256.New()
	for _, s := range content {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// titled names the session of a conversation that has a title and an id: people
// read the title, and the id tells apart what is called alike.
func titled(title, id string) string {
	title = shorten(oneLine(title), 200)
	if title == "" {
		return id
	}
	return title + " (" + shorten(id, 8) + ")"
}
