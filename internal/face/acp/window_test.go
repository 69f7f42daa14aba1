package acp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// showsTerminals are the capabilities of a client that shows the output of commands in terminals.
var showsTerminals = map[string]any{"_meta": map[string]any{"terminal_output": true}}

// field returns a field in the _meta of an update, nil for none.
func field(update map[string]any, name string) map[string]any {
	meta, _ := update["_meta"].(map[string]any)
	f, _ := meta[name].(map[string]any)
	return f
}

// terminalOf returns the output that a terminal of a client shows, and how it ended.
func (e *editor) terminalOf(id string) (output string, exit map[string]any) {
	for _, u := range e.kinds("tool_call_update") {
		if f := field(u, "terminal_output"); f != nil && f["terminal_id"] == id {
			output += f["data"].(string)
		}
		if f := field(u, "terminal_exit"); f != nil && f["terminal_id"] == id {
			exit = f
		}
	}
	return output, exit
}

// TestWindow runs commands for a client that shows their output in terminals: they are announced with the call, get the output
// while the command runs and once, and end with it.
func TestWindow(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		command, dir string
		output       string // a part
		code, signal any
		settings     string
	}{
		"works":     {command: "echo begun; until test -e go; do sleep 0.05; done; echo ended", output: "begun\r\nended", code: 0.0},
		"fails":     {command: "echo no; touch here; exit 3", dir: "sub", output: "no\r\nCommand exited with code: 3", code: 3.0},
		"is killed": {command: "kill -9 $$", output: "Command terminated by signal: 9", signal: "SIGKILL"},
		"is silent": {command: "true", code: 0.0},
		"escapes":   {command: `printf 'a\033]0;title\007\033[2Jb\n'`, output: "ab", code: 0.0},
		"floods":    {command: "seq 1 100000", output: "99999\r\n100000", code: 0.0},
		"is denied": {command: "echo never", settings: `{"tools": {"sandbox": false, "exclude": ["run_shell_command(echo never)"]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.settings == "" {
				tt.settings = allowsShell
			}
			e := newEditor(t, setup{
				settings: tt.settings, can: showsTerminals, files: map[string]string{"sub/keep": ""}, isUnchecked: true,
				script: fmt.Sprintf("turn\n  call run_shell_command {\"command\": %q, \"dir_path\": %q}\nturn\n  text Done.\n", tt.command, tt.dir),
			})
			e.onEvent = func(u map[string]any) {
				if f := field(u, "terminal_output"); f != nil && strings.Contains(f["data"].(string), "begun") {
					e.write(e.dir+"/go", "")
				}
			}
			if reason := e.ask(e.open(), "Go"); reason != "end_turn" {
				t.Errorf("the turn ends with %s", reason)
			}
			began := e.kinds("tool_call")[0]
			id := began["toolCallId"].(string)
			info := field(began, "terminal_info")
			terminal := map[string]any{"type": "terminal", "terminalId": id}
			dir := strings.TrimSuffix(e.dir+"/"+tt.dir, "/")
			if fmt.Sprint(began["content"]) != fmt.Sprint([]any{terminal}) || info["terminal_id"] != id || info["cwd"] != dir {
				t.Errorf("the call begins with %v", began)
			}
			output, exit := e.terminalOf(id)
			if !strings.Contains(output, tt.output) || tt.output == "" && output != "" || strings.Contains(output, "\x1b]") {
				t.Errorf("the terminal shows %d bytes: %.300q", len(output), output)
			}
			if exit == nil || exit["exit_code"] != tt.code || exit["signal"] != tt.signal {
				t.Errorf("the command ends with %v, want %v, %v", exit, tt.code, tt.signal)
			}
			updates := e.kinds("tool_call_update")
			end := updates[len(updates)-1]
			content, _ := end["content"].([]any)
			if len(content) == 0 || fmt.Sprint(content[0]) != fmt.Sprint(terminal) {
				t.Errorf("the call ends with %v", end)
			}
			texts := slices.DeleteFunc(content, func(c any) bool { return c.(map[string]any)["type"] == "terminal" })
			if text := fmt.Sprint(texts); strings.Contains(text, "no\n") || (tt.settings != allowsShell) != strings.Contains(text, "denied") {
				t.Errorf("beside the terminal is %s", text)
			}
			if raw, _ := end["rawOutput"].(map[string]any); tt.code != nil && tt.output != "" && !strings.Contains(fmt.Sprint(raw["output"]), strings.ReplaceAll(tt.output, "\r", "")) {
				t.Errorf("the raw output is %.100v", raw)
			}
		})
	}
}

// TestWindowCancel ends the terminal of a command that is cancelled, and of one that the person refuses.
func TestWindowCancel(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{can: showsTerminals, isUnchecked: true, script: "turn\n  call run_shell_command {\"command\": \"touch never\"}\nturn\n  times always\n  text Done.\n"})
	answer := "cancel"
	e.onAsk = func(string, map[string]any) any { return selects(answer) }
	id := e.open()
	e.ask(id, "Go")
	if output, exit := e.terminalOf(e.kinds("tool_call")[0]["toolCallId"].(string)); output != "" || exit == nil || exit["exit_code"] != nil {
		t.Errorf("the refused command has shown %q and ended with %v", output, exit)
	}
	e = newEditor(t, setup{can: showsTerminals, settings: allowsShell, isUnchecked: true, script: "turn\n  call run_shell_command {\"command\": \"echo begun; sleep 1000\"}\n"})
	id = e.open()
	wait := e.begin("session/prompt", prompt(id, "Go"))
	e.await("tool_call_update <nil>") // output
	e.notify("session/cancel", map[string]any{"sessionId": id})
	if result, err := wait(); err != nil || result["stopReason"] != "cancelled" {
		t.Errorf("the turn ends with %v, %v", result, err)
	}
	if output, exit := e.terminalOf(e.kinds("tool_call")[0]["toolCallId"].(string)); !strings.Contains(output, "begun") || exit == nil || exit["exit_code"] != nil {
		t.Errorf("the cancelled command has shown %q and ended with %v", output, exit)
	}
}
