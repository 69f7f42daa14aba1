//go:build linux || darwin

package acceptance

import (
	"errors"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pollux/internal/face/tui/tuitest"
	"pollux/internal/scriptmodel"
)

// day is a session at a terminal, for the pictures of the documentation.
type day struct {
	*tuitest.Program
	t    *testing.T
	work string
}

// ink are the colors of a terminal.
type ink struct{ foreground, background color.Color }

var (
	darkInk  = ink{color.RGBA{0xe6, 0xed, 0xf3, 0xff}, color.RGBA{0x0d, 0x11, 0x17, 0xff}}
	lightInk = ink{color.RGBA{0x1f, 0x23, 0x28, 0xff}, color.RGBA{0xff, 0xff, 0xff, 0xff}}
)

// beginDay starts Pollux in ~/tideline, with the model of testdata/day. tap may be nil.
func beginDay(t *testing.T, width, height int, colors ink, tap func([]byte)) *day {
	t.Helper()
	home := t.TempDir()
	d := &day{t: t, work: filepath.Join(home, "tideline")}
	source, err := os.ReadFile("testdata/day/station.go.txt")
	check, err2 := os.ReadFile("testdata/day/check.sh")
	script, err3 := os.ReadFile("testdata/day/day.model")
	err = errors.Join(err, err2, err3, knowsPollux(home),
		os.MkdirAll(filepath.Join(home, ".gemini"), 0o700), // the line about a turn has its time
		os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), []byte(`{"pollux": {"turnSummary": false}}`), 0o600),
		os.MkdirAll(filepath.Join(d.work, ".git", "refs"), 0o700), os.MkdirAll(filepath.Join(d.work, ".git", "objects"), 0o700),
		os.WriteFile(filepath.Join(d.work, ".git", "HEAD"), []byte("ref: refs/heads/zones\n"), 0o600),
		os.WriteFile(filepath.Join(d.work, "station.go"), source, 0o600), os.WriteFile(filepath.Join(d.work, "check.sh"), check, 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := scriptmodel.Parse(string(script))
	if err != nil {
		t.Fatal(err)
	}
	server, err := scriptmodel.Start(parsed, scriptmodel.Options{Wires: everyWire(), Wire: "gemini"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(server.Check(), server.Close()); err != nil {
			t.Error(err)
		}
	})
	e := tuitest.NewEmulator(width, height)
	e.SetDefaultForegroundColor(colors.foreground)
	e.SetDefaultBackgroundColor(colors.background)
	command := []string{
		"env", "-i", "PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8", "TERM=xterm-256color", "COLORTERM=truecolor", "GORACE=" + os.Getenv("GORACE"),
		"GEMINI_API_KEY=test-key", "GOOGLE_GEMINI_BASE_URL=" + server.URL(), "GEMINI_MODEL=gemini-2.5-pro", "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_FORCE_FILE_STORAGE=true",
		"sh", "-c", `cd "$0" && exec pollux`, d.work,
	}
	if d.Program, err = tuitest.StartAt(e, command, tap); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// see waits until a text is on the screen.
func (d *day) see(text string) {
	d.t.Helper()
	d.until(func(rows []string) bool {
		return slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, text) })
	}, text)
}

// rest waits until the run has ended, after its last text and its use of the context.
func (d *day) rest(lastText string) {
	d.t.Helper()
	d.see(lastText)
	d.until(func(rows []string) bool {
		return !slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, "to cancel") }) &&
			slices.ContainsFunc(rows, func(row string) bool { return strings.HasSuffix(row, "10%") })
	}, "the end of the run")
	d.Settle()
}

// until waits until is returns true for the screen.
func (d *day) until(is func(rows []string) bool, what string) {
	d.t.Helper()
	if err := d.Wait(is); err != nil {
		d.t.Fatalf("%s: %v\n%s", what, err, strings.Join(d.Whole(), "\n"))
	}
}

// send types bytes, as an answer if there is a question.
func (d *day) send(text string) {
	d.t.Helper()
	d.await()
	if err := d.Send(text); err != nil {
		d.t.Fatal(err)
	}
}

// await waits until the question on the screen takes answers, if there is one.
func (d *day) await() {
	d.t.Helper()
	if err := d.AwaitQuestion(); err != nil {
		d.t.Fatal(err)
	}
}

// leave ends the session.
func (d *day) leave() {
	d.t.Helper()
	d.send("\x04")
	d.see("again to exit")
	d.send("\x04")
	if code, err := d.End(); code != 0 || err != nil {
		d.t.Errorf("code %d, %v", code, err)
	}
}

// hold makes check.sh wait before its last line, until release.
func (d *day) hold() (release func()) {
	d.t.Helper()
	file := filepath.Join(d.work, ".wait")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		d.t.Fatal(err)
	}
	return func() { _ = os.Remove(file) }
}

// steady returns a picture with fixed times and a fixed state of the spinner.
func steady(p tuitest.Picture) tuitest.Picture {
	p = p.Mask(regexp.MustCompile(`^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] `), "⠹ ")
	p = p.Mask(regexp.MustCompile(`\(esc to cancel, \d+s\)`), "(esc to cancel, 6s)")
	return p.Mask(regexp.MustCompile(`\(\d+s\)`), "(6s)")
}
