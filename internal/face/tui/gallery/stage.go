package gallery

import (
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/question"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/transcript"
	"pollux/internal/wording"
	"pollux/tool"
)

// height is the number of rows of the terminal.
const height = 40

// clock returns the time of a scene, so many seconds after its beginning.
func clock(seconds float64) time.Time {
	return time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
}

// stage is where a scene is drawn.
type stage struct {
	width      int
	theme      theme.Theme
	bindings   *keys.Bindings
	transcript transcript.Transcript
	lines      []styled.Line

	events    []kit.Event     // of the scene
	questions []*kit.Question // of the scene
}

func newStage(width int, t theme.Theme) *stage {
	s := &stage{width: max(width, 1), theme: t, bindings: keys.Default("linux")}
	s.transcript.Look = transcript.Look{Width: s.width, Theme: t, HasLinks: true}
	s.transcript.Options.Names = names{}
	s.transcript.Options.Place = func(string) wording.Place { return wording.Place{InSession: true, Provider: "Gemini"} }
	return s
}

// add adds lines of a part.
func (s *stage) add(lines ...styled.Line) { s.lines = append(s.lines, lines...) }

// addWithCursor adds lines with the cursor in them.
func (s *stage) addWithCursor(lines []styled.Line, at inline.Position) {
	lines = slices.Clone(lines)
	if at.Row < len(lines) {
		lines[at.Row] = markCursor(lines[at.Row], at.Column)
	}
	s.add(lines...)
}

// markCursor reverses the cell in a column.
func markCursor(l styled.Line, column int) styled.Line {
	if missing := column - l.Width(); missing > 0 {
		l = append(slices.Clip(l), styled.Span{Text: strings.Repeat(" ", missing)})
	}
	head, tail := l.Split(column)
	n := 1
	cell, rest := tail.Split(n)
	if len(cell) == 0 && len(tail) > 0 { // a wide character
		cell, rest = tail.Split(n + 1)
	}
	if len(cell) == 0 {
		cell = styled.Plain(" ")
	}
	cell = slices.Clone(cell)
	cell[0].Style.Attrs |= styled.Reverse
	return slices.Concat(head, cell, rest)
}

// handle passes on events of the session.
func (s *stage) handle(events ...kit.Event) {
	for _, e := range events {
		s.events = append(s.events, e)
		s.transcript.Handle(e, clock(0))
	}
}

// run passes on events of a run of the model.
func (s *stage) run(events ...agent.Event) {
	for _, e := range events {
		s.handle(kit.Ran{Event: e})
	}
}

// pend adds the unfinished part of the conversation, so many seconds after its beginning.
func (s *stage) pend(seconds float64) {
	s.add(s.transcript.Take()...)
	s.add(s.transcript.Pending(height/2, clock(seconds))...)
}

// ask adds the question of a confirmation after these keys: names of keys, others are text.
func (s *stage) ask(details tool.Confirmation, isOfCall bool, pressed ...string) {
	s.askAs(kit.NewQuestion(details, isOfCall, names{}), pressed...)
}

func (s *stage) askAs(q *kit.Question, pressed ...string) {
	s.events, s.questions = append(s.events, kit.Asked{Question: q}), append(s.questions, q)
	d := question.Open(q, s.bindings, "", 0)
	d.Shown(clock(0))
	for i, k := range keysOf(pressed) {
		k.At = clock(float64(i + 1))
		d.Handle(k, s.bindings)
	}
	v := d.View(s.width, height, s.theme)
	if v.HasText {
		s.addWithCursor(v.Lines, v.Cursor)
		return
	}
	s.add(v.Lines...)
}

// keysOf returns the keys with these names, and a key for each letter of other texts.
func keysOf(pressed []string) (list []keys.Key) {
	for _, name := range pressed {
		if chord, err := keys.ParseChord(name); err == nil && len([]rune(name)) > 1 {
			list = append(list, keys.Key{Chord: chord})
			continue
		}
		for _, r := range name {
			list = append(list, keys.Key{Chord: keys.Chord{Code: r}, Text: string(r)})
		}
	}
	return list
}

// screen returns the lines of the scene.
func (s *stage) screen() []styled.Line { return append(s.lines, s.transcript.Take()...) }
