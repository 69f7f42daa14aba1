package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/guard/isolation"
	"pollux/internal/process"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/container"
	"pollux/internal/terminal"
	"pollux/internal/tools/shell"
)

// memoryReport lists the memory files that Pollux sends to the model.
type memoryReport struct {
	Tokens int                `json:"tokens"` // estimate, per request
	Files  []memoryFileReport `json:"files"`
}

type memoryFileReport struct {
	Path   string `json:"path"`
	Tier   string `json:"tier"`
	Tokens int    `json:"tokens"`
	Cut    bool   `json:"cut,omitempty"`
}

func (x *examination) checkMemory() sectionReport {
	s := sectionReport{ID: "memory", Title: "Memory"}
	x.Memory.Files = []memoryFileReport{}
	memory := x.set.WithWarn(func(text string) {
		s.warn("warning", strings.TrimPrefix(text, "Warning: "), "'pollux memory' shows the memory files")
	}).OpenMemory()
	for _, f := range memory.Files() {
		r := memoryFileReport{f.Path, string(f.Tier), f.Tokens(), f.Cut}
		x.Memory.Files = append(x.Memory.Files, r)
		x.Memory.Tokens += r.Tokens
		text := fmt.Sprintf("%s: %s, about %d tokens", f.Note(), f.Path, r.Tokens)
		if f.Cut {
			s.warn("file", text+", truncated because it is too large", "shorten it, or split it into files of subdirectories")
			continue
		}
		s.ok("file", text)
	}
	if len(x.Memory.Files) == 0 {
		s.ok("files", "none")
	} else {
		s.ok("all", fmt.Sprintf("about %d tokens in each request", x.Memory.Tokens))
	}
	return s
}

// checkTools checks the programs that tools use.
func (x *examination) checkTools(ctx context.Context) sectionReport {
	s := sectionReport{ID: "tools", Title: "Programs"}
	if !config.UseRipgrep.In(x.set.Settings()) {
		s.ok("ripgrep", "off (tools.useRipgrep); Pollux uses its own search")
	} else if path := x.set.Ripgrep(); path != "" {
		s.ok("ripgrep", path)
	} else {
		s.note("ripgrep", "not found; Pollux uses its own search, which is slower in large folders", "install ripgrep")
	}
	if git := x.programs.Find("git"); git == "" {
		s.note("git", "not found; the model cannot read the history or restore files from it", "install git")
	} else {
		ctx, cancel := context.WithTimeoutCause(ctx, 3*time.Second, errProgramTimeout)
		defer cancel()
		output, err := x.ask(ctx, git, "--version")
		if err != nil {
			s.broken("git", git+": "+truncate(err.Error(), 200), "run it in your shell to see the problem")
		} else {
			s.ok("git", git+", "+truncate(output, 80))
		}
	}
	x.checkShell(&s)
	x.checkEditor(&s)
	return s
}

// checkShell checks the program that runs the model's commands.
func (x *examination) checkShell(s *sectionReport) {
	path := cmp.Or(x.programs.Find("bash"), x.programs.Find("sh"))
	switch {
	case shell.Unavailable != "":
		s.warn("shell", "the model cannot run commands on this system", "use Pollux in WSL")
	case path == "":
		s.warn("shell", "bash and sh not found; the model cannot run commands", "check PATH")
	default:
		s.ok("shell", path)
	}
}

// ask returns the output of a program that answers a question.
func (x *examination) ask(ctx context.Context, path string, args ...string) (string, error) {
	return x.set.Launcher.Ask(ctx, &process.Command{
		For:  process.Purpose{Kind: process.KindProbe, Origin: process.OriginPollux},
		Path: path, Args: args, Env: minimalEnv(x.set.Options.Env),
	})
}

var errProgramTimeout = errors.New("no response within 3 s")

// checkEditor checks the editor that the user has configured.
func (x *examination) checkEditor(s *sectionReport) {
	if id := config.PreferredEditor.In(x.set.Settings()); id != "" {
		s.ok("editor", id+" (general.preferredEditor)")
		return
	}
	for _, name := range [...]string{"VISUAL", "EDITOR"} {
		words := strings.Fields(x.set.Options.Env.Get(name))
		if len(words) == 0 {
			continue
		}
		if path := x.programs.Find(words[0]); path != "" {
			s.ok("editor", path+" ("+name+")")
		} else {
			s.warn("editor", fmt.Sprintf("%s is %q, which is not installed", name, words[0]), "set "+name+" to an installed editor")
		}
		return
	}
	if path := x.programs.Find("vi"); path != "" {
		s.ok("editor", path+" (default: EDITOR is not set)")
		return
	}
	s.note("editor", "none found: EDITOR is not set, and vi is not installed", "set EDITOR to edit proposed changes before you accept them")
}

// sandboxReport lists the sandboxes that are available for commands.
type sandboxReport struct {
	// Used reports whether Pollux runs commands in its own sandbox.
	Used bool `json:"used"`
	// Inside is the sandbox that Pollux itself runs in, from the environment variable SANDBOX.
	Inside string `json:"inside,omitempty"`
	// Best is the best available combination of sandboxes.
	Best      []isolation.Kind `json:"best"`
	Abilities []abilityReport  `json:"abilities"`
}

type abilityReport struct {
	Kind    isolation.Kind  `json:"kind"`
	State   isolation.State `json:"state"`
	Version string          `json:"version,omitempty"`
	Program string          `json:"program,omitempty"`
	Detail  string          `json:"detail,omitempty"`
}

// checkSandbox reports which sandboxes are available.
func (x *examination) checkSandbox(found isolation.Abilities) sectionReport {
	s := sectionReport{ID: "sandbox", Title: "Sandbox", Optional: x.sandboxErr == nil && x.sandboxWarning == ""}
	x.Sandbox = sandboxReport{Used: x.set.Sandbox.IsOn(), Inside: terminal.Line(x.set.Options.Env.Get("SANDBOX")), Best: append([]isolation.Kind{}, found.Best()...), Abilities: []abilityReport{}}
	if needed, ok := errors.AsType[*container.Needed](x.sandboxErr); ok {
		if a := found.Of(isolation.Kind(needed.Client())); a.State == isolation.Works {
			s.ok("requested", "sessions run in a container ("+needed.Name+")")
		} else {
			s.broken("requested", needed.From+" asks for a container, but "+needed.Client()+" does not work: "+a.Detail, a.Next)
		}
	} else if x.sandboxErr != nil {
		s.broken("requested", x.sandboxErr.Error(), "")
	} else if x.sandboxWarning != "" {
		s.warn("requested", strings.TrimPrefix(x.sandboxWarning, "Warning: "), "")
	}
	if x.Sandbox.Inside != "" {
		s.ok("inside", "Pollux runs in a sandbox: "+x.Sandbox.Inside)
	}
	for _, a := range found {
		detail := truncate(a.Detail, 300)
		x.Sandbox.Abilities = append(x.Sandbox.Abilities, abilityReport{a.Kind, a.State, truncate(a.Version, 60), a.Program, detail})
		text := strings.TrimSpace(a.Program + " " + truncate(a.Version, 60))
		if a.Kind == isolation.Landlock && a.Version != "" {
			text = "ABI " + a.Version
		}
		if a.State == isolation.Works {
			text = strings.TrimPrefix(text+", works", ", ")
		}
		if detail != "" {
			text = strings.TrimPrefix(text+": "+detail, ": ")
		}
		if a.State == isolation.Works {
			s.ok(string(a.Kind), text)
		} else {
			s.note(string(a.Kind), text, "") // Pollux does not use it yet
		}
	}
	switch err := sandbox.Available(); {
	case x.set.Sandbox.IsOn() && sandbox.Gap() != "":
		s.warn("own", "commands of the model run in the sandbox of Pollux, with a gap. "+terminal.Line(sandbox.Gap()), "")
	case x.set.Sandbox.IsOn():
		s.ok("own", "commands of the model run in the sandbox of Pollux")
	case err == nil && !x.set.Sandbox.SuitsWorkspace():
		s.ok("own", "the sandbox of Pollux is off: your home directory is in the workspace")
	case err == nil:
		s.ok("own", "the sandbox of Pollux is off (tools.sandbox)")
	default:
		s.note("own", terminal.Line(err.Error()), "")
	}
	if best := x.Sandbox.Best; len(best) == 0 {
		s.note("choice", "no sandbox is available on this machine", "")
	} else {
		names := make([]string, len(best))
		for i, kind := range best {
			names[i] = string(kind)
		}
		s.ok("choice", strings.Join(names, " and "))
	}
	return s
}

type terminalReport struct {
	In           bool                `json:"stdin"` // whether stdin is a terminal
	Out          bool                `json:"stdout"`
	Err          bool                `json:"stderr"`
	Width        int                 `json:"width"`
	Height       int                 `json:"height"`
	Term         string              `json:"term"`
	Colors       terminal.ColorDepth `json:"colors"`
	UTF8         bool                `json:"utf8"`
	Emulator     string              `json:"emulator,omitempty"`
	Inside       string              `json:"inside,omitempty"`
	SSH          bool                `json:"ssh"`
	WSL          bool                `json:"wsl"`
	Clipboard    string              `json:"clipboard,omitempty"` // the program, if it is installed
	ScreenReader bool                `json:"screenReader"`
}

func (x *examination) checkTerminal(ctx context.Context) sectionReport {
	s := sectionReport{ID: "terminal", Title: "Terminal"}
	a := x.term.Abilities(x.set.Options.Env.Get)
	reader, _ := x.set.Settings().Effective("ui.accessibility.screenReader")
	x.Terminal = terminalReport{
		In: a.In, Out: a.Out, Err: a.Err, Width: a.Width, Height: a.Height, Term: terminal.Line(a.Term), Colors: a.Colors, UTF8: a.UTF8,
		Emulator: terminal.Line(a.Emulator), Inside: a.Multiplexer, SSH: a.SSH, WSL: a.WSL, ScreenReader: reader == true,
	}
	if a.Clipboard != "" && x.programs.Find(a.Clipboard) != "" {
		x.Terminal.Clipboard = a.Clipboard
	}
	s.ok("streams", describeStreams(&a))
	if !a.In && !a.Out {
		return s // no one sees the terminal
	}
	name := cmp.Or(x.Terminal.Emulator, "unknown")
	if a.Multiplexer != "" {
		name += ", in " + a.Multiplexer
	}
	if a.SSH {
		name += ", over SSH"
	}
	if a.WSL {
		name += ", on WSL"
	}
	s.ok("program", name)
	x.checkColors(&s, &a)
	switch {
	case a.UTF8:
		s.ok("characters", strings.TrimSuffix("UTF-8 ("+terminal.Line(a.Locale)+")", " ()"))
	case a.Locale == "":
		s.warn("characters", "no locale is set; characters outside ASCII may look wrong", "set LANG=C.UTF-8")
	default:
		s.warn("characters", terminal.Line(a.Locale)+" is not UTF-8; characters outside ASCII may look wrong", "set LANG=C.UTF-8")
	}
	switch {
	case x.Terminal.Clipboard != "":
		s.ok("clipboard", a.Clipboard)
	case a.Clipboard != "":
		s.note("clipboard", a.Clipboard+" not found; you cannot paste images", "install "+a.Clipboard)
	default:
		s.ok("clipboard", "through the terminal (OSC 52), if it allows that")
	}
	if x.Terminal.ScreenReader {
		s.ok("screen reader", "on (ui.accessibility.screenReader)")
	}
	if a.Multiplexer == "tmux" {
		x.checkTmux(ctx, &s)
	}
	return s
}

// describeStreams describes which standard streams are terminals, and their size.
func describeStreams(a *terminal.Abilities) string {
	kind := map[bool]string{true: "a terminal", false: "not a terminal"}
	text := fmt.Sprintf("stdin is %s, stdout is %s, stderr is %s", kind[a.In], kind[a.Out], kind[a.Err])
	if a.Width > 0 {
		text += fmt.Sprintf("; %d columns", a.Width)
	}
	if a.Height > 0 {
		text += fmt.Sprintf(", %d lines", a.Height)
	}
	return text
}

// checkColors reports the color depth of the terminal, and how to get more colors.
func (x *examination) checkColors(s *sectionReport, a *terminal.Abilities) {
	text := string(a.Colors) + " (" + a.ColorsBy + ")"
	name := terminal.Line(a.Term)
	switch {
	case a.ColorsBy == "NO_COLOR" || a.ColorsBy == "FORCE_COLOR" || a.Colors == terminal.TrueColors:
		s.ok("colors", text)
	case a.Multiplexer == "tmux" && strings.HasPrefix(a.Term, "screen"):
		s.warn("colors", fmt.Sprintf("%s: TERM is %q inside tmux", text, name), `put into ~/.tmux.conf: set -g default-terminal "tmux-256color"`)
	case a.Multiplexer == "screen":
		s.warn("colors", text+": GNU screen supports few colors", "use tmux")
	case a.Colors == terminal.NoColors:
		s.warn("colors", fmt.Sprintf("%s: TERM is %q", text, name), "set TERM to your terminal, for example xterm-256color")
	case a.Colors == terminal.Colors16:
		s.warn("colors", text, "if your terminal supports 256 colors, set TERM=xterm-256color")
	default:
		s.ok("colors", text+"; if your terminal supports more, set COLORTERM=truecolor")
	}
}

// tmuxOptions are the tmux options that Pollux features depend on, with the values that enable
// them.
var tmuxOptions = [...]struct{ option, values, feature string }{
	{"allow-passthrough", "on all", "notifications"},
	{"set-clipboard", "on", "the clipboard"},
	{"extended-keys", "on always", "Shift+Enter"},
}

// checkTmux checks the tmux options that Pollux features depend on.
func (x *examination) checkTmux(ctx context.Context, s *sectionReport) {
	ctx, cancel := context.WithTimeoutCause(ctx, 3*time.Second, errProgramTimeout)
	defer cancel()
	for _, want := range tmuxOptions {
		command := "tmux set -g " + want.option + " on"
		output := ""
		if path := x.programs.Find("tmux"); path != "" {
			output, _ = x.ask(ctx, path, "display-message", "-p", "#{"+want.option+"}") // on error, the value is unknown
		}
		switch {
		case output == "":
			s.ok("tmux", want.option+" should be on for "+want.feature+" (tmux does not report it)")
		case strings.Contains(" "+want.values+" ", " "+output+" "), output == "1", output == "2":
			s.ok("tmux", want.option+" is "+truncate(output, 20)+" ("+want.feature+")")
		default:
			s.warn("tmux", want.option+" is "+truncate(output, 20)+"; it should be on for "+want.feature, command)
		}
	}
}
