package transcript

import "pollux/internal/face/tui/styled"

// fit returns the lines of a text that depend on the width of the terminal. If the screen can fit finished lines again, a block stands for
// them; its form is that of the look at the time when it is fitted.
func (t *Transcript) fit(lines func(t *Transcript) []styled.Line) []styled.Line {
	return t.refit(lines(t), lines)
}

// refit is [Transcript.fit] for lines that are made already.
func (t *Transcript) refit(made []styled.Line, lines func(t *Transcript) []styled.Line) []styled.Line {
	if !t.Look.Refits || len(made) == 0 {
		return made
	}
	isRaw := t.Look.IsRaw
	b := styled.Block{Lines: made, Width: t.Look.Width, Fit: func(width int) []styled.Line {
		fitted := &Transcript{Look: t.Look, Options: t.Options}
		fitted.Look.Width, fitted.Look.Refits, fitted.Look.IsRaw = width, false, isRaw
		return lines(fitted)
	}}
	return []styled.Line{b.Line()}
}
