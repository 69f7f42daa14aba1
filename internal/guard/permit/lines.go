package permit

import (
	"context"
	"slices"
	"strings"

	"pollux/internal/guard"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/confine"
)

// maxLines is the number of lines of an output in which refusals are looked for one by one.
const maxLines = 5

// Advise returns a function that advises on the output of a command, as [confine.Confinement.Advise] does. That looks for one refusal in a text,
// and keeps it for the list of refusals: it gets each line with another one, too.
func Advise(c *confine.Confinement) func(ctx context.Context, output string, hasFailed bool) string {
	return func(ctx context.Context, output string, hasFailed bool) string {
		text := c.Advise(ctx, output, hasFailed)
		if call := guard.CallOf(ctx); c.IsOn() && call != nil && sandbox.SaysDenied(output) {
			for _, line := range refusedLines(commandOf(call).text, output) {
				c.Advise(ctx, line, false)
			}
		}
		return text
	}
}

// missed returns sentences about files that a command was refused, as its output says, the first one of many first.
func (p *Permits) missed(output string, run *confine.Run) (list []string) {
	for _, text := range slices.Insert(refusedLines(run.Command, output), 0, output) {
		if reason := p.options.Sandbox.Missed(text, *run); reason != "" && !slices.Contains(list, reason) {
			list = append(list, reason)
		}
	}
	return list
}

// refusedLines returns the first lines of an output in which programs say that they were refused a file, each once. It returns none for a
// command that only looks at many files, of which the first one says enough.
func refusedLines(command, output string) (lines []string) {
	if isWalk(command) {
		return nil
	}
	for line := range strings.Lines(output) {
		if len(lines) == maxLines {
			break
		}
		if sandbox.SaysDenied(line) && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}
