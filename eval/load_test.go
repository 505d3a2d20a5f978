package eval_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/eval"
)

// set is a folder of files by path.
type set map[string]string

// with returns the set with one text replaced in one file.
func (s set) with(file, old, new string) set {
	out := maps.Clone(s)
	out[file] = strings.Replace(s[file], old, new, 1)
	return out
}

func (s set) file(name, content string) set {
	out := maps.Clone(s)
	out[name] = content
	return out
}

func (s set) write(t testing.TB) string {
	dir := t.TempDir()
	for name, content := range s {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var locomo = set{"locomo.json": `[{"sample_id":"conv-30",
 "conversation":{"speaker_a":"Ada","speaker_b":"Ben",
  "session_1_date_time":"1:56 pm on 8 May, 2023",
  "session_1":[{"speaker":"Ada","dia_id":"D1:1","text":"I keep bees."},
               {"speaker":"Ben","dia_id":"D1:2","text":"Look!","blip_caption":"a photo of a hive"}],
  "session_10_date_time":"12:05 am on 1 July, 2023",
  "session_10":[{"speaker":"Ada","dia_id":"D10:1","text":"The bees swarmed."}],
  "session_2_date_time":"9:00 am on 9 May, 2023",
  "session_2":[{"speaker":"Ben","dia_id":"D2:1","text":"Honey?"}],
  "session_11_date_time":"9:00 am on 9 July, 2023"},
 "qa":[{"question":"What does Ada keep?","answer":"bees","category":4,"evidence":["D1:1"]},
       {"question":"How many hives?","answer":2,"category":1,"evidence":["D1:2; D:10:01","D2:1 D1:2"]},
       {"question":"When did Ada sail?","adversarial_answer":"May","category":5,"evidence":["D","D9:9"]}]}]`,
	"gold_errors.json": `[{"question_id":"locomo_1_qa0","question":"What does Ada keep?","error_type":"WRONG_CITATION","correct_evidence":["D10:1"],"correct_answer":"honey bees"},
 {"question_id":"locomo_1_qa1","question":"How many hives?","error_type":"AMBIGUOUS","correct_evidence":[],"correct_answer":"two"},
 {"question_id":"locomo_7_qa1","question":"Elsewhere?","error_type":"AMBIGUOUS","correct_evidence":[],"correct_answer":"two"}]`}

var longmem = set{"s.json": `[{"question_id":"q1_abs","question_type":"multi-session","question":"Which boat?","question_date":"2023/05/30 (Tue) 23:40","answer":7,
 "answer_session_ids":["b","gone"],"haystack_dates":["2023/05/21 (Sun) 02:21","2023/05/20 (Sat) 02:21"],"haystack_session_ids":["b","a"],
 "haystack_sessions":[[{"role":"user","content":"I sail.","has_answer":true},{"role":"assistant","content":" "}],[{"role":"user","content":"Hello."}]]}]`}

var beam = set{"1/chat.json": `[{"batch_number":1,"time_anchor":null,"turns":[[{"role":"user","id":0,"time_anchor":"March-15-2024","content":"Plan my week ->-> 1,2"},{"role":"assistant","id":1,"content":"Gladly."}]]},
 {"batch_number":2,"turns":[[{"role":"user","id":2,"content":"Thanks ->-> 2,N/A"}]]}]`,
	"1/probing_questions/probing_questions.json": `{"temporal_reasoning":[{"question":"How long?","answer":"a week","rubric":["says a week"],"source_chat_ids":{"second":[2],"first":[0,[1,99]]}}],
 "abstention":[{"question":"Why?","ideal_response":"not known","rubric":["says so"]}]}`}

var ghost = set{"conv0.turns.jsonl": `{"id":"t1","session":1,"time":"2024-02-03T10:00:00Z","speaker":"Ilse","text":"The boat lies at Pier One."}
{"id":"t2","session":2,"time":"2024-03-03T10:00:00Z","speaker":"Ilse","text":"The boat lies in the basin now."}
`,
	"probes.jsonl": `{"id":"p1","conv":0,"kind":"current","question":"Where is the boat?","subject":"Ilse","attribute":"mooring","gold_value":"the basin","stale_values":["Pier One"],"gold_evidence":["t2"],"stale_evidence":["t1"],"lure_values":[],"lure_evidence":[],"difficulty":{"level":"easy","new_kind":null,"chain":"two","distractors":[]}}

{"id":"p2","conv":"0","kind":"asof","asof":"2024-02-10T12:00:00Z","question":"Where was it?","subject":"Ilse","attribute":"mooring","gold_value":"Pier One","stale_values":[],"gold_evidence":["t1"],"stale_evidence":[]}
{"id":"p3","conv":0,"kind":"absent","question":"Where is the car?","subject":"Ilse","attribute":"car","gold_value":null,"stale_values":[],"gold_evidence":[],"stale_evidence":[]}`,
	"states.jsonl": `{"conv":0,"subject":"Ilse","attribute":"mooring","chain":"two","lures":[],"states":[{"value":"Pier One","evidence":"t1","valid_from":"2024-02-03T10:00:00Z","valid_to":"2024-03-03T10:00:00Z","closed_by":"t2","cue_kind":null},{"value":"the basin","evidence":"t2","valid_from":"2024-03-03T10:00:00Z","valid_to":null,"closed_by":null,"cue_kind":"a"}]}`}

var natural = set{"chat1.jsonl": `{"id":"a1","session":"s1","time":"2025-02-03T10:00:00Z","speaker":"Ilse","text":"boats at pier 1 still"}
{"id":"a2","session":"s2","time":"2025-03-03T10:00:00Z","speaker":"Ilse","text":"so the basin. quieter"}
`,
	"chat1.questions.jsonl": `{"id":"q1","question":"where's the boat","kind":"current","answer":"the basin","accept":[],"stale":["pier 1"],"evidence":["a2"]}
{"id":"q2","question":"the car?","kind":"absent","answer":"","accept":[],"stale":[],"evidence":[]}`,
	"chat1.states.jsonl": `{"subject":"boat","attribute":"mooring","timeline":[{"value":"pier 1","told":["a1"],"holds_from":"unknown","closed_by":"a2","closed_on":"2025-03"},{"value":"the basin","told":["a2"],"holds_from":"2025-03","closed_by":null,"closed_on":null}],"lures":["a1 (only a wish)"]}`}

var statebench = set{"dev.jsonl": `{"id":"S1","track":"supersession","difficulty":"easy","initial_state":{"persistent_facts":[{"id":"F","key":"meeting_room","value":"Room 1","ts":"2025-11-27T16:00:00"}],"working_set":[],"environment":{"now":"2025-11-27T16:00:00","alert":"fire drill"}},"events":[{"ts":"2025-11-27T16:02:00","type":"conversation_turn","speaker":"user","text":"We moved to Room 2."},{"ts":"2025-11-27T16:01:00","type":"supersession","writes":[{"id":"W","key":"room_v2","value":"Room 2","supersedes":"meeting_room"}]},{"ts":"2025-11-27T16:09:00","type":"query","prompt":"Which room?","ground_truth":{"decision":"Room 2","must_mention":["Room 2"],"must_not_mention":["Room 1"]}}]}
`}

var trace = set{"stress.jsonl": `{"id":"s1","locomo_sample_idx":1,"type":"fact_override","question":"What of the bees?","current_valid_answer":"They swarmed.","outdated_answer":"She keeps them."}`,
	"locomo.json": locomo["locomo.json"]}

var persona = set{"p.jsonl": `{"triplets":[{"tokens":["i","like","my","cat"],"head":[0],"tail":[2,3],"label":"have_pet"}]}`}

var timex = set{"DateTimeModel.json": "\uFEFF" + `[{"Input":"seen on May 3","Context":{"ReferenceDateTime":"2021-05-14T08:00:00"},"NotSupported":"java, python","NotSupportedByDesign":"java",
 "Results":[{"Text":"may 3","Start":8,"End":12,"Typename":"datetimeV2.date","Resolution":{"values":[{"timex":"XXXX-05-03","type":"date","value":"2021-05-03"}]}}]},
 {"Input":"nothing here","Results":[]}]`,
	"DateParser.json": `[{"Input":"by May 3","Context":{"ReferenceDateTime":"2022-06-03T09:15:30.1234567+02:00"},"Results":[{"Text":"may 3","Type":"date","Start":3,"Length":5,"Value":{"Timex":"XXXX-05-03","FutureResolution":{"date":"2023-05-03"},"PastResolution":{"date":"2022-05-03"}}}]}]`}

var sick = set{"SICK.txt": "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\r\n1\tA dog runs\tA dog is running\t4.9\tENTAILMENT\r\n2\tA dog runs\tNo dog runs\t3\tCONTRADICTION"}

var xpath = set{"trees/todo.json": `{"type":"Root","id":"r","attrs":{},"children":[{"type":"Task","id":"t1","attrs":{"name":"sweep"},"children":[]}]}`,
	"grammar_tree.json":    `{"type":"Root","id":"r","attrs":{},"children":[{"type":"Day","id":"d1","attrs":{},"children":[]}]}`,
	"requests.jsonl":       `{"id":"x1","tree":"todo","request":"the sweeping","op":"read","query":"//Task[node~=\"sweep\"]","gold":["t1"],"acceptable":[],"kind":"local_node"}`,
	"multiturn.jsonl":      `{"id":"m1","tree":"todo","title":"one","turns":[{"n":1,"request":"drop it","op":"delete","query":"//Task[1]","gold":["v1/t1"],"kind":"edit","edit":{"op":"delete","targets":["t1"]}}]}`,
	"grammar_cases.jsonl":  `{"id":"g1","query":"//Day","scores":{"d1|node~x":0.5},"expect":[["d1",1.0]],"by_hand":true}`,
	"grammar_errors.jsonl": `{"id":"e1","query":"Day[1]","error_at":0,"why":"a step starts with /"}`}

// only drops what a loader returns.
func only[T any](load func(string) (T, error)) func(string) error {
	return func(path string) error { _, err := load(path); return err }
}

func only2[T any](load func(string) ([]T, string, error)) func(string) error {
	return func(path string) error { _, _, err := load(path); return err }
}

// loaders are all of them, with a good set and the path in it.
var loaders = map[string]struct {
	load func(string) error
	good set
	path string // given to load
	file string // the one that is damaged
}{
	"locomo":            {only(eval.LoadLocomo), locomo, "locomo.json", "locomo.json"},
	"locomo corrected":  {only(eval.LoadLocomoCorrected), locomo, "locomo.json", "gold_errors.json"},
	"longmemeval":       {only(eval.LoadLongMemEval), longmem, "s.json", "s.json"},
	"beam chat":         {only(eval.LoadBeam), beam, "1", "1/chat.json"},
	"beam questions":    {only(eval.LoadBeam), beam, "", "1/probing_questions/probing_questions.json"},
	"ghost turns":       {only(eval.LoadGhost), ghost, "", "conv0.turns.jsonl"},
	"ghost probes":      {only(eval.LoadGhost), ghost, "", "probes.jsonl"},
	"ghost states":      {only(eval.LoadGhostStates), ghost, "", "states.jsonl"},
	"natural chat":      {only(eval.LoadNatural), natural, "", "chat1.jsonl"},
	"natural questions": {only(eval.LoadNatural), natural, "", "chat1.questions.jsonl"},
	"natural states":    {only(eval.LoadNatural), natural, "", "chat1.states.jsonl"},
	"statebench":        {only(eval.LoadStateBench), statebench, "dev.jsonl", "dev.jsonl"},
	"trace":             {only(eval.LoadTrace), trace, "stress.jsonl", "stress.jsonl"},
	"personaext":        {only2(eval.LoadPersonaExt), persona, "p.jsonl", "p.jsonl"},
	"timex":             {only2(eval.LoadTimex), timex, "", "DateTimeModel.json"},
	"sick":              {only2(eval.LoadSick), sick, "SICK.txt", "SICK.txt"},
	"xpath requests":    {only(eval.LoadXPath), xpath, "", "requests.jsonl"},
	"xpath scripts":     {only(eval.LoadXPath), xpath, "", "multiturn.jsonl"},
	"xpath cases":       {only(eval.LoadXPath), xpath, "", "grammar_cases.jsonl"},
	"xpath errors":      {only(eval.LoadXPath), xpath, "", "grammar_errors.jsonl"},
	"xpath tree":        {only(eval.LoadXPath), xpath, "", "trees/todo.json"},
}

// TestDamage holds every loader to its contract on files damaged in the ways that
// any file can be: the error names the file and has a kind.
func TestDamage(t *testing.T) {
	for name, l := range loaders {
		good := l.good[l.file]
		gone := maps.Clone(l.good)
		delete(gone, l.file)
		for how, s := range map[string]set{
			"empty":     l.good.file(l.file, " \n"),
			"cut short": l.good.file(l.file, good[:len(good)*2/3]),
			"not UTF-8": l.good.file(l.file, good[:len(good)/2]+"\xff"+good[len(good)/2:]),
			"a folder":  gone.file(l.file+"/x", "x"),
			"scalar":    l.good.file(l.file, "17"),
			"gone":      gone,
		} {
			err := l.load(filepath.Join(s.write(t), l.path))
			if how == "gone" && (name == "timex" || name == "xpath tree" || name == "beam chat") {
				continue // another file may serve, or the folder is named
			}
			kind := daybook.KindOf(err)
			if err == nil || kind != daybook.Invalid && kind != daybook.NotFound {
				t.Errorf("%s, %s: %v (%v)", name, how, err, kind)
			} else if how != "gone" && how != "a folder" && !strings.Contains(err.Error(), filepath.Base(l.file)) {
				t.Errorf("%s, %s: the error does not name the file: %v", name, how, err)
			}
		}
		if err := l.load(filepath.Join(l.good.write(t), l.path)); err != nil {
			t.Errorf("%s: the good set: %v", name, err)
		}
	}
}

// TestWrongRecords changes one thing in a good file and looks for its name, and for
// the line or record, in the error.
func TestWrongRecords(t *testing.T) {
	for _, c := range []struct{ loader, old, new, want string }{
		{"locomo", `"sample_id":"conv-30",`, ``, `conversation 0: "sample_id" is missing`},
		{"locomo", `1:56 pm on 8 May, 2023`, `yesterday`, `conv-30, session_1: session_1_date_time "yesterday"`},
		{"locomo", `"session_2_date_time":"9:00 am on 9 May, 2023",`, ``, `session_2: "session_2_date_time" is missing`},
		{"locomo", `"dia_id":"D1:2"`, `"dia_id":"D1:1"`, `id "D1:1" comes a second time`},
		{"locomo", `"category":4`, `"category":6`, `qa 0: category 6`},
		{"locomo", `"category":4`, `"category":"x"`, `locomo.json:11: qa.category is a JSON string; a number`},
		{"locomo", `"answer":"bees",`, ``, `qa 0: "answer" is missing`},
		{"locomo", `"text":"Honey?"`, `"text":[]`, `session_2: `},
		{"locomo corrected", `What does Ada keep?`, `What else?`, `locomo_1_qa0 is another question`},
		{"locomo corrected", `locomo_1_qa1`, `locomo_1_qa9`, `has 3 questions`},
		{"longmemeval", `"question":"Which boat?",`, ``, `question 0: "question" is missing`},
		{"longmemeval", `2023/05/21 (Sun) 02:21`, `2023-05-21`, `q1_abs, session 0: haystack_dates: "2023-05-21"`},
		{"longmemeval", `"haystack_session_ids":["b","a"]`, `"haystack_session_ids":["b"]`, `2 sessions, but 2 dates and 1 ids`},
		{"longmemeval", `"has_answer":true`, `"has_answer":"yes"`, `has_answer is a JSON string; true or false was expected`},
		{"longmemeval", `"role":"user",`, ``, `turn 0: "role" is missing`},
		{"beam chat", `"id":1,`, ``, `batch 1, message 1: "id" is missing`},
		{"beam chat", `March-15-2024`, `Mars`, `time_anchor "Mars"`},
		{"beam chat", `"time_anchor":"March-15-2024",`, ``, `"time_anchor" is missing from the first batch`},
		{"beam chat", `"id":1`, `"id":0`, `id "0" comes a second time`},
		{"beam questions", `"abstention"`, `"juggling"`, `"juggling" is none`},
		{"beam questions", `[0,[1,99]]`, `["zero"]`, `temporal_reasoning 1: source_chat_ids: zero`},
		{"beam questions", `"question":"Why?",`, ``, `abstention 1: "question" is missing`},
		{"ghost turns", `2024-03-03T10:00:00Z`, `3 March`, `conv0.turns.jsonl:2: time: "3 March"`},
		{"ghost probes", `"gold_evidence":["t1"]`, `"gold_evidence":["t9"]`, `probes.jsonl:3: p2: gold_evidence names "t9"`},
		{"ghost probes", `"kind":"current"`, `"kind":"sometime"`, `kind "sometime"`},
		{"ghost probes", `"conv":0`, `"conv":5`, `there is no conv5.turns.jsonl`},
		{"ghost probes", `"gold_value":"the basin"`, `"gold_value":["a","b"]`, `gold_value has 2 values`},
		{"ghost probes", `"asof":"2024-02-10T12:00:00Z",`, ``, `"asof" is missing`},
		{"ghost states", `"valid_to":"2024-03-03T10:00:00Z"`, `"valid_to":"2023-03-03T10:00:00Z"`, `states.jsonl:1: state 0: valid_to`},
		{"ghost states", `"evidence":"t2"`, `"evidence":"t7"`, `evidence names "t7"`},
		{"natural chat", `2025-03-03T10:00:00Z`, `in March`, `chat1.jsonl:2: time: "in March"`},
		{"natural chat", `"id":"a2"`, `"id":"a1"`, `chat1.jsonl:2: id "a1" comes a second time`},
		{"natural questions", `"kind":"current",`, ``, `chat1.questions.jsonl:1: "kind" is missing`},
		{"natural questions", `"kind":"current"`, `"kind":"now"`, `chat1.questions.jsonl:1: q1: kind "now" is none of`},
		{"natural questions", `"evidence":["a2"]`, `"evidence":["a7"]`, `chat1.questions.jsonl:1: q1: evidence names "a7"`},
		{"natural questions", `"answer":"the basin"`, `"answer":""`, `chat1.questions.jsonl:1: q1: a question has an answer`},
		{"natural questions", `"id":"q2"`, `"id":"q1"`, `chat1.questions.jsonl:2: id "q1" comes a second time`},
		{"natural states", `"told":["a1"]`, `"told":["a9"]`, `chat1.states.jsonl:1: entry 1: told names "a9"`},
		{"natural states", `"closed_by":"a2"`, `"closed_by":"a8"`, `closed_by names "a8"`},
		{"natural states", `"lures":["a1 (`, `"lures":["a5 (`, `lures names "a5"`},
		{"natural states", `"subject":"boat",`, ``, `"subject" is missing`},
		{"statebench", `"ts":"2025-11-27T16:02:00"`, `"ts":"soon"`, `dev.jsonl:1: S1, event 0: ts: "soon"`},
		{"statebench", `"supersedes":"meeting_room"`, `"supersedes":"office"`, `supersedes names "office", which nothing was written under`},
		{"statebench", `"type":"query"`, `"type":"quiz"`, `type "quiz"`},
		{"statebench", `"must_mention":["Room 2"],`, ``, `"must_mention" is missing`},
		{"statebench", `"must_mention":["Room 2"]`, `"must_mention":"Room 2"`, `must_mention is a JSON string; an array`},
		{"trace", `"locomo_sample_idx":1`, `"locomo_sample_idx":7`, `stress.jsonl:1: locomo_sample_idx 7`},
		{"trace", `"locomo_sample_idx":1,`, ``, `"locomo_sample_idx" is missing`},
		{"personaext", `"tail":[2,3]`, `"tail":[2,4]`, `p.jsonl:1: triplet 0: token 4: there are 4 tokens`},
		{"personaext", `"label":"have_pet"`, `"label":1`, `p.jsonl:1: `},
		{"timex", `2021-05-14T08:00:00`, `2016`, `spec 0: ReferenceDateTime: "2016"`},
		{"timex", `"Text":"may 3",`, ``, `result 0: "Text" is missing`},
		{"timex", `"Start":8`, `"Start":80`, `start 80 and length`},
		{"sick", "4.9", "9.4", `SICK.txt:2: relatedness_score "9.4"`},
		{"sick", "CONTRADICTION", "PERHAPS", `SICK.txt:3: entailment_judgment "PERHAPS"`},
		{"sick", "sentence_B", "b", `no column "sentence_B"`},
		{"sick", "\t3\t", "\t", `4 columns`},
		{"xpath requests", `"gold":["t1"]`, `"gold":["t2"]`, `requests.jsonl:1: gold or acceptable names "t2"`},
		{"xpath requests", `"tree":"todo"`, `"tree":"menu"`, `tree "menu"`},
		{"xpath scripts", `"op":"delete","query"`, `"op":"burn","query"`, `turn 1: op "burn"`},
		{"xpath cases", `["d1",1.0]`, `["d1"]`, `grammar_cases.jsonl:1: a pair`},
		{"xpath cases", `["d1",1.0]`, `["d2",1.0]`, `expect names "d2"`},
		{"xpath errors", `"error_at":0`, `"error_at":7`, `the query has 6 bytes`},
		{"xpath tree", `"id":"t1"`, `"id":"r"`, `under r: id "r" comes a second time`},
	} {
		l := loaders[c.loader]
		if !strings.Contains(l.good[l.file], c.old) {
			t.Fatalf("%s: the good file has no %s", c.loader, c.old)
		}
		err := l.load(filepath.Join(l.good.with(l.file, c.old, c.new).write(t), l.path))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: got %v; want %s", c.loader, c.new, err, c.want)
		} else if daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("%s, %s: kind %v", c.loader, c.new, daybook.KindOf(err))
		}
	}
}

func load(t *testing.T, f func(string) (eval.Dataset, error), s set, path string) eval.Dataset {
	t.Helper()
	d, err := f(filepath.Join(s.write(t), path))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Hash) != 64 {
		t.Errorf("hash %q", d.Hash)
	}
	return d
}

func sourceIDs(c eval.Conversation) string {
	var ids []string
	for _, n := range c.Notes {
		ids = append(ids, n.SourceID)
	}
	return strings.Join(ids, " ")
}

func TestLocomo(t *testing.T) {
	d := load(t, eval.LoadLocomo, locomo, "locomo.json")
	c := d.Conversations[0]
	if got := sourceIDs(c); got != "D1:1 D1:2 D2:1 D10:1" {
		t.Errorf("notes %s", got)
	}
	if n := c.Notes[1]; n.Text != "Look! [image: a photo of a hive]" || !n.Time.Equal(time.Date(2023, 5, 8, 13, 57, 0, 0, time.UTC)) || n.Session != "session_1" {
		t.Errorf("note %+v", n)
	}
	if q := c.Questions[1]; strings.Join(q.Evidence, " ") != "D1:2 D10:1 D2:1" || q.Answers[0] != "2" || q.Category != "multi-hop" {
		t.Errorf("question %+v", q)
	}
	if q := c.Questions[2]; !q.Absent || len(q.Evidence) > 0 || len(q.Answers) > 0 || len(d.Tolerated) != 2 {
		t.Errorf("question %+v; tolerated %q", q, d.Tolerated)
	}
	d = load(t, eval.LoadLocomoCorrected, locomo, "locomo.json")
	q := d.Conversations[0].Questions
	if q[0].Evidence[0] != "D10:1" || q[0].Answers[0] != "honey bees" || strings.Join(q[1].Answers, " ") != "two 2" {
		t.Errorf("corrected %+v", q[:2])
	}
}

func TestLongMemEval(t *testing.T) {
	d := load(t, eval.LoadLongMemEval, longmem, "s.json")
	c := d.Conversations[0]
	q := c.Questions[0]
	if got := sourceIDs(c); got != "a#1 b#1" {
		t.Errorf("notes %s", got)
	}
	if !q.Absent || strings.Join(q.Evidence, " ") != "b#1" || strings.Join(q.Sessions, " ") != "b" || q.Answers[0] != "7" || q.AsOf.Minute() != 40 {
		t.Errorf("question %+v", q)
	}
	if len(d.Tolerated) != 2 {
		t.Errorf("tolerated %q", d.Tolerated)
	}
}

func TestBeam(t *testing.T) {
	one, all := load(t, eval.LoadBeam, beam, "1"), load(t, eval.LoadBeam, beam, "")
	if one.Hash != all.Hash {
		t.Error("the folder of one chat and the folder of all are read differently")
	}
	c := one.Conversations[0]
	if c.Notes[0].Text != "Plan my week" || c.Notes[2].Text != "Thanks" || c.Notes[2].Session != "2" || c.Notes[2].Time.Day() != 16 {
		t.Errorf("notes %+v", c.Notes)
	}
	if q := c.Questions[1]; strings.Join(q.Evidence, " ") != "0 1 2" || q.Rubric[0] != "says a week" || q.Category != "temporal_reasoning" {
		t.Errorf("question %+v", q)
	}
	if !c.Questions[0].Absent || len(one.Tolerated) != 2 {
		t.Errorf("question %+v; tolerated %q", c.Questions[0], one.Tolerated)
	}
}

func TestGhost(t *testing.T) {
	d := load(t, eval.LoadGhost, ghost, "")
	q := d.Conversations[0].Questions
	if s := q[0].State; s.Kind != "current" || s.Values[0] != "the basin" || s.StaleEvidence[0] != "t1" || s.Chain != "two" {
		t.Errorf("probe %+v", s)
	}
	if q[1].AsOf.IsZero() || !q[2].Absent || len(q[2].Answers) != 0 {
		t.Errorf("probes %+v", q[1:])
	}
	states, err := eval.LoadGhostStates(ghost.write(t))
	if err != nil || len(states) != 1 || len(states[0].States) != 2 || !states[0].States[1].Until.IsZero() || states[0].States[0].ClosedBy != "t2" {
		t.Errorf("states %+v, %v", states, err)
	}
}

func TestStateBenchAndTrace(t *testing.T) {
	c := load(t, eval.LoadStateBench, statebench, "dev.jsonl").Conversations[0]
	if got := sourceIDs(c); got != "fact-0 environment-alert event-0 event-1-0" {
		t.Errorf("notes %s", got)
	}
	if c.Notes[0].Text != "meeting room: Room 1" || c.Notes[0].Session != eval.StateWrites || c.Notes[2].Session != eval.StateTurns {
		t.Errorf("notes %+v", c.Notes)
	}
	if len(c.Stated) != 3 || c.Stated[0].Subject != "system" || c.Stated[2].Key != "room_v2" || !slices.Equal(c.Stated[2].Supersedes, []string{"fact-0"}) {
		t.Errorf("stated %+v", c.Stated)
	}
	secret := set{"dev.jsonl": strings.Replace(statebench["dev.jsonl"], `"value":"Room 1"`, `"value":"[RESTRICTED: for directors] Room 1"`, 1)}
	secret["dev.jsonl"] = strings.Replace(secret["dev.jsonl"], `,"supersedes":"meeting_room"`, ``, 1)
	if other := load(t, eval.LoadStateBench, secret, "dev.jsonl").Conversations[0]; len(c.Apart) != 0 || len(other.Apart) != 1 || other.Apart["fact-0"] != "for directors" {
		t.Errorf("apart %v, %v", c.Apart, other.Apart)
	}
	if q := c.Questions[0]; q.State.StaleValues[0] != "Room 1" || q.Answers[0] != "Room 2" || q.Absent {
		t.Errorf("question %+v", q)
	}
	d := load(t, eval.LoadTrace, trace, "stress.jsonl")
	if q := d.Conversations[0].Questions; len(q) != 1 || q[0].State.StaleValues[0] != "She keeps them." {
		t.Errorf("questions %+v", q)
	}
}

func TestComponents(t *testing.T) {
	us, _, err := eval.LoadPersonaExt(filepath.Join(persona.write(t), "p.jsonl"))
	if err != nil || us[0].Triplets[0].Tail != "my cat" || us[0].Text != "i like my cat" {
		t.Errorf("utterances %+v, %v", us, err)
	}
	specs, _, err := eval.LoadTimex(timex.write(t))
	if err != nil || len(specs) != 3 || specs[0].File != "DateParser" || specs[0].Results[0].Past["date"] != "2022-05-03" ||
		specs[1].Results[0].Type != "datetimeV2.date" || specs[1].Results[0].Length != 5 || len(specs[1].NotSupported) != 2 || !specs[2].Reference.IsZero() {
		t.Errorf("specs %+v, %v", specs, err)
	}
	pairs, _, err := eval.LoadSick(filepath.Join(sick.write(t), "SICK.txt"))
	if err != nil || len(pairs) != 2 || pairs[0].Judgement != "entailment" || pairs[1].Relatedness != 3 {
		t.Errorf("pairs %+v, %v", pairs, err)
	}
	gold, err := eval.LoadXPath(xpath.write(t))
	if err != nil || gold.Cases[0].Expect[0].Weight != 1 || gold.Scripts[0].Turns[0].Edit.Targets[0] != "t1" || *gold.Errors[0].At != 0 {
		t.Errorf("gold %+v, %v", gold, err)
	}
}

func TestSources(t *testing.T) {
	var names []string
	for _, s := range eval.Sources() {
		if s.Measures == "" || s.Licence == "" || s.Where == "" || slices.Contains(names, s.Name) {
			t.Errorf("source %+v", s)
		}
		names = append(names, s.Name)
	}
	if len(names) != 14 {
		t.Errorf("sources %v", names)
	}
}

// TestRealData loads the published files where DAYBOOK_DATA names a folder that
// holds them, and logs what is in them.
func TestRealData(t *testing.T) {
	root := os.Getenv("DAYBOOK_DATA")
	if root == "" {
		t.Skip("SKIPPED, NOTHING WAS CHECKED ON REAL DATA: set DAYBOOK_DATA to a folder with locomo, longmemeval, beam, …")
	}
	sources := map[string]func(string) (eval.Dataset, error){}
	for _, s := range eval.Sources() {
		sources[s.Name] = s.Load
	}
	for _, c := range []struct{ name, pattern string }{
		{"locomo", "locomo/locomo*.json"}, {"locomo-corrected", "locomo/locomo*.json"}, {"longmemeval", "longmemeval/*.json"},
		{"beam", "beam/*"}, {"ghost", "ghost/*/probes.jsonl"}, {"statebench", "statebench/*.jsonl"}, {"trace", "trace/stress*.jsonl"},
	} {
		paths, _ := filepath.Glob(filepath.Join(root, c.pattern))
		if len(paths) == 0 {
			t.Errorf("%s: nothing at %s", c.name, c.pattern)
		}
		for _, path := range paths {
			if c.name == "ghost" {
				path = filepath.Dir(path)
				states, err := eval.LoadGhostStates(path)
				t.Logf("ghost states: %d, %v", len(states), err)
			}
			d, err := sources[c.name](path)
			if err != nil {
				t.Error(err)
				continue
			}
			describe(t, path, d)
		}
	}
	realComponents(t, root)
}

// describe logs counts, and holds the data set to what every loader promises:
// stored notes, evidence that is there.
func describe(t *testing.T, path string, d eval.Dataset) {
	notes, questions, evidence, withEvidence, absent := 0, map[string]int{}, 0, 0, 0
	for _, c := range d.Conversations {
		ids := map[string]bool{}
		for _, n := range c.Notes {
			ids[n.SourceID] = true
			if err := n.Validate(); err != nil {
				t.Errorf("%s, %s: %v", c.ID, n.SourceID, err)
			}
		}
		notes += len(c.Notes)
		for _, q := range c.Questions {
			questions[q.Category]++
			evidence += len(q.Evidence)
			if len(q.Evidence) > 0 {
				withEvidence++
			}
			if q.Absent {
				absent++
			}
			for _, id := range q.Evidence {
				if !ids[id] {
					t.Errorf("%s: evidence %s is not there", q.ID, id)
				}
			}
		}
	}
	total := 0
	for _, n := range questions {
		total += n
	}
	dropped := 0
	for _, s := range d.Tolerated {
		if strings.Contains(s, "evidence") || strings.Contains(s, "source_chat_ids") {
			dropped++
		}
	}
	t.Logf("%s %s\n  conversations %d, notes %d, questions %d %v, absent %d\n  with evidence %d, evidence ids %d, dropped %d (%.2f%% resolve), tolerated %d %q\n  hash %s",
		d.Name, path, len(d.Conversations), notes, total, questions, absent, withEvidence, evidence, dropped,
		100*float64(evidence)/float64(max(1, evidence+dropped)), len(d.Tolerated), d.Tolerated, d.Hash)
}

func realComponents(t *testing.T, root string) {
	us, _, err := eval.LoadPersonaExt(filepath.Join(root, "personaext", "dev.jsonl"))
	t.Logf("personaext: %d utterances, %v", len(us), err)
	specs, _, err2 := eval.LoadTimex(filepath.Join(root, "time_expressions"))
	results := 0
	for _, s := range specs {
		results += len(s.Results)
	}
	t.Logf("timex: %d specs, %d results, %v", len(specs), results, err2)
	pairs, _, err3 := eval.LoadSick(filepath.Join(root, "sick", "SICK.txt"))
	t.Logf("sick: %d pairs, %v", len(pairs), err3)
	gold, err4 := eval.LoadXPath(filepath.Join(root, "semantic_xpath"))
	turns := 0
	for _, s := range gold.Scripts {
		turns += len(s.Turns)
	}
	t.Logf("xpath: %d trees, %d requests, %d scripts (%d turns), %d cases, %d errors, %v",
		len(gold.Trees), len(gold.Requests), len(gold.Scripts), turns, len(gold.Cases), len(gold.Errors), err4)
	for _, err := range []error{err, err2, err3, err4} {
		if err != nil {
			t.Error(err)
		}
	}
}

// FuzzStateBench: whatever the bytes, the loader returns a sound data set or an
// Invalid error, and no panic.
func FuzzStateBench(f *testing.F) {
	f.Add([]byte(statebench["dev.jsonl"]))
	f.Add([]byte("{}\n\n[]"))
	path := filepath.Join(f.TempDir(), "dev.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		d, err := eval.LoadStateBench(path)
		if err != nil {
			if daybook.KindOf(err) != daybook.Invalid {
				t.Fatalf("kind %v: %v", daybook.KindOf(err), err)
			}
			return
		}
		for _, c := range d.Conversations {
			for _, n := range c.Notes {
				if err := n.Validate(); err != nil {
					t.Fatalf("%s: %v", n.SourceID, err)
				}
			}
		}
	})
}
