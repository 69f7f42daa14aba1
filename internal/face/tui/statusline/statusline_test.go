package statusline

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pollux/internal/process"
)

func options(t *testing.T) Options {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("NOT tested: the commands are for sh")
	}
	return Options{Dir: t.TempDir(), Environ: []string{"PATH=" + os.Getenv("PATH")}, Origin: process.OriginUser}
}

func TestRun(t *testing.T) {
	t.Parallel()
	o := options(t)
	cost := 0.5
	input := Snapshot{SessionID: "s", Model: Model{DisplayName: "m"}, Cost: Cost{TotalCostUSD: &cost}}.JSON()
	for command, want := range map[string]string{
		"cat": `{"hook_event_name":"Status","session_id":"s","version":"","cwd":"","model":{"id":"","display_name":"m"},"workspace":{"current_dir":"","project_dir":""},` +
			`"cost":{"total_cost_usd":0.5,"total_tokens":0,"total_lines_added":0,"total_lines_removed":0},"exceeds_200k_tokens":false,"approval_mode":""}`,
		`printf '\n\033[31m red \033]0;title\007line\033[0m\nsecond\n'`: "red line",
		"exit 0":              "",
		"pwd | sed 's,.*/,,'": filepath.Base(o.Dir),
	} {
		if got, err := run(t.Context(), Options{o.Launcher, o.Dir, o.Environ, o.Origin}, command, input); err != nil && !strings.Contains(err.Error(), "longer") || err == nil && got != want {
			t.Errorf("%s: %q, %v", command, got, err)
		}
	}
	for command, want := range map[string]string{"echo why >&2; exit 3": "why", "sleep 100": "longer than 300ms"} {
		if got, err := run(t.Context(), o, command, input); err == nil || got != "" || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "longer") {
			t.Errorf("%s: %q, %v", command, got, err)
		}
	}
}

// TestWhen checks that the program runs by change, once a second, and not twice at a time.
func TestWhen(t *testing.T) {
	t.Parallel()
	var r Runner
	now := time.Unix(1000, 0)
	begins := func(after time.Duration) bool {
		_, ok := r.Begin(now.Add(after), Options{})
		return ok
	}
	if begins(0) {
		t.Error("it runs without a command")
	}
	r.Set("a", "1")
	first := begins(0)
	if r.Set("a", "1b"); !first || begins(5*time.Second) {
		t.Error("it must run once at a time")
	}
	if r.Set("a", "2"); !r.End(false) {
		t.Error("the result does not count")
	}
	if begins(Pause-1) || !begins(Pause) {
		t.Error("it must pause for a second")
	}
	if r.Set("b", "2"); r.End(false) {
		t.Error("the result of another command counts")
	}
	if !begins(2*Pause) || !r.End(false) || begins(9*Pause) {
		t.Error("another command must run once without a change")
	}
	r.Set("c", "2")
	for i := range 3 {
		if !begins(time.Duration(10+i)*Pause) || r.End(true) != (i == 2) {
			t.Error("a failed run counts the third time")
		}
	}
	if begins(20 * Pause) {
		t.Error("the program must wait for a change after three failures")
	}
}
