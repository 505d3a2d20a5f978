package server_test

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"daybook/server"

	"pgregory.net/rapid"
)

// list gets a JSON array.
func list(t *testing.T, d *door, key, path string) []object {
	t.Helper()
	return get[[]object](d, key, http.MethodGet, path, nil)
}

func results(o object) (all []object) {
	for _, r := range o["results"].([]any) {
		all = append(all, r.(map[string]any))
	}
	return all
}

func memoryTexts(o object) (all []string) {
	for _, r := range results(o) {
		all = append(all, r["memory"].(string))
	}
	return all
}

// addMemory adds one message and waits until it is learned from.
func addMemory(d *door, key string, body object) string {
	d.t.Helper()
	body["async_mode"] = false
	got := get[object](d, key, "POST", "/v3/memories/add/", body)
	if got["status"] != "SUCCEEDED" || got["event_id"] == "" {
		d.t.Fatalf("add gives %v", got)
	}
	return results(got)[0]["id"].(string)
}

// A memory is added, found, superseded by another, corrected, and deleted, and its
// history tells all of that.
func TestMem0Story(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	first := addMemory(d, key, object{"messages": "My dentist is Dr. Weiss.", "user_id": "Ana", "timestamp": 1767225600, "metadata": object{"kind": "health", "n": 3}})
	second := addMemory(d, key, object{"messages": []object{{"role": "user", "content": "I changed dentists, I go to Dr. Moreau now."}}, "user_id": "Ana", "timestamp": "2026-03-01", "run_id": "spring"})

	found := results(get[object](d, key, "POST", "/v3/memories/search/", object{"query": "Who is Ana's dentist?", "filters": object{"user_id": "Ana"}}))
	if len(found) != 2 {
		t.Fatalf("search finds %v", found)
	}
	roles := map[string]any{}
	for _, m := range found {
		roles[m["id"].(string)] = m["role"]
		if score := m["score"].(float64); score <= 0 || score >= 1 {
			t.Errorf("the score is %v", score)
		}
	}
	if roles[first] != "historical" || roles[second] != "current" {
		t.Errorf("roles %v", roles)
	}
	latest := results(get[object](d, key, "POST", "/v3/memories/search/", object{"query": "dentist", "filters": object{"user_id": "Ana"}, "latest_only": true}))
	if len(latest) != 1 || latest[0]["id"] != second {
		t.Errorf("latest %v", latest)
	}

	old := list(t, d, key, "/v1/memories/"+first+"/history/")
	if len(old) != 2 || old[0]["event"] != "ADD" || old[1]["superseded_by"] != second || !strings.Contains(old[1]["new_value"].(string), "Moreau") {
		t.Errorf("history of the older: %v", old)
	}
	newer := list(t, d, key, "/v1/memories/"+second+"/history")
	if len(newer) != 2 || newer[1]["supersedes"] != first {
		t.Errorf("history of the newer: %v", newer)
	}

	got := get[object](d, key, "PUT", "/v1/memories/"+second+"/", object{"text": "I changed dentists, I go to Dr. Ortega now.", "metadata": object{"kind": "health"}})
	if got["id"] != second || !strings.Contains(got["memory"].(string), "Ortega") || got["run_id"] != "spring" {
		t.Errorf("update gives %v", got)
	}
	got = get[object](d, key, "GET", "/v1/memories/"+second+"/", nil)
	if !strings.Contains(got["memory"].(string), "Ortega") || got["metadata"].(map[string]any)["kind"] != "health" {
		t.Errorf("get gives %v", got)
	}
	all := memoryTexts(get[object](d, key, "POST", "/v3/memories/", object{"filters": object{"user_id": "Ana"}}))
	if len(all) != 2 || strings.Contains(strings.Join(all, " "), "Moreau") {
		t.Errorf("after the update there are %q", all)
	}
	edits := list(t, d, key, "/v1/memories/"+second+"/history")
	if len(edits) < 2 || edits[1]["event"] != "UPDATE" || !strings.Contains(edits[1]["old_memory"].(string), "Moreau") {
		t.Errorf("history after the update: %v", edits)
	}

	gone := get[object](d, key, "DELETE", "/v1/memories/"+first+"/", nil)
	if len(gone["certificates"].([]any)) != 1 {
		t.Errorf("delete gives %v", gone)
	}
	for _, path := range []string{"/v1/memories/" + first, "/v1/memories/" + first + "/history", "/memories/" + first} {
		if code, body := d.call(key, "GET", path, nil); code != http.StatusNotFound || strings.Contains(body, "Weiss") {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	get[object](d, key, "DELETE", "/v1/memories/?user_id=Ana", nil)
	if n := get[object](d, key, "GET", "/v1/memories/?user_id=Ana", nil)["count"]; n != 0.0 {
		t.Errorf("%v are left", n)
	}
}

// Deleting with what a memory superseded leaves nothing to come back.
func TestMem0DeleteLinked(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	addMemory(d, key, object{"messages": "My dentist is Dr. Weiss.", "user_id": "Ana", "timestamp": "2026-01-01"})
	second := addMemory(d, key, object{"messages": "I changed dentists, I go to Dr. Moreau now.", "user_id": "Ana", "timestamp": "2026-03-01"})
	get[object](d, key, "DELETE", "/v1/memories/"+second+"/?delete_linked=true", nil)
	if all := memoryTexts(get[object](d, key, "GET", "/memories?user_id=Ana", nil)); len(all) != 0 {
		t.Errorf("left: %q", all)
	}
}

func TestMem0InferAndIds(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	add := func(body object) object { return get[object](d, key, "POST", "/v1/memories/", body) }
	raw := add(object{"messages": "My dentist is Dr. Weiss.", "user_id": "Ana", "infer": false, "custom_id": "c1"})
	if len(results(raw)) != 1 || raw["job"] != nil {
		t.Errorf("infer false gives %v", raw)
	}
	if facts := get[object](d, key, "GET", "/v1/facts?user_id=Ana", nil); len(facts["facts"].([]any)) != 0 {
		t.Errorf("learned %v", facts)
	}
	again := add(object{"messages": "My dentist is Dr. Weiss.", "user_id": "Ana", "infer": false, "custom_id": "c1"})
	if results(again)[0]["event"] != "NOOP" || results(again)[0]["id"] != results(raw)[0]["id"] {
		t.Errorf("again gives %v", again)
	}
	if code, body := d.call(key, "POST", "/v1/memories/", object{"messages": "Something else.", "user_id": "Ana", "custom_id": "c1"}); code != http.StatusConflict {
		t.Errorf("another text under the id: %d %s", code, body)
	}
	multi := add(object{"messages": []object{{"role": "user", "content": []object{{"type": "text", "text": "I have a cat."}, {"type": "image_url"}}}}, "filters": object{"user_id": "Ana"}, "app_id": "web"})
	if got := results(multi); len(got) != 1 || got[0]["memory"] != "I have a cat." {
		t.Errorf("parts give %v", multi)
	}
	for _, body := range []object{
		{"messages": []object{}, "user_id": "Ana"}, {"user_id": "Ana"}, {"messages": "x", "user_id": "Ana", "timestamp": "soon"}, {"messages": "x", "user_id": "Ana", "timestamp": 1e300},
		{"messages": "x", "user_id": "Ana", "expiration_date": "soon"}, {"messages": "x", "user_id": "Ana", "metadata": object{"x": strings.Repeat("x", 70_000)}},
		{"messages": []object{{"role": "user", "content": 7}}, "user_id": "Ana"}, {"messages": []object{{"role": "user", "content": []object{{"type": "image_url"}}}}, "user_id": "Ana"},
	} {
		if code, got := d.call(key, "POST", "/v3/memories/add/", body); code < 400 || code >= 500 {
			t.Errorf("%v: %d %s", body, code, got)
		}
	}
}

func TestMem0Filters(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	for _, m := range []object{
		{"messages": "one", "user_id": "ana", "timestamp": "2026-01-01", "metadata": object{"colour": "red", "n": 1}, "run_id": "r1"},
		{"messages": "two", "user_id": "ana", "timestamp": "2026-02-01", "metadata": object{"colour": "blue", "n": 2, "categories": []string{"food", "home"}}},
		{"messages": "three", "user_id": "ana", "agent_id": "bot", "timestamp": "2026-03-01", "metadata": object{"n": 3}},
		{"messages": "four", "user_id": "ben", "timestamp": "2026-04-01", "metadata": object{"colour": "red", "n": 4}, "app_id": "web"},
		{"messages": "five", "user_id": "ben", "timestamp": "2026-05-01", "expiration_date": "2026-06-01"},
	} {
		m["infer"] = false
		get[object](d, key, "POST", "/v3/memories/add/", m)
	}
	for _, c := range []struct {
		filters object
		want    string
	}{
		{object{"user_id": "ana"}, "one two three"},
		{object{"user_id": "nobody"}, ""},
		{object{"agent_id": "bot"}, "three"},
		{object{"user_id": "*"}, "one two three four"},
		{object{"AND": []object{{"user_id": "ana"}, {"colour": "red"}}}, "one"},
		{object{"user_id": "ana", "metadata": object{"colour": "blue"}}, "two"},
		{object{"OR": []object{{"user_id": "ana"}, {"user_id": "ben"}}}, "one two three four"},
		{object{"AND": []object{{"OR": []object{{"user_id": "ana"}, {"user_id": "ben"}}}, {"NOT": []object{{"colour": "red"}}}}}, "two three"},
		{object{"user_id": "*", "n": object{"gte": 2, "lt": 4}}, "two three"},
		{object{"user_id": "*", "n": object{"in": []int{1, 4}}}, "one four"},
		{object{"user_id": "*", "n": object{"nin": []int{1, 4}}}, "two three"},
		{object{"user_id": "ana", "n": object{"ne": 1}}, "two three"},
		{object{"user_id": "*", "created_at": object{"gte": "2026-02-01", "lte": "2026-03-01"}}, "two three"},
		{object{"user_id": "*", "created_at": object{"gt": "2026-03"}}, "four"},
		{object{"user_id": "*", "memory": object{"contains": "o"}}, "one two four"},
		{object{"user_id": "*", "memory": object{"icontains": "TH"}}, "three"},
		{object{"user_id": "*", "categories": object{"contains": "food"}}, "two"},
		{object{"user_id": "*", "categories": object{"in": []string{"home"}}}, "two"},
		{object{"user_id": "*", "colour": "*"}, "one two four"},
		{object{"run_id": "r1"}, "one"},
		{object{"app_id": "web"}, "four"},
	} {
		got := get[object](d, key, "POST", "/v3/memories/", object{"filters": c.filters})
		texts := memoryTexts(got)
		for i, j := 0, len(texts)-1; i < j; i, j = i+1, j-1 {
			texts[i], texts[j] = texts[j], texts[i]
		}
		if strings.Join(texts, " ") != c.want {
			t.Errorf("%v: %q, want %q", c.filters, texts, c.want)
		}
		search := results(get[object](d, key, "POST", "/v3/memories/search/", object{"query": "one two three four five", "filters": c.filters, "top_k": 50}))
		if len(search) != len(texts) {
			t.Errorf("%v: search finds %d, list %d", c.filters, len(search), len(texts))
		}
	}
	if got := get[object](d, key, "POST", "/v3/memories/", object{"filters": object{"user_id": "ben"}, "show_expired": true}); got["count"] != 2.0 {
		t.Errorf("with what has expired: %v", got)
	}
	page := get[object](d, key, "POST", "/v3/memories/?page=2&page_size=2", object{"filters": object{"user_id": "ana"}})
	if got := memoryTexts(page); page["count"] != 3.0 || len(got) != 1 || page["next"] != nil || page["previous"] == nil {
		t.Errorf("page 2: %v", page)
	}
	deep := object{"user_id": "ana"}
	for range 20 {
		deep = object{"AND": []object{deep}}
	}
	for _, f := range []object{
		{}, {"colour": "red"}, {"user_id": object{"about": "ana"}}, {"AND": "x"}, {"OR": []string{"x"}}, {"user_id": "ana", "n": object{"in": 3}}, deep,
	} {
		if code, body := d.call(key, "POST", "/v3/memories/", object{"filters": f}); code != http.StatusBadRequest {
			t.Errorf("%v: %d %s", f, code, body)
		}
	}
}

// Ids of memories open nothing to those who may not see them.
func TestMem0KeepsTenantsApart(t *testing.T) {
	d := open(t, nil)
	acme, other := d.admin("acme"), d.admin("other")
	id := addMemory(d, acme, object{"messages": "My word is heron.", "user_id": "Ana"})
	events := results(get[object](d, acme, "GET", "/v1/events/?user_id=Ana", nil))
	event := events[len(events)-1]["id"].(string)
	addMemory(d, other, object{"messages": "Mine is not that.", "user_id": "Ana"})
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"GET", "/v1/memories/" + id, nil}, {"GET", "/v1/memories/" + id + "/history", nil}, {"PUT", "/v1/memories/" + id, object{"text": "x"}},
		{"DELETE", "/v1/memories/" + id, nil}, {"PUT", "/v1/batch", object{"memories": []object{{"memory_id": id, "text": "x"}}}},
		{"DELETE", "/v1/batch", object{"memories": []object{{"memory_id": id}}}}, {"GET", "/v1/event/" + event, nil},
	} {
		if code, body := d.call(other, c.method, c.path, c.body); code != http.StatusNotFound || strings.Contains(body, "heron") {
			t.Errorf("%s %s: %d %s", c.method, c.path, code, body)
		}
	}
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"POST", "/v3/memories/search/", object{"query": "word heron", "filters": object{"user_id": "*"}}}, {"POST", "/v3/memories/", object{"filters": object{"user_id": "*"}}},
		{"GET", "/v1/entities/", nil}, {"POST", "/v1/exports/get/", object{"filters": object{"user_id": "Ana"}}}, {"GET", "/v2/entities/user/Ana/profile/", nil},
		{"DELETE", "/v1/memories/?user_id=Ana", nil}, {"POST", "/reset", nil},
	} {
		if code, body := d.call(other, c.method, c.path, c.body); code != http.StatusOK || strings.Contains(body, "heron") {
			t.Errorf("%s %s: %d %s", c.method, c.path, code, body)
		}
	}
	if got := get[object](d, acme, "GET", "/v1/memories/"+id, nil); got["memory"] != "My word is heron." {
		t.Errorf("after all that: %v", got)
	}
	if got := get[object](d, acme, "GET", "/v1/event/"+event+"/", nil); got["status"] != "SUCCEEDED" {
		t.Errorf("the event: %v", got)
	}
	ben := d.key(keyFor("acme", "Ben"))
	if code, body := d.call(ben, "GET", "/v1/memories/"+id, nil); code != http.StatusNotFound {
		t.Errorf("a key for another user: %d %s", code, body)
	}
}

// What mem0's platform has and Daybook does not is refused as such.
func TestMem0NotOffered(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	for _, c := range []string{
		"POST /v1/summary/", "POST /v1/feedback/", "POST /configure", "POST /v2/profiles/jobs/", "GET /v2/profiles/jobs/7/", "GET /v2/profiles/settings/", "POST /v2/profiles/settings/",
		"GET /api/v1/webhooks/projects/1/", "POST /api/v1/webhooks/projects/1/", "PUT /api/v1/webhooks/1/", "DELETE /api/v1/webhooks/1/",
		"GET /api/v1/orgs/organizations/1/projects/1/", "PATCH /api/v1/orgs/organizations/1/projects/1/",
	} {
		method, path, _ := strings.Cut(c, " ")
		if code, body := d.call(key, method, path, object{}); code != http.StatusNotImplemented || !strings.Contains(body, "not offered") {
			t.Errorf("%s: %d %s", c, code, body)
		}
		if code, _ := d.call("", method, path, object{}); code != http.StatusUnauthorized {
			t.Errorf("%s without a key: %d", c, code)
		}
	}
}

func keyFor(tenant, user string) server.Key {
	return server.Key{Tenant: tenant, Users: []string{user}, Right: server.Write}
}

// A list that is told from the index is the one that reading every note gives: a filter that
// only notes can answer, and that always holds, makes the server read.
func TestMem0ListsTheSameUnread(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	rapid.Check(t, func(rt *rapid.T) {
		user := fmt.Sprint("u", rapid.Uint64().Draw(rt, "user"))
		for i := range rapid.IntRange(1, 6).Draw(rt, "memories") {
			m := object{"messages": fmt.Sprintf("memory %d", i), "user_id": user, "infer": false, "timestamp": rapid.SampledFrom([]string{"2026-01-01", "2026-01-02", "2025-03-04T05:06:07.123456Z"}).Draw(rt, "when")}
			for name, values := range map[string][]string{"expiration_date": {"", "2020-01-01", "2090-01-01"}, "run_id": {"", "r1"}, "agent_id": {"", "bot"}} {
				if v := rapid.SampledFrom(values).Draw(rt, name); v != "" {
					m[name] = v
				}
			}
			made := get[object](d, key, "POST", "/v3/memories/add/", m)
			if rapid.IntRange(0, 9).Draw(rt, "delete") == 0 {
				get[object](d, key, "DELETE", "/v1/memories/"+results(made)[0]["id"].(string)+"/", nil)
			}
		}
		ask := object{"user_id": user, "show_expired": rapid.Bool().Draw(rt, "expired")}
		if rapid.Bool().Draw(rt, "in run") {
			ask["filters"] = object{"run_id": "r1", "created_at": object{"gte": "2025-06"}}
		}
		path := fmt.Sprintf("/v3/memories/?page=%d&page_size=%d", rapid.IntRange(1, 3).Draw(rt, "page"), rapid.IntRange(1, 5).Draw(rt, "size"))
		listed := get[object](d, key, "POST", path, ask)
		filters := object{"NOT": object{"no such key": "x"}}
		if given, ok := ask["filters"].(object); ok {
			maps.Copy(filters, given)
		}
		ask["filters"] = filters
		if read := get[object](d, key, "POST", path, ask); !reflect.DeepEqual(listed, read) {
			rt.Fatalf("%s: listed %v, read %v", path, listed, read)
		}
	})
}
