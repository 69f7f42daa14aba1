package slash

import (
	"context"
	"net/url"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/doctor"
	"pollux/internal/durable"
	"pollux/internal/manage/keys"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// about shows the version, the model, the sign-in method and the environment.
func about(_ context.Context, s *Runner, _ string) (Result, error) {
	return textResult("Pollux\n\n%s", s.formatTable(nil, s.reportFacts()...))
}

// reportFacts returns the rows that /about shows and that a bug report needs.
func (s *Runner) reportFacts() [][]string {
	rows := [][]string{{"CLI Version", s.Session.Project.Options.Version}}
	if commit := commit(); commit != "" {
		rows = append(rows, []string{"Git Commit", commit})
	}
	rows = append(rows, []string{"Model", s.Session.Models.Current().Model})
	rows = append(rows, keys.AccountRows(s.Session)...)
	sandbox := s.Session.Project.Options.Env.Get("SANDBOX")
	if sandbox == "" {
		sandbox = "no sandbox"
	}
	return append(
		rows,
		[]string{"Sandbox", sandbox},
		[]string{"OS", runtime.GOOS + " " + runtime.GOARCH},
		[]string{"Approval Mode", s.Session.Rulebook.Mode().String()},
		[]string{"Directory", s.Session.Workspace.Root()},
		[]string{"Session ID", s.Session.ID()},
	)
}

// commit returns the first 12 characters of the revision that the binary was built from,
// or "" if the revision is unknown.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value[:min(len(setting.Value), 12)]
		}
	}
	return ""
}

// bug shows how to report a problem: the issue tracker URL from the settings with the
// details filled in, or the details alone if no tracker is set. If there is a conversation,
// bug saves it to a file. It opens no browser and sends nothing.
func bug(_ context.Context, s *Runner, title string) (Result, error) {
	var info strings.Builder
	for _, row := range s.reportFacts() {
		info.WriteString("* **" + row[0] + ":** " + terminal.Line(row[1]) + "\n")
	}
	text := "Describe what you did, what happened and what you expected. Add this information:\n\n" + info.String()
	var tracker struct{ URLTemplate string }
	if err := config.BugCommand.Decode(s.Session.Project.Settings(), &tracker); err != nil {
		return Result{}, err
	}
	if template := tracker.URLTemplate; template != "" {
		title = terminal.Cut(terminal.Line(title), 1000)
		text = "To report a problem, open this page:\n\n" + strings.NewReplacer(
			"{title}", escapeComponent(title), "{info}", escapeComponent(info.String()), "{problem}", escapeComponent(title),
		).Replace(template) + "\n"
	} else {
		text += "\nTo use an issue tracker, set advanced.bugCommand.urlTemplate in your settings."
	}
	if len(s.Session.History()) < 2 { // only the opening message
		return Result{Text: text}, nil
	}
	path, err := s.writeBugHistory()
	if err != nil {
		return Result{}, err
	}
	return Result{Text: text + "\nThe conversation is saved in " + path + ". Check it for private data before you share it."}, nil
}

// writeBugHistory writes the conversation to a new file in the project's temporary
// directory, and returns the path of the file.
func (s *Runner) writeBugHistory() (string, error) {
	dir, err := s.Session.Project.Paths.ProjectTemp()
	if err != nil {
		return "", err
	}
	data, err := s.conversationData(".json", true)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "bug-report-history-"+strconv.FormatInt(time.Now().UnixMilli(), 10)+".json")
	return path, durable.WriteFile(path, data, 0o600)
}

// escapeComponent escapes text for use in a URL query, with %20 for a space.
func escapeComponent(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

// runDoctor checks settings, credentials and the machine, without a request to the model.
func runDoctor(ctx context.Context, s *Runner, _ string) (Result, error) {
	text, err := doctor.Text(ctx, doctor.Options{
		Session: project.Options{Dir: s.Session.Project.Options.Dir, Env: s.Session.Project.Options.Env, Model: s.Session.Project.Options.Model, Version: s.Session.Project.Options.Version}, Terminal: s.Terminal,
		Unasked: "run 'pollux doctor' in a shell for that",
	})
	return Result{Text: text}, err
}
