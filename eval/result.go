package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"daybook"
)

// Result is what a system gave for one question: a row of results.jsonl, in the
// format that the score.py files of the data sets read.
type Result struct {
	ID      string `json:"id"`   // of the question
	Rows    []Row  `json:"rows"` // best first
	Answer  string `json:"answer"`
	Abstain bool   `json:"abstain,omitempty"` // says so outright; any answer beside it earns nothing
	// Packet are the notes that the answer was made from; nil when not told.
	Packet []string `json:"packet,omitempty"`
	// Asked are the same notes with the roles that they had in the answer.
	Asked []Row `json:"asked,omitempty"`
	// PacketTokens is how long they are as a reader gets them, with labels and paths; 0
	// when not told.
	PacketTokens float64  `json:"packet_tokens,omitempty"`
	Citations    []string `json:"citations,omitempty"` // of the answer
	// Trails tell what became of evidence that is not among the rows, where the
	// system says.
	Trails map[string]Trail `json:"trails,omitempty"`
}

// Row is one note that was retrieved.
type Row struct {
	ID    string  `json:"id"`   // SourceID of the note
	Role  string  `json:"role"` // of the state that it carries: current, superseded, …
	Score float64 `json:"score"`
	// Optional, for systems that tell: the legs that found it, and whether it was
	// ranked but left out of what a reader gets, for its budget.
	Legs    []string `json:"legs,omitempty"`
	Dropped bool     `json:"dropped,omitempty"`
}

// BankRow is what a system keeps of one note: a row of bank.jsonl.
type BankRow struct {
	Conversation string
	ID           string    // SourceID of the note
	ValidFrom    time.Time // zero when not known
	ValidTo      time.Time // zero while it holds
	// SoftTo is when it ended if what is only a possible update counts; zero
	// otherwise.
	SoftTo time.Time
	Role   string
}

// bankLine is a BankRow as it is written.
type bankLine struct {
	Conversation anyID   `json:"conv"`
	ID           string  `json:"id"`
	ValidFrom    *string `json:"valid_from,omitempty"`
	ValidTo      *string `json:"valid_to"`
	SoftTo       *string `json:"soft_to,omitempty"`
	Role         string  `json:"role,omitempty"`
}

// MarshalJSON writes times in UTC with microseconds at most: all that the
// scorers read.
func (r BankRow) MarshalJSON() ([]byte, error) {
	return json.Marshal(bankLine{
		Conversation: anyID(r.Conversation), ID: r.ID, Role: r.Role,
		ValidFrom: bankTime(r.ValidFrom), ValidTo: bankTime(r.ValidTo), SoftTo: bankTime(r.SoftTo),
	})
}

// UnmarshalJSON takes what MarshalJSON writes, and a number as conversation.
func (r *BankRow) UnmarshalJSON(data []byte) error {
	var line bankLine
	if err := json.Unmarshal(data, &line); err != nil {
		return err
	}
	*r = BankRow{Conversation: string(line.Conversation), ID: line.ID, Role: line.Role}
	return errors.Join(parseBankTime(line.ValidFrom, &r.ValidFrom), parseBankTime(line.ValidTo, &r.ValidTo), parseBankTime(line.SoftTo, &r.SoftTo))
}

func bankTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	layout := "2006-01-02T15:04:05Z"
	if t.Nanosecond() >= 1000 {
		layout = "2006-01-02T15:04:05.000000Z"
	}
	s := t.UTC().Format(layout)
	return &s
}

func parseBankTime(s *string, into *time.Time) (err error) {
	if s != nil {
		*into, err = time.Parse(time.RFC3339, *s)
	}
	return err
}

// anyID is an id that some files write as a number.
type anyID string

func (id *anyID) UnmarshalJSON(data []byte) error {
	if n, err := strconv.ParseInt(string(data), 10, 64); err == nil {
		*id = anyID(strconv.FormatInt(n, 10))
		return nil
	}
	return json.Unmarshal(data, (*string)(id))
}

// WriteResults writes results.jsonl.
func WriteResults(w io.Writer, results []Result) error {
	return writeRows(w, results, func(r *Result) {
		if r.Rows == nil {
			r.Rows = []Row{}
		}
	})
}

// ReadResults reads results.jsonl. Of two results for one question the scorers
// take the later, so both are returned. Errors are Invalid and name the line.
func ReadResults(r io.Reader) ([]Result, error) {
	return readRows(r, func(x Result) error {
		if x.ID == "" {
			return errors.New("no id")
		}
		return nil
	})
}

// WriteBank writes bank.jsonl.
func WriteBank(w io.Writer, bank []BankRow) error {
	return writeRows(w, bank, func(*BankRow) {})
}

// ReadBank reads bank.jsonl. Errors are Invalid and name the line.
func ReadBank(r io.Reader) ([]BankRow, error) {
	return readRows(r, func(x BankRow) error {
		if x.ID == "" || x.Conversation == "" {
			return errors.New("no id or no conv")
		}
		return nil
	})
}

func writeRows[T any](w io.Writer, rows []T, tidy func(*T)) error {
	buf := bufio.NewWriter(w)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	for i, row := range rows {
		tidy(&row)
		if err := enc.Encode(row); err != nil {
			return fmt.Errorf("write row %d: %w", i+1, err)
		}
	}
	return buf.Flush()
}

// readRows reads one JSON value a line; empty lines are skipped.
func readRows[T any](r io.Reader, check func(T) error) ([]T, error) {
	var rows []T
	buf := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, readErr := buf.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var row T
			err := json.Unmarshal(line, &row)
			if err == nil {
				err = check(row)
			}
			if err != nil {
				return nil, daybook.Errorf(daybook.Invalid, "line %d: %v", n, err)
			}
			rows = append(rows, row)
		}
		if readErr == io.EOF {
			return rows, nil
		}
		if readErr != nil {
			return nil, fmt.Errorf("line %d: %w", n, readErr)
		}
	}
}

// HasEvidence reports whether the evidence of some question is known, so that
// rankings could be measured.
func (r *Report) HasEvidence() bool {
	return slices.ContainsFunc(r.Systems, func(s SystemReport) bool { return len(s.Groups[0].Metrics) > 0 })
}
