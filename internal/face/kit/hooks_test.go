package kit

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pollux/internal/guard/hook"
)

// TestHooksText checks the label of hooks that run: of those that have run for a while, with the names of the user's.
func TestHooksText(t *testing.T) {
	t.Parallel()
	now := time.Now()
	long, short := now.Add(-HookPatience), now.Add(1-HookPatience)
	for want, hooks := range map[string][]hook.Running{
		"":                            {{Name: "a", IsUsers: true, Began: short}},
		"Executing Hook: a b":         {{Name: "a\x1b[1m\nb", IsUsers: true, Began: long}, {Name: "c", IsUsers: true, Began: short}},
		"Executing Hooks: a (1/2), b": {{Name: "a", Number: 1, Count: 2, IsUsers: true, Began: long}, {Name: "b", Number: 1, Count: 1, IsUsers: true, Began: long}},
		"Executing Hook: b":           {{Name: "secret", Began: long}, {Name: "b", IsUsers: true, Began: long}},
		"Working...":                  {{Name: "secret", Began: long}},
	} {
		if got := HooksText(hooks, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	many := make([]hook.Running, 100)
	for i := range many {
		many[i] = hook.Running{Name: strings.Repeat("x", 50), IsUsers: true, Began: long}
	}
	if got := HooksText(many, now); len(got) > 300 {
		t.Errorf("%d bytes", len(got))
	}
}

// TestHooksRunning checks that a driver reports the hooks that run, the latest state only, and waits for no face.
func TestHooksRunning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := New(Options{})
		d.hooksRunning([]hook.Running{{Name: "old"}})
		d.Warn("between")
		d.hooksRunning([]hook.Running{{Name: "new"}})
		d.takeWarnings()
		if len(d.out) != 2 || d.out[1].(HooksRunning).Hooks[0].Name != "new" {
			t.Fatalf("%+v", d.out)
		}
		d.hooksRunning(nil)
		d.takeWarnings()
		if len(d.out) != 2 || len(d.out[1].(HooksRunning).Hooks) != 0 {
			t.Errorf("%+v", d.out)
		}
		d.takeWarnings()
		if len(d.out) != 2 {
			t.Errorf("reported again: %+v", d.out)
		}
	})
}

// TestBesideText checks that only a command that lasts is shown, with its time.
func TestBesideText(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for took, want := range map[time.Duration]string{besidePatience - 1: "", besidePatience: "/btw why? (0s)", 2900 * time.Millisecond: "/btw why? (2s)"} {
		if got := (BesideCommand{"/btw why?", now.Add(-took)}).Text(now); got != want {
			t.Errorf("%s: %q, want %q", took, got, want)
		}
	}
}
