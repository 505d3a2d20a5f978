package eval

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"daybook"
)

// Dump writes what a system gave to a folder, in the formats of the data sets' own
// scorers: results.jsonl, and bank.jsonl where the system tells its bank.
func (s SystemReport) Dump(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return daybook.Errorf(daybook.Unavailable, "dump results: %w", err)
	}
	err := writeTo(filepath.Join(folder, "results.jsonl"), func(w io.Writer) error { return WriteResults(w, bare(s.Results)) })
	if err == nil && s.Bank != nil {
		err = writeTo(filepath.Join(folder, "bank.jsonl"), func(w io.Writer) error { return WriteBank(w, bareBank(s.Bank)) })
	}
	if err == nil && s.Levels.Chats != nil {
		err = writeTo(filepath.Join(folder, "ledger.jsonl"), func(w io.Writer) error { return writeJSONLines(w, s.Ledger) })
		if err == nil {
			err = writeTo(filepath.Join(folder, "unmatched.jsonl"), func(w io.Writer) error { return writeJSONLines(w, s.Levels.Chats.Unmatched) })
		}
	}
	return err
}

func writeJSONLines[T any](w io.Writer, rows []T) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, row := range rows {
		if err := enc.Encode(row); err != nil {
			return err
		}
	}
	return nil
}

// bare leaves of a result what the scorers read.
func bare(results []Result) []Result {
	out := make([]Result, len(results))
	for i, r := range results {
		out[i] = Result{ID: r.ID, Answer: r.Answer, Abstain: r.Abstain, Rows: make([]Row, len(r.Rows))}
		for j, row := range r.Rows {
			out[i].Rows[j] = Row{ID: row.ID, Role: row.Role, Score: row.Score}
		}
	}
	return out
}

func bareBank(bank []BankRow) []BankRow {
	out := slices.Clone(bank)
	for i := range out {
		out[i].SoftTo = time.Time{}
	}
	return out
}

func writeTo(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "write %s: %w", path, err)
	}
	err = write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "write %s: %w", path, err)
	}
	return nil
}
