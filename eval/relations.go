package eval

import (
	"slices"
	"strings"

	"daybook"
)

// Not before the name of a relation says that it does not hold.
const Not = "not_"

// Wish before the name of a relation says that it is wished or planned.
const Wish = "wish_"

// PersonaExt names what a thing is as part of the relation (like_food, like_drink,
// have_pet); here a relation is what holds between two things, and what they are
// shows in them. So one relation of ours stands for several of its 76 labels.
//
// personaLabels has, for each relation of the vocabulary of package extract that
// PersonaExt speaks of, the labels that it may mean. like_* stands for all labels
// with that beginning. What somebody does by habit (goes hiking, plays, rides,
// collects) may be what the data set files under their likings; a favourite is
// liked; what is wished for oneself ("want to be a nurse") may be a job. It was
// written on the even lines of the file and is reported on the odd ones. Labels
// that no relation of ours can mean are other, work_schedule, fall_out and
// get_along.
var personaLabels = map[string]string{
	"lives_in":       "live_in_citystatecountry live_in_general",
	"moved_to":       "live_in_citystatecountry live_in_general",
	"from":           "live_in_citystatecountry live_in_general race",
	"works_at":       "employed_by_company employed_by_general pre_employed_by_company",
	"job":            "employed_by_general employed_by_company",
	"studies":        "attend_school has_degree like_subject school_status",
	"studies_at":     "attend_school school_status",
	"married_to":     "marital_status have_family",
	"partner":        "relationship marital_status have_family",
	"name":           "name",
	"nickname":       "name",
	"likes":          "like_* favorite_*",
	"prefers":        "like_* favorite_*",
	"plays":          "like_* favorite_* has_ability doing",
	"reads":          "like_* favorite_*",
	"watches":        "like_* favorite_*",
	"listens_to":     "like_* favorite_*",
	"eats":           "like_food favorite_food diet",
	"drinks":         "like_drink favorite_drink",
	"cooks":          "like_food like_activity like_general has_ability",
	"goes_to":        "favorite_place like_activity attend_school",
	"visited":        "favorite_place international_exp like_activity attend_school",
	"attended":       "attend_school like_activity",
	"made":           "like_activity has_ability doing",
	"dislikes":       "dislike dislike_* weakness",
	"wants":          "want_job like_*",
	"owns":           "own have_* physical_attribute has_degree",
	"has":            "own have_* physical_attribute has_degree health_status relationship",
	"hair":           "physical_attribute",
	"eyes":           "physical_attribute",
	"bought":         "own have_vehicle",
	"drives":         "have_vehicle own",
	"go":             "like_activity like_general favorite_hobby favorite_place",
	"do":             "like_activity like_general favorite_hobby doing has_ability employed_by_general",
	"ride":           "like_activity like_animal like_general have_vehicle own",
	"collect":        "like_activity like_general favorite_hobby own",
	"practice":       "like_activity like_sport favorite_hobby has_ability belief",
	"is_in":          "live_in_citystatecountry live_in_general attend_school school_status employed_by_company employed_by_general member_of relationship",
	"is_at":          "live_in_general attend_school employed_by_company employed_by_general",
	"live_near":      "live_in_citystatecountry live_in_general",
	"live_on":        "live_in_general live_in_citystatecountry",
	"live_with":      "have_family have_pet live_in_general relationship",
	"work_in":        "employed_by_general employed_by_company like_general",
	"work_on":        "employed_by_general like_activity doing own",
	"work_with":      "employed_by_general like_animal like_general",
	"be_allergic_to": "health_status dislike dislike_* physical_attribute",
	"allergic_to":    "health_status dislike dislike_* physical_attribute",
	"get":            "own have_* like_food like_drink",
	"see":            "like_watching favorite_show favorite_movie",
	"wear":           "own like_general like_color physical_attribute",
	"teach":          "employed_by_general like_subject has_ability",
	"sing":           "like_activity has_ability",
	"work_as":        "employed_by_general employed_by_company",
	"raise":          "have_* like_animal",
	"good_at":        "has_ability like_*",
	"bad_at":         "weakness",
	"used_to":        "used_to",
	Wish + "is":      "want_job",
	Wish + "job":     "want_job",
	Wish + "likes":   "like_*",
	Wish + "has":     "like_* own have_*",
	Wish + "visited": "favorite_place international_exp like_*",
	Wish + "can":     "has_ability",
	"speaks":         "has_ability",
	"can":            "has_ability",
	"joined":         "member_of",
	"volunteers_at":  "member_of like_activity",
	"believes":       "belief",
	"age":            "physical_attribute",
	"is": "physical_attribute marital_status relationship diet gender race belief health_status job_status school_status " +
		"employed_by_general member_of name weakness has_ability",
	Not + "likes":  "dislike dislike_*",
	Not + "wants":  "dislike dislike_* want_no",
	Not + "owns":   "have_no have_no_*",
	Not + "has":    "have_no have_no_*",
	Not + "eats":   "do_not_eat dislike_food",
	Not + "drinks": "do_not_drink dislike_drink",
	Not + "plays":  "do_not_do dislike_sport dislike_activity",
	Not + "can":    "weakness do_not_do",
}

// Means reports whether a relation that was found may be what a label of
// PersonaExt says: by personaLabels, or because both are names of one relation
// (canonicalRelation). A label always means itself.
func Means(found, label string) bool {
	found = daybook.FoldRelation(found)
	if found == label || canonicalRelation(found) == canonicalRelation(label) {
		return true
	}
	if canonicalRelation(found) == "favourite" && (strings.HasPrefix(label, "favorite_") || strings.HasPrefix(label, "like_")) {
		return true
	}
	return slices.ContainsFunc(strings.Fields(personaLabels[found]), func(l string) bool {
		beginning, family := strings.CutSuffix(l, "*")
		return l == label || family && strings.HasPrefix(label, beginning)
	})
}

// canonicalRelation is one name for the names of the same relation.
func canonicalRelation(relation string) string {
	r := daybook.FoldRelation(relation)
	if c, ok := canonicalRelations[r]; ok {
		return c
	}
	for _, family := range []struct{ prefix, name string }{
		{"like", "likes"}, {"love", "likes"}, {"enjoy", "likes"}, {"dislike", "dislikes"}, {"hate", "dislikes"}, {"favorite", "favourite"}, {"favourite", "favourite"},
	} {
		if strings.HasPrefix(r, family.prefix) {
			return family.name
		}
	}
	return r
}

// canonicalRelations are names of the same relation. The left side has the names
// of PersonaExt and those that people use.
var canonicalRelations = map[string]string{
	"live_in_citystatecountry": "lives_in", "live_in_general": "lives_in", "lives_at": "lives_in", "live_in": "lives_in", "resides_in": "lives_in",
	"employed_by_company": "works_at", "employed_by_general": "works_as", "works_for": "works_at", "employer": "works_at",
	"occupation": "works_as", "job_title": "works_as", "job": "works_as", "pre_employed_by_company": "worked_at",
	"have_pet": "has_pet", "owns_pet": "has_pet", "have_vehicle": "has_vehicle", "own": "owns", "have": "owns", "has": "owns",
	"have_family": "has_family", "have_chidren": "has_child", "have_children": "has_child", "has_children": "has_child",
	"have_sibling": "has_sibling", "have_no_sibling": "has_no_sibling", "have_no_children": "has_no_child", "have_no_family": "has_no_family", "have_no": "has_no",
	"attend_school": "attends", "studies_at": "attends", "school_status": "school_status", "want_job": "wants_job", "has_degree": "has_degree",
	"has_ability": "can", "physical_attribute": "has_attribute", "marital_status": "marital_status", "relationship_status": "marital_status", "relationship": "marital_status",
	"member_of": "member_of", "do_not_eat": "does_not_eat", "do_not_drink": "does_not_drink", "do_not_do": "does_not_do",
	"health_status": "health", "job_status": "job_status", "belief": "believes_in",
}
