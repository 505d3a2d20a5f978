package graph

import "daybook"

// oneValued are the relations that English and everyday life let hold one value
// at a time. A relation that is not here holds many, so that a mistake keeps a
// value too long and never closes one that is true.
var oneValued = map[string]bool{
	"lives_in":            true,
	"lives_at":            true,
	"located_in":          true,
	"home_town":           true,
	"address":             true,
	"works_at":            true,
	"works_for":           true,
	"employer":            true,
	"job_title":           true,
	"occupation":          true,
	"salary":              true,
	"manager":             true,
	"reports_to":          true,
	"married_to":          true,
	"spouse":              true,
	"marital_status":      true,
	"age":                 true,
	"born_on":             true,
	"born_in":             true,
	"birthday":            true,
	"name":                true,
	"full_name":           true,
	"email":               true,
	"phone":               true,
	"phone_number":        true,
	"height":              true,
	"weight":              true,
	"blood_type":          true,
	"nationality":         true,
	"native_language":     true,
	"diet":                true,
	"status":              true,
	"price":               true,
	"deadline":            true,
	"owner":               true,
	"version":             true,
	"time_zone":           true,
	"preferred_name":      true,
	"preferred_language":  true,
	"relationship_status": true,
}

// Cardinality is what the vocabulary says of a relation.
func Cardinality(relation string) daybook.Cardinality {
	if oneValued[daybook.FoldRelation(relation)] {
		return daybook.OneValue
	}
	return daybook.Many
}
