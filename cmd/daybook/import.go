package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
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
	learnFlags
}

type importFilesCmd struct {
	Files     []string `arg:"" name:"file" help:"Files, or zip files of exports; '-' reads standard input."`
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
	var files importFiles
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
		return importLedger(a, c.Files[0], io.NewSectionReader(files[0].file, 0, 1<<62))
	}
	return a.learning(c.learnFlags, func(e *engine.Engine) error {
		in := engine.Import{Records: files.records, SkipBad: c.SkipBad, Progress: func(stage string, records int) {
			done, total := files.progress()
			a.progress("%s: %d records, %.1f of %.1f MB", stage, records, float64(done)/1e6, float64(total)/1e6)
		}}
		res, err := e.Import(a.ctx, a.scope(), a.by(c.Message), in)
		a.endProgress()
		if err != nil {
			return c.explain(a, files, err)
		}
		return c.print(a, files, res)
	})
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
	a.printf("%d notes added, %d known already, %d %s skipped", res.Added, res.Known, len(res.Bad), files.noun())
	if res.Seq > 0 {
		a.printf("  %s", a.bold("commit "+res.Commit.Short()))
	}
	a.printf("\n")
	a.learned(res.Receipt)
	return nil
}

// importFiles are the opened files of an import.
type importFiles []importFile

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
	*f = append(*f, importFile{name: name, file: file, cleanup: cleanup})
	info, err := file.Stat()
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "%w", err)
	}
	if !info.Mode().IsRegular() {
		return daybook.Errorf(daybook.Invalid, "not a file; name the files in it")
	}
	in := source.Input{Name: name, Data: file, Size: info.Size(), Modified: info.ModTime()}
	if name == "-" {
		in.Name = "input"
	}
	(*f)[len(*f)-1].Source, err = source.Open(in, opts)
	return err
}

func (f importFiles) close() {
	for _, each := range f {
		_ = each.file.Close() // only read
		each.cleanup()
	}
}

// ledger returns the number of the file that is an export of a scope, or -1.
func (f importFiles) ledger() int {
	return slices.IndexFunc(f, func(each importFile) bool { return each.Format() == source.Ledger })
}

// records reads the files one after another. Positions name the file when there
// are several.
func (f importFiles) records() iter.Seq2[source.Record, error] {
	return func(yield func(source.Record, error) bool) {
		for _, each := range f {
			for r, err := range each.Records() {
				if bad, ok := errors.AsType[*source.BadRecord](err); ok {
					err = &source.BadRecord{At: f.in(each, bad.At), Err: bad.Err}
				} else if err != nil && len(f) > 1 {
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
	if len(f) > 1 && at.File != "" {
		at.File = each.name + ": " + at.File
	} else if len(f) > 1 {
		at.File = each.name
	}
	return at
}

// progress returns the bytes read, of how many.
func (f importFiles) progress() (done, total int64) {
	for _, each := range f {
		d, t := each.Progress()
		done, total = done+d, total+t
	}
	return done, total
}

func (f importFiles) leftOut() map[string]int {
	all := map[string]int{}
	for _, each := range f {
		for reason, n := range each.LeftOut() {
			all[reason] += n
		}
	}
	return all
}

// noun is what a record is called: people know lines of messages as lines.
func (f importFiles) noun() string {
	if len(f) == 1 && f[0].Format() == source.Messages {
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
