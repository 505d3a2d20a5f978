package eval

import (
	"slices"
	"strconv"
	"strings"
)

// SickPair is two sentences, how related they are (1 to 5), and what the first
// says of the second: entailment, neutral or contradiction.
type SickPair struct {
	ID, A, B    string
	Relatedness float64
	Judgement   string
}

var sickColumns = []string{"pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment"}

// LoadSick reads SICK's table (tabs between columns, names in the first line, lines
// ended either way) and returns its hash too. Columns are found by name; the older
// name entailment_label is read as well.
func LoadSick(path string) ([]SickPair, string, error) {
	var f files
	data, err := f.read(path)
	if err != nil {
		return nil, "", err
	}
	var columns []int
	var pairs []SickPair
	seen := map[string]bool{}
	for n, line := range strings.Split(string(data), "\n") {
		at := place{path: path, line: n + 1}
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		cells := strings.Split(line, "\t")
		if columns == nil {
			if columns, err = sickHeader(at, cells); err != nil {
				return nil, "", err
			}
			continue
		}
		p, err := sickPair(at, cells, columns)
		if err != nil {
			return nil, "", err
		}
		if seen[p.ID] {
			return nil, "", at.errorf("pair_ID %q comes a second time", p.ID)
		}
		seen[p.ID] = true
		pairs = append(pairs, p)
	}
	if len(pairs) == 0 {
		return nil, "", place{path: path}.errorf("no pairs")
	}
	return pairs, f.hash(), nil
}

func sickHeader(at place, cells []string) ([]int, error) {
	other := map[string]string{"entailment_judgment": "entailment_label"}
	columns := make([]int, len(sickColumns))
	for i, name := range sickColumns {
		columns[i] = slices.Index(cells, name)
		if columns[i] < 0 && other[name] != "" {
			columns[i] = slices.Index(cells, other[name])
		}
		if columns[i] < 0 {
			return nil, at.errorf("no column %q among %q", name, cells)
		}
	}
	return columns, nil
}

func sickPair(at place, cells []string, columns []int) (SickPair, error) {
	if need := slices.Max(columns) + 1; len(cells) < need {
		return SickPair{}, at.errorf("%d columns; at least %d were expected", len(cells), need)
	}
	p := SickPair{ID: cells[columns[0]], A: cells[columns[1]], B: cells[columns[2]], Judgement: strings.ToLower(cells[columns[4]])}
	if err := at.need(text("pair_ID", p.ID), text("sentence_A", p.A), text("sentence_B", p.B)); err != nil {
		return p, err
	}
	score, err := strconv.ParseFloat(cells[columns[3]], 64)
	if err != nil || !(score >= 1 && score <= 5) {
		return p, at.errorf("relatedness_score %q is no number from 1 to 5", cells[columns[3]])
	}
	p.Relatedness = score
	if !slices.Contains([]string{"entailment", "neutral", "contradiction"}, p.Judgement) {
		return p, at.errorf("entailment_judgment %q is none of ENTAILMENT, NEUTRAL, CONTRADICTION", cells[columns[4]])
	}
	return p, nil
}
