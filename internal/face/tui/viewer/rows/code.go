package rows

import (
	"strings"

	"pollux/internal/face/tui/markdown"
	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
)

// Code returns the text of a code block of the item by its number, clean, "" if there is none.
func (d *Document) Code(number int) string {
	var lines []string
	for _, p := range d.pieces[:d.Len()] {
		blocks, ok := p.(*blocksPiece)
		if !ok {
			continue
		}
		code := blocks.code
		for i, b := range blocks.blocks {
			if b.Kind != markdown.Code {
				continue
			}
			if i > 0 && !b.Continues {
				code++
			}
			if code == number {
				lines = append(lines, codeLines(b)...)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// LastCode returns the text of the last block of code in an answer in Markdown, clean, "" if there is none.
func LastCode(answer string) string {
	var s markdown.Splitter
	var lines []string
	for _, b := range append(s.Add(answer), s.End()...) {
		if b.Kind != markdown.Code {
			continue
		}
		if !b.Continues {
			lines = nil
		}
		lines = append(lines, codeLines(b)...)
	}
	return strings.Join(lines, "\n")
}

// codeLines returns the lines of a block of code as they are in the answer, without the marks of containers, and clean. The
// source of the block may have other lines before them.
func codeLines(b markdown.Block) (lines []string) {
	var r markdown.Renderer
	shown := r.Render(b)
	if b.HasGap {
		shown = shown[1:]
	}
	source := strings.Split(strings.TrimSuffix(b.Source, "\n"), "\n")
	source = source[max(0, len(source)-len(shown)):]
	shown = shown[len(shown)-len(source):]
	for i, line := range shown {
		text := line.String()
		if original, ok := originalOf(text, source[i]); ok {
			lines = append(lines, original)
		} else if i > 0 || !isMarker(text) {
			lines = append(lines, text)
		}
	}
	return lines
}

// originalOf returns the end of a source line that is shown as a text, false if none is.
func originalOf(shown, source string) (original string, ok bool) {
	const prefixes = " \t>-*+.)0123456789" // characters of the marks of containers
	source = strings.TrimSuffix(source, "\r")
	for {
		if styled.Text(source) == shown {
			return terminal.Text(source), true
		}
		if source == "" || !strings.Contains(prefixes, source[:1]) {
			return "", false
		}
		source = source[1:]
	}
}

// isMarker reports whether a line is the marker of a list item alone.
func isMarker(text string) bool {
	text = strings.TrimSpace(text)
	return text == "-" || text != "" && strings.Trim(text, "0123456789.)") == ""
}
