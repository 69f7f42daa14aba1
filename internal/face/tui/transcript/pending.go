package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/internal/wording"
	"pollux/tool"
)

// part is an item in the live area.
type part struct {
	group    group
	isShown  bool // its beginning was printed
	head     []styled.Line
	body     []styled.Line
	keepsEnd bool // the last lines of the body matter most
	isOutput bool // the body is output
	hidden   int  // lines of output before the body
}

// Pending returns the unfinished part of the conversation: the open block of the answer, the calls that have not ended,
// and all items behind these. It has at most height lines, none of which is wider than the terminal.
func (t *Transcript) Pending(height int, now time.Time) (lines []styled.Line) {
	if height < 1 {
		return nil
	}
	parts, more := t.parts(height, now)
	if len(parts) == 0 {
		return nil
	}
	shares, hasGaps := share(parts, t.last, height)
	before := t.last
	for i, p := range parts {
		if hasGaps && !p.isShown && needsGap(before, p.group) {
			lines = append(lines, nil)
		}
		before = p.group
		lines = append(lines, t.cutPart(p, shares[i])...)
	}
	if more > 0 && height > 1 {
		lines[len(lines)-1] = styled.Of(fmt.Sprintf("... %d more ...", more+1), t.Look.Theme.Secondary())
	}
	for i := range lines {
		lines[i] = lines[i].Cut(t.width())
	}
	return lines
}

// parts returns the parts to draw, at most height of them, and the number of the others.
func (t *Transcript) parts(height int, now time.Time) (parts []part, more int) {
	agents := t.countAgents()
	for i, it := range t.queue {
		if agents.areShared() && !agents.isHeaded && (it.isAgent || it.call.isAgent()) {
			agents.isHeaded = true
			parts = append(parts, part{group: row, head: []styled.Line{agents.line(t.width(), t.Look.Theme)}})
		}
		if len(parts) >= height {
			return parts, len(t.queue) - i
		}
		p := part{group: it.group, isShown: it.isShown}
		switch {
		case it.answer != nil:
			p.keepsEnd = true
			p.body = lastLines(styled.Unblocked(lastLines(it.lines, height)), height)
			if it.isOpen {
				p.body = slices.Concat(p.body, lastLines(t.previewLines(it.answer), height))
			}
		case it.call != nil:
			p = t.callPart(it.call, height, now)
			if agents.areShared() && it.call.isAgent() {
				p.group, p.body = row, lastLines(p.body, 1)
			}
		default:
			p.body = shownLines(it.lines, height)
		}
		if len(p.head)+len(p.body) > 0 {
			parts = append(parts, p)
		}
	}
	return parts, 0
}

// shownLines returns the first lines that are no objects, at most so many.
func shownLines(lines []styled.Line, most int) (shown []styled.Line) {
	for _, l := range styled.Unblocked(lines) {
		if len(shown) == most {
			break
		}
		if len(l) != 1 || l[0].Object == nil {
			shown = append(shown, l)
		}
	}
	return shown
}

func lastLines(lines []styled.Line, most int) []styled.Line {
	return lines[max(0, len(lines)-most):]
}

// share returns the number of lines of each part, so that all fit: gaps are left out first.
func share(parts []part, before group, height int) (shares []int, hasGaps bool) {
	total, gaps := 0, 0
	shares = make([]int, len(parts))
	for i, p := range parts {
		shares[i] = p.size()
		total += shares[i]
		if !p.isShown && needsGap(before, p.group) {
			gaps++
		}
		before = p.group
	}
	if total+gaps <= height {
		return shares, true
	}
	for total > height { // take from the largest part
		largest := 0
		for i, n := range shares {
			if n > shares[largest] {
				largest = i
			}
		}
		shares[largest]--
		total--
	}
	return shares, false
}

// size returns the number of lines of the whole part.
func (p part) size() int {
	n := len(p.head) + len(p.body)
	if p.isOutput && p.hidden > 0 {
		n++
	}
	return n
}

// cutPart returns a part in n lines.
func (t *Transcript) cutPart(p part, n int) []styled.Line {
	if n <= len(p.head) {
		return p.head[:n]
	}
	body := p.body
	room := n - len(p.head)
	switch {
	case !p.keepsEnd:
		body = body[:min(len(body), room)]
	case p.isOutput && p.hidden+max(0, len(body)-room) > 0 && room > 2:
		body = lastLines(body, room-1)
		body = append([]styled.Line{t.hiddenLine("first", p.hidden+len(p.body)-len(body))}, body...)
	default:
		body = lastLines(body, room)
	}
	return slices.Concat(p.head, body)
}

// shownAfter is the time from which on a call shows how long it has run.
const shownAfter = 3 * time.Second

// callPart returns a call that has not ended, in about height lines. A question has its own place on the screen.
func (t *Transcript) callPart(c *call, height int, now time.Time) part {
	p := part{group: row, keepsEnd: true}
	if c.IsQuestion {
		return p
	}
	h := t.pendingHead(c)
	if elapsed := now.Sub(c.began); c.isRunning() && elapsed >= shownAfter {
		h.remark = "(" + elapsedText(elapsed) + ")"
	}
	screen, hint, hasScreen := t.screenOf(c, min(maxOutput, height-1))
	if hint != "" {
		h.remark = strings.TrimSpace(h.remark + " " + hint)
	}
	p.head = []styled.Line{h.line(t.width(), t.Look.Theme)}
	if hasScreen {
		p.body = screen
		if len(p.body) > 0 {
			p.group = apart
		}
		return p
	}
	switch d := c.Output.(type) {
	case *tool.AgentDisplay:
		p.body = t.activityLines(d)
	case tool.TextDisplay, tool.TerminalDisplay:
		texts, hidden := c.liveOutput()
		p.body, p.isOutput, p.hidden = marginLines(texts, styled.Style{}), true, hidden
	case *tool.ProgressDisplay:
		p.body = []styled.Line{t.progressLine(d)}
	default:
		p.body = t.nestedLines(c)
	}
	if len(p.body) > 0 {
		p.group = apart
	}
	return p
}

// screenOf returns rows of the terminal of a call, at most so many, and a hint about it, false if it has none.
func (t *Transcript) screenOf(c *call, most int) (lines []styled.Line, hint string, ok bool) {
	if t.Options.Screen == nil || c.pid == 0 {
		return nil, "", false
	}
	rows, hint, ok := t.Options.Screen(c.pid, most)
	for _, row := range rows {
		lines = append(lines, append(styled.Plain(margin), row...))
	}
	return lines, hint, ok
}

// ShellHead returns the head of a shell command that has run for some time.
func (t *Transcript) ShellHead(command string, elapsed time.Duration) styled.Line {
	h := head{glyph: running, name: t.title("run_shell_command"), about: kit.Brief(command)}
	if elapsed >= shownAfter {
		h.remark = "(" + elapsedText(elapsed) + ")"
	}
	return h.line(t.width(), t.Look.Theme)
}

// elapsedText returns a time in whole seconds, such as "12s" and "1m 5s".
func elapsedText(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%ds", int(d/time.Second))
	}
	return wording.Duration(d)
}
