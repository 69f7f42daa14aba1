// Package directories manages the directories of the workspace.
package directories

import (
	"context"
	"fmt"
	"os"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/guard/trust"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/tool"
)

// Command returns the commands about directories.
func Command() *manage.Command {
	return manage.SessionOnly(&manage.Command{
		Name: "directory", Aliases: []string{"dir"}, Summary: "Show and add workspace directories",
		Subs: []*manage.Command{
			{Name: "add", Args: "<path>[,<path>...]", Summary: "Add directories to the workspace", Run: add, Values: manage.DirectoryNames},
			{Name: "show", Summary: "List the directories of the workspace", RunsWhileBusy: true, Run: show},
		},
	})
}

func show(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	return manage.Say("Workspace directories:\n\n- %s", strings.Join(c.Live.Workspace.Dirs(), "\n- "))
}

// add adds directories to the workspace. It asks the user before it adds directories that are not trusted.
func add(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	if c.Text == "" {
		return manage.Misuse("Enter one or more directories, such as /directory add ../lib,~/notes")
	}
	if c.Live.Project.Options.Env.Get("SANDBOX") == "sandbox-exec" && strings.HasPrefix(c.Live.Project.Options.Env.Get("SEATBELT_PROFILE"), "restrictive-") {
		return manage.Misuse("Cannot add directories inside a sandbox. Restart with --include-directories instead.")
	}
	if len(c.Text) > manage.MaxPath {
		return manage.Misuse("The directory names are too long.")
	}
	dirs, problems := parseDirectories(c, c.Text)
	untrusted, err := untrustedDirs(c, dirs)
	if err != nil {
		return outcome.Outcome{}, err
	}
	if len(untrusted) > 0 {
		agreed, err := confirmTrust(ctx, c, untrusted)
		if err != nil {
			return outcome.Outcome{}, err
		}
		if !agreed {
			return manage.Say("No directory added.")
		}
	}
	var lines []string
	for _, dir := range dirs {
		switch path, added, err := c.Live.AddDirectory(ctx, dir); {
		case err != nil:
			problems = append(problems, fmt.Sprintf("Cannot add %s: %v", dir, err))
		case added:
			lines = append(lines, "Added "+path+" to the workspace.")
		default:
			lines = append(lines, path+" is already in the workspace.")
		}
	}
	text := strings.Join(append(lines, problems...), "\n")
	return outcome.Outcome{Parts: []outcome.Part{outcome.Text(text)}, Failed: len(problems) > 0}, nil
}

// parseDirectories splits a comma-separated list. It returns the paths of existing
// directories, at most 20, and a message for each path that is not a directory. If all of
// args is the name of a directory, it does not split args: a name may contain a comma.
func parseDirectories(c *manage.Call, args string) (dirs, problems []string) {
	const maxDirs = 20
	names := strings.Split(args, ",")
	if whole := c.Resolve(args); isDir(whole) {
		names = []string{args}
	}
	for _, name := range names {
		if strings.TrimSpace(name) == "" {
			continue
		}
		dir := c.Resolve(name)
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

func untrustedDirs(c *manage.Call, dirs []string) ([]string, error) {
	var untrusted []string
	for _, dir := range dirs {
		o := c.Live.Project.TrustOptions()
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
func confirmTrust(ctx context.Context, c *manage.Call, dirs []string) (bool, error) {
	const once, always = "Yes", "Yes, and trust these directories in the future"
	answer, err := c.Choose(ctx, person.Choice{
		Header:  "Trust",
		Text:    "Do you trust the files in these directories? The model reads them and can follow instructions in them.\n\n- " + strings.Join(dirs, "\n- "),
		Options: []tool.Option{{Label: once}, {Label: always}, {Label: "No"}},
	})
	if err != nil || answer != always {
		return answer == once, err
	}
	for _, dir := range dirs {
		if err := trust.Set(c.Live.Project.TrustOptions().File, dir, trust.TrustFolder); err != nil {
			return false, err
		}
	}
	return true, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
