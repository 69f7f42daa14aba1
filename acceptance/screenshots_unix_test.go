//go:build linux || darwin

package acceptance

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"pollux/internal/face/tui/tuitest"
	"pollux/internal/sandbox"
)

// The prompts of the pictures.
const (
	firstPrompt  = "Why is the forecast for Port Anselm an hour early since Sunday? See @station.go"
	secondPrompt = "Do that, and compare the tables with the almanac."
)

// needSandbox skips a test where the footer of a session says that there is no sandbox.
func needSandbox(t *testing.T) {
	t.Helper()
	if err := sandbox.Available(); err != nil || sandbox.ByPath { // they are about that of Linux
		t.Skipf("NOT TESTED: the pictures show the sandbox: %v", err)
	}
}

// TestScreenshots checks the pictures in docs/images against the program; -update rewrites them.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	for name, colors := range map[string]ink{"dark": darkInk, "light": lightInk} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shots := shootDay(beginDay(t, 80, 40, colors, nil))
			if name == "light" {
				compareShot(t, "light.svg", "pollux in a light terminal", shots["end"].From("> "+secondPrompt))
				return
			}
			compareShot(t, "answer.svg", "pollux answers a question", shots["answer"])
			compareShot(t, "edit.svg", "pollux asks before it edits a file", shots["edit"].From("> "+secondPrompt))
			compareShot(t, "command.svg", "pollux runs a command", shots["command"].From("> "+secondPrompt))
		})
	}
}

// shootDay plays a session, and returns pictures of it.
func shootDay(d *day) map[string]tuitest.Picture {
	shots := map[string]tuitest.Picture{}
	shoot := func(name string) {
		d.Settle()
		d.await()
		shots[name] = steady(d.Picture())
	}
	d.see("Type your message")
	d.see("zones")
	d.send(firstPrompt + "\r")
	d.rest("I recommend the first one.")
	shoot("answer")
	d.send(secondPrompt + "\r")
	d.see("Apply this change?")
	shoot("edit")
	release := d.hold()
	d.send("1")
	d.see("Run this command?")
	d.send("1")
	d.see("2026-03-31  Cape Verrill   04:05    04:05  ok")
	elapsed := regexp.MustCompile(`\(\d+s\)$`)
	d.until(func(rows []string) bool { return slices.ContainsFunc(rows, elapsed.MatchString) }, "the time of the command")
	shots["command"] = steady(d.Picture())
	release()
	d.rest("asks it for each date.")
	shoot("end")
	d.leave()
	return shots
}

// compareShot compares a picture with the one in docs/images.
func compareShot(t *testing.T, file, title string, p tuitest.Picture) {
	t.Helper()
	path := filepath.Join(images, file)
	got := p.SVG(title)
	want, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(got, bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))):
	case *update:
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not as the program looks; if this is right, run make screenshots (%v):\n%s", path, err, p.Text())
	}
}
