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
	"pollux/internal/durable"
	"pollux/internal/terminal"
	"pollux/llm/provider"
)

func about(_ context.Context, s *Session, _ string) (Result, error) {
	return say("Pollux\n\n%s", table(s.facts()...))
}

// facts are what a report of a problem should say.
func (s *Session) facts() [][]string {
	rows := [][]string{{"CLI Version", s.Version}}
	if commit := commit(); commit != "" {
		rows = append(rows, []string{"Git Commit", commit})
	}
	rows = append(rows, []string{"Model", s.App.Model()})
	rows = append(rows, s.account()...)
	sandbox := s.Env.Get("SANDBOX")
	if sandbox == "" {
		sandbox = "no sandbox"
	}
	return append(
		rows,
		[]string{"Sandbox", sandbox},
		[]string{"OS", runtime.GOOS + " " + runtime.GOARCH},
		[]string{"Approval Mode", s.App.Mode().String()},
		[]string{"Directory", s.App.Workspace.Root()},
		[]string{"Session ID", s.App.SessionID()},
	)
}

// account says who answers; nothing where answers are played or nobody can be asked.
func (s *Session) account() [][]string {
	a := s.App.Auth()
	if a.Profile == nil {
		return nil
	}
	rows := [][]string{{"Auth Method", string(a.Type)}}
	if a.Name != "" {
		rows = append(rows, []string{"Provider", a.Name})
	}
	if a.BaseURL != "" {
		rows = append(rows, []string{"Address", provider.Shown(a.BaseURL)})
	}
	if a.Project != "" {
		rows = append(rows, []string{"GCP Project", a.Project})
	}
	return rows
}

// commit returns the revision that the program was built from, "" if that is not known.
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

// bug gives the address of the tracker that settings name, filled in, and else the
// facts. Nothing is opened or sent.
func bug(_ context.Context, s *Session, title string) (Result, error) {
	var info strings.Builder
	for _, row := range s.facts() {
		info.WriteString("* **" + row[0] + ":** " + terminal.Line(row[1]) + "\n")
	}
	text := "To report a problem, say what you did, what happened and what you expected, and add:\n\n" + info.String()
	var tracker struct{ URLTemplate string }
	if err := config.BugCommand.Decode(s.Current(), &tracker); err != nil {
		return Result{}, err
	}
	if template := tracker.URLTemplate; template != "" {
		title = cut(terminal.Line(title), 1000)
		text = "To report a problem, open:\n\n" + strings.NewReplacer(
			"{title}", component(title), "{info}", component(info.String()), "{problem}", component(title),
		).Replace(template) + "\n"
	} else {
		text += "\nadvanced.bugCommand.urlTemplate in your settings can name a tracker to open in its place."
	}
	if len(s.App.Agent.History()) < 2 { // what opens the conversation
		return Result{Text: text}, nil
	}
	path, err := s.keepHistory()
	if err != nil {
		return Result{}, err
	}
	return Result{Text: text + "\nThe conversation is in " + path + ". Look it over before you add it to a report."}, nil
}

// keepHistory writes the conversation to a file of its own, and returns its path.
func (s *Session) keepHistory() (string, error) {
	dir, err := s.Paths.ProjectTemp()
	if err != nil {
		return "", err
	}
	data, err := s.written(".json", true)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "bug-report-history-"+strconv.FormatInt(time.Now().UnixMilli(), 10)+".json")
	return path, durable.WriteFile(path, data, 0o600)
}

// component escapes a text as encodeURIComponent does.
func component(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

func doctor(ctx context.Context, s *Session, _ string) (Result, error) {
	if s.Doctor == nil {
		return fail("Use: pollux doctor")
	}
	text, err := s.Doctor(ctx)
	return Result{Text: text}, err
}

func authSignin(ctx context.Context, s *Session, provider string) (Result, error) {
	return s.auth(ctx, "signin "+provider)
}

func authSignout(ctx context.Context, s *Session, provider string) (Result, error) {
	if provider == "" && s.Ask == nil {
		return Result{}, errConfirm
	}
	return s.auth(ctx, "signout "+provider)
}

func authList(ctx context.Context, s *Session, _ string) (Result, error) {
	return s.auth(ctx, "list")
}

func (s *Session) auth(ctx context.Context, args string) (Result, error) {
	if s.Auth == nil {
		return fail("Keys cannot be kept here.")
	}
	text, err := s.Auth(ctx, s.Ask, args)
	return Result{Text: text}, err
}

// authStatus says who answers in this session.
func authStatus(_ context.Context, s *Session, _ string) (Result, error) {
	if err := s.App.Reachable(); err != nil {
		return Result{}, err
	}
	rows := s.account()
	if len(rows) == 0 {
		return say("Nobody is signed in: the answers come from elsewhere.")
	}
	if from := s.App.Auth().From; from != "" {
		rows = append(rows, []string{"Key", from})
	}
	return Result{Text: table(rows...)}, nil
}
