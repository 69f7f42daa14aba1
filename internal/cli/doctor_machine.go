package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"pollux/internal/app"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/sandbox"
	userprogram "pollux/internal/program"
	"pollux/internal/terminal"
)

// memoryReport is what the model is told by memory files.
type memoryReport struct {
	Tokens int                `json:"tokens"` // estimated, in each request
	Files  []memoryFileReport `json:"files"`
}

type memoryFileReport struct {
	Path   string `json:"path"`
	Tier   string `json:"tier"`
	Tokens int    `json:"tokens"`
	Cut    bool   `json:"cut,omitempty"`
}

// lookAtMemory reads the memory files.
func (x *examination) lookAtMemory() sectionReport {
	s := sectionReport{ID: "memory", Title: "Memory"}
	x.Memory.Files = []memoryFileReport{}
	memory := app.Memory(x.options(func(text string) {
		s.warn("warning", strings.TrimPrefix(text, "Warning: "), "pollux memory shows what is used")
	}))
	for _, f := range memory.Files() {
		r := memoryFileReport{f.Path, string(f.Tier), f.Tokens(), f.Cut}
		x.Memory.Files = append(x.Memory.Files, r)
		x.Memory.Tokens += r.Tokens
		text := fmt.Sprintf("%s, about %d tokens", f.Path, r.Tokens)
		if f.Cut {
			s.warn("file", text+", is cut: it is too large", "shorten it, or split it by directories")
			continue
		}
		s.ok("file", text)
	}
	if len(x.Memory.Files) == 0 {
		s.ok("files", "there are none")
	} else {
		s.ok("all", fmt.Sprintf("about %d tokens in every request", x.Memory.Tokens))
	}
	return s
}

// lookAtTools looks for the programs that tools use.
func (x *examination) lookAtTools(ctx context.Context) sectionReport {
	s := sectionReport{ID: "tools", Title: "Programs"}
	if !config.UseRipgrep.In(x.settings) {
		s.ok("ripgrep", "not used, because of tools.useRipgrep: Pollux searches by itself")
	} else if path := app.Ripgrep(x.options(func(string) {})); path != "" {
		s.ok("ripgrep", path)
	} else {
		s.missing("ripgrep", "not found outside of the workspace: Pollux searches by itself, which takes longer in large folders", "install ripgrep")
	}
	if git := x.programs.Find("git"); git == "" {
		s.missing("git", "not found: the model cannot look at history, and changes cannot be undone from it", "install git")
	} else {
		ctx, cancel := context.WithTimeoutCause(ctx, 3*time.Second, errNoVersion)
		defer cancel()
		said, err := userprogram.Ask(ctx, few(x.req.Env), git, "--version")
		if err != nil {
			s.broken("git", git+": "+cut(err.Error(), 200), "run it by hand")
		} else {
			s.ok("git", git+", "+cut(said, 80))
		}
	}
	shell := cmp.Or(x.programs.Find("bash"), x.programs.Find("sh"))
	if shell == "" {
		s.missing("shell", "neither bash nor sh is found: commands cannot be run", "check PATH")
	} else {
		s.ok("shell", shell)
	}
	x.lookAtEditor(&s)
	return s
}

var errNoVersion = errors.New("no answer in 3 s")

// lookAtEditor looks for the editor that the user has chosen.
func (x *examination) lookAtEditor(s *sectionReport) {
	for _, name := range [...]string{"VISUAL", "EDITOR"} {
		words := strings.Fields(x.env.Get(name))
		if len(words) == 0 {
			continue
		}
		if path := x.programs.Find(words[0]); path != "" {
			s.ok("editor", path+", by "+name)
		} else {
			s.broken("editor", fmt.Sprintf("%s is %q, which is no program here", name, words[0]), "set "+name+" to one that is installed")
		}
		return
	}
	s.missing("editor", "neither VISUAL nor EDITOR is set", "set EDITOR, to edit what is proposed to you")
}

// sandboxReport is what commands could be confined with.
type sandboxReport struct {
	// Used says whether Pollux confines commands: not in this version.
	Used bool `json:"used"`
	// Inside is the sandbox that Pollux itself runs in, by the variable SANDBOX.
	Inside string `json:"inside,omitempty"`
	// Best is what commands would be confined with.
	Best      []sandbox.Kind  `json:"best"`
	Abilities []abilityReport `json:"abilities"`
}

type abilityReport struct {
	Kind    sandbox.Kind  `json:"kind"`
	State   sandbox.State `json:"state"`
	Version string        `json:"version,omitempty"`
	Program string        `json:"program,omitempty"`
	Detail  string        `json:"detail,omitempty"`
}

// lookAtSandboxWish notes a run that would be refused for want of a sandbox.
func (x *examination) lookAtSandboxWish() {
	env := x.req.Env
	x.unconfined = refuseSandbox(x.settings, env)
	if wantsSandbox(env.Get("GEMINI_SANDBOX")) && env.Get("SANDBOX") == "" {
		x.unconfined = exit.Errorf(exit.Sandbox, "The sandbox is not available yet in this version of Pollux: unset GEMINI_SANDBOX to run without it.")
	}
	if x.unconfined != nil {
		x.fail(x.unconfined)
	}
}

// lookAtSandbox says what the machine has.
func (x *examination) lookAtSandbox(found sandbox.Abilities) sectionReport {
	s := sectionReport{ID: "sandbox", Title: "Sandbox", Optional: x.unconfined == nil}
	x.Sandbox = sandboxReport{Inside: terminal.Line(x.req.Env.Get("SANDBOX")), Best: append([]sandbox.Kind{}, found.Best()...), Abilities: []abilityReport{}}
	if x.unconfined != nil {
		s.broken("asked for", x.unconfined.Error(), "")
	}
	if x.Sandbox.Inside != "" {
		s.ok("inside", "Pollux runs in a sandbox already: "+x.Sandbox.Inside)
	}
	for _, a := range found {
		detail := cut(a.Detail, 300)
		x.Sandbox.Abilities = append(x.Sandbox.Abilities, abilityReport{a.Kind, a.State, cut(a.Version, 60), a.Program, detail})
		text := strings.TrimSpace(a.Program + " " + cut(a.Version, 60))
		if a.Kind == sandbox.Landlock && a.Version != "" {
			text = "ABI " + a.Version
		}
		if a.State == sandbox.Works {
			text = strings.TrimPrefix(text+", works", ", ")
		}
		if detail != "" {
			text = strings.TrimPrefix(text+": "+detail, ": ")
		}
		verdict := map[sandbox.State]verdict{sandbox.Works: isOK, sandbox.Missing: isMissing, sandbox.Broken: isBroken}[a.State]
		s.Checks = append(s.Checks, check{string(a.Kind), verdict, text, a.Next})
	}
	if best := x.Sandbox.Best; len(best) == 0 {
		s.missing("choice", "commands could not be confined here", "")
	} else {
		names := make([]string, len(best))
		for i, kind := range best {
			names[i] = string(kind)
		}
		s.ok("choice", "commands would be confined with "+strings.Join(names, " and ")+"; Pollux does not do so yet")
	}
	return s
}

// terminalReport is what is known of the terminal.
type terminalReport struct {
	In           bool           `json:"stdin"` // is a terminal
	Out          bool           `json:"stdout"`
	Err          bool           `json:"stderr"`
	Width        int            `json:"width"`
	Height       int            `json:"height"`
	Term         string         `json:"term"`
	Colors       terminal.Depth `json:"colors"`
	UTF8         bool           `json:"utf8"`
	Emulator     string         `json:"emulator,omitempty"`
	Inside       string         `json:"inside,omitempty"`
	SSH          bool           `json:"ssh"`
	WSL          bool           `json:"wsl"`
	Clipboard    string         `json:"clipboard,omitempty"` // the program, if it is there
	ScreenReader bool           `json:"screenReader"`
}

// lookAtTerminal says what the terminal can show.
func (x *examination) lookAtTerminal(ctx context.Context) sectionReport {
	s := sectionReport{ID: "terminal", Title: "Terminal"}
	a := x.term.Abilities(x.req.Env.Get)
	reader, _ := x.settings.Effective("ui.accessibility.screenReader")
	x.Terminal = terminalReport{
		In: a.In, Out: a.Out, Err: a.Err, Width: a.Width, Height: a.Height, Term: terminal.Line(a.Term), Colors: a.Colors, UTF8: a.UTF8,
		Emulator: terminal.Line(a.Emulator), Inside: a.Inside, SSH: a.SSH, WSL: a.WSL, ScreenReader: reader == true,
	}
	if a.Clipboard != "" && x.programs.Find(a.Clipboard) != "" {
		x.Terminal.Clipboard = a.Clipboard
	}
	s.ok("streams", streams(&a))
	if !a.In && !a.Out {
		return s // there is nobody to see the rest
	}
	name := cmp.Or(x.Terminal.Emulator, "one that does not say its name")
	if a.Inside != "" {
		name += ", with " + a.Inside + " in it"
	}
	if a.SSH {
		name += ", over SSH"
	}
	if a.WSL {
		name += ", on WSL"
	}
	s.ok("program", name)
	x.lookAtColors(&s, &a)
	switch {
	case a.UTF8:
		s.ok("characters", strings.TrimSuffix("UTF-8, by "+terminal.Line(a.Locale), ", by "))
	case a.Locale == "":
		s.warn("characters", "no locale is set: what is not ASCII may look wrong", "set LANG, for instance to C.UTF-8")
	default:
		s.warn("characters", terminal.Line(a.Locale)+" is not UTF-8: what is not ASCII may look wrong", "set LANG, for instance to C.UTF-8")
	}
	switch {
	case x.Terminal.Clipboard != "":
		s.ok("clipboard", "by "+a.Clipboard)
	case a.Clipboard != "":
		s.missing("clipboard", a.Clipboard+" is not found: images cannot be pasted", "install what has it")
	default:
		s.ok("clipboard", "by the terminal itself (OSC 52), where it allows that")
	}
	if x.Terminal.ScreenReader {
		s.ok("screen reader", "on, by ui.accessibility.screenReader")
	}
	if a.Inside == "tmux" {
		x.lookAtTmux(ctx, &s)
	}
	return s
}

func streams(a *terminal.Abilities) string {
	is := map[bool]string{true: "a terminal", false: "no terminal"}
	text := fmt.Sprintf("stdin is %s, stdout is %s, stderr is %s", is[a.In], is[a.Out], is[a.Err])
	if a.Width > 0 {
		text += fmt.Sprintf("; %d columns", a.Width)
	}
	if a.Height > 0 {
		text += fmt.Sprintf(", %d lines", a.Height)
	}
	return text
}

// lookAtColors is about what spec/cli.md §8.4 warns of.
func (x *examination) lookAtColors(s *sectionReport, a *terminal.Abilities) {
	text := string(a.Colors) + " (" + a.ColorsBy + ")"
	name := terminal.Line(a.Term)
	switch {
	case a.ColorsBy == "NO_COLOR" || a.ColorsBy == "FORCE_COLOR" || a.Colors == terminal.TrueColors:
		s.ok("colours", text)
	case a.Inside == "tmux" && strings.HasPrefix(a.Term, "screen"):
		s.warn("colours", fmt.Sprintf("%s: TERM is %q inside tmux", text, name), `put into ~/.tmux.conf: set -g default-terminal "tmux-256color"`)
	case a.Inside == "screen":
		s.warn("colours", text+": GNU screen shows few colours and drops what it does not know", "tmux shows more")
	case a.Colors == terminal.NoColors:
		s.warn("colours", fmt.Sprintf("%s: TERM is %q, the terminal of which nothing is expected", text, name), "set TERM to what your terminal is, for instance xterm-256color")
	case a.Colors == terminal.Colors16:
		s.warn("colours", text, "if your terminal can show 256, set TERM to xterm-256color")
	default:
		s.ok("colours", text+"; if your terminal shows true colours, set COLORTERM=truecolor")
	}
}

// tmuxWants are the options of tmux that something needs (spec/tui.md §8.5).
var tmuxWants = [...]struct{ option, good, need string }{
	{"allow-passthrough", "on all", "notifications"},
	{"set-clipboard", "on", "the clipboard"},
	{"extended-keys", "on always", "Shift+Enter"},
}

// lookAtTmux asks tmux whether it lets through what is needed.
func (x *examination) lookAtTmux(ctx context.Context, s *sectionReport) {
	ctx, cancel := context.WithTimeoutCause(ctx, 3*time.Second, errNoVersion)
	defer cancel()
	for _, want := range tmuxWants {
		command := "tmux set -g " + want.option + " on"
		said := ""
		if path := x.programs.Find("tmux"); path != "" {
			said, _ = userprogram.Ask(ctx, few(x.req.Env), path, "display-message", "-p", "#{"+want.option+"}") // what it does not say is unknown
		}
		switch {
		case said == "":
			s.ok("tmux", want.option+" should be on, for "+want.need+"; tmux does not say whether it is")
		case strings.Contains(" "+want.good+" ", " "+said+" "), said == "1", said == "2":
			s.ok("tmux", want.option+" is "+cut(said, 20)+", for "+want.need)
		default:
			s.warn("tmux", want.option+" is "+cut(said, 20)+"; it should be on, for "+want.need, command)
		}
	}
}
