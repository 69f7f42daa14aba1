package external_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"pollux/internal/editor/external"
	"pollux/internal/terminal"
)

// desk is a place with editors.
type desk struct{ bin, temp, log string }

func newDesk(t *testing.T) *desk {
	t.Helper()
	dir := t.TempDir()
	d := &desk{bin: filepath.Join(dir, "bin"), temp: filepath.Join(dir, "temp"), log: filepath.Join(dir, "log")}
	for _, p := range []string{d.bin, d.temp} {
		if err := os.Mkdir(p, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// install puts an editor on the path, which does what script says. (A script that
// was just written can't be run while another test starts a program, so what is run
// is always the same file.)
func (d *desk) install(t *testing.T, name, script string) {
	t.Helper()
	real, err := filepath.Abs("testdata/editor.sh")
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(d.bin, name)
	_ = os.Remove(link)
	if err := errors.Join(os.Symlink(real, link), os.WriteFile(filepath.Join(filepath.Dir(d.bin), "script"), []byte(script+"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func (d *desk) editor(o external.Options) *external.Editor {
	o.Environ = append(o.Environ, "PATH="+d.bin+":/bin:/usr/bin:relative:", "HOME=/home/ada")
	o.Terminal, _, _ = terminal.Test("")
	o.Temp = d.temp
	return external.New(o)
}

// called returns how the editor was called.
func (d *desk) called(t *testing.T) []string {
	t.Helper()
	log, err := os.ReadFile(d.log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(log), "\n"), "\n")
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		options external.Options
		want    string
	}{
		{external.Options{Preferred: "vscode", Visual: "vim"}, "code --wait FILE"},
		{external.Options{Preferred: "vscode", NewWindow: true}, "code --wait --new-window FILE"},
		{external.Options{Preferred: "zed", NewWindow: true}, "zeditor --wait FILE"},
		{external.Options{Preferred: "sublimetext"}, "subl --wait FILE"},
		{external.Options{Preferred: "neovim"}, "nvim -i NONE FILE"},
		{external.Options{Preferred: "emacs"}, "emacs -nw FILE"},
		{external.Options{Preferred: "micro"}, "micro FILE"},
		{external.Options{Visual: "micro", Editor: "nvim"}, "micro FILE"},
		{external.Options{Visual: " ", Editor: `nvim -c "set tw=0" '$HOME' $HOME`}, "nvim -c set tw=0 $HOME /home/ada -i NONE FILE"},
		{external.Options{Editor: "code"}, "code --wait FILE"},
		{external.Options{Editor: "code -w"}, "code -w FILE"},
		{external.Options{Editor: "*"}, "* FILE"},
	} {
		d := newDesk(t)
		for _, name := range []string{"code", "zeditor", "subl", "nvim", "emacs", "micro", "*"} {
			d.install(t, name, "")
		}
		if err := d.editor(tt.options).Open(t.Context(), "/tmp/a b"); err != nil {
			t.Errorf("%+v: %v", tt.options, err)
			continue
		}
		if got, want := strings.Join(d.called(t), " "), strings.ReplaceAll(tt.want, "FILE", "/tmp/a b"); got != want {
			t.Errorf("%+v: called as %q, want %q", tt.options, got, want)
		}
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"vscode": "code --wait --diff /old /new",
		"zed":    "zeditor --wait --diff /old /new",
		"nova":   "nova --wait /new",
		"vim":    "vim -i NONE -d -c wincmd h -c setlocal readonly nomodifiable -c wincmd l /old /new",
		"emacs":  `emacs -nw --eval (ediff-files "/old" "/new")`,
		"hx":     "hx --vsplit /new /old",
		"micro":  "micro /new",
	} {
		d := newDesk(t)
		d.install(t, strings.Fields(want)[0], "")
		if err := d.editor(external.Options{Preferred: id}).Diff(t.Context(), "/old", "/new"); err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if got := strings.Join(d.called(t), " "); got != want {
			t.Errorf("%s is called as %q, want %q", id, got, want)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.install(t, "breaks", "")
	d.install(t, "dies", `case $0 in *dies) kill -9 $$; esac; exit 3`)
	if err := os.Mkdir(filepath.Join(d.bin, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	const missing = "Editor command '%s' was not found in PATH. Install it or use /editor to choose another editor."
	for _, tt := range []struct {
		options external.Options
		want    string
	}{
		{external.Options{Preferred: "notepad"}, "Editor 'notepad' is not a recognized editor identifier. Supported editors: vscode, vscodium, windsurf, " +
			"cursor, zed, antigravity, sublimetext, lapce, nova, bbedit, vim, neovim, emacs, emacsclient, hx, micro"},
		{external.Options{Preferred: "lapce"}, fmt.Sprintf(missing, "lapce")},
		{external.Options{Visual: "nowhere -x"}, fmt.Sprintf(missing, "nowhere")},
		{external.Options{Visual: "folder"}, fmt.Sprintf(missing, "folder")},
		{external.Options{Visual: "./breaks"}, fmt.Sprintf(missing, "./breaks")},
		{external.Options{Visual: "vim 'half"}, `The editor command "vim 'half" cannot be read. Set VISUAL or EDITOR to a program and its arguments.`},
		{external.Options{Visual: "$(touch /tmp/pwned)"}, `The editor command "$(touch /tmp/pwned)" cannot be read. Set VISUAL or EDITOR to a program and its arguments.`},
		{external.Options{Visual: "$NOTHING"}, `The editor command "$NOTHING" cannot be read. Set VISUAL or EDITOR to a program and its arguments.`},
		{external.Options{Visual: "breaks"}, "External editor exited with status 3"},
		{external.Options{Visual: "dies"}, "External editor was ended by a signal (signal: killed)"},
	} {
		if err := d.editor(tt.options).Open(t.Context(), "/tmp/x"); err == nil || err.Error() != tt.want {
			t.Errorf("%+v: %v\nwant %s", tt.options, err, tt.want)
		}
	}
	term, _, _ := terminal.Test("")
	e := external.New(external.Options{Environ: []string{"PATH=" + d.bin}, Terminal: term})
	if err := e.Open(t.Context(), "/tmp/x"); !errors.Is(err, external.ErrNone) {
		t.Errorf("without any editor: %v", err)
	}
	if err := e.Check(); !errors.Is(err, external.ErrNone) {
		t.Errorf("checked without any editor: %v", err)
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, name := range []string{"main.go", "../../etc/passwd", "-rf $(x)\x1b[2J.md", strings.Repeat("é", 200) + ".txt", ".env", ""} {
		d.install(t, "micro", `ls -ld "${file%/*}" "$file" >>`+d.log+`; printf 'mine' >>"$file"`)
		got, err := d.editor(external.Options{Editor: "micro"}).Change(t.Context(), name, "was\n", "will be\n")
		if err != nil || got != "will be\nmine" {
			t.Errorf("%q: %q, %v", name, got, err)
		}
		call := d.called(t)
		base := filepath.Base(call[1])
		if !strings.HasPrefix(base, "gemini-cli-modify-") || !strings.Contains(base, "-new-") || strings.ContainsAny(base, " $()\x1b") || filepath.Ext(name) == ".go" && filepath.Ext(base) != ".go" {
			t.Errorf("%q is edited as %q", name, call[1])
		}
		if !strings.HasPrefix(call[2], "drwx------") || !strings.HasPrefix(call[3], "-rw-------") {
			t.Errorf("others may look into %q", call[2:])
		}
	}
	left, err := os.ReadDir(d.temp)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// An editor may write the file anew, or into it.
func TestText(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		`echo more >>"$file"`:                           "draft\nmore\n",
		`echo new >"$file.tmp"; mv "$file.tmp" "$file"`: "new\n",
		`:`: "error: Nothing was saved in the editor, so nothing comes of it.",
		`cat "$file" >"$file.tmp"; mv "$file.tmp" "$file"`: "draft\n",
		`touch "$file"`:              "draft\n",
		`: >"$file"`:                 "",
		`rm "$file"`:                 "error: read what the editor saved: ",
		`rm "$file"; mkfifo "$file"`: "error: read what the editor saved: it is no file any more",
		`printf '\377' >"$file"`:     "error: read what the editor saved: it is not UTF-8 text",
		`truncate -s 40M "$file"`:    "error: read what the editor saved: it is larger than 32 MiB",
		`exit 1`:                     "error: External editor exited with status 1",
	} {
		d := newDesk(t)
		d.install(t, "micro", script)
		got, err := d.editor(external.Options{Editor: "micro"}).Text(t.Context(), "draft\n")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want && (!strings.HasSuffix(want, ": ") || !strings.HasPrefix(got, want)) {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
		if base := filepath.Base(d.called(t)[1]); base != "prompt.md" {
			t.Errorf("the file is called %s", base)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.install(t, "micro", "exec sleep 1000")
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("enough")
	go func() {
		for { // until it runs
			if _, err := os.Stat(d.log); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		cancel(over)
	}()
	if _, err := d.editor(external.Options{Editor: "micro"}).Text(ctx, ""); !errors.Is(err, over) {
		t.Errorf("got %v", err)
	}
}

// The arguments for vim are what vim understands.
func TestVim(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("vim"); err != nil {
		t.Skip("there is no vim here")
	}
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	defer master.Close()
	defer tty.Close()
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, master) }()
	if _, err := io.WriteString(master, ":%s/will be/shall be/\r:wqa\r"); err != nil {
		t.Fatal(err)
	}
	e := external.New(external.Options{
		Preferred: "vim", Environ: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "TERM=vt100", "HOME=" + t.TempDir()},
		Terminal: terminal.New(tty, tty, tty, func(string) string { return "" }), Temp: t.TempDir(),
	})
	got, err := e.Change(t.Context(), "a.txt", "was\n", "will be\n")
	if err != nil || got != "shall be\n" {
		t.Errorf("got %q, %v", got, err)
	}
}
