package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/journal"
	"pollux/internal/secret"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
	"pollux/internal/transcript"
)

// formats are the formats of an exported session.
var formats = map[string]func(*secret.Masker, transcript.Info, *journal.Session) ([]byte, error){
	"md": func(m *secret.Masker, info transcript.Info, s *journal.Session) ([]byte, error) {
		return []byte(transcript.Markdown(info, transcript.Masked(sessions.Messages(s), m))), nil
	},
	"html": func(m *secret.Masker, info transcript.Info, s *journal.Session) ([]byte, error) {
		return []byte(transcript.HTML(info, transcript.Masked(sessions.Messages(s), m))), nil
	},
	"json": func(m *secret.Masker, info transcript.Info, s *journal.Session) ([]byte, error) {
		data, err := transcript.JSON(info, transcript.Masked(sessions.Messages(s), m))
		return terminal.AppendJSON(nil, data), err
	},
}

// masker returns what removes secrets from sessions, nil if the user wants to keep them there.
func (c *sessionActions) masker() *secret.Masker {
	quiet := terminal.Terminal{In: c.term.In, Out: c.term.Out, Err: terminal.NewWriter(io.Discard)}
	setup, err := look(&quiet, c.env)
	if err != nil { // settings that are not valid do not keep the user from a session
		return secret.NewMasker(secret.Values(c.env.List()))
	}
	return setup.Masker()
}

// render returns the text of a session in one of the formats.
func (c *sessionActions) render(ctx context.Context, identifier, format string) ([]byte, error) {
	found, err := c.find(ctx, identifier)
	if err != nil {
		return nil, err
	}
	s, err := journal.Load(found.Path)
	if err != nil {
		return nil, exit.Errorf(exit.General, "Cannot read %s: %w.", found.Path, err)
	}
	m := c.masker()
	info := transcript.Info{ID: s.SessionID, Dir: found.project, Directories: s.Directories, Start: found.Start, Calls: transcript.MaskedCalls(sessions.Calls(s), m)}
	data, err := formats[format](m, info, s)
	if err != nil {
		return nil, exit.Errorf(exit.General, "Cannot convert session %s: %w.", terminal.Line(found.ID), err)
	}
	return data, nil
}

func (c *sessionActions) show(ctx context.Context, words []string) error {
	format := "md"
	if c.json {
		format = "json"
	}
	data, err := c.render(ctx, words[0], format)
	if err != nil {
		return err
	}
	if c.json {
		_, err = c.term.Out.JSON().Write(data)
		return err
	}
	return printText(c.term, strings.TrimRight(string(data), "\n"))
}

func (c *sessionActions) export(ctx context.Context, words []string) error {
	format, file := c.format, ""
	if len(words) > 1 {
		file = words[1]
	}
	switch extension := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), "."); {
	case format != "":
	case c.json:
		format = "json"
	case formats[extension] != nil:
		format = extension
	case extension == "htm":
		format = "html"
	case file == "":
		format = "md"
	default:
		return exit.Errorf(exit.General, "The name of the file must end in .md, .json or .html. To choose a format, use --format.")
	}
	if formats[format] == nil {
		return exit.Errorf(exit.General, "There is no format %q. Choose one of: md, json, html.", terminal.Line(format))
	}
	data, err := c.render(ctx, words[0], format)
	if err != nil {
		return err
	}
	if file == "" || file == "-" {
		_, err = c.term.Out.Write(data)
		return err
	}
	dir, err := config.WorkingDir()
	if err != nil {
		return err
	}
	path := config.NewPaths(c.env, dir).Absolute(file)
	if _, err := os.Lstat(path); !c.force && !errors.Is(err, fs.ErrNotExist) {
		return exit.Errorf(exit.General, "%s exists. To overwrite it, use --force.", file)
	}
	if err := durable.WriteFile(path, data, 0o600); err != nil {
		return exit.Errorf(exit.General, "Cannot write %s: %w.", file, durable.Cause(err))
	}
	return printText(c.term, "Session written to "+file+".")
}

// newStore returns the sessions of this project. It creates their directory.
func (c *sessionActions) newStore(paths *config.Paths) (*sessions.Store, error) {
	temp, err := paths.ProjectTemp()
	if err != nil {
		return nil, exit.Errorf(exit.General, "%w", err)
	}
	store := &sessions.Store{Dir: filepath.Join(temp, chatsDir)}
	if m := c.masker(); m != nil {
		store.Mask = m.JSON
	}
	if err := durable.MkdirAll(store.Dir, 0o700); err != nil {
		return nil, exit.Errorf(exit.General, "Cannot create %s: %w.", store.Dir, durable.Cause(err))
	}
	return store, nil
}

func (c *sessionActions) importFile(_ context.Context, words []string) error {
	dir, err := config.WorkingDir()
	if err != nil {
		return err
	}
	paths := config.NewPaths(c.env, dir)
	path := paths.Absolute(words[0])
	if _, err := os.Stat(path); err != nil { // before a directory is created
		return exit.Errorf(exit.General, "Cannot import %s: %w.", words[0], durable.Cause(err))
	}
	store, err := c.newStore(paths)
	if err != nil {
		return err
	}
	info, err := store.Import(path, words[0], paths.ProjectHash(), time.Now())
	if err != nil {
		return exit.Errorf(exit.General, "Cannot import %s: %w.", words[0], err)
	}
	return c.report("Imported", info)
}

func (c *sessionActions) fork(ctx context.Context, words []string) error {
	source, err := c.find(ctx, words[0])
	if err != nil {
		return err
	}
	store, err := c.newStore(source.paths)
	if err != nil {
		return err
	}
	forked, err := store.Fork(source.Info, c.part, source.paths.ProjectHash(), time.Now())
	if err != nil {
		return exit.Errorf(exit.General, "Cannot copy session %s: %s.", terminal.Line(source.ID), terminal.Line(err.Error()))
	}
	return c.report("Copied", forked)
}

// report prints the session that an action has made.
func (c *sessionActions) report(action string, i sessions.Info) error {
	if c.json {
		return printJSON(c.term, newSessionJSON(i, 0, ""))
	}
	return printText(c.term, action+" as session "+i.ID+": "+i.Title)
}
