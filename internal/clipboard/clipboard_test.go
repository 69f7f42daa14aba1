//go:build unix

package clipboard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// desk is a desktop with fake programs, which read the files of a directory.
type desk struct {
	Programs
	t   *testing.T
	bin string
	env map[string]string
}

func newDesk(t *testing.T, goos string) *desk {
	t.Helper()
	d := &desk{t: t, bin: t.TempDir()}
	d.env = map[string]string{"PATH": d.bin}
	d.Programs = Programs{GOOS: goos, Getenv: func(name string) string { return d.env[name] }, Environ: []string{"PATH=/usr/bin:/bin"}, Wait: time.Minute}
	return d
}

// file writes a file beside the programs.
func (d *desk) file(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.bin, name), []byte(text), 0o700); err != nil {
		d.t.Fatal(err)
	}
}

// program writes a program, in which $HERE is the directory.
func (d *desk) program(name, script string) {
	d.t.Helper()
	d.file(name, "#!/bin/sh\nHERE='"+d.bin+"'\n"+script+"\n")
}

// want reads the clipboard.
func (d *desk) want(want Content, err error) {
	d.t.Helper()
	got, gotErr := d.Read(d.t.Context())
	if string(got.Image) != string(want.Image) || got.Ext != want.Ext || got.Text != want.Text || !errors.Is(gotErr, err) {
		d.t.Errorf("%.80q %q %.80q, %v; want %.80q %q %.80q, %v", got.Image, got.Ext, got.Text, gotErr, want.Image, want.Ext, want.Text, err)
	}
}

func TestReadWayland(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "linux")
	d.env["WAYLAND_DISPLAY"] = "w"
	d.want(Content{}, ErrNone)
	d.program("wl-paste", `case "$*" in
		--list-types) cat $HERE/types;;
		"--no-newline --type image/png") cat $HERE/image;;
		--no-newline) cat $HERE/text;;
		*) exit 9;;
	esac`)
	d.want(Content{}, ErrEmpty) // no types
	d.file("types", "text/plain\nimage/png\nimage/bmp\n")
	d.file("image", png)
	d.file("text", "both")
	d.want(Content{Image: []byte(png), Ext: "png"}, nil)
	d.file("image", "no image")
	d.want(Content{Text: "both"}, nil)
	d.file("types", "text/plain\n")
	d.file("text", "a\r\nb\xff")
	d.want(Content{Text: "a\nb\uFFFD"}, nil)
	d.file("text", "")
	d.want(Content{}, ErrEmpty)
	d.file("text", strings.Repeat("x", maxContent+1))
	d.want(Content{}, ErrTooLarge)
}

func TestReadX(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "linux")
	d.env["DISPLAY"] = ":0"
	d.program("xclip", `case "$*" in
		"-selection clipboard -o -t TARGETS") printf 'TARGETS\nimage/jpeg\n';;
		"-selection clipboard -o -t image/jpeg") cat $HERE/image;;
		"-selection clipboard -o -t UTF8_STRING") printf text;;
		*) exit 9;;
	esac`)
	d.file("image", "\xff\xd8\xff\xe0")
	d.want(Content{Image: []byte("\xff\xd8\xff\xe0"), Ext: "jpg"}, nil)
	d.file("image", "")
	d.want(Content{Text: "text"}, nil)
}

func TestReadMac(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "darwin")
	d.program("osascript", `printf '«data PNGf%s»\n' 89504E470D0A1A0A`)
	d.want(Content{Image: []byte(png[:8]), Ext: "png"}, nil)
	d.program("osascript", "exit 1")
	d.program("pbpaste", "printf text")
	d.want(Content{Text: "text"}, nil)
}

func TestReadPowerShell(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "linux")
	d.env["WSL_DISTRO_NAME"] = "Ubuntu"
	d.program("powershell.exe", `echo "image iVBORw0KGgo="`)
	d.want(Content{Image: []byte(png[:8]), Ext: "png"}, nil)
	d.program("powershell.exe", `echo "text w6k="`)
	d.want(Content{Text: "é"}, nil)
	d.program("powershell.exe", `echo "text "`)
	d.want(Content{}, ErrEmpty)
	d.program("powershell.exe", `echo "text ?"`)
	d.want(Content{}, ErrEmpty)
}

// TestHang checks that a program that does not end is stopped.
func TestHang(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "linux")
	d.env["DISPLAY"] = ":0"
	d.program("xclip", "exec sleep 100")
	d.Wait = 100 * time.Millisecond
	if _, err := d.Read(t.Context()); err == nil || err.Error() != "xclip takes too long" {
		t.Error(err)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	const keep = `cat > $HERE/held; printf %s "$1" > $HERE/first`
	for _, c := range []struct{ goos, program, variable, value, first string }{
		{"darwin", "pbcopy", "", "", ""},
		{"linux", "wl-copy", "WAYLAND_DISPLAY", "w", ""},
		{"linux", "xclip", "DISPLAY", ":0", "-selection"},
		{"linux", "xsel", "DISPLAY", ":0", "--clipboard"},
		{"linux", "powershell.exe", "WSL_INTEROP", "x", "-NoProfile"},
	} {
		d := newDesk(t, c.goos)
		d.env[c.variable] = c.value
		d.env["PATH"] = d.bin
		if err := d.Write(t.Context(), "text"); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", c.program, err)
		}
		d.program(c.program, keep)
		err := d.Write(t.Context(), "text é")
		held, _ := os.ReadFile(filepath.Join(d.bin, "held"))
		first, _ := os.ReadFile(filepath.Join(d.bin, "first"))
		if string(held) != "text é" || string(first) != c.first || err != nil {
			t.Errorf("%s: %q %q, %v", c.program, held, first, err)
		}
		d.program(c.program, "exit 3")
		if err := d.Write(t.Context(), "text"); err == nil || errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", c.program, err)
		}
	}
}

// TestRemote checks that no program runs on the other end of a connection, except with X forwarding.
func TestRemote(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "linux")
	d.program("xclip", "cat > $HERE/held")
	d.program("wl-copy", "cat > $HERE/fooled")
	d.env["SSH_TTY"], d.env["DISPLAY"], d.env["WAYLAND_DISPLAY"] = "/dev/pts/1", ":0", "w"
	if err := d.Write(t.Context(), "text"); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	d.want(Content{}, ErrNone)
	if !strings.Contains(d.Missing(), "useOSC52Paste") {
		t.Error(d.Missing())
	}
	d.env["DISPLAY"] = "localhost:10.0"
	err := d.Write(t.Context(), "text")
	if held, _ := os.ReadFile(filepath.Join(d.bin, "held")); string(held) != "text" || err != nil {
		t.Errorf("%q, %v", held, err)
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ goos, variable, want string }{
		{"linux", "WAYLAND_DISPLAY", "wl-clipboard to"}, {"linux", "DISPLAY", "xclip to"}, {"linux", "", "graphical"}, {"darwin", "", "system"},
	} {
		d := newDesk(t, c.goos)
		d.env[c.variable] = "x"
		if got := d.Missing(); !strings.Contains(got, c.want) {
			t.Error(got)
		}
	}
}

func TestSave(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "images")
	now := time.Now()
	c := Content{Image: []byte(png), Ext: "png"}
	first, err := c.Save(dir, now)
	if err != nil || !strings.HasPrefix(filepath.Base(first), "clipboard-2") || !strings.HasSuffix(first, ".png") {
		t.Fatal(first, err)
	}
	if data, err := os.ReadFile(first); string(data) != png {
		t.Errorf("%q, %v", data, err)
	}
	if info, _ := os.Stat(first); info.Mode().Perm() != 0o600 {
		t.Error(info.Mode())
	}
	second, err := c.Save(dir, now)
	if err != nil || second == first {
		t.Error(second, err)
	}
	old := now.Add(-maxAge - time.Minute)
	other := filepath.Join(dir, "other.png")
	if err := errors.Join(os.WriteFile(other, nil, 0o600), os.Chtimes(first, old, old), os.Chtimes(other, old, old)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Save(dir, now.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if _, err := os.Stat(first); len(left) != 3 || !os.IsNotExist(err) {
		t.Error(left)
	}
}

func TestLabel(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/x/clipboard-20260102-030405.678.png": "[Image …030405.678.png]", "/x/ab.png": "[Image ab.png]",
	} {
		if got := Label(path); got != want {
			t.Error(got)
		}
	}
}
