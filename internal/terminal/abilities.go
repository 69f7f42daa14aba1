package terminal

import (
	"runtime"
	"slices"
	"strings"

	"golang.org/x/term"
)

// Abilities is what can be known of a terminal without asking it: from the
// streams and the environment (spec/tui.md §8.5, spec/cli.md §8.4).
type Abilities struct {
	In, Out, Err  bool // which streams are terminals
	Width, Height int  // 0 if unknown
	Term          string
	Colors        Depth
	// ColorsBy is the variable that decided.
	ColorsBy string
	UTF8     bool
	// Locale is the variable that says so, and its value: "LANG=C"; "" for none.
	Locale string
	// Emulator is the program that draws, with its version, "" if unknown.
	Emulator string
	// Inside is a program between that one and us: tmux, screen or zellij.
	Inside   string
	SSH, WSL bool
	// Clipboard is the program that reaches the clipboard from here; "" where only
	// the terminal itself can, with OSC 52.
	Clipboard string
}

// Depth is how many colours there are.
type Depth string

// The depths.
const (
	NoColors   Depth = "none"
	Colors16   Depth = "16"
	Colors256  Depth = "256"
	TrueColors Depth = "true colour"
)

// Abilities returns what is known of t. getenv returns variables of its
// environment.
func (t *Terminal) Abilities(getenv func(string) string) Abilities {
	a := Abilities{
		In: t.InTTY, Out: t.OutTTY, Err: t.ErrTTY, Width: t.Width, Term: getenv("TERM"),
		Emulator: emulator(getenv), Inside: inside(getenv),
		SSH: some(getenv, "SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"),
		WSL: some(getenv, "WSL_DISTRO_NAME", "WSL_INTEROP"),
	}
	a.Width, a.Height = t.size()
	a.Colors, a.ColorsBy = colors(getenv)
	a.UTF8, a.Locale = locale(getenv)
	switch {
	case a.WSL:
		a.Clipboard = "powershell.exe"
	case a.SSH: // a clipboard at this end is nobody's
	case runtime.GOOS == "darwin":
		a.Clipboard = "osascript"
	case runtime.GOOS == "windows":
		a.Clipboard = "powershell"
	case getenv("XDG_SESSION_TYPE") == "wayland" || getenv("WAYLAND_DISPLAY") != "":
		a.Clipboard = "wl-paste"
	case getenv("XDG_SESSION_TYPE") == "x11" || getenv("DISPLAY") != "":
		a.Clipboard = "xclip"
	}
	return a
}

// size asks the first of the streams that is a terminal.
func (t *Terminal) size() (width, height int) {
	for _, stream := range [...]struct {
		tty bool
		of  any
	}{{t.OutTTY, t.Out}, {t.InTTY, t.In}, {t.ErrTTY, t.Err}} {
		file, is := stream.of.(interface{ Fd() uintptr })
		if !stream.tty || !is {
			continue
		}
		if w, h, err := term.GetSize(int(file.Fd())); err == nil {
			return w, h
		}
	}
	return t.Width, 0
}

// colors returns how many colours the environment promises, and which variable
// does. Wishes come before facts.
func colors(getenv func(string) string) (Depth, string) {
	name := getenv("TERM")
	if getenv("NO_COLOR") != "" {
		return NoColors, "NO_COLOR"
	}
	switch forced := getenv("FORCE_COLOR"); forced {
	case "":
	case "0", "false":
		return NoColors, "FORCE_COLOR"
	case "2":
		return Colors256, "FORCE_COLOR"
	case "3":
		return TrueColors, "FORCE_COLOR"
	default:
		return Colors16, "FORCE_COLOR"
	}
	program := getenv("TERM_PROGRAM")
	switch {
	case name == "dumb":
		return NoColors, "TERM"
	case slices.Contains([]string{"truecolor", "24bit", "kmscon"}, getenv("COLORTERM")):
		return TrueColors, "COLORTERM"
	case getenv("WT_SESSION") != "":
		return TrueColors, "WT_SESSION"
	case strings.HasSuffix(name, "-direct"), slices.Contains([]string{"xterm-kitty", "xterm-ghostty", "alacritty", "wezterm"}, name):
		return TrueColors, "TERM"
	case slices.Contains([]string{"iTerm.app", "WezTerm", "ghostty", "vscode"}, program) && inside(getenv) == "":
		return TrueColors, "TERM_PROGRAM"
	case strings.Contains(name, "256color"):
		return Colors256, "TERM"
	case program == "Apple_Terminal":
		return Colors256, "TERM_PROGRAM"
	case name == "" && runtime.GOOS != "windows", name == "vt100", name == "vt220":
		return NoColors, "TERM"
	}
	return Colors16, "TERM"
}

// locale reports whether the locale's characters are UTF-8. The first variable that
// is set counts, as in the C library.
func locale(getenv func(string) string) (is bool, by string) {
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := getenv(name); value != "" {
			_, set, _ := strings.Cut(strings.ToLower(value), ".")
			set, _, _ = strings.Cut(set, "@")
			return set == "utf-8" || set == "utf8" || value == "UTF-8", name + "=" + value
		}
	}
	return runtime.GOOS == "darwin" || runtime.GOOS == "windows", ""
}

// inside returns the program that stands between the terminal and us.
func inside(getenv func(string) string) string {
	for _, one := range [...]struct{ variable, name string }{{"TMUX", "tmux"}, {"STY", "screen"}, {"ZELLIJ", "zellij"}} {
		if getenv(one.variable) != "" {
			return one.name
		}
	}
	return ""
}

// emulator returns the name of the terminal's program.
func emulator(getenv func(string) string) string {
	if name := getenv("TERM_PROGRAM"); name != "" && name != "tmux" { // which is inside of one
		return strings.TrimSpace(name + " " + getenv("TERM_PROGRAM_VERSION"))
	}
	if strings.HasPrefix(getenv("TERMINAL_EMULATOR"), "JetBrains") || getenv("JETBRAINS_IDE") != "" {
		return "JetBrains"
	}
	for _, one := range [...]struct{ variable, name string }{
		{"WT_SESSION", "Windows Terminal"},
		{"KITTY_WINDOW_ID", "kitty"},
		{"ALACRITTY_WINDOW_ID", "Alacritty"},
		{"GHOSTTY_RESOURCES_DIR", "Ghostty"},
		{"KONSOLE_VERSION", "Konsole"},
		{"VTE_VERSION", "VTE (GNOME Terminal or one of its kind)"},
		{"XTERM_VERSION", "xterm"},
	} {
		if getenv(one.variable) != "" {
			return one.name
		}
	}
	return map[string]string{"xterm-kitty": "kitty", "xterm-ghostty": "Ghostty", "alacritty": "Alacritty", "linux": "the Linux console"}[getenv("TERM")]
}

func some(getenv func(string) string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return getenv(name) != "" })
}
