package eval

import (
	"fmt"
	"slices"
	"strings"
)

// Table is figures for a person: the first row of Rows is the head.
type Table struct {
	Title string     `json:"title"`
	Note  string     `json:"note,omitempty"`
	Rows  [][]string `json:"rows"`
}

// column is a metric and how a table calls it.
type column struct{ metric, head string }

// LevelTables shows what each system keeps, retrieves and answers, per category,
// with the references beside it. Tables that nothing is known for are left out.
func (r *Report) LevelTables() []Table {
	tables := r.bankTables()
	for _, t := range []struct {
		title, note string
		columns     []column
	}{
		{"retrieval: states", "order: the requested state above every stale row; unlabelled: a stale row whose role does not say so", []column{
			{"hit@1", "hit@1"}, {"hit@5", "hit@5"}, {"mrr@5", "MRR@5"}, {"all_evidence@5", "all@5"}, {"state_order", "order"}, {"lure_order", "lure order"},
			{"stale_unlabelled", "stale unlab."}, {"lure_unlabelled", "lure unlab."}, {"role_acc", "role"}, {"contested_labelled", "contested"}}},
		{"answers: states", "", []column{
			{"answer_acc", "answer"}, {"answer_has_gold", "has gold"}, {"stale_leak", "stale leak"}, {"lure_leak", "lure leak"},
			{"abstention", "abstention"}, {"over_abstention", "over-abst."}}},
		{"phrases", "must: all phrases that must be mentioned; stale: one that must not be, not labelled; of the first five rows, and of the answer", []column{
			{"must@5", "must@5"}, {"stale@5", "stale@5"}, {"answer_must", "answer must"}, {"answer_stale", "answer stale"},
			{"abstention", "abstention"}, {"over_abstention", "over-abst."}}},
		{"updates", "by a judge where there is one, else by words; F1 over distinct words", []column{
			{"valid_acc", "valid_acc"}, {"outdated_leak", "outdated_leak"}, {"strict_net", "strict_net"},
			{"f1", "F1 current"}, {"f1_outdated", "F1 outdated"}, {"outdated_wins", "outdated wins"}, {"over_abstention", "over-abst."}}},
		{"answers: natural", "right: lists by their items, yes/no by polarity; contains: the gold's words are there", []column{
			{"right", "right"}, {"wrong", "wrong"}, {"declined", "declined"}, {"contains", "contains"}, {"stale_leak", "stale leak"}, {"abstention", "abstention"}}},
		{"answers: words", "", []column{
			{"f1", "F1"}, {"set_f1", "set F1"}, {"exact", "exact"}, {"bleu-1", "BLEU-1"}, {"bleu-2", "BLEU-2"}, {"bleu-3", "BLEU-3"}, {"bleu-4", "BLEU-4"},
			{"rouge-l", "ROUGE-L"}, {"abstention", "abstention"}, {"over_abstention", "over-abst."}}},
		{"answers: judge", "", []column{{"judge", "majority"}, {"judge_mean", "mean"}}},
		{"answers: citations", "", []column{{"cited", "cited"}, {"citation_precision", "precision"}}},
	} {
		if table, ok := r.levelTable(t.title, t.note, t.columns); ok {
			tables = append(tables, table)
		}
	}
	return slices.Concat(tables, r.chatTables(), r.sliceTables())
}

// keyMetric decides whether a table is about something: one of its own metrics,
// that no other table has.
var keyMetric = map[string]string{
	"retrieval: states": "hit@5", "answers: states": "answer_acc", "phrases": "must@5", "updates": "valid_acc", "answers: natural": "right", "answers: words": "rouge-l",
	"answers: judge": "judge", "answers: citations": "cited",
}

func (r *Report) bankTables() []Table {
	names := []string{"all_states_stored", "old_closed", "old_closed_at_right_time", "current_left_open", "contested_both_open"}
	rows := [][]string{append([]string{"system"}, names...)}
	add := func(name string, rates map[string]Rate) {
		if rates == nil {
			return
		}
		row := []string{name}
		for _, metric := range names {
			row = append(row, rateCell(rates, metric))
		}
		rows = append(rows, row)
	}
	for _, s := range r.Systems {
		add(s.Name, s.Levels.Bank)
		add(s.Name+", possible updates counted", s.Levels.SoftBank)
	}
	for _, ref := range r.References {
		add(ref.Name, ref.Bank)
	}
	if len(rows) == 1 {
		if slices.ContainsFunc(r.Systems, func(s SystemReport) bool { return s.Levels.Chats != nil }) {
			return nil // the ledger says more
		}
		return r.closingTables()
	}
	return []Table{{Title: "bank", Note: "what is kept, whatever is asked", Rows: rows}}
}

// closingTables count what was closed where no gold says what should be: in plain
// talk it should be little.
func (r *Report) closingTables() []Table {
	rows := [][]string{{"system", "notes", "closed", "per 1,000"}}
	for _, s := range r.Systems {
		if l := s.Levels; l.Kept > 0 {
			rows = append(rows, []string{s.Name, itoa(l.Kept), itoa(l.Closed), fmt.Sprintf("%.1f", 1000*float64(l.Closed)/float64(l.Kept))})
		}
	}
	if len(rows) == 1 {
		return nil
	}
	return []Table{{Title: "bank", Note: "notes whose state was closed; --dump lists them", Rows: rows}}
}

// chatTables show what the ledger keeps of natural chats, how its rows are labelled, and the
// answers chat by chat.
func (r *Report) chatTables() (tables []Table) {
	ledger := Table{Title: "ledger", Note: "of the values that states had: see docs/natural.md for each column", Rows: [][]string{append([]string{"system", "chat"}, ledgerRates...)}}
	labels := Table{Title: "labels", Note: "rows of answers that tell a state; then the precision of each role", Rows: [][]string{append([]string{"system", "chat"}, labelRates...)}}
	roles := Table{Title: "precision of roles", Rows: [][]string{{"system", "role", "rows", "right"}}}
	answers := Table{Title: "answers by chat", Rows: [][]string{{"system", "chat", "n", "right", "wrong", "declined", "abstention"}}}
	unmatched := Table{Title: "facts that match no state", Note: "--dump lists them", Rows: [][]string{{"system", "facts", "per 100 messages"}}}
	for _, s := range r.Systems {
		c := s.Levels.Chats
		if c == nil || len(c.Labels) == 0 && len(c.Ledger) == 0 {
			continue
		}
		ledger.Rows = append(ledger.Rows, rateRow([]string{s.Name, "all"}, c.Ledger, ledgerRates))
		labels.Rows = append(labels.Rows, rateRow([]string{s.Name, "all"}, c.Labels, labelRates))
		for _, chat := range sortedKeys(c.ByChat) {
			ledger.Rows = append(ledger.Rows, rateRow([]string{"", chat}, c.ByChat[chat], ledgerRates))
			labels.Rows = append(labels.Rows, rateRow([]string{"", chat}, c.ByChat[chat], labelRates))
		}
		for _, role := range sortedKeys(c.Roles) {
			roles.Rows = append(roles.Rows, []string{s.Name, role, itoa(c.Roles[role].N), figure(c.Roles[role].Rate)})
		}
		for _, g := range c.Groups {
			answers.Rows = append(answers.Rows, groupRow(s.Name, g, "right", "wrong", "declined", "abstention"))
		}
		unmatched.Rows = append(unmatched.Rows, []string{s.Name, itoa(len(c.Unmatched)), fmt.Sprintf("%.1f", 100*float64(len(c.Unmatched))/float64(max(1, c.Messages)))})
	}
	for _, t := range []Table{ledger, labels, roles, answers, unmatched} {
		if len(t.Rows) > 1 {
			tables = append(tables, t)
		}
	}
	return tables
}

func rateRow(row []string, rates map[string]Rate, names []string) []string {
	for _, name := range names {
		row = append(row, rateCell(rates, name))
	}
	return row
}

func groupRow(system string, g Group, metrics ...string) []string {
	row := []string{system, g.Name, itoa(g.N)}
	for _, m := range metrics {
		cell := "–"
		if v, ok := g.Metrics[m]; ok {
			cell = figure(v.Mean)
		}
		row = append(row, cell)
	}
	return row
}

// sliceTables show the questions about a state by how hard they are made.
func (r *Report) sliceTables() []Table {
	columns := []column{{"hit@1", "hit@1"}, {"hit@5", "hit@5"}, {"state_order", "order"}, {"stale_unlabelled", "stale unlab."}, {"role_acc", "role"},
		{"answer_acc", "answer"}, {"stale_leak", "stale leak"}, {"over_abstention", "over-abst."}}
	t := Table{Title: "states by difficulty", Note: "cue: a bare, b explicit, c paraphrased, d with a reason", Rows: [][]string{headOf(columns)}}
	for _, s := range r.Systems {
		t.Rows = append(t.Rows, levelRows(s.Name, s.Levels.Slices, columns)...)
	}
	if len(t.Rows) == 1 {
		return nil
	}
	return []Table{t}
}

func rateCell(rates map[string]Rate, name string) string {
	if rate, ok := rates[name]; ok {
		return figure(rate.Rate) + fmt.Sprintf(" (%d)", rate.N)
	}
	return "–"
}

func (r *Report) levelTable(title, note string, columns []column) (Table, bool) {
	type named struct {
		name   string
		groups []Group
	}
	var parts []named
	for _, s := range r.Systems {
		name := s.Name
		if s.Levels.Reader != "" && !strings.HasPrefix(title, "retrieval") {
			name += " (" + s.Levels.Reader + ")"
		}
		parts = append(parts, named{name, s.Levels.Groups})
	}
	for _, ref := range r.References {
		parts = append(parts, named{ref.Name, ref.Groups})
	}
	var groups []Group
	for _, p := range parts {
		if hasMetric(p.groups, keyMetric[title]) {
			groups = append(groups, p.groups...)
		}
	}
	if len(groups) == 0 {
		return Table{}, false
	}
	columns = slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return !hasMetric(groups, c.metric) })
	t := Table{Title: title, Note: note, Rows: [][]string{headOf(columns)}}
	for _, p := range parts {
		if hasMetric(p.groups, keyMetric[title]) {
			t.Rows = append(t.Rows, levelRows(p.name, p.groups, columns)...)
		}
	}
	return t, true
}

func headOf(columns []column) []string {
	head := []string{"system", "kind", "n"}
	for _, c := range columns {
		head = append(head, c.head)
	}
	return head
}

// levelRows are the rows of one system; groups that no column knows are left out.
func levelRows(name string, groups []Group, columns []column) (rows [][]string) {
	for _, g := range groups {
		row, known := []string{name, g.Name, itoa(g.N)}, false
		for _, c := range columns {
			cell := "–"
			if m, ok := g.Metrics[c.metric]; ok {
				cell, known = figure(m.Mean), true
			}
			row = append(row, cell)
		}
		if known {
			rows = append(rows, row)
			name = ""
		}
	}
	return rows
}

func hasMetric(groups []Group, metric string) bool {
	return slices.ContainsFunc(groups, func(g Group) bool { _, ok := g.Metrics[metric]; return ok })
}

func figure(f float64) string { return strings.Replace(fmt.Sprintf("%.3f", f), "0.", ".", 1) }
