package extensions

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/extension/install"
	"pollux/internal/extension/template"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

func templateNames() string { return strings.Join(template.Names(), ", ") }

// pathAndTemplate completes a directory, then a template.
func pathAndTemplate(words []string, _ string) ([]string, manage.Offer) {
	switch len(words) {
	case 0:
		return nil, manage.Directories
	case 1:
		return template.Names(), manage.Nothing
	}
	return nil, manage.Nothing
}

// create makes a new extension of a template.
func create(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	from := ""
	if len(c.Words) > 1 {
		if from = c.Words[1]; !slices.Contains(template.Names(), from) {
			return o, exit.Errorf(exit.General, "There is no template %q. Use one of %s.", terminal.Cut(from, 40), templateNames())
		}
	}
	paths, err := c.Paths()
	if err != nil {
		return o, err
	}
	path := c.Words[0] // which a shell has expanded
	if !filepath.IsAbs(path) {
		path = filepath.Join(paths.Dir(), path)
	}
	if err := template.Write(path, from); err != nil {
		return o, sentence(c, err, false)
	}
	if from != "" {
		from = fmt.Sprintf(" from template %q", from)
	}
	return note("Successfully created new extension%s at %s.\nYou can install this using \"pollux extensions link %[2]s\" to test it out.", from, c.Words[0]), nil
}

func note(format string, args ...any) outcome.Outcome {
	return outcome.Outcome{Notes: []string{fmt.Sprintf(format, args...)}}
}

// validate checks an extension for mistakes.
func validate(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	path, err := filepath.Abs(c.Words[0])
	if err != nil {
		return o, err
	}
	report, err := install.Validate(path)
	if err != nil {
		return o, sentence(c, err, false)
	}
	for _, part := range []struct {
		title string
		lines []string
	}{{"Validation warnings:", report.Warnings}, {"Validation failed with the following errors:", report.Errors}} {
		if len(part.lines) > 0 {
			o.Notes = append(o.Notes, part.title+"\n  - "+strings.Join(part.lines, "\n  - "))
		}
	}
	if len(report.Errors) > 0 {
		return o, exit.Errorf(exit.General, "Extension validation failed.")
	}
	o.Notes = append(o.Notes, fmt.Sprintf("Extension %s has been successfully validated.", c.Words[0]))
	return o, nil
}
