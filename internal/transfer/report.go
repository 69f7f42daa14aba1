package transfer

import (
	"fmt"
	"strings"

	"pollux/internal/outcome"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// longest is the length of an item's line in bytes. Longer ones are cut.
const longest = 1000

// Outcome returns the report for people and for programs. display returns a path for people.
func (r *Report) Outcome(display func(path string) string) outcome.Outcome {
	var sections []string
	for _, p := range r.Parts {
		if len(p.Items) > 0 || len(p.Notes) > 0 {
			sections = append(sections, r.section(p, display))
		}
	}
	if end := r.end(display); end != "" {
		sections = append(sections, end)
	}
	value := *r
	value.Parts = append([]*Part{}, r.Parts...)
	return outcome.New(outcome.Text(strings.Join(sections, "\n\n"))).WithValue(value)
}

// section returns the text about a part.
func (r *Report) section(p *Part, display func(string) string) string {
	var files []string
	for _, file := range p.Files {
		files = append(files, terminal.Line(display(file)))
	}
	var b strings.Builder
	b.WriteString(strings.ToUpper(p.Kind[:1]) + p.Kind[1:] + "s")
	if len(files) > 0 {
		b.WriteString(" in " + strings.Join(files, " and "))
	}
	b.WriteString(":\n\n")
	for _, i := range p.Items {
		b.WriteString(i.line() + "\n")
	}
	for _, note := range p.Notes {
		b.WriteString("Note: " + terminal.Brief(terminal.Line(note)) + "\n")
	}
	if state := r.state(p, display); state != "" {
		b.WriteString("\n" + state)
	}
	return strings.TrimRight(b.String(), "\n")
}

// line returns the line about an item.
func (i *Item) line() string {
	line := fmt.Sprintf("%-8s  %s", i.Result, terminal.Brief(terminal.Line(i.Name)))
	if i.Detail != "" {
		line += ": " + terminal.Cut(terminal.Line(i.Detail), 300)
	}
	if len(i.Notes) > 0 {
		line += " (" + terminal.Line(strings.Join(i.Notes, "; ")) + ")"
	}
	return terminal.Cut(line, longest)
}

// state returns the sentence about the writing of a part.
func (r *Report) state(p *Part, display func(string) string) string {
	n := p.Count()
	what := fmt.Sprintf("%s to %s", wording.Count(n, p.Kind), terminal.Line(display(p.Target)))
	switch {
	case p.Target == "":
		return ""
	case n == 0:
		return fmt.Sprintf("There are no %ss to write.", p.Kind)
	case r.IsApplied && !p.isWritten:
		return "Not all of this is written."
	case r.IsApplied:
		return strings.TrimSpace("Wrote " + what + ". " + p.Next)
	case len(r.Parts) == 1:
		return fmt.Sprintf("Nothing is written yet. To write %s, %s.", what, r.HowToApply)
	}
	return "To write: " + what + "."
}

// end returns the sentences about all parts.
func (r *Report) end(display func(string) string) string {
	var lines, lost []string
	isOpen := false
	for _, p := range r.Parts {
		isOpen = isOpen || p.Count() > 0
		n := 0
		for _, i := range p.Items {
			if i.IsLost() {
				n++
			}
		}
		if n > 0 {
			lost = append(lost, wording.Count(n, p.Kind))
		}
	}
	if !r.IsApplied && isOpen && len(r.Parts) > 1 {
		lines = append(lines, fmt.Sprintf("Nothing is written yet. To write all of this, %s.", r.HowToApply))
	}
	for _, backup := range r.Backups {
		lines = append(lines, "The settings from before are in "+terminal.Line(display(backup))+".")
	}
	if n := len(lost); n > 2 {
		lost = []string{strings.Join(lost[:n-1], ", "), lost[n-1]}
	}
	if len(lost) > 0 {
		lines = append(lines, fmt.Sprintf("NOT COPIED: %s that may have refused something, see above. Nothing checks in their place.", strings.Join(lost, " and ")))
	}
	return strings.Join(lines, "\n")
}
