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
	"pollux/internal/exit"
	"pollux/internal/transcript"
)

// share writes the conversation to a file. Without a name it creates a .json file in the
// session's directory.
func share(ctx context.Context, s *Runner, file string) (Result, error) {
	if file == "" {
		file = "gemini-conversation-" + strconv.FormatInt(time.Now().UnixMilli(), 10) + ".json"
	}
	return s.writeConversation(ctx, file, false, "Conversation shared to %s")
}

// export writes the session record to a file.
func export(ctx context.Context, s *Runner, file string) (Result, error) {
	if file == "" {
		return usageError("Enter a file name that ends in .json or .md, such as /export-session session.md")
	}
	return s.writeConversation(ctx, file, true, "Session exported to %s")
}

// writeConversation writes the conversation to a .md or .json file. It asks the user before
// it overwrites a file. record selects the session record instead of the message list for
// .json files. done is the format of the success message, with %s for the path.
func (s *Runner) writeConversation(ctx context.Context, file string, record bool, done string) (Result, error) {
	if len(file) > maxPath {
		return usageError("The file name is too long.")
	}
	path := s.resolvePath(file)
	ext := strings.ToLower(filepath.Ext(path))
	if ext != ".md" && ext != ".json" {
		return usageError("Invalid file format. Only .md and .json are supported.")
	}
	if s.isEmpty() {
		return usageError("No conversation found to save.")
	}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return Result{}, exit.Errorf(exit.General, "Cannot write %s: %w", path, durable.Cause(err))
	case !info.Mode().IsRegular():
		return usageError("Cannot replace %s: it is not a regular file.", path)
	default:
		if yes, err := s.confirm(ctx, "Overwrite", path+" already exists. Replace it?"); err != nil || !yes {
			return Result{Text: "Nothing written."}, err
		}
	}
	data, err := s.conversationData(ext, record)
	if err != nil {
		return Result{}, err
	}
	if err := durable.WriteFile(path, data, 0o600); err != nil {
		return Result{}, fmt.Errorf("cannot write the conversation: %w", err)
	}
	return textResult(done, path)
}

// conversationData encodes the conversation as Markdown if ext is .md, or else as JSON: the
// session record if record is set, or else the list of messages.
func (s *Runner) conversationData(ext string, record bool) ([]byte, error) {
	history := transcript.Masked(s.Session.History(), s.Session.Project.Masker())
	dirs := s.Session.Workspace.Dirs()
	info := transcript.Info{ID: s.Session.ID(), Dir: dirs[0], Directories: dirs[1:], Start: time.Now().Add(-s.Session.Age()), Calls: transcript.MaskedCalls(s.Session.Record.Calls(), s.Session.Project.Masker())}
	switch {
	case ext == ".md":
		return []byte(transcript.Markdown(info, history)), nil
	case record:
		return transcript.JSON(info, history)
	}
	return transcript.Contents(history)
}

// maxPath is the maximum length of a path argument, in bytes. It is longer than operating
// systems allow.
const maxPath = 8 << 10

// resolvePath returns the absolute path for a typed path. It removes quotes and, except on
// Windows, backslashes before spaces. It expands ~ to the home directory.
func (s *Runner) resolvePath(typed string) string {
	typed = strings.TrimSpace(typed)
	if n := len(typed); n >= 2 && (typed[0] == '"' || typed[0] == '\'') && typed[n-1] == typed[0] {
		typed = typed[1 : n-1]
	} else if filepath.Separator != '\\' {
		typed = strings.ReplaceAll(typed, `\ `, " ")
	}
	typed = s.Session.Project.Paths.Expand(typed)
	if !filepath.IsAbs(typed) {
		typed = filepath.Join(s.Session.Project.Paths.Dir(), typed)
	}
	return filepath.Clean(typed)
}
