package pollux_test

import (
	"testing"

	"pollux"
	"pollux/internal/scriptmodel"
	"pollux/llm/gemini"
)

// TestEditor: a program says what the person has open, and the model is told all of it
// with the first prompt, and with the next one what has changed.
func TestEditor(t *testing.T) {
	t.Parallel()
	script, err := scriptmodel.Parse(`
turn
  expect prompt What is here?
  expect prompt "\"activeFile\""
  expect prompt a.go
  text A file.
turn
  expect prompt And now?
  expect prompt "\"cursorMoved\""
  expect not prompt "\"activeFile\""
  text The same.
turn
  expect prompt Still?
  expect not prompt cursor
  text Yes.
`)
	if err != nil {
		t.Fatal(err)
	}
	server, err := scriptmodel.Start(script, scriptmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	model, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	line := 3
	a, err := pollux.New(pollux.Options{
		Dir: t.TempDir(), Home: t.TempDir(), Generator: model, Model: "gemini-2.5-flash",
		Editor: func() (pollux.EditorState, bool) {
			return pollux.EditorState{Files: []pollux.EditorFile{
				{Path: "/project/a.go", Time: 1, Active: true, Cursor: &pollux.EditorCursor{Line: line, Character: 1}},
			}}, true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for i, prompt := range []string{"What is here?", "And now?", "Still?"} {
		if i == 1 {
			line = 7
		}
		for _, err := range a.Run(t.Context(), prompt) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	if err := server.Check(); err != nil {
		t.Error(err)
	}
}
