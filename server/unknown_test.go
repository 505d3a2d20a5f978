package server_test

import (
	"net/http"
	"strings"
	"testing"
)

// A field or parameter that an endpoint does not know is refused: one that names the user by
// a wrong name must not be taken for one that names no user.
func TestUnknownFieldsAreRefused(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	for _, c := range []struct {
		method, path string
		body         any
		names        string
	}{
		{"POST", "/v1/memories", object{"user": "alice", "messages": "hi"}, "user"},
		{"POST", "/v1/memories", object{"userId": "alice", "messages": "hi"}, "userId"},
		{"POST", "/v1/recall", object{"user": "alice", "query": "hi"}, "user"},
		{"POST", "/v1/ask", object{"userId": "alice", "question": "hi?"}, "userId"},
		{"POST", "/v1/facts", object{"user": "alice", "subject": "a", "relation": "b", "object": "c"}, "user"},
		{"POST", "/v2/memories/search", object{"user": "alice", "query": "hi"}, "user"},
		{"GET", "/v1/facts?user=alice", nil, "user"},
		{"GET", "/v1/log?userId=alice", nil, "userId"},
	} {
		status, text := d.call(key, c.method, c.path, c.body)
		if status != http.StatusUnprocessableEntity && status != http.StatusBadRequest || !strings.Contains(text, c.names) {
			t.Errorf("%s %s %v: %d %s", c.method, c.path, c.body, status, text)
		}
	}
	if text := get[object](d, key, "GET", "/v1/stats", nil); text["notes"] != nil && text["notes"] != 0.0 {
		t.Errorf("something was stored for nobody: %v", text)
	}
	for _, body := range []object{ // what mem0 documents
		{"user_id": "alice", "messages": "hi", "version": "v2", "output_format": "v1.1", "org_id": "o", "project_id": "p", "enable_graph": true, "includes": "x",
			"excludes": "y", "immutable": false, "custom_categories": []object{{"a": "b"}}, "custom_instructions": "c", "structured_data_schema": object{}},
		{"user_id": "alice", "messages": []object{{"role": "user", "content": "hello", "tool_calls": []object{}}}, "async_mode": false, "infer": false},
	} {
		get[object](d, key, "POST", "/v1/memories", body)
	}
	get[object](d, key, "POST", "/v2/memories/search", object{"query": "hi", "filters": object{"user_id": "alice"}, "rerank": true, "keyword_search": true, "fields": []string{"id"}, "metadata": object{}})
}
