package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hooked sends an event and returns the context that comes back.
func hooked(t *testing.T, home string, event map[string]string) string {
	t.Helper()
	sent, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	out := runs(t, string(sent), "hook", "claude-code", "--home", home, "--user", "ana", "--local-only")
	if out == "" {
		return ""
	}
	var reply struct {
		Hook struct{ HookEventName, AdditionalContext string } `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(out), &reply); err != nil || reply.Hook.HookEventName != event["hook_event_name"] {
		t.Fatalf("%v: %s", err, out)
	}
	return reply.Hook.AdditionalContext
}

const transcript = `{"type":"summary","summary":"x"}
{"type":"user","uuid":"u1","timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":"My dentist is Dr. Weiss."}}
{"type":"assistant","uuid":"a1","timestamp":"2026-05-01T10:00:05Z","message":{"role":"assistant","content":[{"type":"text","text":"The assistant speaks."}]}}
{"type":"user","uuid":"u2","timestamp":"2026-05-01T10:01:00Z","message":{"role":"user","content":[{"type":"tool_result","content":"secret tool output"}]}}
{"type":"user","uuid":"u3","timestamp":"2026-05-01T10:02:00Z","isMeta":true,"message":{"role":"user","content":"meta words"}}
{"type":"user","uuid":"u4","timestamp":"2026-05-01T10:03:00Z","message":{"role":"user","content":"<command-name>/clear</command-name>"}}
{"type":"user","uuid":"u5","timestamp":"2026-05-02T10:00:00Z","message":{"role":"user","content":[{"type":"text","text":"I changed dentists, I go to Dr. Moreau now."}]}}
`

func TestHookClaudeCode(t *testing.T) {
	t.Setenv("DAYBOOK_LEARN", "true")
	home, file := filepath.Join(t.TempDir(), "home"), filepath.Join(t.TempDir(), "transcript.jsonl")
	putFile(t, file, transcript)
	if got := hooked(t, home, map[string]string{"hook_event_name": "SessionStart", "session_id": "s1"}); got != "" {
		t.Errorf("a memory that is not there says %q", got)
	}
	for range 2 { // Stop comes after every turn
		hooked(t, home, map[string]string{"hook_event_name": "Stop", "session_id": "s1", "transcript_path": file})
	}
	notes := must(t, home, "notes", "--user", "ana")
	if strings.Count(notes, "note_") != 2 || strings.Contains(notes, "secret") || strings.Contains(notes, "meta") || strings.Contains(notes, "assistant") {
		t.Errorf("kept:\n%s", notes)
	}
	if got := hooked(t, home, map[string]string{"hook_event_name": "SessionStart", "session_id": "s2"}); !strings.Contains(got, "Dr. Moreau [current]") || strings.Contains(got, "Weiss") {
		t.Errorf("at the start it says\n%s", got)
	}
	got := hooked(t, home, map[string]string{"hook_event_name": "UserPromptSubmit", "session_id": "s2", "prompt": "Who is my dentist?"})
	if !strings.Contains(got, "[current, 2026-05-02] I changed dentists") || !strings.Contains(got, "[historical, 2026-05-01] My dentist is Dr. Weiss.") {
		t.Errorf("on a prompt it says\n%s", got)
	}
	for _, quiet := range []map[string]string{{"hook_event_name": "UserPromptSubmit", "prompt": "/help"}, {"hook_event_name": "PreCompact"}} {
		if got := hooked(t, home, quiet); got != "" {
			t.Errorf("%v: %s", quiet, got)
		}
	}
}

// Exit code 2 would block the user's prompt.
func TestHookNeverBlocks(t *testing.T) {
	for _, in := range []string{"", "no JSON", `{"hook_event_name":"Stop","transcript_path":"/nowhere"}`} {
		code, _, said := command(t, in, "hook", "claude-code", "--home", t.TempDir())
		if code == 0 || code == 2 || said == "" {
			t.Errorf("%q: exit %d, %s", in, code, said)
		}
	}
}

// The plugin calls commands that there are.
func TestPlugin(t *testing.T) {
	const root = "../../plugins/claude-code/"
	var hooks struct {
		Hooks map[string][]struct {
			Hooks []struct{ Type, Command string }
		}
	}
	var servers struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	var manifest struct{ Name, Version string }
	for path, into := range map[string]any{"hooks/hooks.json": &hooks, ".mcp.json": &servers, ".claude-plugin/plugin.json": &manifest} {
		text, err := os.ReadFile(root + path)
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	var lines []string
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "Stop"} {
		for _, group := range hooks.Hooks[event] {
			for _, h := range group.Hooks {
				lines = append(lines, h.Command)
			}
		}
	}
	for _, s := range servers.MCPServers {
		lines = append(lines, fmt.Sprint(s.Command, " ", strings.Join(s.Args, " ")))
	}
	if len(lines) != 4 || manifest.Name != "daybook" {
		t.Errorf("the plugin calls %q", lines)
	}
	for _, l := range lines {
		if err := commandLine(t, strings.Fields(l)[1:]); err != nil || !strings.HasPrefix(l, "daybook ") {
			t.Errorf("%s: %v", l, err)
		}
	}
}
