package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"daybook"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// doorErasures erase the one memory of user u in every way that there is.
var doorErasures = map[string]func(t *testing.T, s *served, note string){
	"POST /v1/forget, by id":      erasing("POST", "/v1/forget", `{"user_id":"u","ids":["NOTE"]}`),
	"POST /v1/forget, everything": erasing("POST", "/v1/forget", `{"user_id":"u","everything":true}`),
	"POST /v1/forget, the user":   erasing("POST", "/v1/forget", `{"user_id":"u","user":true}`),
	"DELETE /v1/memories/ID":      erasing("DELETE", "/v1/memories/MEMORY", ""),
	"DELETE /v1/memories":         erasing("DELETE", "/v1/memories?user_id=u", ""),
	"DELETE /v1/batch":            erasing("DELETE", "/v1/batch", `{"memories":[{"memory_id":"MEMORY"}]}`),
	"DELETE /v2/entities":         erasing("DELETE", "/v2/entities/user/u", ""),
	"MCP forget": func(t *testing.T, s *served, note string) {
		session := (&agent{}).dial(t, s.url+"/mcp/u")
		res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "forget", Arguments: map[string]any{"ids": []string{note}}})
		if err != nil || res.IsError {
			t.Fatalf("%v %+v", err, res)
		}
	},
}

func erasing(method, path, body string) func(*testing.T, *served, string) {
	return func(t *testing.T, s *served, note string) {
		var memories struct{ Results []struct{ ID string } }
		if err := json.Unmarshal([]byte(s.say(t, "GET", "/v1/memories?user_id=u", "")), &memories); err != nil || len(memories.Results) != 1 {
			t.Fatalf("%+v %v", memories, err)
		}
		named := strings.NewReplacer("NOTE", note, "MEMORY", memories.Results[0].ID)
		s.say(t, method, named.Replace(path), named.Replace(body))
	}
}

// say sends a request that must succeed.
func (s *served) say(t *testing.T, method, path, body string) string {
	t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %d %s %v", method, path, res.StatusCode, text, err)
	}
	return string(text)
}

// Whoever erases, no byte of what was erased is left in the home, and no answer that
// quoted it can be traced.
func TestEveryDoorLeavesNoBytes(t *testing.T) {
	const secret = "zanzibarquartz"
	for name, erase := range doorErasures {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			must(t, home, "add", "My code word is "+secret+".", "--user", "u", "--id", "m1")
			var answered struct {
				ID     string `json:"answer_id"`
				Answer string
			}
			if err := json.Unmarshal([]byte(must(t, home, "ask", "What is my code word?", "--user", "u", "--json")), &answered); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(answered.Answer, secret) || len(traces(t, home, []string{secret})) == 0 {
				t.Fatalf("the answer is %+v", answered)
			}
			s := serveProcess(t, home)
			erase(t, s, "m1")
			s.stop()
			if found := traces(t, home, []string{secret}); len(found) > 0 {
				t.Errorf("the word is still in %v", found)
			}
			if code, out := daybookRun(t, home, "trace", answered.ID, "--user", "u"); code != exitCodes[daybook.NotFound] || strings.Contains(out, secret) {
				t.Errorf("trace ends with %d: %s", code, out)
			}
		})
	}
}
