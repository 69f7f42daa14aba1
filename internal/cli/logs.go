package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/logs"
	"pollux/internal/manage/sessions"
	"pollux/internal/terminal"
)

// logsCommand returns the subcommand that prints the log of a session.
func logsCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	c := &logsAction{env: env, term: t}
	cmd := &cobra.Command{
		Use: "logs [session]", Aliases: []string{"log"}, Short: "Print the debug log of a session",
		Args: cobra.MaximumNArgs(1), RunE: func(cmd *cobra.Command, words []string) error { return c.run(cmd.Context(), words) },
	}
	cmd.Flags().BoolVarP(&c.follow, "follow", "f", false, "Wait for more, until Ctrl+C")
	cmd.Flags().UintVarP(&c.last, "lines", "n", 0, "`count` Print only the last lines")
	cmd.Flags().StringVar(&c.since, "since", "", "`time` Print only what is newer: 10m, 2h, 3d, 15:04, 2026-01-31")
	cmd.Flags().BoolVar(&c.json, "json", false, "Print JSON, one object per line")
	return cmd
}

// logsAction holds the flags of pollux logs.
type logsAction struct {
	env          *config.Env
	term         *terminal.Terminal
	follow, json bool
	last         uint
	since        string
	from         time.Time
}

// logPlace is a session whose log may exist.
type logPlace struct{ project, id string }

func (c *logsAction) run(ctx context.Context, words []string) (err error) {
	if c.since != "" {
		if c.from, err = logs.ParseSince(c.since, time.Now()); err != nil {
			return exit.Errorf(exit.General, "Invalid --since: %w.", err)
		}
	}
	place, err := c.find(ctx, words)
	if err != nil {
		return err
	}
	path, report := logs.Path(place.project, place.id), logs.ReportPath(place.project, place.id)
	_, missing := os.Stat(path)
	hasReport := isFile(report)
	switch {
	case missing == nil:
		if err := c.print(ctx, path); err != nil {
			return err
		}
	case hasReport: // the log could not be written, or was deleted
	case errors.Is(missing, fs.ErrNotExist):
		return exit.Errorf(exit.General, "There is no log of session %s. Pollux writes one with --debug, and when a session fails.", terminal.Line(place.id))
	default:
		return cannotReadLog(missing)
	}
	if hasReport && !c.json {
		return printText(c.term, "Crash report: "+terminal.Line(report))
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

func cannotReadLog(err error) error {
	return exit.Errorf(exit.General, "Cannot read the log: %w.", err)
}

// find returns the session to show: the one that the words name, else the one whose log is newest.
func (c *logsAction) find(ctx context.Context, words []string) (logPlace, error) {
	here, err := sessions.Here(c.env)
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
	found, err := sessions.Find(ctx, c.env, words[0])
	switch id := words[0]; {
	case err == nil:
		return logPlace{filepath.Dir(filepath.Dir(found.Path)), found.ID}, nil
	case here.Dir != "" && !strings.ContainsAny(id, `/\`) && (isFile(logs.Path(project, id)) || isFile(logs.ReportPath(project, id))):
		return logPlace{project, id}, nil // of a session without a recorded conversation
	}
	return logPlace{}, err
}

// print prints the lines of a log.
func (c *logsAction) print(ctx context.Context, path string) error {
	err := logs.Read(ctx, path, logs.Selection{Since: c.from, Last: c.last, Wait: c.follow}, func(line []byte) error {
		text := logs.Format(line)
		if c.json {
			if _, ok := logs.Parse(line); !ok {
				return nil // the end of a write that failed
			}
			_, err := fmt.Fprintf(c.term.Out.JSON(), "%s\n", line)
			return err
		}
		_, err := fmt.Fprintln(c.term.Out, text)
		return err
	})
	switch {
	case c.follow && ctx.Err() != nil:
		return nil // the user has seen enough
	case err != nil:
		return cannotReadLog(err)
	}
	return nil
}
