package demo

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// width is the column at which the model's text is wrapped. maxLines is the maximum number of
// lines shown of a tool's output.
const (
	width    = 78
	maxLines = 8
)

// screen prints a run as plain text, in the order of events.
type screen struct {
	out    io.Writer
	colour bool
	dir    string // the project's directory, which is removed from paths
	err    error  // the first write error
	column int    // current column in the model's text
	space  bool   // a space is pending before the next word
	calls  int
	// summaries are the summaries of unfinished calls by id.
	summaries map[string]string
}

func (s *screen) styled(style, text string) string {
	if !s.colour {
		return text
	}
	return terminal.Style(style, text)
}

func (s *screen) printf(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.out, format, args...)
	}
}

func (s *screen) intro(setup Setup) {
	s.printf("%s\n", s.styled(terminal.Bold, "Pollux demo"))
	s.printf("The model is a script on %s: no key, no network. The agent, its\n", setup.BaseURL)
	s.printf("tools and the project in %s are real.\n", setup.Dir)
}

// prompt shows an input of the person.
func (s *screen) prompt(text string) {
	s.end()
	s.printf("\n%s %s\n", s.styled(terminal.Cyan, ">"), s.styled(terminal.Bold, text))
}

// show prints an event. It ignores events that the script cannot cause.
func (s *screen) show(e agent.Event) error {
	switch e := e.(type) {
	case agent.TurnStarted:
		s.end()
		s.printf("\n")
	case agent.Thought:
		s.end()
		s.printf("%s\n", s.styled(terminal.Dim, "("+e.Subject+")"))
	case agent.Text:
		s.text(e.Text)
	case agent.ToolUpdated:
		if e.Summary != "" {
			s.summaries[e.Call.ID] = e.Summary
		}
	case agent.ToolFinished:
		s.finished(e)
	case agent.ToolAsked:
		e.Answer(tool.Answer{Outcome: tool.Cancel}) // the demo's agent approves calls itself
	case agent.InvalidStream:
		s.end()
		s.printf("%s\n", s.styled(terminal.Red, e.Message))
	case agent.Waiting:
		s.end()
		s.printf("%s\n", s.styled(terminal.Red, fmt.Sprintf("%v; retrying", e.Err)))
	}
	return s.err
}

// text prints a part of the response, wrapped at words. A space is printed together with the
// following word, so that no line ends in a space.
func (s *screen) text(text string) {
	for len(text) > 0 {
		n := strings.IndexAny(text, " \n")
		switch n {
		case 0:
			if text[0] == '\n' {
				s.printf("\n")
				s.column = 0
			}
			s.space = text[0] == ' ' && s.column > 0
			text = text[1:]
			continue
		case -1:
			n = len(text)
		}
		s.word(text[:n])
		text = text[n:]
	}
}

func (s *screen) word(word string) {
	n := utf8.RuneCountInString(word)
	switch {
	case s.space && s.column+1+n > width:
		s.printf("\n")
		s.column = 0
	case s.space:
		s.printf(" ")
		s.column++
	}
	s.space = false
	s.printf("%s", word)
	s.column += n
}

// end ends the current line of the model's text, if any.
func (s *screen) end() {
	if s.column > 0 {
		s.printf("\n")
	}
	s.column, s.space = 0, false
}

func (s *screen) finished(e agent.ToolFinished) {
	s.end()
	s.calls++
	mark := s.styled(terminal.Green, "+")
	if e.Status != agent.Success {
		mark = s.styled(terminal.Red, "x")
	}
	summary := s.summaries[e.Call.ID]
	delete(s.summaries, e.Call.ID)
	s.printf("  %s %s %s %s\n", mark, s.styled(terminal.Bold, e.Call.Name), oneLine(summary),
		s.styled(terminal.Dim, fmt.Sprintf("(%d ms)", e.Duration.Milliseconds())))
	if e.Result != nil {
		s.quote(strings.ReplaceAll(shown(e.Result), s.dir+string(filepath.Separator), ""))
	}
	for i := range e.Executions {
		if changes := e.Executions[i].ShownChanges(); changes != nil {
			s.quote(changes.String())
		}
	}
}

// shown returns the text of a tool result that the screen prints.
func shown(r *tool.Result) string {
	text := ""
	switch d := r.Display.(type) {
	case tool.TextDisplay:
		text = string(d)
	case tool.TerminalDisplay:
		text = string(d)
	case *tool.ListDisplay:
		text = d.Summary
	case *tool.MatchDisplay:
		text = d.Summary
		for _, m := range d.Matches {
			text += fmt.Sprintf("\n%s:%d: %s", m.Path, m.Line, strings.TrimSpace(m.Text))
		}
	}
	if text == "" {
		return r.Summary
	}
	return text
}

// quote prints the output of a tool, indented and shortened.
func (s *screen) quote(text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if i == maxLines {
			s.printf("      %s\n", s.styled(terminal.Dim, fmt.Sprintf("... %d more lines", len(lines)-i)))
			return
		}
		s.printf("      %s\n", s.styled(terminal.Dim, l))
	}
}

func oneLine(text string) string {
	return ellipsis.Fit(strings.Join(strings.Fields(text), " "), width-20)
}

func (s *screen) heading(text string) {
	s.end()
	s.printf("\n%s\n", s.styled(terminal.Bold, text))
}

func (s *screen) diff(text string) {
	for l := range strings.Lines(text) {
		style := ""
		switch {
		case strings.HasPrefix(l, "+"):
			style = terminal.Green
		case strings.HasPrefix(l, "-"):
			style = terminal.Red
		case strings.HasPrefix(l, "@@"):
			style = terminal.Cyan
		}
		s.printf("%s\n", s.styled(style, strings.TrimRight(l, "\n")))
	}
}

func (s *screen) outro(requests int, took time.Duration) {
	s.printf("\n%s\n", s.styled(terminal.Green, fmt.Sprintf("Done in %.2f s: %d requests, %d tool calls.",
		took.Seconds(), requests, s.calls)))
}
