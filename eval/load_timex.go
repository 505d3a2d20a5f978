package eval

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"daybook"
)

// TimeSpec is one input of Microsoft's specs with what should be found in it.
type TimeSpec struct {
	File      string // of the spec, without .json: DateTimeModel, DateParser
	Number    int    // in that file, from 0
	Input     string
	Reference time.Time // the "now" of the input; zero when the spec gives none
	Results   []TimeResult
	// NotSupported are the platforms, of those the specs are for, that do not
	// pass it, by design or not yet.
	NotSupported []string
}

// TimeResult is one expression of time in an input. Start and Length count UTF-16
// units, as the specs do, and are right for the text in almost all of them.
type TimeResult struct {
	Text, Type    string
	Start, Length int
	Timex, Mod    string // of a parser's spec; a model's are in Values
	// Values are the readings of a model, each with timex, type, value, start,
	// end and their like; Future and Past those of a parser.
	Values       []map[string]string
	Future, Past map[string]string
}

type timexSpec struct {
	Input   string `json:"Input"`
	Context struct {
		Reference string `json:"ReferenceDateTime"`
	} `json:"Context"`
	NotSupported         string        `json:"NotSupported"`
	NotSupportedByDesign string        `json:"NotSupportedByDesign"`
	Results              []timexResult `json:"Results"`
}

// timexResult is written in two ways: by models (TypeName, End, Resolution) and by
// extractors and parsers (Type, Length, Value).
type timexResult struct {
	Text       string      `json:"Text"`
	Type       string      `json:"Type"`
	TypeName   string      `json:"TypeName"` // also Typename; JSON's names are read without regard to case
	Start      *int        `json:"Start"`
	End        *int        `json:"End"`
	Length     *int        `json:"Length"`
	Resolution *timexValue `json:"Resolution"`
	Value      *timexValue `json:"Value"`
}

type timexValue struct {
	Timex  string             `json:"Timex"`
	Mod    string             `json:"Mod"`
	Values []map[string]loose `json:"values"`
	Future map[string]loose   `json:"FutureResolution"`
	Past   map[string]loose   `json:"PastResolution"`
}

// LoadTimex reads one spec file, or all *.json of a folder in order of their
// names, and returns the hash too.
func LoadTimex(path string) ([]TimeSpec, string, error) {
	info, err := stat(path)
	if err != nil {
		return nil, "", err
	}
	paths := []string{path}
	if info.IsDir() {
		if paths, err = filepath.Glob(filepath.Join(path, "*.json")); err != nil || len(paths) == 0 {
			return nil, "", daybook.Errorf(daybook.Invalid, "%s: no *.json", path)
		}
		slices.Sort(paths)
	}
	var f files
	var all []TimeSpec
	for _, p := range paths {
		var specs []timexSpec
		if err := readJSON(&f, p, &specs); err != nil {
			return nil, "", err
		}
		for i, raw := range specs {
			s, err := raw.spec(place{path: p, record: fmt.Sprintf("spec %d", i)})
			if err != nil {
				return nil, "", err
			}
			s.File, s.Number = strings.TrimSuffix(filepath.Base(p), ".json"), i
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil, "", daybook.Errorf(daybook.Invalid, "%s: no specs", path)
	}
	return all, f.hash(), nil
}

func (raw timexSpec) spec(at place) (TimeSpec, error) {
	s := TimeSpec{Input: raw.Input}
	if err := at.need(text("Input", raw.Input), list("Results", raw.Results)); err != nil {
		return s, err
	}
	var err error
	if s.Reference, err = optionalTime(at, "ReferenceDateTime", raw.Context.Reference); err != nil {
		return s, err
	}
	for _, names := range []string{raw.NotSupported, raw.NotSupportedByDesign} {
		for name := range strings.SplitSeq(names, ",") {
			if name = strings.TrimSpace(name); name != "" && !slices.Contains(s.NotSupported, name) {
				s.NotSupported = append(s.NotSupported, name)
			}
		}
	}
	for i, r := range raw.Results {
		result, err := r.result(at.in("result %d", i))
		if err != nil {
			return s, err
		}
		s.Results = append(s.Results, result)
	}
	return s, nil
}

func (r timexResult) result(at place) (TimeResult, error) {
	out := TimeResult{Text: r.Text, Type: cmp.Or(r.TypeName, r.Type)}
	if err := at.need(text("Text", r.Text), text("Type or TypeName", out.Type), field{"Start", r.Start != nil},
		field{"End or Length", r.End != nil || r.Length != nil}); err != nil {
		return out, err
	}
	out.Start = *r.Start
	if r.Length != nil {
		out.Length = *r.Length
	} else {
		out.Length = *r.End - *r.Start + 1
	}
	if out.Start < 0 || out.Length <= 0 {
		return out, at.errorf("start %d and length %d are not a part of the input", out.Start, out.Length)
	}
	for _, v := range []*timexValue{r.Resolution, r.Value} {
		if v == nil {
			continue
		}
		out.Timex, out.Mod, out.Future, out.Past = v.Timex, v.Mod, texts(v.Future), texts(v.Past)
		for _, reading := range v.Values {
			out.Values = append(out.Values, texts(reading))
		}
	}
	return out, nil
}

func texts(m map[string]loose) map[string]string {
	if m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = string(v)
	}
	return out
}
