package acp_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pollux/internal/process/processtest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/mcp/mcptest"
)

// png is the smallest image.
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// TestBlocks sends each kind of block. A link is read, an embedded file is newer than the disk, and neither mentions others.
func TestBlocks(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: `
turn
  expect anywhere the whole file
  expect not anywhere xyzzy
  text Link.
turn
  expect anywhere line three
  expect anywhere line four
  expect not anywhere line five
  text Range.
turn
  expect anywhere unsaved @keep.txt
  expect not anywhere saved before
  expect not anywhere plover
  text Embedded.
turn
  expect media image/png
  text Image.
turn
  expect anywhere cannot read it
  text Other.
turn
  expect anywhere No outside.
  expect not anywhere xyzzy
  text Outside.
`, files: map[string]string{
		"a b.txt": "the whole file", "lines.txt": "line one\nline two\nline three\nline four\nline five\n", "old.txt": "saved before", "keep.txt": "plover",
	}})
	e.write(e.home+"/outside.txt", "xyzzy")
	e.onAsk = func(_ string, params map[string]any) any {
		if !strings.Contains(params["toolCall"].(map[string]any)["title"].(string), "Files") {
			t.Errorf("asked %v", params)
		}
		return selects("option_2")
	}
	id := e.open()
	link := func(uri string) map[string]any {
		return map[string]any{"type": "resource_link", "uri": uri, "name": "x"}
	}
	for _, blocks := range [][]any{
		{"Explain", link("file://" + e.dir + "/a%20b.txt"), "please"},
		{"Explain", link("file://" + e.dir + "/lines.txt#L3:4")},
		{"Explain", map[string]any{"type": "resource", "resource": map[string]any{"uri": "file://" + e.dir + "/old.txt", "text": "unsaved @keep.txt"}}},
		{"Explain", map[string]any{"type": "image", "mimeType": "image/png", "data": png}},
		{"Explain", link("zed:///agent/terminal-selection")},
		{"No outside.", link("file://" + e.home + "/outside.txt")},
	} {
		if stop := e.ask(id, blocks...); stop != "end_turn" {
			t.Errorf("%v: %s", blocks, stop)
		}
	}
	if want := "Link.Range.Embedded.Image.Other.Outside."; e.said() != want {
		t.Errorf("the agent says %q", e.said())
	}
}

// TestBigImage sends an image of 20 MB in one line.
func TestBigImage(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: "turn\n  expect media image/png\n  text Big.\n"})
	data, err := base64.StdEncoding.DecodeString(png)
	if err != nil {
		t.Fatal(err)
	}
	size := 15 << 20
	if processtest.HasRaceDetector() { // which makes reading it many times slower
		size = 1 << 20
	}
	big := base64.StdEncoding.EncodeToString(append(data, make([]byte, size)...))
	if stop := e.ask(e.open(), "Look", map[string]any{"type": "image", "mimeType": "image/png", "data": big}); stop != "end_turn" {
		t.Error(stop)
	}
}

// TestCommandKinds begins prompts with a custom command that runs a program, with the prompt of an MCP server, and with a skill.
func TestCommandKinds(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return mcptest.New("toy", mcptest.Process{}) }, nil))
	t.Cleanup(service.Close)
	e := newEditor(t, setup{script: `
turn
  expect prompt The word is heron.
  text One.
turn
  expect prompt Say "hello" to owls
  text Two.
turn
  expect anywhere Knit slowly.
  text Three.
`, files: map[string]string{
		".gemini/commands/word.toml": "prompt = \"The word is !{cat word.txt; touch ran}.\"\n", "word.txt": "heron",
		".gemini/skills/knit/SKILL.md": "---\nname: knit\ndescription: Knits\n---\nKnit slowly.\n",
	}})
	var asked []string
	answer := "cancel"
	e.onAsk = func(_ string, params map[string]any) any {
		asked = append(asked, fmt.Sprint(params["toolCall"].(map[string]any)["content"]))
		return selects(answer)
	}
	id := e.ok("session/new", map[string]any{"cwd": e.dir, "mcpServers": []any{map[string]any{"type": "http", "name": "toy", "url": service.URL, "headers": []any{}}}})["sessionId"].(string)
	_, _ = e.call("session/prompt", prompt(id, "/word"))
	if len(asked) != 1 || !strings.Contains(asked[0], "touch ran") || !strings.HasPrefix(e.file("ran"), "!") || len(e.model.Requests()) != 0 {
		t.Errorf("the person was asked %q; %d requests", asked, len(e.model.Requests()))
	}
	answer = "proceed_once"
	for _, line := range []string{"/word", "/say-hello --who=owls", "/knit"} {
		if stop := e.ask(id, line); stop != "end_turn" {
			t.Errorf("%s ends with %s", line, stop)
		}
	}
	names := ""
	for _, u := range e.kinds("available_commands_update") {
		names = fmt.Sprint(u["availableCommands"])
	}
	for _, name := range []string{"name:word", "name:say-hello", "name:knit"} {
		if !strings.Contains(names, name) {
			t.Errorf("%s is not in %s", name, names)
		}
	}
}

// TestCommands runs / commands: built-in ones, a file of the user, and those that an editor does not have.
func TestCommands(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: `
turn
  expect prompt Say hello to herons
  text Hello.
turn
  expect prompt Say hello to owls
  expect anywhere the note
  text Hello again.
turn
  expect prompt /nonsense here
  text What?
`, files: map[string]string{".gemini/commands/hello.toml": "description = \"Greet\"\nprompt = \"Say hello to {{args}}\"\n"}})
	id := e.open()
	e.await("available_commands_update")
	names := map[string]bool{}
	for _, c := range e.kinds("available_commands_update")[0]["availableCommands"].([]any) {
		names[c.(map[string]any)["name"].(string)] = true
	}
	for _, name := range []string{"memory", "extensions", "init", "restore", "about", "help", "hello"} {
		if !names[name] {
			t.Errorf("/%s is not listed", name)
		}
	}
	for _, name := range []string{"quit", "vim", "auth", "gemma"} {
		if names[name] {
			t.Errorf("/%s is listed", name)
		}
	}
	for _, tt := range []struct {
		prompt []any
		want   string
	}{
		{[]any{"/about"}, "1.2.3"},
		{[]any{"$memory list"}, "No GEMINI.md"},
		{[]any{"/hello herons"}, "Hello."},
		{[]any{"/hello owls", map[string]any{"type": "resource", "resource": map[string]any{"uri": "file:///n", "text": "the note"}}}, "Hello again."},
		{[]any{"/nonsense here"}, "What?"},
	} {
		e.forget()
		if stop := e.ask(id, tt.prompt...); stop != "end_turn" || !strings.Contains(e.said(), tt.want) {
			t.Errorf("%v: %s, %q", tt.prompt, stop, e.said())
		}
	}
	e.fails(-32602, "session/prompt", prompt(id, "/quit"))
}
