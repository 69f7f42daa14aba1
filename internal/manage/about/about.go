// Package about has the commands about Pollux itself: version, documentation, check of the setup, demo, bug reports.
package about

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"pollux/docs"
	"pollux/internal/companion"
	"pollux/internal/config"
	"pollux/internal/demo"
	"pollux/internal/doctor"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/conversation"
	"pollux/internal/manage/keys"
	"pollux/internal/manage/undo"
	"pollux/internal/outcome"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/sandbox"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// Commands returns the commands about Pollux.
func Commands() []*manage.Command {
	return []*manage.Command{
		manage.SessionOnly(&manage.Command{Name: "about", Summary: "Show the version and environment of Pollux", RunsWhileBusy: true, Run: about}),
		manage.SessionOnly(&manage.Command{Name: "bug", Args: "[title]", Summary: "Report a problem", Run: bug}),
		{
			Name: "demo", Summary: "Watch Pollux fix a bug and undo a deletion, without a key or network", Run: runDemo,
			Flags: []manage.Flag{{Name: "keep", Default: false, Usage: "Keep the demo project and print its path"}},
		},
		manage.SessionOnly(&manage.Command{Name: "docs", Args: "[page]", Summary: "Read the documentation", RunsWhileBusy: true, Run: showDocs}),
		{
			Name: "doctor", Summary: "Check your setup and test the model", Run: examine, Session: &manage.InSession{Run: examineLive}, RunsWhileBusy: true,
			Flags: []manage.Flag{
				manage.JSON,
				{Name: "all", Default: false, Usage: "List all providers that are not set up"},
				{Name: "offline", Default: false, Usage: "Skip the test of the model"},
				{Name: "model", Short: "m", Default: "", Usage: "Model to test"},
				{Name: "reset-terminal", Default: false, Usage: "Only reset a terminal in which Pollux was killed"},
			},
		},
	}
}

func about(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	return outcome.New(outcome.Text("Pollux"), &outcome.Table{Rows: facts(c)}), nil
}

// sandboxes returns the sandbox that Pollux runs in, and that of its commands.
func sandboxes(p *project.Project) string {
	outer, own := p.Options.Env.Get("SANDBOX"), p.Sandbox.Name(sandbox.Name, "")
	if outer != "" && own != "" {
		return outer + ", with " + own + " inside"
	}
	return cmp.Or(own, outer, "no sandbox")
}

// facts returns the rows that /about shows and that a bug report needs.
func facts(c *manage.Call) [][]string {
	rows := [][]string{{"CLI Version", c.Live.Project.Options.Version}}
	if commit := commit(); commit != "" {
		rows = append(rows, []string{"Git Commit", commit})
	}
	if s := c.Live.Companion.Status(); s.Phase == companion.Connected {
		rows = append(rows, []string{"IDE Client", s.Editor})
	}
	rows = append(rows, []string{"Model", c.Live.Models.Current().Model})
	rows = append(rows, keys.AccountRows(c.Live)...)
	return append(
		rows,
		[]string{"Sandbox", sandboxes(c.Live.Project)},
		[]string{"OS", runtime.GOOS + " " + runtime.GOARCH},
		[]string{"Approval Mode", c.Live.Rulebook.Mode().String()},
		[]string{"Directory", c.Live.Workspace.Root()},
		[]string{"Session ID", c.Live.ID()},
	)
}

// commit returns the first 12 characters of the revision that the binary was built from, "" if unknown.
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
func bug(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	var info strings.Builder
	for _, row := range facts(c) {
		info.WriteString("* **" + row[0] + ":** " + terminal.Line(row[1]) + "\n")
	}
	text := "Describe what you did, what happened and what you expected. Add this information:\n\n" + info.String()
	var tracker struct{ URLTemplate string }
	if err := config.BugCommand.Decode(c.Live.Project.Settings(), &tracker); err != nil {
		return outcome.Outcome{}, err
	}
	if template := tracker.URLTemplate; template != "" {
		title := escapeComponent(terminal.Cut(terminal.Line(c.Text), 1000))
		text = "To report a problem, open this page:\n\n" + strings.NewReplacer(
			"{title}", title, "{info}", escapeComponent(info.String()), "{problem}", title,
		).Replace(template) + "\n"
	} else {
		text += "\nTo use an issue tracker, set advanced.bugCommand.urlTemplate in your settings."
	}
	if len(c.Live.History()) < 2 { // only the opening message
		return manage.Say("%s", text)
	}
	path, err := writeBugHistory(c)
	if err != nil {
		return outcome.Outcome{}, err
	}
	return manage.Say("%s\nThe conversation is saved in %s. Check it for private data before you share it.", text, path)
}

// writeBugHistory writes the conversation to a new file in the project's temporary directory, and returns its path.
func writeBugHistory(c *manage.Call) (string, error) {
	dir, err := c.Live.Project.Paths.ProjectTemp()
	if err != nil {
		return "", err
	}
	data, err := conversation.Record(c)
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

func examine(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	if c.Is("reset-terminal") {
		if paths, err := c.Paths(); err == nil {
			c.Terminal.Marks = paths.TerminalMarks()
		}
		if c.Terminal.ResetKilled() {
			return o, nil
		}
		if err := c.Terminal.Reset(); err != nil {
			return o, exit.Errorf(exit.General, "Cannot reset the terminal: %w. Run pollux doctor --reset-terminal in the terminal itself.", err)
		}
		return o, nil
	}
	with := doctor.Options{Session: c.Options, Terminal: c.Terminal}
	with.Session.Model, with.Session.Loaded = c.Value("model"), nil
	if c.Is("offline") {
		with.Unasked, with.IsOffline = "because of --offline", true
	}
	if c.Terminal.ErrTTY && !c.Is("json") {
		with.Asking = func(model string) { c.Note(fmt.Sprintf("Testing %s with a few hundred tokens ...", model)) }
	}
	report, err := doctor.Examine(ctx, with)
	if err != nil {
		return o, err
	}
	if !c.Is("json") {
		err = report.Write(c.Terminal.Out.Styled(), doctor.Layout{Width: c.Width(), Color: c.Terminal.OutColor(), All: c.Is("all")})
	}
	if failure := report.Failure(); err == nil && failure != nil {
		err = &exit.Shown{Err: failure}
	}
	return o.WithValue(report), err
}

// examineLive checks the setup in a session, without a request to the model.
func examineLive(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	set := c.Live.Project.Options
	text, err := doctor.Text(ctx, doctor.Options{
		Session:  project.Options{Dir: set.Dir, Env: set.Env, Model: set.Model, Version: set.Version},
		Terminal: c.Terminal, Unasked: "run 'pollux doctor' in a shell for that",
	})
	return outcome.New(outcome.Text(text)), err
}

// runDemo fixes a bug in a sample project with a scripted model, and takes back that the model deletes it.
func runDemo(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	return outcome.Outcome{}, demo.Run(ctx, demo.Options{
		Out: c.Terminal.Out.Styled(), Keep: c.Is("keep"), Live: c.Terminal.OutTTY, Colour: c.Terminal.OutColor(), Launcher: process.NewLauncher(),
		Env: c.Options.Env, Version: c.Options.Version,
		Undo: func(ctx context.Context, s *session.Session) (string, error) {
			o, err := undo.Commands()[0].Run(ctx, &manage.Call{Live: s, Terminal: c.Terminal})
			return o.Plain(80), err
		},
	})
}

func showDocs(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	if c.Text != "" {
		text, err := docs.Pages.ReadFile(strings.TrimSuffix(c.Text, ".md") + ".md")
		if err != nil {
			return manage.Misuse("There is no page %q. /docs lists all pages.", terminal.Cut(c.Text, 40))
		}
		if !c.HasPerson() { // not at a terminal, which wraps lines
			return manage.Say("%s", text)
		}
		return manage.Say("%s", joinLines(string(text)))
	}
	entries, err := docs.Pages.ReadDir(".")
	if err != nil {
		return outcome.Outcome{}, err
	}
	t := &outcome.Table{}
	for _, e := range entries {
		text, err := docs.Pages.ReadFile(e.Name())
		if err != nil {
			return outcome.Outcome{}, err
		}
		title, _, _ := strings.Cut(string(text), "\n")
		t.Rows = append(t.Rows, []string{strings.TrimSuffix(e.Name(), ".md"), strings.TrimLeft(title, "# ")})
	}
	return outcome.New(outcome.Text("Pages of the documentation:"), t, outcome.Text("/docs <page> shows one.")), nil
}

// joinLines joins the lines of each paragraph and list item of a Markdown page, so that they are wrapped once, at the
// width of the terminal. It removes comments. Code, tables and headings keep their lines.
func joinLines(page string) string {
	var (
		comment = regexp.MustCompile(`(?s)<!--.*?-->\n?`)
		// begins matches lines that begin an item, a heading, a quote, a table or a tag.
		begins = regexp.MustCompile(`^([-*+>]\s|\d+[.)]\s|[#|<])`)
	)
	var lines []string
	isCode, isText := false, false // about the last line
	for line := range strings.Lines(comment.ReplaceAllString(page, "")) {
		text := strings.TrimSpace(line)
		isFence := strings.HasPrefix(text, "```")
		switch {
		case isText && text != "" && !isFence && !begins.MatchString(text):
			lines[len(lines)-1] += " " + text
			continue
		case isCode || isFence || text == "" || strings.HasPrefix(line, "    ") && !begins.MatchString(text):
			isText = false
		default:
			isText = !strings.ContainsAny(text[:1], "#|<>")
		}
		isCode = isCode != isFence
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.Join(lines, "\n") + "\n"
}
