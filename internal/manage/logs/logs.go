// Package logs shows the logs of sessions, and writes the reports of crashes.
package logs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pollux/internal/exit"
	"pollux/internal/logs"
	"pollux/internal/manage"
	"pollux/internal/manage/sessions"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

// Command returns the command that prints the log of a session.
func Command() *manage.Command {
	return &manage.Command{
		Name: "logs", Aliases: []string{"log"}, Args: "[session]", Summary: "Print the debug log of a session", Run: show,
		Flags: []manage.Flag{
			{Name: "follow", Short: "f", Default: false, Usage: "Wait for more, until Ctrl+C"},
			{Name: "lines", Short: "n", Default: uint(0), Usage: "`count` Print only the last lines"},
			{Name: "since", Default: "", Usage: "`time` Print only what is newer: 10m, 2h, 3d, 15:04, 2026-01-31"},
			{Name: "activity", Default: false, Usage: "Print the last 100 events as a table with the memory use"},
			{Name: "json", Default: false, Usage: "Print JSON, one object per line"},
		},
	}
}

// logPlace is a session whose log may exist.
type logPlace struct{ project, id string }

// show prints the lines of a log at once, because they can go on.
func show(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	var from time.Time
	if since := c.Value("since"); since != "" {
		if from, err = logs.ParseSince(since, time.Now()); err != nil {
			return o, exit.Errorf(exit.General, "Invalid --since: %w.", err)
		}
	}
	place, err := find(ctx, c)
	if err != nil {
		return o, err
	}
	path, report := logs.Path(place.project, place.id), logs.ReportPath(place.project, place.id)
	_, missing := os.Stat(path)
	hasReport := isFile(report)
	switch {
	case missing == nil && c.Is("activity") && !c.Is("json"):
		return showActivity(ctx, c, path, from)
	case missing == nil:
		if err := follow(ctx, c, path, from); err != nil {
			return o, err
		}
	case hasReport: // the log could not be written, or was deleted
	case errors.Is(missing, fs.ErrNotExist):
		return o, exit.Errorf(exit.General, "There is no log of session %s. Pollux writes one with --debug, and when a session fails.", terminal.Line(place.id))
	default:
		return o, cannotRead(missing)
	}
	if hasReport && !c.Is("json") {
		return outcome.Textf("Crash report: %s", terminal.Line(report)), nil
	}
	return o, nil
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

func cannotRead(err error) error {
	return exit.Errorf(exit.General, "Cannot read the log: %w.", err)
}

// find returns the session to show: the one that the words name, else the one whose log is newest.
func find(ctx context.Context, c *manage.Call) (logPlace, error) {
	words := c.Words
	here, err := sessions.Here(ctx, c)
	if err != nil {
		return logPlace{}, err
	}
	project := filepath.Dir(here.Dir)
	if len(words) == 0 {
		if newest := logs.Newest(project); newest != "" && here.Dir != "" {
			return logPlace{project, newest}, nil
		}
		words = []string{sessions.Latest}
	}
	found, err := sessions.Find(ctx, c, words[0])
	switch id := words[0]; {
	case err == nil:
		return logPlace{filepath.Dir(filepath.Dir(found.Path)), found.ID}, nil
	case here.Dir != "" && !strings.ContainsAny(id, `/\`) && (isFile(logs.Path(project, id)) || isFile(logs.ReportPath(project, id))):
		return logPlace{project, id}, nil // of a session without a recorded conversation
	}
	return logPlace{}, err
}

func follow(ctx context.Context, c *manage.Call, path string, from time.Time) error {
	last, _ := c.Flags["lines"].(uint)
	err := logs.Read(ctx, path, logs.Selection{Since: from, Last: last, Wait: c.Is("follow")}, func(line []byte) error {
		if !c.Is("json") {
			return c.Line(logs.Format(line))
		}
		if _, ok := logs.Parse(line); !ok || c.Is("activity") && !isActivity(line) {
			return nil // the end of a write that failed, or another message
		}
		return c.Line(string(line))
	})
	switch {
	case c.Is("follow") && ctx.Err() != nil:
		return nil // the user has seen enough
	case err != nil:
		return cannotRead(err)
	}
	return nil
}
