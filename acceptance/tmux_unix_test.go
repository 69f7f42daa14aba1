//go:build linux || darwin

package acceptance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/face/tui/tuitest"
	"pollux/internal/scriptmodel"
)

// tmuxModel is the model of a day's work in tmux.
const tmuxModel = `
turn
  expect prompt Count.
  pace 20ms
%s
turn
  expect prompt Change it.
  call read_file {"file_path": "notes.txt"}
turn
  call replace {"file_path": "notes.txt", "old_string": "old", "new_string": "new", "instruction": "Change it."}
turn
  text "The file is changed."
turn
  expect model gemini-2.5-pro
  expect prompt 中文
  text "读到了中文。"
turn
  text "This never ends."
  hang
turn
  expect prompt pasted line 7
  text "The paste is read."
turn
  expect prompt Change it.
  text "The search has found it."
turn
  expect prompt After the way back.
  text "All behind is forgotten."
turn
  expect prompt Once more.
  expect anywhere After the way back.
  text "The session goes on."
`

// tmuxDay is a session in tmux.
type tmuxDay struct {
	*tuitest.Tmux
	work string // the directory
}

// TestTmux plays a day's work in tmux, with changes of the window in between. Afterwards each part of the conversation is in the
// scrollback once, in its order, and there is one input with one footer.
func TestTmux(t *testing.T) {
	t.Parallel()
	d := startTmux(t)
	d.stream()
	d.edit()
	d.choose()
	d.inputs()
	d.goBack()
	d.check(t)
	d.resume()
}

func startTmux(t *testing.T) tmuxDay {
	t.Helper()
	var lines strings.Builder
	for n := range paragraphs {
		fmt.Fprintf(&lines, "  text \"Paragraph %d ends.\\n\\n\"\n", n)
	}
	d := sitInTmux(t, fmt.Sprintf(tmuxModel, lines.String()), "RUN; clear; RUN --resume latest; echo left with $?; exec cat")
	if err := os.WriteFile(filepath.Join(d.work, "notes.txt"), []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

// sitInTmux runs a line of sh in tmux, with Pollux in place of RUN, and a model that follows a script.
func sitInTmux(t *testing.T, script, line string) tmuxDay {
	t.Helper()
	home := t.TempDir()
	work := filepath.Join(home, "work")
	err := errors.Join(knowsPollux(home), os.Mkdir(work, 0o700), os.WriteFile(filepath.Join(home, ".gemini", "settings.json"),
		[]byte(`{"ui": {"footer": {"items": ["model-name"]}}, "model": {"name": "gemini-2.5-flash"}, "pollux": {"turnSummary": false}}`), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := scriptmodel.Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	server, err := scriptmodel.Start(parsed, scriptmodel.Options{Wires: everyWire(), Wire: "gemini"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(server.Check(), server.Close()); err != nil {
			t.Error(err)
		}
	})
	environ := []string{
		"PATH='" + os.Getenv("PATH") + "'", "HOME='" + home + "'", "LANG=C.UTF-8", "TERM=tmux-256color", "TMUX=$TMUX", "GORACE='" + os.Getenv("GORACE") + "'",
		"GEMINI_API_KEY=test-key", "GOOGLE_GEMINI_BASE_URL=" + server.URL(), "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_FORCE_FILE_STORAGE=true",
	}
	run := "env -i " + strings.Join(environ, " ") + " pollux"
	d := tmuxDay{tuitest.RunTmux(t, 100, 30, "cd '"+work+"' && "+strings.ReplaceAll(line, "RUN", run)), work}
	d.see("Type your message")
	return d
}

func (d tmuxDay) see(text string) {
	d.See(text, func(screen string) bool { return strings.Contains(screen, text) })
}

func (d tmuxDay) unsee(text string) {
	d.See("no "+text, func(screen string) bool { return !strings.Contains(screen, text) })
}

// send types a prompt.
func (d tmuxDay) send(text string) {
	d.Type(text)
	d.see(text)
	d.Press("Enter")
}

// paragraphs is the number of paragraphs of the first answer.
const paragraphs = 60

// stream changes the window while an answer comes, faster than tmux reports it, and shows the session at another terminal.
func (d tmuxDay) stream() {
	d.send("Count.")
	for i, size := range [][2]int{{60, 20}, {120, 40}, {40, 15}, {300, 50}, {100, 30}} {
		d.printed(i * 4)
		d.Resize(size[0], size[1])
	}
	d.printed(22)
	detach := d.Attach(80, 24)
	d.see("Paragraph 59 ends.")
	detach()
	d.Resize(100, 30)
}

// printed waits until the terminal has a paragraph, which may have left the screen, or a later one.
func (d tmuxDay) printed(n int) {
	d.See(fmt.Sprint("paragraph ", n), func(string) bool {
		return slices.ContainsFunc(d.Whole(), func(row string) bool {
			var got int
			_, err := fmt.Sscanf(strings.TrimLeft(row, "✦ "), "Paragraph %d ends.", &got)
			return err == nil && got >= n
		})
	})
}

// edit lets the model change a file.
func (d tmuxDay) edit() {
	d.send("Change it.")
	d.see("Apply this change?")
	d.see("+ new")
	d.Resize(70, 24)
	d.see("Apply this change?")
	d.see("Esc refuse")
	d.Press("1")
	d.see("The file is changed.")
}

// choose changes the model and the theme.
func (d tmuxDay) choose() {
	d.see("Type your message")
	d.send("/model set gemini-2.5-pro")
	d.see("Type your message")
	d.send("/theme")
	d.see("Choose a theme")
	d.Type("dracula")
	d.see("❯ Dracula")
	d.Resize(90, 28)
	d.see("❯ Dracula")
	d.Press("Enter")
	d.see("Type your message")
}

// inputs sends Chinese text with a correction, cancels an answer, pastes lines, and finds an earlier prompt.
func (d tmuxDay) inputs() {
	d.Type("中文字符")
	d.see("> 中文字符")
	d.Press("BSpace", "BSpace")
	d.see("> 中文\n")
	d.Press("Enter")
	d.see("读到了中文。")
	d.send("Endless.")
	d.see("This never ends.")
	d.Press("Escape")
	d.see("Request cancelled.")
	d.see("Type your message")
	var pasted strings.Builder
	for n := range 8 {
		fmt.Fprintf(&pasted, "pasted line %d\n", n)
	}
	d.Paste(pasted.String())
	d.see("[Pasted Text: 9 lines]")
	d.Press("Enter")
	d.see("The paste is read.")
	d.see("Type your message")
	d.Press("C-r")
	d.see("(r:)")
	d.Type("change it")
	d.see("Change it.")
	d.Press("Enter")
	d.see("The search has found it.")
}

// goBack rewinds to the last prompt, and sends another one.
func (d tmuxDay) goBack() {
	d.see("Type your message")
	d.Press("Escape")
	d.see("again to rewind")
	d.unsee("again to rewind")
	d.Press("Escape", "Escape") // at once: the second one counts for half a second
	d.see("Stay at current position")
	d.Press("Up")
	d.see("❯ Change it.")
	d.Press("Enter")
	d.see("Rewind conversation")
	d.Press("Enter")
	d.see("─\n> Change it.") // in the input
	d.Press("C-u")
	d.see("Type your message")
	d.send("After the way back.")
	d.see("All behind is forgotten.")
	d.see("Type your message")
}

// check compares the scrollback and the screen with the conversation.
func (d tmuxDay) check(t *testing.T) {
	t.Helper()
	rows := d.Whole()
	want := []string{"> Count."}
	for n := range paragraphs {
		want = append(want, fmt.Sprintf("Paragraph %d ends.", n))
	}
	want = append(want, "> Change it.", "ReadFile", "The file is changed.", "> 中文", "读到了中文。", "> Endless.", "This never ends.", "Request cancelled.",
		"pasted line 0", "pasted line 7", "The paste is read.", "The search has found it.", "> After the way back.", "All behind is forgotten.",
		"Type your message")
	at := -1
	for _, text := range want {
		found := slices.IndexFunc(rows[at+1:], func(row string) bool { return strings.Contains(row, text) })
		if found < 0 {
			t.Errorf("%q is missing, or not in its place", text)
			continue
		}
		at += 1 + found
	}
	for _, text := range append(want[1:1+paragraphs:1+paragraphs], "> Count.", "The file is changed.", "读到了中文。", "> Endless.", "This never ends.", "Request cancelled.",
		"The paste is read.", "The search has found it.", "All behind is forgotten.", "Type your message", "/model     ", "Choose a theme", "Apply this change?") {
		wanted := 1
		if strings.Contains(text, "Choose") || strings.Contains(text, "Apply") || strings.Contains(text, "/model     ") {
			wanted = 0
		}
		if n := count(rows, text); n != wanted {
			t.Errorf("%q is in %d rows, not %d", text, n, wanted)
		}
	}
	if t.Failed() {
		t.Log(strings.Join(rows, "\n"))
	}
}

// count returns the number of rows that have a text.
func count(rows []string, text string) (n int) {
	for _, row := range rows {
		if strings.Contains(row, text) {
			n++
		}
	}
	return n
}

// resume ends the session and resumes it.
func (d tmuxDay) resume() {
	d.Press("C-d")
	d.see("again to exit")
	d.Press("C-d")
	d.see("Resumed after")
	d.see("Type your message")
	d.send("Once more.")
	d.see("The session goes on.")
	d.see("Type your message")
	d.leave()
}
