package terminal

import (
	"runtime"
	"slices"
	"strings"

	"golang.org/x/term"
)

// Abilities describes a terminal as far as known from its streams and the environment, without querying the terminal.
type Abilities struct {
	In, Out, Err  bool // which streams are terminals
	Width, Height int  // 0 if unknown
	Term          string
	Colors        ColorDepth
	// ColorsBy is the environment variable that determined Colors.
	ColorsBy string
	UTF8     bool
	// Locale is the variable that determined UTF8, with its value ("LANG=C"); "" if none is set.
	Locale string
	// Emulator is the terminal program and its version, "" if unknown.
	Emulator string
	// Multiplexer is tmux, screen or zellij if one of them runs inside the emulator, else "".
	Multiplexer string
	SSH, WSL    bool
	// Clipboard is the program that accesses the clipboard from here; "" if only the terminal itself can, with OSC 52.
	Clipboard string
}

// ColorDepth is the number of colors that a terminal can show.
type ColorDepth string

// The color depths.
const (
	NoColors   ColorDepth = "none"
	Colors16   ColorDepth = "16"
	Colors256  ColorDepth = "256"
	TrueColors ColorDepth = "true colour"
)

// Abilities returns the abilities of t. getenv returns variables of its environment.
func (t *Terminal) Abilities(getenv func(string) string) Abilities {
	a := Abilities{
		In: t.InTTY, Out: t.OutTTY, Err: t.ErrTTY, Width: t.Width, Term: getenv("TERM"),
		Emulator: emulator(getenv), Multiplexer: multiplexer(getenv),
		SSH: IsSSH(getenv), WSL: IsWSL(getenv),
	}
	a.Width, a.Height = t.size()
	a.Colors, a.ColorsBy = colors(getenv)
	a.UTF8, a.Locale = locale(getenv)
	switch {
	case a.WSL:
		a.Clipboard = "powershell.exe"
	case a.SSH: // a clipboard on the remote machine is useless
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

// IsSSH reports whether the terminal is on another machine. getenv returns variables of the environment.
func IsSSH(getenv func(string) string) bool {
	return anySet(getenv, "SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT")
}

// IsWSL reports whether Pollux runs in the Linux of Windows.
func IsWSL(getenv func(string) string) bool { return anySet(getenv, "WSL_DISTRO_NAME", "WSL_INTEROP") }

// size returns the size of the first stream that is a terminal. height is 0 if unknown.
func (t *Terminal) size() (width, height int) {
	for _, stream := range [...]struct {
		tty bool
		of  any
	}{{t.OutTTY, t.out}, {t.InTTY, t.In}, {t.ErrTTY, t.err}} {
		file, ok := stream.of.(interface{ Fd() uintptr })
		if !stream.tty || !ok {
			continue
		}
		if w, h, err := term.GetSize(int(file.Fd())); err == nil {
			return w, h
		}
	}
	return t.Width, 0
}

// colors returns the color depth that the environment promises, and the variable that
// determined it. The user's choice has priority over the terminal's abilities.
func colors(getenv func(string) string) (ColorDepth, string) {
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
	case slices.Contains([]string{"iTerm.app", "WezTerm", "ghostty", "vscode"}, program) && multiplexer(getenv) == "":
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

// locale reports whether the locale's character set is UTF-8, and the variable that determined
// it. As in the C library, the first variable that is set counts.
func locale(getenv func(string) string) (isUTF8 bool, by string) {
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := getenv(name); value != "" {
			_, set, _ := strings.Cut(strings.ToLower(value), ".")
			set, _, _ = strings.Cut(set, "@")
			return set == "utf-8" || set == "utf8" || value == "UTF-8", name + "=" + value
		}
	}
	return runtime.GOOS == "darwin" || runtime.GOOS == "windows", ""
}

// multiplexer returns the program that runs between the terminal and Pollux.
func multiplexer(getenv func(string) string) string {
	for _, one := range [...]struct{ variable, name string }{{"TMUX", "tmux"}, {"STY", "screen"}, {"ZELLIJ", "zellij"}} {
		if getenv(one.variable) != "" {
			return one.name
		}
	}
	return ""
}

func emulator(getenv func(string) string) string {
	if name := getenv("TERM_PROGRAM"); name != "" && name != "tmux" { // tmux runs inside another terminal
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

func anySet(getenv func(string) string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return getenv(name) != "" })
}
