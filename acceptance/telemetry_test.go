package acceptance

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pollux/internal/process/processtest"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
)

// parsed is an object of an outfile, as the tests of Gemini CLI parse it.
type parsed struct {
	Attributes   map[string]any `json:"attributes"`
	ScopeMetrics []struct {
		Metrics []struct {
			Descriptor struct {
				Name string `json:"name"`
			} `json:"descriptor"`
			DataPoints []struct {
				Attributes map[string]any `json:"attributes"`
				Value      any            `json:"value"`
			} `json:"dataPoints"`
		} `json:"metrics"`
	} `json:"scopeMetrics"`
}

// outfile is the content of a telemetry file.
type outfile []parsed

// readOutfile splits the file between a brace at the end of a line and one at the start of the
// next, and parses the pieces.
func readOutfile(t *testing.T, path string) outfile {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), `"scopeMetrics"`) {
		t.Error("the file never becomes ready: it has no scopeMetrics")
	}
	pieces := regexp.MustCompile(`}\n{`).Split(string(data), -1)
	var all outfile
	for i, piece := range pieces {
		if i > 0 {
			piece = "{" + piece
		}
		if i < len(pieces)-1 {
			piece += "}"
		}
		var p parsed
		if err := json.Unmarshal([]byte(piece), &p); err != nil {
			t.Errorf("piece %d: %v", i, err)
		}
		all = append(all, p)
	}
	return all
}

// events returns the attributes of all events with a name.
func (o outfile) events(name string) []map[string]any {
	var all []map[string]any
	for _, p := range o {
		if p.Attributes["event.name"] == name {
			all = append(all, p.Attributes)
		}
	}
	return all
}

// call returns the attributes of the first call of a tool.
func (o outfile) call(t *testing.T, name string) map[string]any {
	t.Helper()
	for _, a := range o.events("gemini_cli.tool_call") {
		if a["function_name"] == name {
			return a
		}
	}
	t.Errorf("%s was never called", name)
	return nil
}

// sum returns the sum of a metric's points with this attribute.
func (o outfile) sum(name, key string, value any) float64 {
	n := 0.0
	for _, p := range o {
		for _, scope := range p.ScopeMetrics {
			for _, m := range scope.Metrics {
				if m.Descriptor.Name != name {
					continue
				}
				n = 0 // the last export has the current totals
				for _, point := range m.DataPoints {
					if count, ok := point.Value.(float64); ok && (key == "" || point.Attributes[key] == value) {
						n += count
					}
				}
			}
		}
	}
	return n
}

// scripted starts a scripted model, and returns a command of the program that uses it.
func scripted(t *testing.T, script string, args ...string) (*exec.Cmd, string) {
	t.Helper()
	server := scripttest.Serve(t, script, scriptmodel.Options{Wires: everyWire()})
	home := t.TempDir()
	file := filepath.Join(home, "logs", "telemetry.log")
	cmd := exec.Command("pollux", args...) // TestMain has put it on the path
	cmd.Dir = t.TempDir()
	cmd.Env = processtest.Environ(
		"HOME="+home, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_MODEL=gemini-2.5-flash",
		"GOOGLE_GEMINI_BASE_URL="+server.URL(), "GEMINI_API_KEY="+telemetryKey,
		"GEMINI_TELEMETRY_ENABLED=true", "GEMINI_TELEMETRY_OUTFILE="+file, "GEMINI_TELEMETRY_TRACES_ENABLED=true",
	)
	t.Cleanup(func() {
		data, _ := os.ReadFile(file)
		if strings.Contains(string(data), telemetryKey) {
			t.Error("the key is in the outfile")
		}
	})
	return cmd, file
}

const telemetryKey = "AIzaSyTelemetryMustNotTellThisOne1234567"

// TestOutfile checks the telemetry of a run with tools, as scripts for Gemini CLI read it.
func TestOutfile(t *testing.T) {
	t.Parallel()
	cmd, file := scripted(t, `turn
  call read_file {"file_path": "note.txt"}
  usage prompt=100 candidates=10 cached=40
turn
  call write_file {"file_path": "out.py", "content": "print(1)\n"}
turn
  call run_shell_command {"command": "rm out.py"}
turn
  call no_such_tool {"a": 1}
turn
  text done
  usage prompt=200 candidates=20 thoughts=5
`, "--approval-mode", "yolo", "-p", "tidy up")
	if err := os.WriteFile(filepath.Join(cmd.Dir, "note.txt"), []byte("remember\nmilk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(cmd.Dir, ".gemini", "settings.json")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte(`{"tools": {"exclude": ["run_shell_command(rm)"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	o := readOutfile(t, file)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the outfile is %v, %v", info, err)
	}
	if p := o.events("gemini_cli.user_prompt"); len(p) != 1 || p[0]["prompt"] != "tidy up" || p[0]["prompt_length"] != 7.0 {
		t.Errorf("prompts: %v", p)
	}
	if c := o.events("gemini_cli.config"); len(c) != 1 || c[0]["approval_mode"] != "yolo" || c[0]["api_key_enabled"] != true {
		t.Errorf("configuration: %v", c)
	}
	read := o.call(t, "read_file")
	var args struct {
		Path string `json:"file_path"`
	}
	if err := json.Unmarshal([]byte(read["function_args"].(string)), &args); err != nil || args.Path != "note.txt" ||
		read["success"] != true || read["decision"] != "accept" || read["tool_type"] != "native" || read["prompt_id"] == "" {
		t.Errorf("read_file: %v", read)
	}
	written := o.call(t, "write_file")
	if m, _ := written["metadata"].(map[string]any); m["model_added_lines"] != 1.0 {
		t.Errorf("write_file: %v", written)
	}
	refused := o.call(t, "run_shell_command")
	if refused["success"] != false || refused["error_type"] != "policy_violation" || refused["decision"] != nil || !strings.Contains(refused["error"].(string), "denied by policy") {
		t.Errorf("run_shell_command: %v", refused)
	}
	unknown := o.call(t, "no_such_tool")
	if unknown["error_type"] != "tool_not_registered" || unknown["decision"] != nil {
		t.Errorf("no_such_tool: %v", unknown)
	}
	requests := o.events("gemini_cli.api_request")
	if len(requests) != 5 || !strings.Contains(requests[1]["request_text"].(string), "remember") {
		t.Errorf("%d requests", len(requests))
	}
	responses := o.events("gemini_cli.api_response")
	if len(responses) != 5 || responses[0]["input_token_count"] != 100.0 || responses[0]["cached_content_token_count"] != 40.0 ||
		!slices.Equal(responses[4]["finish_reasons"].([]any), []any{"stop"}) || !strings.Contains(responses[4]["response_text"].(string), "done") {
		t.Errorf("responses: %v", responses)
	}
	for _, tt := range []struct {
		metric, key string
		value       any
		want        float64
	}{
		{"gemini_cli.session.count", "", nil, 1},
		{"gemini_cli.tool.call.count", "", nil, 4},
		{"gemini_cli.tool.call.count", "success", true, 2},
		{"gemini_cli.tool.call.count", "function_name", "read_file", 1},
		{"gemini_cli.api.request.count", "status_code", 200.0, 5},
		{"gemini_cli.token.usage", "type", "cache", 40},
		{"gemini_cli.token.usage", "type", "thought", 5},
		{"gemini_cli.file.operation.count", "operation", "read", 1},
		{"gemini_cli.file.operation.count", "operation", "create", 1},
		{"gemini_cli.lines.changed", "type", "added", 1},
		{"gemini_cli.memory.usage", "", nil, 0},
	} {
		if got := o.sum(tt.metric, tt.key, tt.value); got != tt.want {
			t.Errorf("%s with %s=%v is %v, want %v", tt.metric, tt.key, tt.value, got, tt.want)
		}
	}
}

// TestOutfileOfEvents checks the events besides requests and calls: commands, edit strategies,
// pages that could not be read.
func TestOutfileOfEvents(t *testing.T) {
	t.Parallel()
	cmd, file := scripted(t, `turn
  call replace {"file_path": "note.txt", "instruction": "more", "old_string": "milk ", "new_string": "eggs"}
turn
  call web_fetch {"prompt": "What is at http://127.0.0.1:1/x ?"}
turn
  text done
`, "--approval-mode", "yolo", "-p", "tidy up")
	if err := os.WriteFile(filepath.Join(cmd.Dir, "note.txt"), []byte("remember\n\tmilk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	again := exec.Command(cmd.Path, "-p", "/stats model")
	again.Dir, again.Env = cmd.Dir, cmd.Env
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	o := readOutfile(t, file)
	if starts := o.events("gemini_cli.startup_stats"); len(starts) != 2 || !strings.Contains(fmt.Sprint(starts[0]["phases"]), `"name":"load_settings","duration_ms":`) {
		t.Errorf("the starts are %v", starts)
	}
	for event, want := range map[string]map[string]any{
		"edit_strategy":              {"strategy": "flexible"},
		"web_fetch_fallback_attempt": {"reason": "private_ip_skipped"},
		"slash_command":              {"command": "stats", "subcommand": "model", "status": "success"},
	} {
		told := o.events("gemini_cli." + event)
		if len(told) != 1 {
			t.Errorf("%s is there %d times", event, len(told))
			continue
		}
		for key, value := range want {
			if told[0][key] != value {
				t.Errorf("%s: %s is %v, want %v", event, key, told[0][key], value)
			}
		}
	}
}

// TestOutfileOfFailures checks that telemetry is complete after a failed request, and after a
// signal in the middle of an answer.
func TestOutfileOfFailures(t *testing.T) {
	t.Parallel()
	cmd, file := scripted(t, `turn
  fail 400 INVALID_ARGUMENT Key `+telemetryKey+` may not say this.
`, "-p", "hi")
	_ = cmd.Run() // exits with 1
	o := readOutfile(t, file)
	failed := o.events("gemini_cli.api_error")
	if code := cmd.ProcessState.ExitCode(); code != 1 || len(failed) != 1 || failed[0]["status_code"] != 400.0 || failed[0]["model_name"] != "gemini-2.5-flash" ||
		o.sum("gemini_cli.api.request.count", "status_code", 400.0) != 1 {
		t.Errorf("exit code %d, errors %v", code, failed)
	}

	cmd, file = scripted(t, `turn
  call run_shell_command {"command": "sleep 1000"}
`, "--approval-mode", "yolo", "-p", "wait")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	until := time.Now().Add(patience)
	for told := false; !told && time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		data, _ := os.ReadFile(file)
		told = strings.Contains(string(data), "gemini_cli.api_response")
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	o = readOutfile(t, file)
	killed := o.call(t, "run_shell_command")
	if code := cmd.ProcessState.ExitCode(); code != 143 || killed["success"] != false || killed["error_type"] != "cancelled" ||
		len(o.events("gemini_cli.conversation_finished")) != 1 || o.sum("gemini_cli.session.count", "", nil) != 1 {
		t.Errorf("exit code %d, the call is %v", code, killed)
	}
}
