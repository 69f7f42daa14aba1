package logs

import (
	"fmt"
	"log/slog"
	"strings"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// Options configures a [Pane].
type Options struct {
	Records  *Records
	Bindings *keys.Bindings // for hints
	// Write writes a text to a new file, and returns its path.
	Write func(text string) (path string, err error)
	// Background calls work on another goroutine, and then the function that it returns on the goroutine of the pane.
	Background func(work func() (show func()))
}

// Pane is the dialog. The newest record is its last row.
type Pane struct {
	o    Options
	at   int // the chosen level
	back int // records below the last row
	page int // rows of the last view
	note string
}

// New returns the dialog.
func New(o Options) *Pane { return &Pane{o: o} }

// levels are the choices of the lowest level to show.
var levels = [...]struct {
	level slog.Level
	name  string
}{{slog.LevelDebug, "all"}, {slog.LevelInfo, "info"}, {slog.LevelWarn, "warnings"}, {slog.LevelError, "errors"}}

// IsLive implements [pane.Refresher]: records come at any time.
func (p *Pane) IsLive() bool { return true }

// Refresh implements [pane.Refresher].
func (p *Pane) Refresh() {}

// Handle implements [pane.Pane].
func (p *Pane) Handle(e keys.Event, b *keys.Bindings) pane.Outcome {
	k, ok := e.(keys.Key)
	if !ok {
		return pane.Ignored{}
	}
	if k.Text == "w" {
		p.write()
		return pane.Changed{}
	}
	command, _ := b.Match(k.Chord, keys.BasicCancel, keys.AppShowErrorDetails, keys.NavDialogNext, keys.NavDialogUp, keys.NavDialogDown,
		keys.ScrollPageUp, keys.ScrollPageDown, keys.ScrollHome, keys.ScrollEnd)
	switch command {
	case keys.BasicCancel, keys.AppShowErrorDetails:
		return pane.Closed{}
	case keys.NavDialogNext:
		p.at, p.back = (p.at+1)%len(levels), 0
	case keys.NavDialogUp:
		p.back++
	case keys.NavDialogDown:
		p.back--
	case keys.ScrollPageUp:
		p.back += p.page
	case keys.ScrollPageDown:
		p.back -= p.page
	case keys.ScrollHome:
		p.back = Size
	case keys.ScrollEnd:
		p.back = 0
	default:
		return pane.Ignored{}
	}
	p.back = max(p.back, 0)
	return pane.Changed{}
}

// write writes the records of the chosen level to a file.
func (p *Pane) write() {
	var text strings.Builder
	for _, r := range p.o.Records.List(levels[p.at].level) {
		text.WriteString(r.Time.Format("2006-01-02 15:04:05.000 ") + r.Level.String() + " " + r.line() + "\n")
	}
	if p.note = "Nothing to write."; text.Len() == 0 {
		return
	}
	p.note = "Writing..."
	p.o.Background(func() (show func()) {
		path, err := p.o.Write(text.String())
		return func() {
			if p.note = "Written to " + path; err != nil {
				p.note = "Cannot write the records: " + err.Error()
			}
		}
	})
}

// line returns the text of a record in one line, with the number of its repetitions.
func (r *Record) line() string {
	text := styled.Text(terminal.Line(r.Text))
	if r.Count > 1 {
		text += fmt.Sprintf(" (x%d)", r.Count)
	}
	return text
}

// View implements [pane.Pane].
func (p *Pane) View(width, height int, t theme.Theme) pane.View {
	if width < 1 || height < 1 {
		return pane.View{}
	}
	b := p.o.Bindings
	head := styled.Of("Debug Console", t.Accent())
	if key := b.Hint(keys.AppShowErrorDetails); key != "" {
		head = append(head, styled.Span{Text: " (" + key + " to close)", Style: t.Secondary()})
	}
	lines := []styled.Line{head.Cut(width)}
	list := p.o.Records.List(levels[p.at].level)
	p.page = max(min(height-3, max(5, width/5)), 1)
	p.back = min(p.back, max(len(list)-p.page, 0))
	list = list[:len(list)-p.back]
	if len(list) == 0 {
		lines = append(lines, styled.Of("No records.", t.Secondary()).Cut(width))
	}
	for i := range list[max(len(list)-p.page, 0):] {
		lines = append(lines, p.row(&list[max(len(list)-p.page, 0)+i], t).Cut(width))
	}
	if p.note != "" {
		lines = append(lines, styled.Of(styled.Text(terminal.Line(p.note)), t.Text()).Cut(width))
	}
	hint := "w write to a file"
	if key := b.Hint(keys.NavDialogNext); key != "" {
		hint = key + " level: " + levels[p.at].name + " · " + hint
	}
	lines = append(lines, styled.Of(hint, t.Secondary()).Cut(width))
	return pane.View{Lines: lines[:min(len(lines), height)]}
}

// row returns the row of a record.
func (p *Pane) row(r *Record, t theme.Theme) styled.Line {
	sign, style := "· ", t.Secondary()
	switch {
	case r.Level >= slog.LevelError:
		sign, style = "✖ ", t.Error()
	case r.Level >= slog.LevelWarn:
		sign, style = "⚠ ", t.Warning()
	case r.Level >= slog.LevelInfo:
		sign, style = "ℹ ", t.Text()
	}
	return styled.Line{{Text: r.Time.Format("15:04:05 "), Style: t.Secondary()}, {Text: sign, Style: style}, {Text: r.line(), Style: style}}
}
