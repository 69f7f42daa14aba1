package transcript

import (
	"strings"

	"pollux/internal/face/tui/markdown"
	"pollux/internal/face/tui/styled"
)

// rawBlock returns the Markdown of a block as the model wrote it, for the terminal to wrap. The mark stands in a line of its own,
// so that the text can be copied as it is.
func (t *Transcript) rawBlock(b markdown.Block, isFirst bool) (lines []styled.Line) {
	text := b.Source
	if isFirst {
		text = strings.TrimLeft(text, "\n")
	}
	if b.Kind == markdown.Blank && strings.Trim(text, "\n") == "" || text == "" {
		return nil
	}
	if isFirst {
		lines = append(lines, styled.Of(mark, t.Look.Theme.Accent()))
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		lines = append(lines, styled.Of(styled.Text(strings.TrimRight(line, " \r")), t.Look.Theme.Response()))
	}
	return lines
}
