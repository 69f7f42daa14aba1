package slash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/session"
)

// share writes what went between user and model to a file (spec/agent.md §24).
func share(ctx context.Context, s *Session, file string) (Result, error) {
	if file == "" {
		file = "gemini-conversation-" + strconv.FormatInt(time.Now().UnixMilli(), 10) + ".json"
	}
	return s.write(ctx, file, false, "Conversation shared to %s")
}

// export writes the session's record.
func export(ctx context.Context, s *Session, file string) (Result, error) {
	if file == "" {
		return fail("Name a file that ends in .json or .md, as in: /export-session session.md")
	}
	return s.write(ctx, file, true, "Session exported to %s")
}

// write writes the conversation to a file, which nothing is overwritten by unless a
// person wants it.
func (s *Session) write(ctx context.Context, file string, record bool, done string) (Result, error) {
	if len(file) > longestPath {
		return fail("That is too long for the name of a file.")
	}
	path := s.path(file)
	ext := strings.ToLower(filepath.Ext(path))
	if ext != ".md" && ext != ".json" {
		return fail("Invalid file format. Only .md and .json are supported.")
	}
	if len(s.App.Agent.History()) < 2 { // what opens the conversation
		return fail("No conversation found to save.")
	}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return Result{}, fmt.Errorf("%s cannot be written: %w", path, durable.Cause(err))
	case !info.Mode().IsRegular():
		return fail("%s is there, and is no file that could be replaced.", path)
	default:
		if yes, err := s.agrees(ctx, "Overwrite", path+" exists. Replace it?"); err != nil || !yes {
			return Result{Text: "Nothing was written."}, err
		}
	}
	data, err := s.written(ext, record)
	if err != nil {
		return Result{}, err
	}
	if err := durable.WriteFile(path, data, 0o600); err != nil {
		return Result{}, fmt.Errorf("the conversation was not written: %w", err)
	}
	return say(done, path)
}

// written returns the conversation in the form that a file with this extension has.
func (s *Session) written(ext string, record bool) ([]byte, error) {
	history := s.App.Agent.History()
	dirs := s.App.Workspace.Dirs()
	info := session.Info{ID: s.App.SessionID(), Dir: dirs[0], Directories: dirs[1:], Start: time.Now().Add(-s.App.Age())}
	switch {
	case ext == ".md":
		return []byte(session.Markdown(info, history)), nil
	case record:
		return session.JSON(info, history)
	}
	return session.Contents(history)
}

// longestPath is longer than what a system takes for one.
const longestPath = 8 << 10

// path returns the absolute path that a person means: with the home directory for a
// tilde, without quotes, and without the backslashes that completion puts before
// spaces.
func (s *Session) path(typed string) string {
	typed = strings.TrimSpace(typed)
	if n := len(typed); n >= 2 && (typed[0] == '"' || typed[0] == '\'') && typed[n-1] == typed[0] {
		typed = typed[1 : n-1]
	} else if filepath.Separator != '\\' {
		typed = strings.ReplaceAll(typed, `\ `, " ")
	}
	typed = s.Paths.Expand(typed)
	if !filepath.IsAbs(typed) {
		typed = filepath.Join(s.Paths.Dir(), typed)
	}
	return filepath.Clean(typed)
}

// browse would show the conversations that are kept.
func browse(context.Context, *Session, string) (Result, error) {
	return fail("Conversations are not kept yet in this version of Pollux. /chat share writes this one to a file.")
}
