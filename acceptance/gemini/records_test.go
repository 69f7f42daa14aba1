//go:build unix

package gemini

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRecordsOfHooks compares the telemetry of calls that hooks rewrite and continue: each call that ran is
// a record of its own, with the arguments that ran.
func TestRecordsOfHooks(t *testing.T) {
	t.Parallel()
	command := peer(t)
	s := &scene{
		name: "records_of_hooks",
		runs: []run{{args: "--yolo -o json -p go"}},
		env:  []string{"GEMINI_TELEMETRY_ENABLED=true", "GEMINI_TELEMETRY_TARGET=local", "GEMINI_TELEMETRY_OUTFILE=telemetry.json"},
		files: map[string]string{
			"work/a.txt": "one\n", "work/b.txt": "two\n",
			"work/.gemini/settings.json": `{"hooks": {
				"BeforeTool": [{"matcher": "write_file", "hooks": [{"type": "command", "command": "echo '{\"hookSpecificOutput\": {\"tool_input\": {\"file_path\": \"changed.txt\", \"content\": \"by the hook\"}}}'"}]}],
				"AfterTool": [{"matcher": "read_file", "hooks": [{"type": "command", "command": "case $(cat) in *a.txt*) echo '{\"hookSpecificOutput\": {\"tailToolCallRequest\": {\"name\": \"run_shell_command\", \"args\": {\"command\": \"rm b.txt\"}}}}';; esac"}]}]
			}}`,
		},
		model: "turn\n  call write_file {\"file_path\": \"c.txt\", \"content\": \"by the model\"}\n  call read_file {\"file_path\": \"a.txt\"}\nturn\n  text Done.\n",
	}
	records := func(letter string, command []string) []map[string]any {
		g := set(t, s, letter)
		got := g.play(t, command, s.runs[0])
		if got.exit != 0 {
			t.Fatalf("%s: exit %d\n%s\n%s", letter, got.exit, got.out, got.stderr)
		}
		if _, err := os.Stat(filepath.Join(g.work, "b.txt")); err == nil {
			t.Errorf("%s: the hook's call did not run", letter)
		}
		return toolCalls(t, filepath.Join(g.work, "telemetry.json"))
	}
	theirs, ours := records("g", command), records("p", pollux)
	if len(ours) != 3 {
		t.Errorf("%d records", len(ours))
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("records (-gemini +pollux):\n%s", diff)
	}
}

// toolCalls returns the executions in the records of tool calls in a telemetry file.
func toolCalls(t *testing.T, path string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]any
	d := json.NewDecoder(strings.NewReader(regexp.MustCompile(`}\s*{`).ReplaceAllString(string(data), "}\n{")))
	for d.More() {
		var one struct{ Attributes map[string]any }
		if err := d.Decode(&one); err != nil {
			t.Fatal(err)
		}
		if one.Attributes["event.name"] != "gemini_cli.tool_call" {
			continue
		}
		args, _ := one.Attributes["function_args"].(string)
		var parsed any
		if err := json.Unmarshal([]byte(args), &parsed); err != nil {
			t.Errorf("arguments %q: %v", args, err)
		}
		list = append(list, map[string]any{
			"name": one.Attributes["function_name"], "args": parsed, "success": one.Attributes["success"],
			"decision": one.Attributes["decision"], "type": one.Attributes["tool_type"],
		})
	}
	return list
}
