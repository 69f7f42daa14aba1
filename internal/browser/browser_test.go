package browser_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pollux/internal/browser"
	"pollux/internal/process/processtest"
)

// opener returns a browser whose xdg-open is a script, and the directory in which it runs.
func opener(t *testing.T, script string, environ ...string) (browser.Browser, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\ncd '"+dir+"'\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return browser.Browser{GOOS: "linux", Environ: append([]string{"PATH=" + dir + ":/usr/bin:/bin"}, environ...)}, dir
}

func TestOpen(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the script is for a Unix shell")
	}
	const page = "https://x.example/a?b=c&d=$HOME;(e)"
	b, dir := opener(t, `printf '%s|' "$@" "$A" >page; sleep 0.1; mv page shown`, "DISPLAY=:0", "A=1")
	if err := b.Open(t.Context(), page); err != nil {
		t.Fatal(err)
	}
	processtest.WaitUntil(t, "the page", func() bool { _, err := os.Stat(filepath.Join(dir, "shown")); return err == nil })
	if got, _ := os.ReadFile(filepath.Join(dir, "shown")); string(got) != page+"|1|" {
		t.Errorf("got %q", got)
	}
}

// BROWSER names a program that is used without a graphical session too.
func TestOpenWithVariable(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the script is for a Unix shell")
	}
	own := filepath.Join(t.TempDir(), "own")
	if err := os.WriteFile(own, []byte("#!/bin/sh\nexit 7\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	b, _ := opener(t, "exit 0", "BROWSER="+own)
	if err := b.Open(t.Context(), "https://x.example/"); err == nil || !strings.HasPrefix(err.Error(), "own: ") {
		t.Errorf("BROWSER: %v", err)
	}
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the script is for a Unix shell")
	}
	const page = "https://x.example/"
	b, dir := opener(t, "exit 3", "DISPLAY=:0")
	if err := b.Open(t.Context(), page); err == nil || !strings.Contains(err.Error(), "xdg-open") {
		t.Errorf("a program that fails: %v", err)
	}
	b.Outside, b.Environ = []string{dir}, []string{"PATH=" + dir, "DISPLAY=:0"} // the machine may have another one
	if err := b.Open(t.Context(), page); err == nil || err.Error() != "xdg-open is not installed" {
		t.Errorf("a program of the workspace: %v", err)
	}
	for _, environ := range [][]string{nil, {"DISPLAY=:0", "NO_BROWSER=1"}, {"BROWSER=missing"}} {
		if b, _ := opener(t, "touch shown", environ...); !errors.Is(b.Open(t.Context(), page), browser.ErrNone) {
			t.Errorf("%q: a browser", environ)
		}
	}
}

// Nothing but web pages is opened.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	b, dir := opener(t, "touch shown", "DISPLAY=:0")
	for _, page := range []string{
		"", "x", "--help", "file:///etc/passwd", "javascript:alert(1)", "https:x", "https://", "HTTPS://x\n", "https://x/a b", "https://x/\"", "https://x/'",
		"https://x/`id`", "https://x/\u202e", `https://x\y`, "ftp://x/",
	} {
		if err := b.Open(t.Context(), page); err == nil {
			t.Errorf("%q is opened", page)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "shown")); err == nil {
		t.Error("a page was opened")
	}
}
