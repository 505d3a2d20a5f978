package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/extract"
	"daybook/graph"
	"daybook/store"
)

// waitingSpace marks the notes that were kept and have yet to be learned from. A
// mark is written in the transaction that appends the note and removed in the one
// that appends what was learned, so that no crash loses one; erasing the note takes
// it along.
const waitingSpace = "#waiting"

// JobState says how far the learning from a commit's notes is.
type JobState string

// States of a job. A failed one waits for somebody to ask for another try.
const (
	JobQueued JobState = "queued"
	JobFailed JobState = "failed"
	JobDone   JobState = "done"
)

// Job is the learning from the notes of one commit that were kept for later.
type Job struct {
	ID     string           `json:"id"`
	State  JobState         `json:"state"`
	Commit daybook.CommitID `json:"commit"`
	Seq    uint64           `json:"seq"`
	Notes  int              `json:"notes"`           // that are not learned from yet
	Tries  int              `json:"tries"`           // that did not succeed
	Error  string           `json:"error,omitempty"` // of the last try

	places []store.Place
	after  time.Time
}

// jobPrefix begins the id of a job; the beginning of its commit's id follows.
const jobPrefix = "job_"

func jobID(c daybook.CommitID) string { return jobPrefix + c.String()[:24] }

// mark is what is kept of a note that waits.
type mark struct {
	Tries int    `json:"tries,omitempty"`
	Error string `json:"error,omitempty"`
	Dead  bool   `json:"dead,omitempty"` // it was tried often enough
	// After is when it may be tried again.
	After time.Time `json:"after,omitzero"`
}

func (m mark) state() JobState {
	if m.Dead {
		return JobFailed
	}
	return JobQueued
}

// AddLater keeps notes as Add does, durably, and leaves the learning to whoever
// calls LearnLater. The job is empty where nothing is left to do. Questions that wait
// for room go first.
func (e *Engine) AddLater(ctx context.Context, scope daybook.Scope, by By, notes []daybook.Note) (receipt daybook.Receipt, job string, err error) {
	ops := make([]daybook.Op, len(notes))
	notes = slices.Clone(notes)
	echoes, err := e.markEchoes(ctx, scope, notes)
	if err != nil {
		return receipt, "", err
	}
	for i := range notes {
		ops[i].Observe = &notes[i]
	}
	done, err := e.room.yield(ctx)
	if err != nil {
		return receipt, "", err
	}
	defer done()
	err = e.store.Update(ctx, scope, func(w store.Writer) (err error) {
		if receipt, err = e.ledger.Apply(w, graph.Change{Author: by.Author, Message: by.Message, Ops: ops}); err != nil {
			return err
		}
		if receipt.Added == 0 || e.learner == nil {
			return nil
		}
		kept, err := graph.NotesIn(w, store.Range{From: receipt.Seq, To: receipt.Seq})
		if err != nil {
			return err
		}
		job = jobID(receipt.Commit)
		return putMarks(w, placesOf(kept), mark{})
	})
	if err == nil {
		receipt.Echoes = echoes
		e.tell(scope, receipt)
	}
	return receipt, job, err
}

func placesOf(notes []graph.PlacedNote) (at []store.Place) {
	for _, n := range notes {
		at = append(at, n.Place)
	}
	return at
}

func putMarks(w store.Writer, at []store.Place, m mark) error {
	data, err := json.Marshal(m)
	if err != nil {
		return daybook.Errorf(daybook.Internal, "mark a note: %w", err)
	}
	marks := make([]store.Vector, len(at))
	for i, p := range at {
		marks[i] = store.Vector{Place: p, Data: data}
	}
	return w.PutVectors(waitingSpace, 0, marks)
}

// settle takes the marks of notes away.
func settle(w store.Writer, at []store.Place) error {
	if len(at) == 0 {
		return nil
	}
	return w.RemoveVectors(waitingSpace, at)
}

// Jobs returns what is left to be learned in a scope, oldest first.
func (e *Engine) Jobs(ctx context.Context, scope daybook.Scope) (jobs []Job, err error) {
	jobs, _, err = e.firstJobs(ctx, scope, math.MaxInt)
	return jobs, err
}

// firstJobs are Jobs up to the one in which so many notes are due; more says whether
// there are others behind it.
func (e *Engine) firstJobs(ctx context.Context, scope daybook.Scope, most int) (jobs []Job, more bool, err error) {
	err = e.store.View(ctx, scope, func(r store.Reader) (err error) {
		jobs, more, err = jobsIn(r, store.All, most)
		return err
	})
	return jobs, more, err
}

func jobsIn(r store.Reader, within store.Range, most int) (jobs []Job, more bool, err error) {
	ready := 0
	for v, err := range r.Vectors(waitingSpace, within) {
		if err != nil {
			return nil, false, err
		}
		var m mark
		if err := json.Unmarshal(v.Data, &m); err != nil {
			return nil, false, daybook.Errorf(daybook.Corrupt, "mark of a note that waits, commit %d: %w", v.Seq, err)
		}
		if n := len(jobs); n == 0 || jobs[n-1].Seq != v.Seq {
			if more = ready >= most; more {
				break
			}
			jobs = append(jobs, Job{Seq: v.Seq, State: m.state(), Tries: m.Tries, Error: m.Error, after: m.After})
		}
		last := &jobs[len(jobs)-1]
		last.Notes, last.places = last.Notes+1, append(last.places, v.Place)
		if due(*last) {
			ready++
		}
	}
	return jobs, more, nameJobs(r, jobs)
}

// lightJobs is how many of the jobs have notes of so many bytes together; one at least.
func (e *Engine) lightJobs(ctx context.Context, scope daybook.Scope, jobs []Job, most int) (n int, err error) {
	bytes := 0
	err = e.store.View(ctx, scope, func(r store.Reader) error {
		for ; n < len(jobs); n++ {
			for _, at := range jobs[n].places {
				content, _, err := r.Content(at)
				if err != nil {
					return err
				}
				bytes += len(content.Body)
			}
			if bytes > most {
				return nil
			}
		}
		return nil
	})
	return max(n, 1), err
}

// nameJobs sets what jobs are called by: their commits.
func nameJobs(r store.Reader, jobs []Job) error {
	for i := range jobs {
		for c, err := range r.Commits(store.Range{From: jobs[i].Seq, To: jobs[i].Seq}) {
			if err != nil {
				return err
			}
			jobs[i].Commit, jobs[i].ID = c.ID, jobID(c.ID)
		}
	}
	return nil
}

// Job returns one job of a scope. One whose notes were all learned from is done.
func (e *Engine) Job(ctx context.Context, scope daybook.Scope, id string) (job Job, err error) {
	none := daybook.Errorf(daybook.NotFound, "no job %q in this scope", id)
	hex, ok := strings.CutPrefix(id, jobPrefix)
	if !ok || len(hex) != 24 {
		return job, none
	}
	err = e.store.View(ctx, scope, func(r store.Reader) error {
		found, err := r.FindCommits(hex, 1)
		if err != nil || len(found) == 0 {
			return err
		}
		c := found[0]
		job = Job{ID: id, State: JobDone, Commit: c.ID, Seq: c.Seq}
		waiting, _, err := jobsIn(r, store.Range{From: c.Seq, To: c.Seq}, math.MaxInt)
		if len(waiting) > 0 {
			job = waiting[0]
		}
		return err
	})
	if err == nil && job.ID == "" {
		err = none
	}
	return job, err
}

// RetryJob makes a failed job wait for its turn again.
func (e *Engine) RetryJob(ctx context.Context, scope daybook.Scope, id string) (Job, error) {
	job, err := e.Job(ctx, scope, id)
	if err != nil || job.State != JobFailed {
		return job, err
	}
	err = e.store.Update(ctx, scope, func(w store.Writer) error { return putMarks(w, job.places, mark{}) })
	job.State, job.Tries, job.Error = JobQueued, 0, ""
	return job, err
}

// missed notes that a job did not succeed; after so many tries it is left alone,
// until then it is tried again, the later the more often it was.
func (e *Engine) missed(ctx context.Context, scope daybook.Scope, job Job, why error, tries int, backoff time.Duration) (Job, error) {
	job.Tries, job.Error = job.Tries+1, why.Error()
	job.after = time.Now().Add(backoff << (job.Tries - 1))
	m := mark{Tries: job.Tries, Error: job.Error, Dead: job.Tries >= tries, After: job.after}
	job.State = m.state()
	return job, e.store.Update(ctx, scope, func(w store.Writer) error { return putMarks(w, job.places, m) })
}

// LearnLater learns from the notes of jobs, in one commit, and removes their marks.
// A caller gives jobs of one scope that follow each other.
func (e *Engine) LearnLater(ctx context.Context, scope daybook.Scope, jobs []Job) (receipt daybook.Receipt, err error) {
	var notes []daybook.Note
	var windows []extract.Window
	var settles []store.Place
	author := ""
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		for _, j := range jobs {
			settles = append(settles, j.places...)
		}
		if author, err = authorOf(b.Reader(), jobs[0].Seq); err != nil {
			return err
		}
		if notes, err = notesAt(b, settles); err != nil {
			return err
		}
		windows, err = e.windowsLater(b, notes)
		return err
	})
	if err != nil {
		return receipt, err
	}
	learned := lesson{}
	if len(notes) > 0 && e.learner != nil {
		if learned, err = e.learnFrom(ctx, scope, windows, notes); err != nil {
			return receipt, err
		}
	}
	learned.settles = settles
	change := graph.Change{Author: author, Message: learned.message(learnedMessage(jobs)), Ops: learned.ops}
	receipt, err = e.teach(learned.context(ctx), scope, change, learned)
	receipt.Dropped, receipt.Fallback = learned.dropped, strings.Join(learned.fallback, "; ")
	return receipt, err
}

// upTo is the last commit whose notes were read: the one that brings what was
// learned, or that of the notes where they were there before.
func (l lesson) upTo(seq uint64) uint64 {
	if n := len(l.settles); n > 0 {
		return l.settles[n-1].Seq
	}
	return seq
}

func learnedMessage(jobs []Job) string {
	if len(jobs) == 1 {
		return "learned from commit " + jobs[0].Commit.Short()
	}
	return fmt.Sprintf("learned from %d commits, %s to %s", len(jobs), jobs[0].Commit.Short(), jobs[len(jobs)-1].Commit.Short())
}

func authorOf(r store.Reader, seq uint64) (string, error) {
	for c, err := range r.Commits(store.Range{From: seq, To: seq}) {
		return c.Author, err
	}
	return "", nil
}

// notesAt are the notes at places that are in force.
func notesAt(b *graph.Book, places []store.Place) (notes []daybook.Note, err error) {
	for _, p := range places {
		n, ok, err := b.NoteAt(p)
		if err != nil {
			return nil, err
		}
		if ok {
			notes = append(notes, n)
		}
	}
	return notes, nil
}

// windowsLater is windows for notes that are in the ledger. Others that wait, too,
// are not looked at: their turn comes.
func (e *Engine) windowsLater(b *graph.Book, notes []daybook.Note) ([]extract.Window, error) {
	bySession, mine := map[string][]daybook.Note{}, map[daybook.NoteID]bool{}
	var sessions []string
	for _, n := range notes {
		if bySession[n.Session] == nil {
			sessions = append(sessions, n.Session)
		}
		bySession[n.Session], mine[n.ID] = append(bySession[n.Session], n), true
	}
	return e.windowsOf(b, sessions, bySession, func(n daybook.Note) (bool, error) {
		if mine[n.ID] {
			return false, nil
		}
		at, ok, err := b.NotePlace(n.ID)
		if err != nil || !ok {
			return false, err
		}
		waiting, err := waits(b.Reader(), at)
		return !waiting, err
	})
}

func waits(r store.Reader, at store.Place) (bool, error) {
	for v, err := range r.Vectors(waitingSpace, store.Range{From: at.Seq, To: at.Seq}) {
		if err != nil || v.Place == at {
			return err == nil, err
		}
	}
	return false, nil
}
