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

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/doctor"
	"pollux/internal/durable"
	"pollux/internal/session"
	"pollux/internal/terminal"
	"pollux/llm/provider"
	"pollux/tool"
)

// about shows the version, the model, the sign-in method and the environment.
func about(_ context.Context, s *Runner, _ string) (Result, error) {
	return textResult("Pollux\n\n%s", formatTable(s.reportFacts()...))
}

// reportFacts returns the rows that /about shows and that a bug report needs.
func (s *Runner) reportFacts() [][]string {
	rows := [][]string{{"CLI Version", s.Version}}
	if commit := commit(); commit != "" {
		rows = append(rows, []string{"Git Commit", commit})
	}
	rows = append(rows, []string{"Model", s.Current().Model})
	rows = append(rows, s.accountRows()...)
	sandbox := s.Env.Get("SANDBOX")
	if sandbox == "" {
		sandbox = "no sandbox"
	}
	return append(
		rows,
		[]string{"Sandbox", sandbox},
		[]string{"OS", runtime.GOOS + " " + runtime.GOARCH},
		[]string{"Approval Mode", s.Mode().String()},
		[]string{"Directory", s.Workspace.Root()},
		[]string{"Session ID", s.ID()},
	)
}

// accountRows returns the sign-in method, provider and address of the current account. It
// returns nil if the session has no provider profile, for example with scripted responses.
func (s *Runner) accountRows() [][]string {
	a := s.Current().Account
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
	text := "To report a problem, say what you did, what happened and what you expected, and add:\n\n" + info.String()
	var tracker struct{ URLTemplate string }
	if err := config.BugCommand.Decode(s.CurrentSettings(), &tracker); err != nil {
		return Result{}, err
	}
	if template := tracker.URLTemplate; template != "" {
		title = terminal.Cut(terminal.Line(title), 1000)
		text = "To report a problem, open:\n\n" + strings.NewReplacer(
			"{title}", escapeComponent(title), "{info}", escapeComponent(info.String()), "{problem}", escapeComponent(title),
		).Replace(template) + "\n"
	} else {
		text += "\nadvanced.bugCommand.urlTemplate in your settings can name a tracker to open in its place."
	}
	if len(s.History()) < 2 { // only the opening message
		return Result{Text: text}, nil
	}
	path, err := s.writeBugHistory()
	if err != nil {
		return Result{}, err
	}
	return Result{Text: text + "\nThe conversation is in " + path + ". Look it over before you add it to a report."}, nil
}

// writeBugHistory writes the conversation to a new file in the project's temporary
// directory, and returns the path of the file.
func (s *Runner) writeBugHistory() (string, error) {
	dir, err := s.Paths.ProjectTemp()
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
		Session: session.Options{Dir: s.Dir, Env: s.Options.Env, Model: s.Options.Model, Version: s.Version}, Terminal: s.Terminal,
		Unasked: "run 'pollux doctor' in a shell for that",
	})
	return Result{Text: text}, err
}

// authSignin asks for a provider's API key and stores it.
func authSignin(ctx context.Context, s *Runner, provider string) (Result, error) {
	return s.auth(ctx, "signin "+terminal.Cut(provider, 100))
}

// authSignout deletes the stored API key of a provider.
func authSignout(ctx context.Context, s *Runner, provider string) (Result, error) {
	if provider == "" && s.Asker == nil {
		return Result{}, session.ErrNoPerson
	}
	return s.auth(ctx, "signout "+terminal.Cut(provider, 100))
}

// authList lists the stored API keys.
func authList(ctx context.Context, s *Runner, _ string) (Result, error) {
	return s.auth(ctx, "list")
}

// auth runs an auth subcommand, given as one line.
func (s *Runner) auth(ctx context.Context, args string) (Result, error) {
	var ask tool.Ask
	if s.Asker != nil {
		ask = s.Asker.Ask
	}
	command := auth.Command{Inputs: auth.Inputs{Settings: s.Settings, Env: s.Env}, Paths: s.Paths}
	text, err := command.Run(ctx, ask, args)
	return Result{Text: text}, err
}

// authStatus shows the provider account of this session and the source of its API key.
func authStatus(_ context.Context, s *Runner, _ string) (Result, error) {
	if err := s.Reachable(); err != nil {
		return Result{}, err
	}
	rows := s.accountRows()
	if len(rows) == 0 {
		return textResult("Nobody is signed in: the answers come from elsewhere.")
	}
	if from := s.Current().Account.From; from != "" {
		rows = append(rows, []string{"Key", from})
	}
	return Result{Text: formatTable(rows...)}, nil
}
