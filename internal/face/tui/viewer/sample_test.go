package viewer

import (
	"encoding/json"
	"fmt"
	"strings"

	"pollux/agent"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/viewer/conversation"
	"pollux/llm"
	"pollux/tool"
)

// talk is a conversation that can grow.
type talk struct {
	history []agent.Message
	calls   map[string][]agent.CallRecord
}

func (t *talk) source() conversation.Source {
	return conversation.Live(func() []agent.Message { return t.history }, func() map[string][]agent.CallRecord { return t.calls })
}

func (t *talk) add(m agent.Message) *talk {
	m.ID = fmt.Sprint(len(t.history))
	t.history = append(t.history, m)
	return t
}

func (t *talk) prompt(text string) *talk {
	return t.add(agent.Message{Content: llm.User(llm.Text(text)), IsPrompt: true})
}

func (t *talk) note(text string) *talk {
	return t.add(agent.Message{Content: llm.User(llm.Text(text))})
}

func (t *talk) answer(text string, thoughts ...agent.Thought) *talk {
	return t.add(agent.Message{Content: llm.Model(llm.Text(text)), Thoughts: thoughts})
}

// call adds a call with its result.
func (t *talk) call(name, about, args, result string, d tool.Display) *talk {
	id := fmt.Sprint("c", len(t.history))
	t.add(agent.Message{Content: llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: name, Args: json.RawMessage(args)}})})
	t.add(agent.Message{Content: llm.User(llm.Part{FunctionResponse: llm.Output(id, name, result)})})
	if t.calls == nil {
		t.calls = map[string][]agent.CallRecord{}
	}
	t.calls[t.history[len(t.history)-1].ID] = []agent.CallRecord{{ID: id, Name: name, Status: agent.Success, Description: about, Display: d}}
	return t
}

func before(text string) *string { return &text }

// sample is a conversation with all kinds of items.
func sample() *talk {
	t := &talk{}
	t.note("<session_context>\nToday is a day.")
	t.prompt("Why does the parser test fail, and what would it take to fix it? Look at the lexer too.")
	t.answer("I look at the **parser** first:\n\n```go\nfunc lex(s string) []Token {\n\treturn nil // parser\n}\n```\n\nThen at its `test`.",
		agent.Thought{Subject: "Plan", Description: "Read the parser, then run its test."})
	t.call("read_file", "internal/parser/lexer.go", `{"path":"internal/parser/lexer.go","limit":3}`, "package parser\n\nfunc lex() {}\n", tool.TextDisplay(""))
	t.call("replace", "internal/parser/lexer.go", `{"file_path":"internal/parser/lexer.go","old_string":"a\nb"}`, "done", &tool.DiffDisplay{
		Diff:     "--- a\n+++ b\n@@ -1,3 +1,3 @@\n package parser\n-func lex() {}\n+func lex(s string) {}\n // end\n",
		FileName: "lexer.go", FilePath: "/w/lexer.go", Before: before("x"), After: "y",
	})
	t.prompt("Now run the tests.\nAll of them.")
	t.call("run_shell_command", "go test ./...", `{"command":"go test ./..."}`, "", tool.TerminalDisplay(numbered(30)))
	t.answer("All tests of the parser pass:\n\n| package | time |\n|---|---|\n| parser | 1s |\n| lexer | 2s |\n\nTo run them again:\n\n```sh\ngo test ./internal/parser/... -run TestLexer -count=1 -v -race\n```")
	return t
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "ok  \tpollux/internal/package%d\t0.%03ds\n", i+1, i)
	}
	return b.String()
}

var bindings = keys.Default("linux")

// press gives keys to a viewer: characters, or names of chords of several characters.
func press(v *Viewer, names ...string) (last Outcome) {
	for _, name := range names {
		k := keys.Key{Text: name}
		if len([]rune(name)) > 1 {
			chord, err := keys.ParseChord(name)
			if err != nil {
				panic(err)
			}
			k = keys.Key{Chord: chord}
		} else if r := []rune(name)[0]; r != ' ' {
			k.Chord = keys.Chord{Code: r}
		} else {
			k.Chord = keys.Chord{Code: keys.Space}
		}
		last = v.Handle(k, bindings)
	}
	return last
}

// screen returns the screen as text.
func screen(v *Viewer, width, height int) string {
	var b strings.Builder
	for _, l := range v.View(width, height, theme.NoColor()).Lines {
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}
