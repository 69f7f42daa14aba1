package editor_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"

	"pollux/internal/editor"
	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/terminal"
)

// desk is a temporary directory with scripted editors on its PATH.
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

// install adds an editor to the PATH that runs script. (Executing a file that was just
// written can fail while another test starts a program, so the executable is always
// the same file.)
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

func (d *desk) editor(o editor.Options) *editor.Editor {
	o.Environ = append(o.Environ, "PATH="+d.bin+":/bin:/usr/bin:relative:", "HOME=/home/ada")
	o.Terminal, _, _ = terminal.Test("")
	o.Temp = d.temp
	return editor.New(o)
}

// called returns the arguments of the editor's last call.
func (d *desk) called(t *testing.T) []string {
	t.Helper()
	log, err := os.ReadFile(d.log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(log), "\n"), "\n")
}

// TestOwnDirectory checks that the file which the user edits is in the directory for that, which is made, and readable for the user only.
func TestOwnDirectory(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.temp = filepath.Join(d.temp, "private", "staging")
	d.install(t, "vim", `printf edited >"$file"`)
	if text, err := d.editor(editor.Options{Preferred: "vim"}).Compose(t.Context(), "text"); text != "edited" || err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	args := strings.Join(d.called(t), " ")
	info, err := os.Stat(d.temp)
	if err != nil || info.Mode().Perm() != 0o700 || !strings.Contains(args, d.temp+string(filepath.Separator)) {
		t.Errorf("%v, %v: the editor was called with %s", info, err, args)
	}
	if left, err := os.ReadDir(d.temp); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		options editor.Options
		want    string
	}{
		{editor.Options{Preferred: "vscode", Visual: "vim"}, "code --wait FILE"},
		{editor.Options{Preferred: "vscode", NewWindow: true}, "code --wait --new-window FILE"},
		{editor.Options{Preferred: "zed", NewWindow: true}, "zeditor --wait FILE"},
		{editor.Options{Preferred: "sublimetext"}, "subl --wait FILE"},
		{editor.Options{Preferred: "neovim"}, "nvim -i NONE FILE"},
		{editor.Options{Preferred: "emacs"}, "emacs -nw FILE"},
		{editor.Options{Preferred: "micro"}, "micro FILE"},
		{editor.Options{Visual: "micro", Editor: "nvim"}, "micro FILE"},
		{editor.Options{Visual: " ", Editor: `nvim -c "set tw=0" '$HOME' $HOME`}, "nvim -c set tw=0 $HOME /home/ada -i NONE FILE"},
		{editor.Options{Editor: "code"}, "code --wait FILE"},
		{editor.Options{Editor: "code -w"}, "code -w FILE"},
		{editor.Options{Editor: "*"}, "* FILE"},
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

// TestLauncher checks that the launcher gets a command that uses the terminal.
func TestLauncher(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.install(t, "vim", "true")
	var seen *process.Command
	e := d.editor(editor.Options{Visual: "vim -n", Launcher: process.NewLauncher(func(next process.Handler) process.Handler {
		return func(ctx context.Context, c *process.Command) (*process.Process, error) {
			seen = c
			return next(ctx, c)
		}
	})})
	file := filepath.Join(d.temp, "file")
	if err := e.Open(t.Context(), file); err != nil && !errors.Is(err, editor.ErrUnsaved) {
		t.Fatal(err)
	}
	if seen == nil || !seen.TTY || seen.Detach || seen.Path != filepath.Join(d.bin, "vim") || !slices.Contains(seen.Args, file) {
		t.Errorf("the command is %+v", seen)
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
		if err := d.editor(editor.Options{Preferred: id}).Diff(t.Context(), "/old", "/new"); err != nil {
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
		options editor.Options
		want    string
	}{
		{editor.Options{Preferred: "notepad"}, "Editor 'notepad' is not a recognized editor identifier. Supported editors: vscode, vscodium, windsurf, " +
			"cursor, zed, antigravity, sublimetext, lapce, nova, bbedit, vim, neovim, emacs, emacsclient, hx, micro"},
		{editor.Options{Preferred: "lapce"}, fmt.Sprintf(missing, "lapce")},
		{editor.Options{Visual: "nowhere -x"}, fmt.Sprintf(missing, "nowhere")},
		{editor.Options{Visual: "folder"}, fmt.Sprintf(missing, "folder")},
		{editor.Options{Visual: "./breaks"}, fmt.Sprintf(missing, "./breaks")},
		{editor.Options{Visual: "vim 'half"}, `Invalid editor command "vim 'half". Set VISUAL or EDITOR to a program and its arguments.`},
		{editor.Options{Visual: "$(touch /tmp/pwned)"}, `Invalid editor command "$(touch /tmp/pwned)". Set VISUAL or EDITOR to a program and its arguments.`},
		{editor.Options{Visual: "$NOTHING"}, `Invalid editor command "$NOTHING". Set VISUAL or EDITOR to a program and its arguments.`},
		{editor.Options{Visual: "breaks"}, "External editor exited with status 3"},
		{editor.Options{Visual: "dies"}, "External editor was ended by a signal (signal: killed)"},
	} {
		if err := d.editor(tt.options).Open(t.Context(), "/tmp/x"); err == nil || err.Error() != tt.want {
			t.Errorf("%+v: %v\nwant %s", tt.options, err, tt.want)
		}
	}
	term, _, _ := terminal.Test("")
	e := editor.New(editor.Options{Environ: []string{"PATH=" + d.bin}, Terminal: term})
	if err := e.Open(t.Context(), "/tmp/x"); !errors.Is(err, editor.ErrNoEditor) {
		t.Errorf("without any editor: %v", err)
	}
	if err := e.Check(); !errors.Is(err, editor.ErrNoEditor) {
		t.Errorf("checked without any editor: %v", err)
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, name := range []string{"main.go", "../../etc/passwd", "-rf $(x)\x1b[2J.md", strings.Repeat("é", 200) + ".txt", ".env", ""} {
		d.install(t, "micro", `ls -ld "${file%/*}" "$file" >>`+d.log+`; printf 'mine' >>"$file"`)
		got, err := d.editor(editor.Options{Editor: "micro"}).Change(t.Context(), name, "was\n", "will be\n")
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

// TestText checks editors that replace the file and editors that write into it.
func TestText(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		`echo more >>"$file"`:                           "draft\nmore\n",
		`echo new >"$file.tmp"; mv "$file.tmp" "$file"`: "new\n",
		`:`: "error: The file was not saved in the editor. Nothing changed.",
		`cat "$file" >"$file.tmp"; mv "$file.tmp" "$file"`: "draft\n",
		`touch "$file"`:              "draft\n",
		`: >"$file"`:                 "",
		`rm "$file"`:                 "error: read the edited file: ",
		`rm "$file"; mkfifo "$file"`: "error: read the edited file: it is not a regular file",
		`printf '\377' >"$file"`:     "error: read the edited file: it is not UTF-8 text",
		`truncate -s 40M "$file"`:    "error: read the edited file: it is larger than 32 MiB",
		`exit 1`:                     "error: External editor exited with status 1",
	} {
		d := newDesk(t)
		d.install(t, "micro", script)
		got, err := d.editor(editor.Options{Editor: "micro"}).Compose(t.Context(), "draft\n")
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
	processtest.WhenWritten(t, d.log, func() { cancel(over) })
	if _, err := d.editor(editor.Options{Editor: "micro"}).Compose(ctx, ""); !errors.Is(err, over) {
		t.Errorf("got %v", err)
	}
}

// TestVim checks the arguments for Vim with the real program.
func TestVim(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("vim"); err != nil {
		t.Skip("NOT TESTED: vim is not installed")
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
	e := editor.New(editor.Options{
		Preferred: "vim", Environ: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "TERM=vt100", "HOME=" + t.TempDir()},
		Terminal: terminal.New(tty, tty, tty, func(string) string { return "" }), Temp: t.TempDir(),
	})
	got, err := e.Change(t.Context(), "a.txt", "was\n", "will be\n")
	if err != nil || got != "shall be\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestLeaving checks the hint of each family of editors for leaving a comparison.
func TestLeaving(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"nvim": "nvim shows the current text", "hx": ":wqa", "emacs": "Ctrl+X Ctrl+C", "micro": "close the editor", "gone": ""} {
		d := newDesk(t)
		if name != "gone" {
			d.install(t, name, "true")
		}
		got := d.editor(editor.Options{Visual: name}).Leaving()
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
