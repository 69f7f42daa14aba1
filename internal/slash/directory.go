package slash

import (
	"context"
	"fmt"
	"os"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/guard/trust"
	"pollux/internal/manage"
	"pollux/tool"
)

// directoryShow lists the directories of the workspace.
func directoryShow(_ context.Context, s *Runner, _ string) (Result, error) {
	return textResult("Workspace directories:\n\n- %s", strings.Join(s.Session.Workspace.Dirs(), "\n- "))
}

// directoryAdd adds directories to the workspace. It asks the user before it adds
// directories that are not trusted.
func directoryAdd(ctx context.Context, s *Runner, args string) (Result, error) {
	if args == "" {
		return usageError("Enter one or more directories, such as /directory add ../lib,~/notes")
	}
	if s.Session.Project.Options.Env.Get("SANDBOX") == "sandbox-exec" && strings.HasPrefix(s.Session.Project.Options.Env.Get("SEATBELT_PROFILE"), "restrictive-") {
		return usageError("Cannot add directories inside a sandbox. Restart with --include-directories instead.")
	}
	if len(args) > manage.MaxPath {
		return usageError("The directory names are too long.")
	}
	dirs, problems := s.parseDirectories(args)
	untrusted, err := s.untrustedDirs(dirs)
	if err != nil {
		return Result{}, err
	}
	if len(untrusted) > 0 {
		agreed, err := s.confirmTrust(ctx, untrusted)
		if err != nil {
			return Result{}, err
		}
		if !agreed {
			return Result{Text: "No directory added."}, nil
		}
	}
	var lines []string
	for _, dir := range dirs {
		switch path, added, err := s.Session.AddDirectory(ctx, dir); {
		case err != nil:
			problems = append(problems, fmt.Sprintf("Cannot add %s: %v", dir, err))
		case added:
			lines = append(lines, "Added "+path+" to the workspace.")
		default:
			lines = append(lines, path+" is already in the workspace.")
		}
	}
	text := strings.Join(append(lines, problems...), "\n")
	return Result{Text: text, Failed: len(problems) > 0}, nil
}

// parseDirectories splits a comma-separated list. It returns the paths of existing
// directories, at most 20, and a message for each path that is not a directory. If all of
// args is the name of a directory, it does not split args: a name may contain a comma.
func (s *Runner) parseDirectories(args string) (dirs, problems []string) {
	const maxDirs = 20
	names := strings.Split(args, ",")
	if whole := s.resolvePath(args); isDir(whole) {
		names = []string{args}
	}
	for _, name := range names {
		if strings.TrimSpace(name) == "" {
			continue
		}
		dir := s.resolvePath(name)
		switch info, err := os.Stat(dir); {
		case len(dirs) == maxDirs:
			return dirs, append(problems, fmt.Sprintf("Only the first %d directories were added.", maxDirs))
		case err != nil:
			problems = append(problems, fmt.Sprintf("Cannot add %s: %v", dir, durable.Cause(err)))
		case !info.IsDir():
			problems = append(problems, dir+" was not added: it is not a directory.")
		default:
			dirs = append(dirs, dir)
		}
	}
	return dirs, problems
}

// untrustedDirs returns the directories in dirs that are not trusted.
func (s *Runner) untrustedDirs(dirs []string) ([]string, error) {
	var untrusted []string
	for _, dir := range dirs {
		o := s.Session.Project.TrustOptions()
		o.Dir, o.Editor = dir, trust.Unknown // the editor's trust state is for its own folder only
		state, err := trust.Decide(o)
		if err != nil {
			return nil, err
		}
		if state != trust.Trusted {
			untrusted = append(untrusted, dir)
		}
	}
	return untrusted, nil
}

// confirmTrust asks the user whether to add untrusted directories, and reports whether the
// user agrees. It stores the directories as trusted if the user chooses to remember them.
func (s *Runner) confirmTrust(ctx context.Context, dirs []string) (bool, error) {
	const once, always = "Yes", "Yes, and trust these directories in the future"
	answer, err := s.choose(ctx, "Trust",
		"Do you trust the files in these directories? The model reads them and can follow instructions in them.\n\n- "+strings.Join(dirs, "\n- "),
		"", tool.Option{Label: once}, tool.Option{Label: always}, tool.Option{Label: "No"})
	if err != nil || answer != always {
		return answer == once, err
	}
	for _, dir := range dirs {
		if err := trust.Set(s.Session.Project.TrustOptions().File, dir, trust.TrustFolder); err != nil {
			return false, err
		}
	}
	return true, nil
}

// isDir reports whether path is an existing directory.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
