package transcript

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/tool"
)

// progressLine returns how far a call is: a bar, the part that is done, and the message of the tool.
func (t *Transcript) progressLine(d *tool.ProgressDisplay) styled.Line {
	const columns = 20
	look := t.Look.Theme
	line := styled.Line{{Text: margin}}
	if part, ok := partOf(d); ok {
		full := int(part * columns)
		line = append(line, styled.Span{Text: strings.Repeat("█", full), Style: look.Accent()},
			styled.Span{Text: strings.Repeat("░", columns-full) + " ", Style: look.Secondary()})
	}
	line = append(line, styled.Span{Text: countText(d)})
	if d.Message != "" {
		line = append(line, styled.Span{Text: "  " + kit.Brief(d.Message), Style: look.Secondary()})
	}
	return line.Cut(t.width())
}

// partOf returns the part of the work that is done, from 0 to 1, false if that is unknown.
func partOf(d *tool.ProgressDisplay) (float64, bool) {
	part := d.Done / d.Total
	if !(d.Total > 0) || math.IsNaN(part) || math.IsInf(part, 0) {
		return 0, false
	}
	return max(0, min(part, 1)), true
}

// countText returns the part that is done as a number: of a count of things "3/8", else in percent.
func countText(d *tool.ProgressDisplay) string {
	const most = 1e9 // things to count
	isCount := func(n float64) bool { return n == math.Trunc(n) && n >= 0 && n < most }
	part, ok := partOf(d)
	switch {
	case ok && isCount(d.Done) && isCount(d.Total) && d.Total > 1 && d.Total != 100:
		return fmt.Sprintf("%.0f/%.0f", d.Done, d.Total)
	case ok:
		return fmt.Sprintf("%d%%", int(part*100))
	}
	return strconv.FormatFloat(d.Done, 'g', 6, 64)
}
