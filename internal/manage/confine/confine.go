// Package confine runs commands in the sandbox, and explains it.
package confine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/permits"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/container"
	"pollux/internal/sandbox/refusals"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/internal/workspace"
)

// Command returns the commands about the sandbox.
func Command() *manage.Command {
	return &manage.Command{
		Name: "sandbox", Summary: "Show the sandbox, and run commands in it", Run: manage.With(manage.Open, show), Session: &manage.InSession{}, RunsWhileBusy: true,
		Subs: []*manage.Command{
			{
				Name: "run", Args: "<command> [argument...]", Summary: "Run a command in the sandbox", ReadsFlags: true,
				Details: "The command can do what the commands of a model can do in the sandbox, whether or not settings turn it on. Pollux exits with its exit code.",
				Example: "pollux sandbox run -- npm test\n  pollux sandbox run bash", Run: manage.With(manage.Open, run),
			},
			{
				Name: "explain", Args: "<path or host>", Summary: "Show what commands in the sandbox can do with a file or directory, or whether they reach a host", RunsWhileBusy: true,
				Run: manage.With(manage.Open, explain), Session: &manage.InSession{}, Values: manage.FileNames,
			},
			{
				Name: "log", Summary: "Show the permissions that commands were refused, and their changes that were taken back", RunsWhileBusy: true,
				Run: manage.With(manage.Open, showLog), Session: &manage.InSession{},
			},
		},
	}
}

// show says whether commands are confined, and lists the files that they can change.
func show(_ context.Context, _ *manage.Call, p *project.Project) (outcome.Outcome, error) {
	_, err := p.CheckSandbox()
	if needed, ok := errors.AsType[*container.Needed](err); ok {
		return manage.Say("Sessions run in a container (%s), because of %s. If its kernel allows that, commands of the model run in the sandbox of Pollux in there.", needed.Name, needed.From)
	} else if err != nil {
		return outcome.Outcome{}, err
	}
	if err := govern(p); err != nil {
		return outcome.Outcome{}, err
	}
	allowed := p.Sandbox.Profile()
	text := "Commands of the model run without a sandbox. To turn it on, set tools.sandbox to true, or use --sandbox."
	err = sandbox.Available()
	switch {
	case p.Sandbox.IsForAll():
		text = strings.TrimSpace("Commands of the model, the project and extensions run in a sandbox. " + p.Sandbox.Warning())
	case p.Sandbox.IsOn():
		text = strings.TrimSpace("Commands of the model run in a sandbox. Hooks and MCP servers of the project and of extensions do not: set tools.sandbox to true for them. " + p.Sandbox.Warning())
	case err != nil:
		text = "Commands of the model run without a sandbox: " + wording.Reason(err) + "."
	case !p.Sandbox.SuitsWorkspace():
		text = "Commands of the model run without a sandbox, because your home directory is in the workspace. To turn it on nevertheless, set tools.sandbox to true, or use --sandbox."
	}
	limit := p.Sandbox.Limit("")
	if described := describeLimit(limit); described != "" {
		text += "\n\n" + described
	}
	if allowed.Network.Off && (!limit.IsOffline || len(allowed.Network.Hosts) > 0) {
		text += "\n\n" + describeReach(allowed.Network)
	}
	if list, _ := p.Sandbox.Credentials(); len(list) > 0 && sandbox.KnowsHosts() {
		text += "\n\n" + describeCredentials(p.Sandbox, list)
	}
	var rows [][]string
	for _, path := range allowed.Write {
		rows = append(rows, []string{"change", name(p, path)})
	}
	hasDevices := false
	for _, path := range allowed.Hide {
		verdict, _ := allowed.Judge(path)
		switch {
		case verdict != sandbox.Hidden || !exists(path) || slices.Contains(allowed.Unneeded, path):
		case workspace.IsWithin(path, "/dev"):
			hasDevices = true
		default:
			rows = append(rows, []string{"hidden", name(p, path)})
		}
	}
	if n := len(allowed.Unneeded); n > 0 {
		rows = append(rows, []string{"hidden", wording.Count(n, "other path") + " of home directories and other disks (pollux.sandboxReads)"})
	}
	if hasDevices {
		rows = append(rows, []string{"hidden", "most devices in /dev"})
	}
	return outcome.New(outcome.Text(text+"\n\nIn the sandbox, commands can read all files except hidden ones, and change only these:"), &outcome.Table{Rows: rows}), nil
}

// explain says whether commands in the sandbox can read and change a path.
func explain(_ context.Context, c *manage.Call, p *project.Project) (outcome.Outcome, error) {
	words := c.Text
	if c.Live == nil {
		words = strings.Join(c.Words, " ")
	}
	if words == "" {
		return outcome.Outcome{}, exit.Errorf(exit.Input, "Name a file, a directory or a host.")
	}
	if c.Live == nil {
		if _, err := p.CheckSandbox(); err != nil && !container.IsNeeded(err) {
			return outcome.Outcome{}, err
		}
		if err := govern(p); err != nil {
			return outcome.Outcome{}, err
		}
	}
	path := workspace.RealPath(manage.Path(p.Paths, words))
	allowed := p.Sandbox.Profile()
	if h, ok := parseHost(words); ok && !exists(path) {
		text, reaches := explainHost(h, allowed.Network, p.Sandbox.Limit(""))
		if list, _ := p.Sandbox.Credentials(); reaches && sandbox.KnowsHosts() {
			text = strings.TrimSpace(text + " " + explainCredential(h, list))
		}
		return manage.Say("%s", text)
	}
	verdict, because := allowed.Judge(path)
	denied := allowed.DenialAt(path)
	switch {
	case denied.Source != "":
		return manage.Say("Commands in the sandbox can read %s and not change it, because of the approval mode: see %s.", name(p, path), terminal.Line(denied.Source))
	case denied.Kind == sandbox.KeepsDirectory && verdict != sandbox.Hidden:
		return manage.Say("Commands in the sandbox cannot create %s, because %s has hidden files, which may hold secrets. Create it yourself, and add it to tools.sandboxAllowedPaths.",
			name(p, path), name(p, denied.Exists))
	case denied.Kind == sandbox.KeepsFile && denied.Exists != path && !sandbox.ByPath:
		return manage.Say("Commands in the sandbox cannot create %s. To let them, add %s to tools.sandboxAllowedPaths.", name(p, path), name(p, denied.Exists))
	case verdict == sandbox.MayChange:
		return manage.Say("Commands in the sandbox can read and change %s, because it is in %s.", name(p, path), name(p, because))
	case verdict == sandbox.Hidden && slices.Contains(allowed.Unneeded, because):
		return manage.Say("Commands in the sandbox can neither read nor change %s: of home directories and other disks, they read only what work needs (pollux.sandboxReads). "+
			"To let them, add it to tools.sandboxAllowedPaths.", name(p, path))
	case verdict == sandbox.Hidden:
		return manage.Say("Commands in the sandbox can neither read nor change %s, because it is in %s, which may hold secrets. "+
			"To let them read it, add it to tools.sandboxAllowedPaths.", name(p, path), name(p, because))
	}
	return manage.Say("Commands in the sandbox can read %s and not change it. To let them change it, add it to tools.sandboxAllowedPaths.", name(p, path))
}

// showLog lists the permissions that the sandbox has refused, and the changes that were taken back, the latest last.
func showLog(_ context.Context, c *manage.Call, p *project.Project) (outcome.Outcome, error) {
	list, err := permits.Log(p)
	if err != nil {
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot read the log of the sandbox: %v.", err)
	}
	if len(list) == 0 {
		return manage.Say("The sandbox has refused the commands of this project nothing.")
	}
	const most = 50
	list = list[max(0, len(list)-most):]
	return outcome.New(logTable(list)), nil
}

// logTable lists refusals. Those of one command follow one another, and show it once.
func logTable(list []refusals.Refusal) *outcome.Table {
	t := outcome.NewTable([]string{"Time", "Answer", "Command", "Reason"}, list, func(r refusals.Refusal) []string {
		answer := "refused"
		if r.IsGranted {
			answer = "allowed"
		}
		return []string{r.Time.Local().Format("2006-01-02 15:04"), answer, terminal.Brief(r.Command), terminal.Brief(r.Reason)}
	})
	t.Same = 3
	return t
}

// run runs a command confined, at the person's terminal.
func run(ctx context.Context, c *manage.Call, p *project.Project) (outcome.Outcome, error) {
	words := c.Words
	switch {
	case len(words) == 0 || words[0] == "--help" || words[0] == "-h":
		return outcome.Outcome{}, manage.ErrHelp
	case words[0] == "--":
		words = words[1:]
	case strings.HasPrefix(words[0], "-"): // one of Pollux, which is before the command
		return outcome.Outcome{}, exit.Errorf(exit.Input, "pollux sandbox run takes no flag %s. Before a command that begins with -, write --.", terminal.Line(words[0]))
	}
	if len(words) == 0 {
		return outcome.Outcome{}, manage.ErrHelp
	}
	if lost := p.Settings().Lost(); len(lost) > 0 {
		return outcome.Outcome{}, exit.Errorf(exit.Config, "Settings that restrict what runs are not valid, and no command runs in the sandbox without them:\n%s", strings.Join(lost, "\n"))
	}
	if err := govern(p); err != nil {
		return outcome.Outcome{}, err
	}
	runAs(p, words)
	p.Sandbox.Alone()
	if err := p.Sandbox.Restrict(); err != nil {
		return outcome.Outcome{}, err
	}
	if err := p.Sandbox.Open(); err != nil {
		return outcome.Outcome{}, exit.Errorf(exit.Sandbox, "Cannot run a command in a sandbox: %v.", err)
	}
	defer p.Sandbox.Close()
	path := words[0]
	if !filepath.IsAbs(path) && path != filepath.Base(path) { // the person means this file
		path = filepath.Join(p.Paths.Dir(), path)
	}
	path, err := process.LookPath(process.Getenv(p.CommandEnviron(), "PATH"), path)
	if err != nil {
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot run %s: %v.", terminal.Line(words[0]), err)
	}
	streams, restore := c.Terminal.Lend()
	defer restore()
	if streams.In == nil {
		streams.In = c.Terminal.In
	}
	status, err := p.Launcher.Run(ctx, &process.Command{
		For:  process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, // confined like a model's
		Path: path, Args: words[1:], Env: p.CommandEnviron(), Dir: p.Paths.Dir(),
		Stdin: streams.In, Stdout: streams.Out, Stderr: streams.Err, TTY: true,
	})
	switch {
	case exit.CodeOf(err) == exit.Sandbox:
		return outcome.Outcome{}, err
	case err != nil:
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot run %s: %w", terminal.Line(words[0]), err)
	case status.Signal != 0:
		return outcome.Outcome{}, &exit.Shown{Err: exit.Errorf(exit.Code(128+int(status.Signal)), "%s", status)}
	case status.Code != 0:
		return outcome.Outcome{}, &exit.Shown{Err: exit.Errorf(exit.Code(status.Code), "%s", status)}
	}
	return outcome.Outcome{}, nil
}

func name(p *project.Project, path string) string {
	return terminal.Cut(terminal.Line(p.Paths.Display(path)), 200)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
