package transcript

import (
	"net/url"
	"path/filepath"
	"strings"

	"pollux/agent"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
	"pollux/tool"
)

// glyph is the sign of a call's state.
type glyph string

const (
	succeeded glyph = "✓"
	waiting   glyph = "o"
	running   glyph = "⊷"
	asking    glyph = "?"
	cancelled glyph = "-"
	failed    glyph = "x"
)

// glyphOf returns the sign of a status.
func glyphOf(s agent.Status) glyph {
	switch s {
	case agent.Executing:
		return running
	case agent.AwaitingApproval:
		return asking
	case agent.Success:
		return succeeded
	case agent.Failed:
		return failed
	case agent.CallCancelled:
		return cancelled
	}
	return waiting
}

// style returns the style of the sign.
func (g glyph) style(t theme.Theme) styled.Style {
	switch g {
	case succeeded:
		return t.Success()
	case failed:
		return t.Error()
	case asking:
		return t.Warning()
	case running:
		return t.Active()
	}
	return t.Secondary()
}

// head is the line about a call: its sign, the tool, the description, and a remark behind them.
type head struct {
	glyph   glyph
	isDense bool   // a line of a list, which is indented
	name    string // clean, as the other texts
	about   string
	link    string // that the description leads to
	remark  string
}

// line returns the head in a line of at most so many columns. The description is cut before the remark is.
func (h head) line(width int, t theme.Theme) styled.Line {
	name := t.Text()
	name.Attrs |= styled.Bold
	if h.glyph == cancelled {
		name = t.Secondary()
		name.Attrs |= styled.Strikethrough
	}
	var l styled.Line
	if h.isDense {
		l = append(l, styled.Span{Text: "  "})
	}
	l = append(l, styled.Span{Text: string(h.glyph), Style: h.glyph.style(t)}, styled.Span{Text: " "}, styled.Span{Text: h.name, Style: name})
	room := width - l.Width()
	about, remark := h.fit(room)
	if about != "" {
		l = append(l, styled.Span{Text: "  "}, styled.Span{Text: about, Style: t.Secondary(), Link: h.link})
	}
	if remark != "" {
		l = append(l, styled.Span{Text: "  "}, styled.Span{Text: remark, Style: t.Secondary()})
	}
	return trimRight(l.Cut(width))
}

// headLines returns the line of a head.
func (t *Transcript) headLines(h head) []styled.Line {
	return t.fit(func(t *Transcript) []styled.Line { return []styled.Line{h.line(t.width(), t.Look.Theme)} })
}

// fit cuts the description and the remark to so many columns, with two spaces before each. The remark has at least half
// of them, and more if it is short.
func (h head) fit(room int) (about, remark string) {
	const gap, least, short, beside = 2, 4, 24, 8
	wanted := 0
	if h.about != "" {
		wanted = gap + terminal.Width(h.about)
	}
	if h.remark == "" {
		return h.about, ""
	}
	remarkRoom := max(room-wanted, (room+1)/2)
	if n := terminal.Width(h.remark); n <= short {
		remarkRoom = max(remarkRoom, min(gap+n, room-gap-beside))
	}
	remark = styled.Plain(h.remark).Cut(max(remarkRoom-gap, 0)).String()
	left := room - gap - terminal.Width(remark) - gap
	if left < min(least, wanted-gap) {
		return "", styled.Plain(h.remark).Cut(max(room-gap, 0)).String()
	}
	return clip(h.about, left), remark
}

// linkTo returns the URL of the only file of a call, "" for several files or if the terminal opens no links.
func (t *Transcript) linkTo(files []tool.Location) string {
	if !t.Look.HasLinks || len(files) != 1 {
		return ""
	}
	path := filepath.ToSlash(files[0].Path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// clip returns at most width columns of a text. A longer text ends in "…", which takes the place of an ellipsis that is cut.
func clip(text string, width int) string {
	short := styled.Plain(text).Cut(width).String()
	head, isCut := strings.CutSuffix(short, "…")
	if !isCut || short == text {
		return short
	}
	if strings.HasSuffix(head, "..") || strings.HasSuffix(head, ".") && strings.HasPrefix(text[len(head):], ".") {
		head = strings.TrimRight(head, ".")
	}
	return head + "…"
}
