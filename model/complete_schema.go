package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"daybook"
)

// Schema is a JSON schema in the subset that model servers enforce and we can
// check: type, properties, required, additionalProperties, items, enum, const,
// minimum, maximum, minLength, maxLength, minItems, maxItems. Words that only
// describe (title, description, default, examples, $schema, format) are sent on
// and not checked. It is read-only after ParseSchema, so any number of calls may
// share it.
type Schema struct {
	name string
	text json.RawMessage // no spaces, keys in the order given: models write in that order
	root *shape
}

// ParseSchema reads a schema. The name is what servers see; letters, digits, _
// and -, at most 64. An error is Invalid and names the word it does not know:
// a rule that would not be checked must not look as if it were.
func ParseSchema(name, text string) (*Schema, error) {
	if !schemaName(name) {
		return nil, daybook.Errorf(daybook.Invalid, "schema name %q: want 1 to 64 of letters, digits, _ and -", name)
	}
	tree, err := parseJSON([]byte(text))
	if err != nil {
		return nil, daybook.Errorf(daybook.Invalid, "schema %s: %w", name, err)
	}
	root, err := newShape(tree, "$")
	if err != nil {
		return nil, daybook.Errorf(daybook.Invalid, "schema %s: %w", name, err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		return nil, daybook.Errorf(daybook.Invalid, "schema %s: %w", name, err)
	}
	return &Schema{name: name, text: compact.Bytes(), root: root}, nil
}

// MustSchema is ParseSchema for schemas that are part of the program; it panics
// when the schema is wrong.
func MustSchema(name, text string) *Schema {
	s, err := ParseSchema(name, text)
	if err != nil {
		panic(err)
	}
	return s
}

// Name returns the name given to ParseSchema.
func (s *Schema) Name() string { return s.name }

// String returns the schema as JSON without spaces, its keys in the order given.
func (s *Schema) String() string { return string(s.text) }

// Validate returns nil when data is one JSON value that fits the schema.
// Otherwise the error is Invalid and says where and what, in words meant for
// the model that wrote it.
func (s *Schema) Validate(data []byte) error {
	tree, err := parseJSON(data)
	if err != nil {
		return daybook.Errorf(daybook.Invalid, "not valid JSON: %w", err)
	}
	if err := s.root.check(tree, "$"); err != nil {
		return daybook.Errorf(daybook.Invalid, "%w", err)
	}
	return nil
}

func schemaName(name string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	return name != "" && len(name) <= 64 && strings.Trim(name, allowed) == ""
}

// parseJSON reads exactly one value; numbers stay as written.
func parseJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("more text after the JSON value")
	}
	return tree, nil
}

// shape is one node of a schema.
type shape struct {
	types      []string // empty: any
	properties map[string]*shape
	required   []string
	closed     bool   // additionalProperties is false
	others     *shape // what additional properties must fit; nil: anything
	items      *shape
	enum       []any
	min, max   *big.Rat
	length     bounds // of strings, in characters
	count      bounds // of arrays
}

// bounds are inclusive; nil means none.
type bounds struct{ min, max *int }

var jsonTypes = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

func newShape(tree any, path string) (*shape, error) {
	rules, ok := tree.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: a schema must be an object", path)
	}
	s := &shape{}
	for _, word := range sortedKeys(rules) {
		if err := s.rule(word, rules[word], path); err != nil {
			return nil, err
		}
	}
	for _, name := range s.required {
		if s.properties != nil && s.properties[name] == nil {
			return nil, fmt.Errorf("%s: required %q is not among the properties", path, name)
		}
	}
	return s, nil
}

// rule takes one keyword of the schema into s.
func (s *shape) rule(word string, value any, path string) (err error) {
	switch word {
	case "type":
		s.types, err = typeNames(value)
	case "properties":
		s.properties, err = newShapes(value, path)
	case "required":
		s.required, err = stringList(value)
	case "additionalProperties":
		err = s.additional(value, path)
	case "items":
		s.items, err = newShape(value, path+"[]")
	case "enum":
		list, ok := value.([]any)
		if !ok || len(list) == 0 {
			err = fmt.Errorf("want a list of values")
		}
		s.enum = list
	case "const":
		s.enum = []any{value}
	case "minimum":
		s.min, err = rational(value)
	case "maximum":
		s.max, err = rational(value)
	case "minLength":
		s.length.min, err = natural(value)
	case "maxLength":
		s.length.max, err = natural(value)
	case "minItems":
		s.count.min, err = natural(value)
	case "maxItems":
		s.count.max, err = natural(value)
	case "title", "description", "default", "examples", "$schema", "format":
	default:
		err = fmt.Errorf("keyword not supported")
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", path, word, err)
	}
	return nil
}

func (s *shape) additional(value any, path string) (err error) {
	if open, ok := value.(bool); ok {
		s.closed = !open
		return nil
	}
	s.others, err = newShape(value, path+".*")
	return err
}

func newShapes(value any, path string) (map[string]*shape, error) {
	rules, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("want an object of schemas")
	}
	shapes := make(map[string]*shape, len(rules))
	for _, name := range sortedKeys(rules) {
		sub, err := newShape(rules[name], path+"."+name)
		if err != nil {
			return nil, err
		}
		shapes[name] = sub
	}
	return shapes, nil
}

func typeNames(value any) ([]string, error) {
	names := []string{}
	switch v := value.(type) {
	case string:
		names = append(names, v)
	default:
		list, err := stringList(value)
		if err != nil {
			return nil, err
		}
		names = list
	}
	for _, name := range names {
		if !slices.Contains(jsonTypes, name) {
			return nil, fmt.Errorf("no such type: %q", name)
		}
	}
	return names, nil
}

func stringList(value any) ([]string, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("want a list of strings")
	}
	names := make([]string, 0, len(list))
	for _, item := range list {
		name, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("want a list of strings")
		}
		names = append(names, name)
	}
	return names, nil
}

// maxDigits bounds the numbers that are compared.
const maxDigits = 400

// rational returns the exact value. Numbers outside the range of a float64 are
// refused: 1e999999999 is short to write, and its digits do not fit in memory.
func rational(value any) (*big.Rat, error) {
	number, ok := value.(json.Number)
	if !ok {
		return nil, fmt.Errorf("want a number")
	}
	f, err := number.Float64()
	if err != nil || len(number) > maxDigits {
		return nil, fmt.Errorf("number out of range")
	}
	if f == 0 {
		return new(big.Rat), nil
	}
	rat, ok := new(big.Rat).SetString(string(number))
	if !ok {
		return nil, fmt.Errorf("want a number")
	}
	return rat, nil
}

func natural(value any) (*int, error) {
	number, ok := value.(json.Number)
	if !ok {
		return nil, fmt.Errorf("want a whole number")
	}
	n, err := number.Int64()
	if err != nil || n < 0 || n > 1<<31 {
		return nil, fmt.Errorf("want a whole number from 0 up")
	}
	i := int(n)
	return &i, nil
}

// check returns the first thing in value that does not fit.
func (s *shape) check(value any, path string) error {
	if len(s.types) > 0 && !slices.ContainsFunc(s.types, func(t string) bool { return isType(value, t) }) {
		return fmt.Errorf("%s: want %s, got %s", path, strings.Join(s.types, " or "), typeOf(value))
	}
	if s.enum != nil && !slices.ContainsFunc(s.enum, func(e any) bool { return equalJSON(e, value) }) {
		return fmt.Errorf("%s: want one of %s", path, listJSON(s.enum))
	}
	switch v := value.(type) {
	case map[string]any:
		return s.checkObject(v, path)
	case []any:
		return s.checkArray(v, path)
	case string:
		return s.length.check(utf8.RuneCountInString(v), path, "characters")
	case json.Number:
		return s.checkNumber(v, path)
	}
	return nil
}

func (s *shape) checkObject(object map[string]any, path string) error {
	for _, name := range s.required {
		if _, ok := object[name]; !ok {
			return fmt.Errorf("%s: %q is missing", path, name)
		}
	}
	for _, name := range sortedKeys(object) {
		sub := s.properties[name]
		if sub == nil && s.closed {
			return fmt.Errorf("%s: %q is not allowed", path, cutText(name, 40))
		}
		if sub == nil {
			sub = s.others
		}
		if sub == nil {
			continue
		}
		if err := sub.check(object[name], path+"."+cutText(name, 40)); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) checkArray(list []any, path string) error {
	if err := s.count.check(len(list), path, "items"); err != nil {
		return err
	}
	if s.items == nil {
		return nil
	}
	for i, item := range list {
		if err := s.items.check(item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) checkNumber(number json.Number, path string) error {
	if s.min == nil && s.max == nil {
		return nil
	}
	n, err := rational(number)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if s.min != nil && n.Cmp(s.min) < 0 {
		return fmt.Errorf("%s: want at least %s", path, s.min.RatString())
	}
	if s.max != nil && n.Cmp(s.max) > 0 {
		return fmt.Errorf("%s: want at most %s", path, s.max.RatString())
	}
	return nil
}

func (b bounds) check(n int, path, unit string) error {
	if b.min != nil && n < *b.min {
		return fmt.Errorf("%s: want at least %d %s, got %d", path, *b.min, unit, n)
	}
	if b.max != nil && n > *b.max {
		return fmt.Errorf("%s: want at most %d %s, got %d", path, *b.max, unit, n)
	}
	return nil
}

func isType(value any, name string) bool {
	got := typeOf(value)
	if got == name {
		return true
	}
	if got != "number" || name != "integer" {
		return false
	}
	n, err := rational(value)
	return err == nil && n.IsInt() // 3.0 is an integer
}

func typeOf(value any) string {
	switch value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case json.Number:
		return "number"
	case bool:
		return "boolean"
	}
	return "null"
}

func equalJSON(a, b any) bool {
	if x, err := rational(a); err == nil {
		y, err := rational(b)
		return err == nil && x.Cmp(y) == 0
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

func listJSON(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		text, _ := json.Marshal(v)
		words[i] = string(text)
	}
	return strings.Join(words, ", ")
}

func sortedKeys(m map[string]any) []string {
	return slices.Sorted(maps.Keys(m))
}

// strict reports whether every object lists and requires all its properties
// and allows no others, which is what OpenAI's strict mode asks for.
func (s *shape) strict() bool {
	if slices.Contains(s.types, "object") || s.properties != nil {
		if !s.closed || len(s.required) != len(s.properties) {
			return false
		}
	}
	for _, sub := range s.properties {
		if !sub.strict() {
			return false
		}
	}
	return s.items == nil || s.items.strict()
}
