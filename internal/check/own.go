package check

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/shell"

	"pollux/internal/process"
)

// ownCheck is a [Checker] that the user has set: a command that reads a text from standard input, prints problems, and
// then exits with a code other than 0.
type ownCheck struct {
	checks  *Checks
	command any // its words as a string or a []any
	origin  process.Origin
}

// Check implements [Checker].
func (o *ownCheck) Check(ctx context.Context, path, text string) (Report, bool) {
	words, err := o.words()
	if err != nil {
		return o.broken(path, err)
	}
	program, err := o.program(words[0])
	if err != nil {
		return o.broken(path, err)
	}
	args := words[1:]
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "{}", path)
	}
	output, status, err := o.checks.run(ctx, &process.Command{
		For:  process.Purpose{Kind: process.KindCheck, Origin: o.origin, Name: filepath.Ext(path)},
		Path: program, Args: args, Dir: o.checks.Dir, Env: o.checks.Environ(),
	}, text)
	switch {
	case ctx.Err() != nil:
		return Report{}, false
	case err != nil:
		return o.broken(path, err)
	case status.Signal != 0:
		return Report{}, false
	case status.Code == 0:
		return Report{}, true
	}
	return Report{Problems: problemsIn(output), By: filepath.Base(words[0]), IsOwn: true}, true
}

// broken reports that the command cannot start.
func (o *ownCheck) broken(path string, err error) (Report, bool) {
	o.checks.warnOnce(fmt.Sprintf("pollux.check.%s cannot start: %v. Fix the command in your settings, or set it to false.",
		strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."), err))
	return Report{}, false
}

// words returns the program and its arguments, as a shell splits the command.
func (o *ownCheck) words() (words []string, err error) {
	switch command := o.command.(type) {
	case string:
		environ := o.checks.Environ()
		words, err = shell.Fields(command, func(name string) string { return process.Getenv(environ, name) })
	case []any:
		for _, word := range command {
			text, ok := word.(string)
			if !ok {
				return nil, fmt.Errorf("%v is not a string", word)
			}
			words = append(words, text)
		}
	}
	if err == nil && (len(words) == 0 || words[0] == "") {
		err = fmt.Errorf("the command is empty")
	}
	return words, err
}

// program returns the path of a program under the name by which some programs recognize their task. A program of the
// repository must not run because it has a known name.
func (o *ownCheck) program(name string) (string, error) {
	path, err := process.LookPath(process.Getenv(o.checks.Environ(), "PATH"), name)
	if err != nil {
		return "", err
	}
	below, err := filepath.Rel(o.checks.Dir, path)
	if isInside := err == nil && filepath.IsLocal(below); !filepath.IsAbs(name) && (isInside || o.checks.find(path) == "") {
		return "", fmt.Errorf("%s belongs to the project: name it with its whole path", path)
	}
	return path, nil
}

// placeForm is the form of a line with a place: a file's name, a line, perhaps a column, and a message.
const placeForm = `^(?:\S*?:)?(\d+)(?::(\d+))?:\s*(\S.*)$|^(.*\bline (\d+)\b.*)$`

// problemsIn returns the problems in the output of a check: the lines with a place, or all lines if none has one.
func problemsIn(output string) []Problem {
	var placed, others []Problem
	form := regexp.MustCompile(placeForm)
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		found := form.FindStringSubmatch(line)
		switch {
		case line == "":
		case found == nil:
			others = append(others, Problem{Text: line})
		case found[4] != "":
			placed = append(placed, problemAt(found[5], "", found[4]))
		default:
			placed = append(placed, problemAt(found[1], found[2], found[3]))
		}
	}
	if len(placed) > 0 {
		return placed
	}
	return others
}

func problemAt(line, column, text string) Problem {
	p := Problem{Text: text}
	p.Line, _ = strconv.Atoi(line)
	p.Column, _ = strconv.Atoi(column)
	return p
}
