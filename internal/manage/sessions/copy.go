package sessions

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/journal"
	"pollux/internal/manage"
	"pollux/internal/manage/undo"
	"pollux/internal/outcome"
	"pollux/internal/secret"
	"pollux/internal/sessions"
	"pollux/internal/snapshots"
	"pollux/internal/terminal"
	"pollux/internal/transcript"
	"pollux/internal/undo/history"
	"pollux/internal/wording"
)

// encode returns a session in a format: md, html or json.
func encode(format string, m *secret.Masker, info transcript.Info, s *journal.Session) ([]byte, error) {
	messages := transcript.Masked(sessions.Messages(s), m)
	switch format {
	case "html":
		return []byte(transcript.HTML(info, messages)), nil
	case "json":
		data, err := transcript.JSON(info, messages)
		return terminal.AppendJSON(nil, data), err
	}
	return []byte(transcript.Markdown(info, messages)), nil
}

func isFormat(name string) bool { return name == "md" || name == "json" || name == "html" }

// masker returns a remover of secrets from sessions, nil if the user wants to keep them there.
func masker(ctx context.Context, c *manage.Call) *secret.Masker {
	quiet := *c
	quiet.Options.Warn = nil
	p, err := quiet.Open(ctx)
	if err != nil { // settings that are not valid do not keep the user from a session
		return secret.NewMasker(secret.Values(c.Options.Env.List()))
	}
	return p.Masker()
}

func render(ctx context.Context, c *manage.Call, format string) ([]byte, error) {
	found, err := named(ctx, c)
	if err != nil {
		return nil, err
	}
	s, err := journal.Load(found.Path)
	if err != nil {
		return nil, exit.Errorf(exit.General, "Cannot read %s: %w.", found.Path, err)
	}
	m := masker(ctx, c)
	info := transcript.Info{ID: s.SessionID, Dir: found.project, Directories: s.Directories, Start: found.Start, Calls: transcript.MaskedCalls(sessions.Calls(s), m)}
	data, err := encode(format, m, info, s)
	if err != nil {
		return nil, exit.Errorf(exit.General, "Cannot convert session %s: %w.", terminal.Line(found.ID), err)
	}
	return data, nil
}

func show(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	switch {
	case c.Is("diff") && c.Is("json"):
		return o, exit.Errorf(exit.General, "Cannot use both --diff and --json.")
	case c.Is("diff"):
		return manage.With(named, showDiff)(ctx, c)
	case c.Is("json"):
		data, err := render(ctx, c, "json")
		return outcome.New(outcome.Raw(data)), err
	}
	data, err := render(ctx, c, "md")
	if err != nil {
		return o, err
	}
	return outcome.New(outcome.Text(strings.TrimRight(string(data), "\n"))), nil
}

// showDiff prints the patch of a session. Contents that a terminal would not show as they are get the form of binary ones.
func showDiff(ctx context.Context, c *manage.Call, found located) (o outcome.Outcome, err error) {
	p, err := c.Load(ctx)
	if err != nil {
		return o, err
	}
	paths := config.NewPaths(c.Options.Env, found.project)
	log, unsettled := undo.Settled(ctx, p, paths)
	options := snapshots.TreeOf(paths.Dir()).Options()
	options.IsExact, options.IsText = true, func(text string) bool { return terminal.Text(text) == text }
	var b strings.Builder
	_, warnings, err := snapshots.WritePatch(&b, log, history.Part{Sessions: []string{found.ID}, Began: found.Start}, options)
	o = outcome.New(outcome.Raw(b.String()))
	o.Notes = warnings
	if unsettled != nil {
		o.Notes = append(o.Notes, "Warning: the diff may lack changes. "+wording.Sentence(unsettled))
	}
	if b.Len() == 0 && err == nil {
		o.Notes = append(o.Notes, "This session has not changed any files.")
	}
	return o, err
}

func export(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	format, file := c.Value("format"), ""
	if len(c.Words) > 1 {
		file = c.Words[1]
	}
	switch extension := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), "."); {
	case format != "":
	case c.Is("json"):
		format = "json"
	case isFormat(extension):
		format = extension
	case extension == "htm":
		format = "html"
	case file == "":
		format = "md"
	default:
		return o, exit.Errorf(exit.General, "The name of the file must end in .md, .json or .html. To choose a format, use --format.")
	}
	if !isFormat(format) {
		return o, exit.Errorf(exit.General, "There is no format %q. Choose one of: md, json, html.", terminal.Line(format))
	}
	data, err := render(ctx, c, format)
	if err != nil {
		return o, err
	}
	if file == "" || file == "-" {
		return outcome.New(outcome.Raw(data)), nil
	}
	paths, err := c.Paths()
	if err != nil {
		return o, err
	}
	path := paths.Absolute(file)
	if _, err := os.Lstat(path); !c.Is("force") && !errors.Is(err, fs.ErrNotExist) {
		return o, exit.Errorf(exit.General, "%s exists. To overwrite it, use --force.", file)
	}
	if err := durable.WriteFile(path, data, 0o600); err != nil {
		return o, exit.Errorf(exit.General, "Cannot write %s: %w.", file, durable.Cause(err))
	}
	return outcome.Textf("Session written to %s.", file), nil
}

// newStore returns the sessions of this project. It creates their directory.
func newStore(ctx context.Context, c *manage.Call, paths *config.Paths) (*sessions.Store, error) {
	temp, err := paths.ProjectTemp()
	if err != nil {
		return nil, exit.Errorf(exit.General, "%w", err)
	}
	store := &sessions.Store{Dir: filepath.Join(temp, chatsDir)}
	if m := masker(ctx, c); m != nil {
		store.Mask = m.JSON
	}
	if err := durable.MkdirAll(store.Dir, 0o700); err != nil {
		return nil, exit.Errorf(exit.General, "Cannot create %s: %w.", store.Dir, durable.Cause(err))
	}
	return store, nil
}

// importFile makes a session of a file.
func importFile(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	paths, err := c.Paths()
	if err != nil {
		return o, err
	}
	name := c.Name()
	path := paths.Absolute(name)
	if _, err := os.Stat(path); err != nil { // before a directory is created
		return o, exit.Errorf(exit.General, "Cannot import %s: %w.", name, durable.Cause(err))
	}
	store, err := newStore(ctx, c, paths)
	if err != nil {
		return o, err
	}
	info, err := store.Import(path, name, paths.ProjectHash(), time.Now())
	if err != nil {
		return o, exit.Errorf(exit.General, "Cannot import %s: %w.", name, err)
	}
	return report("Imported", info), nil
}

func fork(ctx context.Context, c *manage.Call, source located) (o outcome.Outcome, err error) {
	store, err := newStore(ctx, c, source.paths)
	if err != nil {
		return o, err
	}
	part := sessions.ForkOptions{Before: c.Value("at"), BeforeRewind: c.Is("before-rewind")}
	forked, err := store.Fork(source.Info, part, source.paths.ProjectHash(), time.Now())
	if err != nil {
		return o, exit.Errorf(exit.General, "Cannot copy session %s: %s.", terminal.Line(source.ID), terminal.Line(err.Error()))
	}
	return report("Copied", forked), nil
}

// report returns the session that an action has made.
func report(action string, i sessions.Info) outcome.Outcome {
	return outcome.Textf("%s as session %s: %s", action, i.ID, i.Title).WithValue(newSession(i, 0, ""))
}
