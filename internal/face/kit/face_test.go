package kit_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/face/kit"
	"pollux/internal/project"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// face is a whole face: it draws the events of a driver, a line each, and answers questions with a line each.
type face struct {
	*kit.Driver
	in    *bufio.Scanner
	out   io.Writer
	calls kit.Calls
	after func(e kit.Event) // the next input of the person
}

// talk opens a session and shows it until the person leaves.
func (f *face) talk(ctx context.Context, o session.Options) error {
	f.Driver = kit.New(kit.Options{Open: func(ctx context.Context, d *kit.Driver) (kit.Session, error) {
		return kit.Open(ctx, d, o, &terminal.Terminal{}, "")
	}})
	defer f.Close()
	ended := make(chan error)
	go func() { ended <- f.Run(ctx) }()
	for e := range f.Events() {
		f.draw(e)
		f.after(e)
	}
	return <-ended
}

func (f *face) draw(e kit.Event) {
	switch e := e.(type) {
	case kit.Warning:
		fmt.Fprintln(f.out, "!", e.Text)
	case kit.Notice:
		fmt.Fprintln(f.out, "#", e.Text)
	case kit.Queued:
		fmt.Fprintln(f.out, "queued:", e.Text)
	case kit.NotSent:
		fmt.Fprintln(f.out, "not sent:", e.Text())
	case kit.Failed:
		fmt.Fprintln(f.out, "error:", e.Err)
	case kit.Cancelled:
		fmt.Fprintln(f.out, "cancelled")
	case kit.CommandDone:
		fmt.Fprintln(f.out, strings.TrimSpace(e.Result.Markdown(0)))
	case kit.Ran:
		hasBegun := f.calls.Observe(e.Event)
		switch e := e.Event.(type) {
		case agent.Text:
			fmt.Fprintln(f.out, "model:", e.Text)
		case agent.Joined:
			fmt.Fprintln(f.out, "joined:", e.Text())
		case agent.ToolUpdated:
			if call := f.calls.Get(e.Call); hasBegun {
				fmt.Fprintln(f.out, "runs:", call.Label(nil))
			}
		}
	case kit.Asked:
		f.ask(e.Question)
	}
}

// ask puts a question and answers it with the next line of the person.
func (f *face) ask(q *kit.Question) {
	fmt.Fprintf(f.out, "? %s\n", strings.TrimSpace(q.Title+" "+q.Prompt))
	for _, line := range q.Warnings {
		fmt.Fprintln(f.out, " ", line)
	}
	for _, o := range q.Options {
		fmt.Fprintf(f.out, "  %s: %s\n", o.Key, o.Label)
	}
	f.in.Scan()
	if o := q.Option(f.in.Text()); o != nil {
		f.Answer(q, o.Answer(""))
		return
	}
	answer, _ := q.Form[0].Parse(f.in.Text())
	f.Answer(q, q.Reply([]string{answer}))
}

// TestFace drives a session from trust in its folder to an interrupted run, with nothing but this package.
func TestFace(t *testing.T) {
	t.Parallel()
	model := scripttest.Gemini(t, `
turn
  expect prompt Go
  call run_shell_command {"command": "echo heron > ../word.txt"}
turn
  expect prompt Mind the tests
  text Done.
turn
  expect prompt Wait
  text Hm.
  hang
`)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work, home := filepath.Join(dir, "work"), filepath.Join(dir, "home")
	for path, text := range map[string]string{
		filepath.Join(work, "a.txt"):                    "a",
		filepath.Join(home, ".gemini", "settings.json"): `{"security": {"folderTrust": {"enabled": true}}, "tools": {"sandbox": false}}`,
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	f := &face{in: bufio.NewScanner(strings.NewReader("Trust this folder\ny\n")), out: &out}
	isWaiting := false
	f.after = func(e kit.Event) {
		switch e := e.(type) {
		case kit.Opened:
			f.Submit("Go")
		case kit.Asked:
			if e.Question.IsOfCall {
				f.Submit("Wait") // the model works
			}
		case kit.Began:
			isWaiting = e.Prompt == "Wait"
		case kit.Ran:
			switch e.Event.(type) {
			case agent.ToolRequested:
				f.Steer(agent.TextPrompt("Mind the tests"))
			case agent.Text:
				if isWaiting {
					f.Interrupt(false)
				}
			}
		case kit.Cancelled:
			f.Leave(nil)
		}
	}
	if err := f.talk(t.Context(), session.Options{
		Project:   project.Options{Dir: work, Env: config.NewEnv("HOME="+home, "PATH="+os.Getenv("PATH"), "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none.json")},
		Generator: model,
	}); err != nil {
		t.Fatal(err)
	}
	want := `! Welcome to Pollux. It reads and changes files and runs commands for you.
The files of a folder can instruct it. So it first asks whether you trust them.
? Trust
queued: Mind the tests
? Confirm Shell Command Run this command?
  The command redirects its input or output.
  Outside the workspace: DIR/word.txt
  y: Allow once
  a: Allow for this session
  n: No, tell the model what to do differently
queued: Wait
runs: run_shell_command: echo heron > ../word.txt
joined: Mind the tests
model: Done.
model: Hm.
cancelled
`
	if got := strings.ReplaceAll(out.String(), dir, "DIR"); got != want {
		t.Errorf("the face shows\n%s\nwant\n%s", got, want)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "word.txt")); err != nil || string(got) != "heron\n" {
		t.Errorf("the file has %q, %v", got, err)
	}
}
