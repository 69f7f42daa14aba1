package acp_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestTrust opens a folder about which the user has not decided: nothing of it takes effect until the user has said so.
func TestTrust(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"trust", "cancel"} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			isTrusted := answer == "trust"
			expect := map[bool]string{true: "expect anywhere", false: "expect not anywhere"}[isTrusted]
			e := newEditor(t, setup{
				script:   "turn\n  " + expect + " Speak of herons.\n  text Hi.\nturn\n  text Again.\n",
				settings: `{"tools": {"sandbox": false}, "security": {"folderTrust": {"enabled": true}}}`, isNew: true,
				files: map[string]string{"GEMINI.md": "Speak of herons.", ".gemini/settings.json": `{"general": {"defaultApprovalMode": "plan"}}`},
			})
			var asked []string
			e.onAsk = func(_ string, params map[string]any) any {
				call := params["toolCall"].(map[string]any)
				asked = append(asked, call["title"].(string))
				return selects(answer)
			}
			state := e.ok("session/new", map[string]any{"cwd": e.dir, "mcpServers": []any{}})
			id := state["sessionId"].(string)
			if mode := state["modes"].(map[string]any)["currentModeId"]; mode != "default" {
				t.Errorf("the mode is %v", mode)
			}
			e.ask(id, "Hi")
			e.ask(id, "Hi")
			if len(asked) != 1 || !strings.Contains(asked[0], e.dir) {
				t.Errorf("asked %q", asked)
			}
			stored, _ := os.ReadFile(e.home + "/.gemini/trustedFolders.json")
			if has := strings.Contains(string(stored), e.dir); has != isTrusted {
				t.Errorf("stored is %s", stored)
			}
			if told := strings.Contains(e.said(), "This folder is not trusted"); told == isTrusted {
				t.Errorf("the agent says %s", e.said())
			}
			modes := e.kinds("current_mode_update")
			if len(modes) == 1 != isTrusted || isTrusted && modes[0]["currentModeId"] != "plan" {
				t.Errorf("the modes are %v", modes)
			}
			calls := e.kinds("tool_call_update")
			if want := map[bool]string{true: "completed", false: "failed"}[isTrusted]; len(calls) != 1 || calls[0]["status"] != want {
				t.Errorf("the question ends as %v", calls)
			}
		})
	}
}

// TestStartHooks checks that the hooks for the start and the end of a session run once, also if it opens again with the settings of a folder,
// and that the first prompt has the text of all hooks.
func TestStartHooks(t *testing.T) {
	t.Parallel()
	note := func(owner string) string {
		hook := func(event, command string) string {
			return fmt.Sprintf(`%q: [{"hooks": [{"type": "command", "command": %q}]}]`, event, command)
		}
		return `"hooks": {` + hook("SessionStart", `echo "`+owner+` $(grep -o 'startup\|resume')" >>$HOME/hooks.txt; echo '{"hookSpecificOutput": {"additionalContext": "Owls of the `+owner+` sing."}}'`) +
			", " + hook("SessionEnd", `echo "`+owner+` end" >>$HOME/hooks.txt`) + "}"
	}
	for answer, want := range map[string]string{
		"trust":  "user startup\nproject startup\nproject end\nuser end\n",
		"cancel": "user startup\nuser end\n",
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			expect := map[bool]string{true: "expect anywhere", false: "expect not anywhere"}[answer == "trust"]
			e := newEditor(t, setup{
				script:   "turn\n  expect anywhere Owls of the user sing.\n  " + expect + " Owls of the project sing.\n  text Hi.\nturn\n  text Again.\n",
				settings: `{"tools": {"sandbox": false}, "security": {"folderTrust": {"enabled": true}}, "pollux": {"userHooksInUntrustedFolders": true}, ` + note("user") + `}`, isNew: true,
				files: map[string]string{".gemini/settings.json": `{` + note("project") + `}`},
			})
			e.onAsk = func(_ string, params map[string]any) any {
				if call := params["toolCall"].(map[string]any); call["toolCallId"] != "trust-folder" {
					return selects("option_1") // the hooks of the project
				}
				return selects(answer)
			}
			id := e.open()
			e.ask(id, "Hi")
			e.ask(id, "Hi")
			e.end()
			got, _ := os.ReadFile(e.home + "/hooks.txt")
			lines := strings.Split(string(got), "\n")
			if n := len(lines) - 3; answer == "trust" && n >= 0 {
				slices.Sort(lines[n : n+2]) // hooks of an event run at the same time
			}
			if text := strings.Join(lines, "\n"); text != want {
				t.Errorf("ran %q", text)
			}
		})
	}
}

// TestVariablesAreAsked checks that a variable of a .env file, which the question about trust does not show, is asked about, also where nothing
// was ever asked before.
func TestVariablesAreAsked(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{
		script: "turn\n  text Hi.\n", settings: `{"tools": {"sandbox": false}, "security": {"folderTrust": {"enabled": true}}}`, isNew: true,
		files: map[string]string{".env": "DATABASE_URL=postgres://x\n"},
	})
	var asked []string
	e.onAsk = func(_ string, params map[string]any) any {
		text := fmt.Sprint(params["toolCall"])
		if asked = append(asked, text); len(asked) == 1 {
			return selects("trust")
		}
		return selects("option_2")
	}
	e.ask(e.open(), "Hi")
	if len(asked) != 2 || !strings.Contains(asked[1], "DATABASE_URL") {
		t.Errorf("asked %q", asked)
	}
}
