//go:build unix

package config

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
)

func TestSystemFilesNeedRoot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "settings.json"), `{"model": {"name": "evil"}}`)
	write(t, filepath.Join(dir, "system-defaults.json"), `{"model": {"name": "evil"}}`)
	p := newPlace(t)
	p.env = p.env.With("GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + filepath.Join(dir, "settings.json"))
	s, warnings := p.mustLoad(t)
	if got := ModelName.In(s); got != "" {
		t.Errorf("a file that anyone may replace decided the model: %q", got)
	}
	if len(warnings) != 2 ||
		!strings.HasPrefix(string(warnings[0]), "Security Warning: Skipping system defaults file '"+dir) ||
		!strings.HasPrefix(string(warnings[1]), "Security Warning: Skipping system settings file '"+dir) {
		t.Errorf("warnings: %q", warnings)
	}
	if got := remedy(dir); got != "run: sudo chown root '"+dir+"' && sudo chmod go-w '"+dir+"'" {
		t.Errorf("to do about %s: %s", dir, got)
	}
	// A directory that everybody shares must stay so.
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if got := remedy(dir); strings.Contains(got, "sudo") {
		t.Errorf("to do about %s: %s", dir, got)
	}
}

func TestFirstForeign(t *testing.T) {
	t.Parallel()
	if info, err := os.Stat("/etc/passwd"); err != nil || ownerProblem(info) != "" {
		t.Skip("/etc/passwd is not root's here")
	}
	if where, reason := firstForeign("/etc/passwd"); reason != "" {
		t.Errorf("/etc/passwd is refused: %s %s", where, reason)
	}
	if where, reason := firstForeign("/etc/../etc/./passwd"); reason != "" {
		t.Errorf("/etc/../etc/./passwd is refused: %s %s", where, reason)
	}
	if OwnershipProblem("/etc/passwd") != "" || OwnershipProblem(t.TempDir()) == "" {
		t.Error("Foreign does not tell root's files from others'")
	}
	dir := t.TempDir()
	good := filepath.Join(dir, "link")
	link(t, "/etc/passwd", good)
	if _, reason := firstForeign(good); reason == "" {
		t.Error("a link in a directory that anyone may write is accepted")
	}
	loop := filepath.Join(dir, "loop")
	link(t, loop, loop)
	if _, reason := firstForeign(loop); reason == "" {
		t.Error("a loop of links is accepted")
	}
	if _, reason := firstForeign("/etc/there/is/no/such"); reason == "" {
		t.Error("a missing file is accepted")
	}
}

// Where tests run as root, a layer above the user's can be tried for real.
func TestSystemSettings(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root to make a system file")
	}
	root, err := user.LookupId("0")
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	dir, err := os.MkdirTemp(root.HomeDir, "pollux-test-")
	if err != nil {
		t.Skipf("no directory of root's alone: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if where, reason := firstForeign(dir); reason != "" {
		t.Skipf("NOT TESTED: %s: %s", where, reason)
	}
	write(t, filepath.Join(dir, "settings.json"), `{"model": {"name": "system"}}`)
	write(t, filepath.Join(dir, "system-defaults.json"), `{"model": {"name": "low", "maxSessionTurns": 3, "compressionThreshold": 0.5}}`)
	p := newPlace(t)
	p.env = p.env.With("GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + filepath.Join(dir, "settings.json"))
	p.user(t, `{"model": {"name": "user", "maxSessionTurns": 4}}`)
	p.workspace(t, `{"model": {"name": "work"}}`)
	s, warnings := p.mustLoad(t)
	if ModelName.In(s) != "system" || MaxSessionTurns.In(s) != 4 || len(warnings) > 0 {
		t.Errorf("got %q, %d, %q", ModelName.In(s), MaxSessionTurns.In(s), warnings)
	}
}
