package slash

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/doctor"
	"pollux/internal/durable"
	"pollux/internal/person"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/llm/provider"
	"pollux/tool"
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
	rows = append(rows, []string{"Model", s.Session.Current().Model})
	rows = append(rows, s.accountRows()...)
	sandbox := s.Session.Project.Env.Get("SANDBOX")
	if sandbox == "" {
		sandbox = "no sandbox"
	}
	return append(
		rows,
		[]string{"Sandbox", sandbox},
		[]string{"OS", runtime.GOOS + " " + runtime.GOARCH},
		[]string{"Approval Mode", s.Session.Mode().String()},
		[]string{"Directory", s.Session.Workspace.Root()},
		[]string{"Session ID", s.Session.ID()},
	)
}

// accountRows returns the sign-in method, provider and address of the current account. It
// returns nil if the session has no provider profile, for example with scripted responses.
func (s *Runner) accountRows() [][]string {
	a := s.Session.Current().Account
	if a.Profile == nil {
		return nil
	}
	rows := [][]string{{"Auth Method", string(a.Type)}}
	if a.Name != "" {
		rows = append(rows, []string{"Provider", a.Name})
	}
	if a.BaseURL != "" {
		rows = append(rows, []string{"Address", provider.RedactAddress(a.BaseURL)})
	}
	if a.Project != "" {
		rows = append(rows, []string{"GCP Project", a.Project})
	}
	return rows
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

// authSignin asks for a provider and its API key, and stores the key.
func authSignin(ctx context.Context, s *Runner, provider string) (Result, error) {
	if s.Session.Project.Options.Asker == nil {
		return Result{}, person.ErrNoPerson
	}
	done, err := s.authCommand().SignIn(ctx, s.Session.Project.Options.Asker.Ask, terminal.Cut(provider, 100))
	if err != nil || done.Type == "" {
		return Result{Text: done.Text}, err
	}
	text, err := s.Session.SignedIn(ctx, done)
	if err != nil {
		return Result{}, fmt.Errorf("%s\n%w", done.Text, err)
	}
	return Result{Text: strings.TrimSpace(done.Text + "\n" + text)}, nil
}

// authSignout deletes the stored API key of a provider.
func authSignout(ctx context.Context, s *Runner, provider string) (Result, error) {
	var ask tool.Ask
	switch {
	case s.Session.Project.Options.Asker != nil:
		ask = s.Session.Project.Options.Asker.Ask
	case provider == "":
		return Result{}, person.ErrNoPerson
	}
	id, text, err := s.authCommand().SignOut(ctx, ask, terminal.Cut(provider, 100))
	if id == "" {
		return Result{Text: text}, err
	}
	hadTyped, now := s.Session.SignedOut(ctx, id)
	if hadTyped && err != nil {
		text, err = "This session no longer uses the key that you typed.", nil
	}
	return Result{Text: strings.TrimSpace(text + "\n" + now)}, err
}

// authList lists the stored API keys.
func authList(ctx context.Context, s *Runner, _ string) (Result, error) {
	text, err := s.authCommand().List(ctx)
	return Result{Text: text}, err
}

func (s *Runner) authCommand() auth.Command {
	return auth.Command{Inputs: auth.Inputs{Settings: s.Session.Project.Settings(), Env: s.Session.Project.Env, Launcher: s.Session.Project.Launcher}, Paths: s.Session.Project.Paths, Notify: s.Session.Project.Warn}
}

// authStatus shows the provider account of this session and the source of its API key.
func authStatus(_ context.Context, s *Runner, _ string) (Result, error) {
	if err := s.Session.Reachable(); err != nil {
		return Result{}, err
	}
	rows := s.accountRows()
	if len(rows) == 0 {
		return textResult("Not signed in: responses are replayed or come from a custom provider.")
	}
	if from := s.Session.Current().Account.KeySource(); from != "" {
		rows = append(rows, []string{"Key", from})
	}
	return Result{Text: s.formatTable(nil, rows...)}, nil
}
