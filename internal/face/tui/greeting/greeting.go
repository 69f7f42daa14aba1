// Package greeting has the lines that a session begins with: the account, the tour of the first session, the tips of the
// next ones, and the note before the first change.
package greeting

import (
	"strconv"
	"strings"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// MostTips is the number of sessions that show the tips.
const MostTips = 10

// Identity returns the line about the account in use. source says where its key is from, "" for an account without one; it is left out if there is
// no room.
func Identity(provider, source string, width int, t theme.Theme) styled.Line {
	text := "Signed in to " + terminal.Line(provider)
	const command = "/auth"
	if key := ", with the key in " + terminal.Line(source); source != "" && terminal.Width(text+key)+len(command)+2 <= width {
		text += key
	}
	return styled.Line{{Text: text + "  ", Style: t.Secondary()}, {Text: command, Style: t.Accent()}}.Cut(width)
}

// Tips returns the tips for the first sessions. hasMemory is set if a file with instructions is loaded.
func Tips(hasMemory bool, width int, t theme.Theme, b *keys.Bindings) []styled.Line {
	texts := []string{
		"Ask about the code, or let Pollux change files and run commands.",
		"@path adds a file to the prompt, ! runs a shell command.",
	}
	if !hasMemory {
		texts = append(texts, "/init writes a GEMINI.md with instructions for this project.")
	}
	help := "/help lists the commands, ? the keys."
	if key := doubled(b.Hint(keys.BasicCancel)); key != "" {
		help += " " + key + " goes back to a prompt."
	}
	lines := []styled.Line{styled.Of("Tips", t.Accent()).Cut(width)}
	for i, text := range append(texts, help) {
		lines = append(lines, styled.Of(strconv.Itoa(i+1)+". "+text, t.Secondary()).Wrap(width, indent(3, width))...)
	}
	return lines
}

// Tour returns the one screen that a new user sees once: the abilities of Pollux, the main keys, undo and help.
func Tour(width int, t theme.Theme, b *keys.Bindings) (lines []styled.Line) {
	add := func(title, text string) {
		lines = append(lines, styled.Of(title, t.Accent()).Cut(width))
		lines = append(lines, indented(text, width, t)...)
	}
	add("What Pollux does", "Reads, searches and changes files, runs commands, and looks things up on the web. "+
		"It asks before it changes something.")
	lines = append(lines, styled.Of("Keys", t.Accent()).Cut(width))
	lines = append(lines, keyLines(width, t, b)...)
	undo := "Type /rewind"
	if key := doubled(b.Hint(keys.BasicCancel)); key != "" {
		undo = "Press " + key + ", or type /rewind"
	}
	add("Undo", undo+": go back to a prompt, and revert the changes to files since then.")
	add("Help", "/help lists the commands, ? the keys. Questions about Pollux are prompts, too.")
	return lines
}

// keyLines returns the main keys with their effects. Keys that are not bound are left out.
func keyLines(width int, t theme.Theme, b *keys.Bindings) (lines []styled.Line) {
	for _, k := range [...]struct{ key, effect string }{
		{b.Hint(keys.InputSubmit), "send the prompt, also while Pollux works"},
		{b.Hint(keys.BasicCancel), "stop the work"},
		{b.Hint(keys.AppCycleApprovalMode), "choose what runs without asking"},
		{b.Hint(keys.HistorySearchStart), "search earlier prompts"},
		{"@ / !", "add a file, run a command of Pollux or of the shell"},
	} {
		if k.key == "" {
			continue
		}
		const column = 11
		key := styled.Span{Text: "  " + k.key, Style: t.Text()}
		gap := max(column-terminal.Width(key.Text), 0) + 2
		line := styled.Line{key, {Text: strings.Repeat(" ", gap) + k.effect, Style: t.Secondary()}}
		lines = append(lines, line.Wrap(width, indent(column+2, width))...)
	}
	return lines
}

// Undo is the note after the first change: how to undo it.
func Undo(b *keys.Bindings) string {
	how := "type /rewind"
	if key := doubled(b.Hint(keys.BasicCancel)); key != "" {
		how = "press " + key + ", or type /rewind"
	}
	return "To undo changes to files, " + how + ", and choose a prompt.\n/undo takes back the last change, also one by a command."
}

// doubled returns the name of a key that is pressed twice, "" for none.
func doubled(key string) string {
	if key == "" {
		return ""
	}
	return key + " " + key
}

// indented returns a text, wrapped and indented.
func indented(text string, width int, t theme.Theme) (lines []styled.Line) {
	margin := indent(2, width)
	for _, l := range styled.Of(text, t.Secondary()).Wrap(max(width-margin.Width(), 1), nil) {
		lines = append(lines, append(margin[:len(margin):len(margin)], l...))
	}
	return lines
}

// indent returns n spaces for the lines of a text after the first one, none if width has no room for them.
func indent(n, width int) styled.Line {
	if width < 2*n {
		return nil
	}
	return styled.Plain(strings.Repeat(" ", n))
}
