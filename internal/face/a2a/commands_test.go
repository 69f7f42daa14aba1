package a2a

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// run runs a command of the server.
func (a *testAgent) run(body string) (status int, data any, text string) {
	a.t.Helper()
	status, text = a.do(http.MethodPost, "/executeCommand", body)
	var r struct {
		Name string
		Data any
	}
	if status == http.StatusOK {
		strict(a.t, []byte(text), &r)
	}
	return status, r.Data, text
}

func hasFolder(o *Options) { o.IsFixed = true }

// TestCommands checks the commands that need no task.
func TestCommands(t *testing.T) {
	t.Parallel()
	a := start(t, setup{options: hasFolder})
	a.write(filepath.Join(a.dir, "GEMINI.md"), "The bird is a heron.\n")
	a.write(filepath.Join(a.home, ".gemini", "extensions", "birds", "gemini-extension.json"), `{"name":"birds","version":"1.0.0"}`)
	for _, tt := range []struct{ body, want string }{
		{`{"command":"memory"}`, `{"name":"memory show","data":"`},
		{`{"command":"memory show","args":[]}`, `The bird is a heron.`},
		{`{"command":"memory list"}`, `GEMINI.md`},
		{`{"command":"memory refresh"}`, `"data":"Memory reloaded successfully. Loaded`},
		{`{"command":"memory add","args":["I write","British English."]}`, `Added to ~/.gemini/GEMINI.md: I write British English.`},
		{`{"command":"extensions"}`, `{"name":"extensions list","data":[{"name":"birds","version":"1.0.0"`},
		{`{"command":"restore list"}`, `{"name":"restore list","data":{"type":"message","messageType":"info","content":"[]"}}`},
		{`{"command":"restore"}`, `"messageType":"error","content":"Name a checkpoint: see restore list."`},
		{`{"command":"restore","args":["none"]}`, `"messageType":"error","content":"File not found: none.json"`},
	} {
		if status, _, text := a.run(tt.body); status != http.StatusOK || !strings.Contains(text, tt.want) {
			t.Errorf("%s: %d %s", tt.body, status, text)
		}
	}
	if text, err := os.ReadFile(filepath.Join(a.home, ".gemini", "GEMINI.md")); err != nil || !strings.Contains(string(text), "British") {
		t.Errorf("%q, %v", text, err)
	}
	for body, want := range map[string]int{
		`{"command":"none"}`: 404, `{"command":"permissions"}`: 404, `{"command":"memory show; permissions trust"}`: 404, `{"command":"/memory show"}`: 404,
		`{"command":7}`: 400, `{}`: 400, `[]`: 400, `{`: 400, `{"command":"memory","args":"x"}`: 400, `{"command":"memory","args":[7]}`: 400,
	} {
		if status, _, text := a.run(body); status != want {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
}

// TestCommandsNeedFolder checks that commands about a folder need one that the server has.
func TestCommandsNeedFolder(t *testing.T) {
	t.Parallel()
	a := start(t, setup{})
	for _, name := range []string{"memory", "restore", "init"} {
		status, _, text := a.run(`{"command":"` + name + `"}`)
		if status != http.StatusBadRequest || text != `{"error":"Command \"`+name+`\" requires a workspace, but CODER_AGENT_WORKSPACE_PATH is not set."}` {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	if status, data, text := a.run(`{"command":"extensions"}`); status != http.StatusOK || data != "No extensions installed." {
		t.Errorf("%d %s", status, text)
	}
}

// TestCommandList checks the list of commands.
func TestCommandList(t *testing.T) {
	t.Parallel()
	a := start(t, setup{})
	var got struct{ Commands []shownCommand }
	status, text := a.do(http.MethodGet, "/listCommands", "")
	strict(t, []byte(text), &got)
	names := ""
	for _, c := range got.Commands {
		names += c.Name + ":"
		for _, sub := range c.Subs {
			if _, isKnown := findCommand(sub.Name); !isKnown || sub.Subs == nil || sub.Arguments == nil {
				t.Errorf("%+v", sub)
			}
			names += " " + sub.Name + ","
		}
		names += "\n"
	}
	wants(t, names, "extensions: extensions list,\nrestore: restore list,\nmemory: memory show, memory refresh, memory list, memory add,")
	if status != http.StatusOK {
		t.Error(status)
	}
}

// TestInit checks the command whose events are those of a task, which goes on like others.
func TestInit(t *testing.T) {
	t.Parallel()
	a := start(t, setup{options: hasFolder, script: `
turn
  expect prompt GEMINI.md
  call write_file {"file_path": "GEMINI.md", "content": "A project.\n"}
turn
  text Done.
`})
	resp := a.open(t.Context(), http.MethodPost, "/executeCommand", `{"command":"init"}`, nil)
	defer resp.Body.Close()
	var words []string
	id := ""
	d := newLines(resp)
	for d.Scan() {
		data, ok := strings.CutPrefix(d.Text(), "data: ")
		if !ok {
			continue
		}
		var r struct {
			Version string          `json:"jsonrpc"`
			ID      string          `json:"id"`
			Result  json.RawMessage `json:"result"`
		}
		strict(t, []byte(data), &r)
		e := a.parseEvent(r.Result)
		if id = e.TaskID; r.ID != id || r.Version != "2.0" {
			t.Errorf("%s", data)
		}
		words = append(words, e.word())
	}
	wants(t, strings.Join(words, "\n"), `
task submitted
working
text Created GEMINI.md. Analyzing the project to fill it.
update write_file_1 scheduled
confirmation write_file_1 awaiting_approval
input-required final`)
	if _, words := a.say(id, answer("write_file_1", "proceed_once")); !strings.HasSuffix(words, "text Done.\ninput-required final") || a.file("GEMINI.md") != "A project.\n" {
		t.Errorf("%s", words)
	}
}
