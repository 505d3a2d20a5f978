package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/source"
)

type importCmd struct {
	Files    importFilesCmd    `cmd:"" default:"withargs" help:"Take in files of any known format. This is what 'daybook import FILE' does."`
	Messages importMessagesCmd `cmd:"" help:"Short for --format messages."`
	Ledger   importLedgerCmd   `cmd:"" help:"Take in a scope that 'daybook export' wrote: --format ledger."`
}

// importFlags are what 'import' and 'import messages' have in common.
type importFlags struct {
	SkipBad bool          `help:"Keep the good records of a file with bad ones."`
	Gap     time.Duration `help:"Where a format has no sessions, silence longer than this begins a new one." default:"4h"`
	Time    string        `help:"Time of what has none of its own; if not given, when the file was last changed." placeholder:"TIME"`
	Zone    string        `help:"Time zone of times that name none, such as Europe/Rome; UTC if not given." placeholder:"NAME"`
	Me      string        `help:"Your name: who speaks where an export says only 'user' or 'human'." placeholder:"NAME"`
	Message string        `short:"m" help:"Commit message." placeholder:"TEXT"`
	DryRun  bool          `help:"Only read the files, and say what would be added."`
	learnFlags
}

type importFilesCmd struct {
	Files     []string `arg:"" name:"file" help:"Files, folders, or zip files of exports; '-' reads standard input."`
	Format    string   `help:"auto, messages, chatgpt, claude, whatsapp, locomo, longmemeval, mem0, markdown, text, pdf or ledger." enum:"auto,messages,chatgpt,claude,whatsapp,locomo,longmemeval,mem0,markdown,text,pdf,ledger" default:"auto"`
	DateOrder string   `help:"Order of WhatsApp dates, where a chat can be read in two ways: dmy, mdy or ymd." enum:"auto,dmy,mdy,ymd" default:"auto"`
	Tokens    int      `help:"Limit of a chunk of a document, in tokens." default:"256"`
	importFlags
}

type importMessagesCmd struct {
	Files []string `arg:"" name:"file" help:"JSON lines or an array of messages; '-' reads standard input."`
	importFlags
}

func (c *importMessagesCmd) Run(a *app) error {
	all := importFilesCmd{Files: c.Files, Format: string(source.Messages), DateOrder: "auto", importFlags: c.importFlags}
	return all.Run(a)
}

func (c *importFilesCmd) Run(a *app) error {
	opts, err := c.options(a)
	if err != nil {
		return err
	}
	names, unread, err := filesIn(c.Files)
	if err != nil {
		return err
	}
	c.Files = names
	files := importFiles{unread: unread}
	defer files.close()
	for _, name := range c.Files {
		if err := files.open(a, name, opts); err != nil {
			return fmt.Errorf("import %s: %w", name, err)
		}
	}
	if i := files.ledger(); i >= 0 {
		if len(c.Files) > 1 {
			return daybook.Errorf(daybook.Invalid, "import %s: it is an export of a whole scope; import it alone", c.Files[i])
		}
		return importLedger(a, c.Files[0], io.NewSectionReader(files.list[0].file, 0, 1<<62))
	}
	if c.DryRun {
		return c.look(a, files)
	}
	return a.learning(c.learnFlags, func(e *engine.Engine) error { return c.keep(a, e, files) })
}

// portion is how many messages make one commit: few enough that progress is seen and an
// interruption loses little, many enough that commits do not show.
const portion = 200

// keep takes the files in. Where it learns it also makes the vectors by which meaning finds
// the messages, and at the end builds the index: the first question need not wait for them.
func (c *importFilesCmd) keep(a *app, e *engine.Engine, files importFiles) error {
	stage := "keeping"
	if c.Learn {
		stage = "learning and embedding"
		encoder, err := a.encoder(encoderFlag{Encoder: os.Getenv("DAYBOOK_ENCODER")})
		if err != nil {
			return err
		}
		e = e.WithEncoder(encoder)
	}
	bar := a.newProgress()
	records, upTo, kept := 0, 0, 0 // in all files; up to the end of the batch at hand; up to what is durable
	in := engine.Import{Records: files.records, SkipBad: c.SkipBad, Progress: func(doing string, n int) {
		if upTo = n; doing == "checking" {
			records = n
			bar.show("checking", n, 0, "messages")
		}
	}}
	in.Keep = func(notes []daybook.Note) (total daybook.Receipt, err error) {
		for done := 0; done < len(notes); done += portion {
			bar.show(stage, upTo-len(notes)+done, records, "messages")
			part := notes[done:min(done+portion, len(notes))]
			r, err := c.keepPortion(a, e, part)
			total = together(total, r)
			if r.Seq > 0 { // kept, also where its vectors were not made any more
				kept = upTo - len(notes) + done + len(part)
			}
			if err != nil {
				return total, err
			}
		}
		return total, nil
	}
	res, err := e.Import(a.ctx, a.scope(), a.by(c.Message), in)
	if err == nil && c.Learn && res.Added > 0 {
		bar.show("indexing", 0, 0, "")
		_, err = e.Ask(a.ctx, a.scope(), engine.Asked{Text: "What is known?"})
	}
	a.endProgress()
	switch {
	case errors.Is(err, context.Canceled):
		return interrupted(kept, records)
	case err != nil:
		return c.explain(a, files, err)
	}
	return c.print(a, files, res)
}

// keepPortion makes one commit of an import, and the vectors of its messages.
func (c *importFilesCmd) keepPortion(a *app, e *engine.Engine, notes []daybook.Note) (daybook.Receipt, error) {
	r, err := e.Add(a.ctx, a.scope(), a.by(c.Message), notes)
	if err == nil && c.Learn {
		_, err = e.Embed(a.ctx, a.scope(), nil)
	}
	return r, err
}

// interrupted says what is kept of an import that was stopped.
func interrupted(kept, records int) error {
	return daybook.Errorf(daybook.Unavailable, "interrupted: %d of %s are kept; run the same command again to continue where it stopped", kept, plural(records, "message"))
}

// together adds up the receipts of one import.
func together(a, b daybook.Receipt) daybook.Receipt {
	a.Commit, a.Seq = b.Commit, b.Seq
	a.Added += b.Added
	a.Known += b.Known
	a.Learned += b.Learned
	a.Dropped += b.Dropped
	a.Fallback = cmp.Or(a.Fallback, b.Fallback)
	return a
}

// look reads the files and says what is in them. Nothing is written, and nothing compared
// with what the memory has.
func (c *importFilesCmd) look(a *app, files importFiles) error {
	sessions, speakers, bad, n := map[string]bool{}, map[string]int{}, 0, 0
	var first, last time.Time
	for r, err := range files.records() {
		if wrong, ok := errors.AsType[*source.BadRecord](err); ok {
			if bad++; bad <= 10 {
				fmt.Fprintf(a.err, "bad %s\n", line(wrong.Error(), 400))
			}
			continue
		}
		if err != nil {
			return err
		}
		n++
		sessions[r.Session] = true
		speakers[r.Speaker]++
		if first.IsZero() || r.Time.Before(first) {
			first = r.Time
		}
		if r.Time.After(last) {
			last = r.Time
		}
	}
	left := files.leftOut()
	if a.JSON {
		return a.json(map[string]any{"messages": n, "bad": bad, "sessions": len(sessions), "speakers": speakers, "first": first, "last": last, "left_out": left})
	}
	for _, f := range files.list {
		a.printf("%s: %s\n", f.name, f.Format())
	}
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		a.printf("would leave out %d: %s\n", left[reason], reason)
	}
	a.printf("would add %s in %s, less what is known already; %d bad\n", plural(n, "message"), plural(len(sessions), "session"), bad)
	if n > 0 {
		a.printf("from %s to %s; by %s\n", when(first), when(last), most(speakers, 5))
	}
	a.printf("nothing was written\n")
	return nil
}

// most names those who speak most, with their counts.
func most(speakers map[string]int, limit int) string {
	names := slices.SortedFunc(maps.Keys(speakers), func(a, b string) int {
		return cmp.Or(cmp.Compare(speakers[b], speakers[a]), cmp.Compare(a, b))
	})
	var words []string
	for _, name := range names[:min(len(names), limit)] {
		words = append(words, fmt.Sprintf("%s (%d)", line(cmp.Or(name, "nobody"), 30), speakers[name]))
	}
	if more := len(names) - limit; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return strings.Join(words, ", ")
}

func (c *importFilesCmd) options(a *app) (o source.Options, err error) {
	o = source.Options{Format: source.Format(c.Format), Session: a.Session, Gap: c.Gap, Me: c.Me, Tokens: c.Tokens, Now: a.now()}
	if c.DateOrder != "auto" {
		o.DateOrder = source.DateOrder(c.DateOrder)
	}
	if c.Gap <= 0 {
		return o, daybook.Errorf(daybook.Invalid, "--gap %v is no time that can pass", c.Gap)
	}
	if c.Zone != "" {
		if o.Zone, err = time.LoadLocation(c.Zone); err != nil {
			return o, daybook.Errorf(daybook.Invalid, "--zone %s: %w", c.Zone, err)
		}
	}
	o.Time, err = optionalTime(c.Time)
	return o, err
}

// explain lists the first bad records of an import that was refused.
func (c *importFilesCmd) explain(a *app, files importFiles, err error) error {
	what := c.Files[0]
	if len(c.Files) > 1 {
		what = fmt.Sprintf("of %d files", len(c.Files))
	}
	bad, ok := errors.AsType[*engine.ImportError](err)
	if !ok {
		return fmt.Errorf("import %s: %w", what, err)
	}
	records := files.noun()
	if !a.JSON && len(bad.Bad) > 1 {
		for _, b := range bad.Bad[:min(len(bad.Bad), 10)] {
			prefix := ""
			if len(c.Files) == 1 {
				prefix = what + ": "
			}
			fmt.Fprintf(a.err, "%s%s\n", prefix, line(b.Error(), 400))
		}
	}
	return fmt.Errorf("import %s: %w; nothing was kept (--skip-bad keeps the good %s)", what, err, records)
}

func (c *importFilesCmd) print(a *app, files importFiles, res engine.ImportResult) error {
	left := files.leftOut()
	if a.JSON {
		type badRecord struct {
			Line  int    `json:"line,omitempty"`
			At    string `json:"at"`
			Error string `json:"error"`
		}
		bad := []badRecord{}
		for _, b := range res.Bad {
			bad = append(bad, badRecord{b.At.Line, b.At.String(), b.Err.Error()})
		}
		return a.json(map[string]any{"commit": res.Commit, "seq": res.Seq, "added": res.Added, "known": res.Known, "learned": res.Learned,
			"dropped": res.Dropped, "fallback": res.Fallback, "skipped": bad, "left_out": left})
	}
	for _, b := range res.Bad[:min(len(res.Bad), 10)] {
		fmt.Fprintf(a.err, "skipped %s\n", line(b.Error(), 400))
	}
	if more := len(res.Bad) - 10; more > 0 {
		fmt.Fprintf(a.err, "and %d more; --json lists all\n", more)
	}
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		a.printf("left out %d: %s\n", left[reason], reason)
	}
	a.printf("%s added, %d known already, %d %s skipped", plural(res.Added, "note"), res.Known, len(res.Bad), files.noun())
	if res.Seq > 0 {
		a.printf("  %s", a.bold("commit "+res.Commit.Short()))
	}
	a.printf("\n")
	a.learned(res.Receipt)
	return nil
}

// importFiles are the opened files of an import, and how many of folders are of no format
// that can be read.
type importFiles struct {
	list   []importFile
	unread int
}

// readable are the endings of files that are taken from a folder.
var readable = []string{".md", ".markdown", ".txt", ".pdf", ".json", ".jsonl", ".ndjson", ".zip"}

// filesIn puts the files of folders in the place of the folders, in order, and counts those
// that are left out. What begins with a dot is passed over.
func filesIn(names []string) (files []string, unread int, err error) {
	for _, name := range names {
		info, err := os.Stat(name)
		if name == "-" || err != nil || !info.IsDir() {
			files = append(files, name)
			continue
		}
		before := len(files)
		err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			hidden := strings.HasPrefix(d.Name(), ".") && path != name
			switch {
			case err != nil:
				return daybook.Errorf(daybook.Unavailable, "import: %w", err)
			case d.IsDir() && hidden:
				return fs.SkipDir
			case d.IsDir() || hidden:
			case d.Type().IsRegular() && slices.Contains(readable, strings.ToLower(filepath.Ext(path))):
				files = append(files, path)
			default:
				unread++
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
		if len(files) == before {
			return nil, 0, daybook.Errorf(daybook.NotFound, "import %s: the folder has no file that can be read (%s)", name, strings.Join(readable, ", "))
		}
	}
	return files, unread, nil
}

type importFile struct {
	*source.Source
	name    string
	file    *os.File
	cleanup func()
}

// open opens a file and finds out what it is.
func (f *importFiles) open(a *app, name string, opts source.Options) error {
	path, cleanup, err := a.spool(name)
	if err != nil {
		return err
	}
	file, err := openFile(path)
	if err != nil {
		cleanup()
		return err
	}
	f.list = append(f.list, importFile{name: name, file: file, cleanup: cleanup})
	info, err := file.Stat()
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "%w", err)
	}
	if !info.Mode().IsRegular() {
		return daybook.Errorf(daybook.Invalid, "not a file")
	}
	in := source.Input{Name: name, Data: file, Size: info.Size(), Modified: info.ModTime()}
	if name == "-" {
		in.Name = "input"
	}
	f.list[len(f.list)-1].Source, err = source.Open(in, opts)
	return err
}

func (f importFiles) close() {
	for _, each := range f.list {
		_ = each.file.Close() // only read
		each.cleanup()
	}
}

// ledger returns the number of the file that is an export of a scope, or -1.
func (f importFiles) ledger() int {
	return slices.IndexFunc(f.list, func(each importFile) bool { return each.Format() == source.Ledger })
}

// records reads the files one after another. Positions name the file when there
// are several.
func (f importFiles) records() iter.Seq2[source.Record, error] {
	return func(yield func(source.Record, error) bool) {
		for _, each := range f.list {
			for r, err := range each.Records() {
				if bad, ok := errors.AsType[*source.BadRecord](err); ok {
					err = &source.BadRecord{At: f.in(each, bad.At), Err: bad.Err}
				} else if err != nil && len(f.list) > 1 {
					err = fmt.Errorf("%s: %w", each.name, err)
				}
				r.At = f.in(each, r.At)
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

func (f importFiles) in(each importFile, at source.Position) source.Position {
	if len(f.list) > 1 && at.File != "" {
		at.File = each.name + ": " + at.File
	} else if len(f.list) > 1 {
		at.File = each.name
	}
	return at
}

func (f importFiles) leftOut() map[string]int {
	all := map[string]int{}
	for _, each := range f.list {
		for reason, n := range each.LeftOut() {
			all[reason] += n
		}
	}
	if f.unread > 0 {
		all["files of no format that can be read"] = f.unread
	}
	return all
}

// noun is what a record is called: people know lines of messages as lines.
func (f importFiles) noun() string {
	if len(f.list) == 1 && f.list[0].Format() == source.Messages {
		return "lines"
	}
	return "records"
}

// spool gives a file a path that can be read twice.
func (a *app) spool(name string) (path string, cleanup func(), err error) {
	if name != "-" {
		return name, func() {}, nil
	}
	f, err := os.CreateTemp("", "daybook-import-*")
	if err != nil {
		return "", nil, daybook.Errorf(daybook.Unavailable, "%w", err)
	}
	cleanup = func() { os.Remove(f.Name()) }
	if _, err = io.Copy(f, a.in); err == nil {
		err = f.Close()
	}
	if err != nil {
		cleanup()
	}
	return f.Name(), cleanup, err
}

func openFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, daybook.Errorf(daybook.NotFound, "%w", err)
	}
	if err != nil {
		return nil, daybook.Errorf(daybook.Unavailable, "%w", err)
	}
	return f, nil
}

type importLedgerCmd struct {
	File string `arg:"" help:"An export; '-' reads standard input."`
}

func (c *importLedgerCmd) Run(a *app) error {
	if c.File == "-" {
		return importLedger(a, c.File, a.in)
	}
	f, err := openFile(c.File)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	return importLedger(a, c.File, f)
}

func importLedger(a *app, name string, in io.Reader) error {
	return a.with(func(e *engine.Engine) error {
		header, added, err := e.ReadExport(a.ctx, a.scope(), in, func(seq, of uint64) { a.progress("commit %d of %d", seq, of) })
		a.endProgress()
		if err != nil {
			return fmt.Errorf("import %s: %w", name, err)
		}
		if a.JSON {
			return a.json(map[string]any{"commits": header.Commits, "added": added, "head": header.Head})
		}
		a.printf("%d of %d commits were new in scope %s\n", added, header.Commits, line(a.scope().String(), 60))
		return nil
	})
}
