// Package queue shows the inputs that wait: for the end of the work in progress, or for a command in the input.
package queue

import (
	"fmt"
	"strings"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// most is the number of prompts that are shown.
const most = 3

// Lines returns a heading, a line with the beginning of each of the first prompts, and the number of the others. Lines
// are at most width columns wide. hint is the key that gets the prompts back into the input, "" for none.
func Lines(texts []string, hint string, width int, t theme.Theme) []styled.Line {
	heading := "Queued:"
	if hint != "" {
		heading = "Queued (press " + hint + " to edit):"
	}
	return under(heading, texts, width, t)
}

// Held is [Lines] for inputs that were not sent, and return to the input when the command in it is sent, or with the key.
func Held(texts []string, hint string, width int, t theme.Theme) []styled.Line {
	heading := "Not sent, back in the input after this one:"
	if hint != "" {
		heading = "Not sent (press " + hint + " to edit):"
	}
	return under(heading, texts, width, t)
}

func under(heading string, texts []string, width int, t theme.Theme) []styled.Line {
	if len(texts) == 0 || width < 1 {
		return nil
	}
	lines := []styled.Line{styled.Of(heading, t.Secondary()).Cut(width)}
	for _, text := range texts[:min(len(texts), most)] {
		lines = append(lines, styled.Of("  "+preview(text), t.Secondary()).Cut(width))
	}
	if n := len(texts) - most; n > 0 {
		lines = append(lines, styled.Of(fmt.Sprintf("  ... (+%d more)", n), t.Secondary()).Cut(width))
	}
	return lines
}

// preview returns the beginning of a prompt as one clean line. It is wider than a screen if the prompt is.
func preview(text string) string {
	const bytes = 2000
	return terminal.Title(terminal.Cut(strings.TrimSpace(text), bytes))
}
