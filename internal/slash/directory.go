package slash

import (
	"context"
	"fmt"
	"os"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/guard/trust"
	"pollux/tool"
)

func directoryShow(_ context.Context, s *Session, _ string) (Result, error) {
	return say("Workspace directories:\n\n- %s", strings.Join(s.App.Workspace.Dirs(), "\n- "))
}

// directoryAdd adds directories. Those that are not trusted only if a person agrees
// (spec/safety.md §5).
func directoryAdd(ctx context.Context, s *Session, args string) (Result, error) {
	if args == "" {
		return fail("Name one directory or several, as in: /directory add ../lib,~/notes")
	}
	if s.Env.Get("SANDBOX") == "sandbox-exec" && strings.HasPrefix(s.Env.Get("SEATBELT_PROFILE"), "restrictive-") {
		return fail("The sandbox that Pollux runs in keeps other directories out. Start with --include-directories instead.")
	}
	if len(args) > longestPath {
		return fail("That is too long for the names of directories.")
	}
	dirs, wrong := s.directories(args)
	strange, err := s.untrusted(dirs)
	if err != nil {
		return Result{}, err
	}
	if len(strange) > 0 {
		agreed, err := s.consents(ctx, strange)
		if err != nil {
			return Result{}, err
		}
		if !agreed {
			return Result{Text: "Nothing was added."}, nil
		}
	}
	var lines []string
	for _, dir := range dirs {
		switch path, added, err := s.App.AddDirectory(ctx, dir); {
		case err != nil:
			wrong = append(wrong, fmt.Sprintf("%s was not added: %v", dir, err))
		case added:
			lines = append(lines, "Added "+path+" to the workspace.")
		default:
			lines = append(lines, path+" is part of the workspace already.")
		}
	}
	text := strings.Join(append(lines, wrong...), "\n")
	return Result{Text: text, Failed: len(wrong) > 0}, nil
}

// directories returns the directories of a list, and what is wrong with the others.
// A comma may be part of a name.
func (s *Session) directories(args string) (dirs, wrong []string) {
	const most = 20
	names := strings.Split(args, ",")
	if whole := s.path(args); isDir(whole) {
		names = []string{args}
	}
	for _, name := range names {
		if strings.TrimSpace(name) == "" {
			continue
		}
		dir := s.path(name)
		switch info, err := os.Stat(dir); {
		case len(dirs) == most:
			return dirs, append(wrong, fmt.Sprintf("Only the first %d directories are taken.", most))
		case err != nil:
			wrong = append(wrong, fmt.Sprintf("%s was not added: %v", dir, durable.Cause(err)))
		case !info.IsDir():
			wrong = append(wrong, dir+" was not added: it is not a directory.")
		default:
			dirs = append(dirs, dir)
		}
	}
	return dirs, wrong
}

// untrusted returns those of the directories that nobody has said to be trusted.
func (s *Session) untrusted(dirs []string) ([]string, error) {
	var strange []string
	for _, dir := range dirs {
		o := s.Trust
		o.Dir, o.Editor = dir, trust.Unknown // the editor speaks for its own folder
		state, err := trust.Decide(o)
		if err != nil {
			return nil, err
		}
		if state != trust.Trusted {
			strange = append(strange, dir)
		}
	}
	return strange, nil
}

// consents asks a person whether directories may be added that are not trusted, and
// keeps it if they say so.
func (s *Session) consents(ctx context.Context, dirs []string) (bool, error) {
	const once, always = "Yes", "Yes, and remember the directories as trusted"
	said, err := s.choose(ctx, "Trust",
		"Do you trust what is in these directories? The model will read it, and may follow what it says.\n\n- "+strings.Join(dirs, "\n- "),
		false, tool.Option{Label: once}, tool.Option{Label: always}, tool.Option{Label: "No"})
	if err != nil || said != always {
		return said == once, err
	}
	for _, dir := range dirs {
		if err := trust.Set(s.Trust.File, dir, trust.TrustFolder); err != nil {
			return false, err
		}
	}
	return true, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
