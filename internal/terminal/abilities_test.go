package terminal

import (
	"runtime"
	"testing"

	"github.com/creack/pty"
)

func TestColors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env  map[string]string
		want ColorDepth
		by   string
	}{
		{map[string]string{"TERM": "xterm"}, Colors16, "TERM"},
		{map[string]string{"TERM": "xterm-256color"}, Colors256, "TERM"},
		{map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor"}, TrueColors, "COLORTERM"},
		{map[string]string{"TERM": "screen", "COLORTERM": "yes"}, Colors16, "TERM"},
		{map[string]string{"TERM": "dumb", "COLORTERM": "truecolor"}, NoColors, "TERM"},
		{map[string]string{"TERM": "vt100"}, NoColors, "TERM"},
		{map[string]string{"TERM": "xterm-kitty"}, TrueColors, "TERM"},
		{map[string]string{"TERM": "xterm-direct"}, TrueColors, "TERM"},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, TrueColors, "TERM_PROGRAM"},
		{map[string]string{"TERM": "screen-256color", "TERM_PROGRAM": "vscode", "TMUX": "x"}, Colors256, "TERM"},
		{map[string]string{"TERM": "nsterm", "TERM_PROGRAM": "Apple_Terminal"}, Colors256, "TERM_PROGRAM"},
		{map[string]string{"TERM": "xterm", "WT_SESSION": "x"}, TrueColors, "WT_SESSION"},
		{map[string]string{"NO_COLOR": "1", "FORCE_COLOR": "3", "TERM": "xterm"}, NoColors, "NO_COLOR"},
		{map[string]string{"NO_COLOR": "", "FORCE_COLOR": "3"}, TrueColors, "FORCE_COLOR"},
		{map[string]string{"FORCE_COLOR": "0", "COLORTERM": "truecolor"}, NoColors, "FORCE_COLOR"},
		{map[string]string{"FORCE_COLOR": "2", "TERM": "dumb"}, Colors256, "FORCE_COLOR"},
		{map[string]string{"FORCE_COLOR": "true"}, Colors16, "FORCE_COLOR"},
	} {
		if got, by := colors(getenv(tt.env)); got != tt.want || by != tt.by {
			t.Errorf("%v: %s by %s, want %s by %s", tt.env, got, by, tt.want, tt.by)
		}
	}
}

func TestLocale(t *testing.T) {
	t.Parallel()
	assumed := runtime.GOOS == "darwin" || runtime.GOOS == "windows"
	for _, tt := range []struct {
		env  map[string]string
		want bool
		by   string
	}{
		{nil, assumed, ""},
		{map[string]string{"LANG": "C.UTF-8"}, true, "LANG=C.UTF-8"},
		{map[string]string{"LANG": "de_DE.utf8@euro"}, true, "LANG=de_DE.utf8@euro"},
		{map[string]string{"LANG": "de_DE.ISO-8859-15"}, false, "LANG=de_DE.ISO-8859-15"},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_ALL": "C"}, false, "LC_ALL=C"},
		{map[string]string{"LC_CTYPE": "UTF-8"}, true, "LC_CTYPE=UTF-8"},
	} {
		if got, by := locale(getenv(tt.env)); got != tt.want || by != tt.by {
			t.Errorf("%v: %v by %q", tt.env, got, by)
		}
	}
}

func TestAbilities(t *testing.T) {
	t.Parallel()
	_, tty := openTTY(t)
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 97}); err != nil {
		t.Fatal(err)
	}
	env := getenv(map[string]string{
		"TERM": "screen", "TMUX": "/tmp/tmux", "SSH_TTY": "/dev/pts/1", "WAYLAND_DISPLAY": "w", "KONSOLE_VERSION": "240800", "LANG": "C.UTF-8",
	})
	term := New(tty, tty, tty, env)
	term.Out = NewWriter(wrapped{term.Out.Unsanitized()})
	got := term.Abilities(env)
	want := Abilities{
		In: true, Out: true, Err: true, Width: 97, Height: 24, Term: "screen", Colors: Colors16, ColorsBy: "TERM",
		UTF8: true, Locale: "LANG=C.UTF-8", Emulator: "Konsole", Multiplexer: "tmux", SSH: true,
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for variable, name := range map[string]string{"STY": "screen", "ZELLIJ": "zellij", "NOTHING": ""} {
		if got := multiplexer(getenv(map[string]string{variable: "x"})); got != name {
			t.Errorf("%s: inside %q", variable, got)
		}
	}
	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"TERM_PROGRAM": "WezTerm", "TERM_PROGRAM_VERSION": "20240203", "WT_SESSION": "x"}, "WezTerm 20240203"},
		{map[string]string{"TERMINAL_EMULATOR": "JetBrains-JediTerm"}, "JetBrains"},
		{map[string]string{"TERM": "xterm-kitty"}, "kitty"},
		{map[string]string{"TERM_PROGRAM": "tmux", "VTE_VERSION": "7600"}, "VTE (GNOME Terminal or one of its kind)"},
		{nil, ""},
	} {
		if got := emulator(getenv(tt.env)); got != tt.want {
			t.Errorf("%v: %q", tt.env, got)
		}
	}
	if runtime.GOOS == "linux" {
		for _, tt := range []struct {
			env  map[string]string
			want string
		}{
			{map[string]string{"WSL_DISTRO_NAME": "Debian", "DISPLAY": ":0"}, "powershell.exe"},
			{map[string]string{"XDG_SESSION_TYPE": "wayland"}, "wl-paste"},
			{map[string]string{"DISPLAY": ":0"}, "xclip"},
			{map[string]string{"DISPLAY": ":10", "SSH_CONNECTION": "1"}, ""},
			{nil, ""},
		} {
			if got := term.Abilities(getenv(tt.env)).Clipboard; got != tt.want {
				t.Errorf("%v: clipboard by %q", tt.env, got)
			}
		}
	}
}

// wrapped is a writer that is no file any more.
type wrapped struct{ of any }

func (wrapped) Write(p []byte) (int, error) { return len(p), nil }
