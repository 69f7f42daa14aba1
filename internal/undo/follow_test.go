package undo_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/undo"
	"pollux/internal/undo/store"
)

// follower is a place whose session has programs in the background.
type follower struct {
	*place
	programs []string
	seen     int // operations that were checked
}

func newFollower(t *testing.T, isWatched bool) *follower {
	f := &follower{place: newPlace(t, "for f in a b c d e; do echo $f >$f; done")}
	f.recorder.Close()
	o := f.options()
	o.Walked = walked(isWatched)
	o.Background = func() []string { return f.programs }
	o.Session = func() string { return "session" }
	f.recorder = undo.New(o)
	return f
}

func (f *follower) follow(t *testing.T) {
	t.Helper()
	if err := f.recorder.Follow(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// check checks the operations since the last check.
func (f *follower) check(t *testing.T, want ...string) {
	t.Helper()
	numbers, err := f.store.Numbers()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range numbers[f.seen:] {
		o, err := f.store.Read(n)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s: %s; beside %s", o.Kind, o.Title, strings.Join(changed(f.place, o), " "), strings.Join(o.Beside, ", ")))
		if o.Kind == store.Background && (o.Session != "session" || !o.Began.Before(o.Ended) || o.Began.IsZero()) {
			t.Errorf("%+v", o.Header)
		}
	}
	f.seen = len(numbers)
	if !slices.Equal(got, want) {
		t.Errorf("operations\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFollow has programs that go on after their call. Their changes between calls are an operation of their own; those of the
// person alone are none.
func TestFollow(t *testing.T) {
	t.Parallel()
	for _, isWatched := range []bool{true, false} {
		t.Run(fmt.Sprintf("watched=%v", isWatched), func(t *testing.T) {
			t.Parallel()
			f := newFollower(t, isWatched)
			f.follow(t) // nothing has been read
			f.run(t, "true")
			f.sh(t, "echo person >a")
			f.follow(t)
			f.run(t, "echo call >b")
			f.check(t, "call echo call >b: b; beside ")

			run, err := f.recorder.Begin(t.Context(), store.Header{Kind: store.Call, Title: "serve &"}, undo.Scope{Anywhere: true})
			if err != nil {
				t.Fatal(err)
			}
			f.sh(t, "echo early >c")
			f.programs = []string{"serve", "watch", "serve"}
			if _, err := run.End(t.Context()); err != nil {
				t.Fatal(err)
			}
			f.check(t, "call serve &: c; beside ")

			f.sh(t, "echo late >c; echo new >new")
			edit, err := f.recorder.Begin(t.Context(), store.Header{Kind: store.Call, Title: "edit"}, undo.Scope{Paths: []string{filepath.Join(f.dir, "d")}})
			if err != nil {
				t.Fatal(err)
			}
			f.sh(t, "echo edit >d")
			if _, err := edit.End(t.Context()); err != nil {
				t.Fatal(err)
			}
			f.run(t, "echo call >e")
			f.check(t, "call edit: d; beside ", "background serve; watch: c new; beside your own edits", "call echo call >e: e; beside serve (in the background), watch (in the background)")

			f.run(t, "true")
			f.check(t)
			f.sh(t, "rm new")
			f.programs = []string{"watch"}
			f.follow(t)
			f.check(t, "background serve; watch: new; beside your own edits")
			run, err = f.recorder.Begin(t.Context(), store.Header{Kind: store.Call, Title: "last"}, undo.Scope{Anywhere: true})
			if err != nil {
				t.Fatal(err)
			}
			f.sh(t, "echo last >a")
			f.programs = nil
			f.follow(t) // the call has it
			if _, err := run.End(t.Context()); err != nil {
				t.Fatal(err)
			}
			f.sh(t, "echo person >a; touch new")
			f.follow(t)
			f.run(t, "true")
			f.check(t, "call last: a; beside watch (in the background)")

			f.programs = []string{"build"}
			f.run(t, "true")
			f.sh(t, "echo build >b")
			f.programs = nil
			f.follow(t)
			f.check(t, "background build: b; beside your own edits")
		})
	}
}

// TestFollowTwoSessions has a program in the background of one session, while another one works.
func TestFollowTwoSessions(t *testing.T) {
	t.Parallel()
	f := newFollower(t, true)
	o := f.options()
	other := undo.New(o)
	defer other.Close()
	f.programs = []string{"serve"}
	f.run(t, "true")
	f.sh(t, "echo serve >a")
	f.passTime(t)
	run, err := other.Begin(t.Context(), store.Header{Kind: store.Call, Title: "other"}, undo.Scope{Anywhere: true})
	if err != nil {
		t.Fatal(err)
	}
	f.sh(t, "echo other >b; rm c")
	f.follow(t) // the command of the other session, which may have changed these, will record them
	f.check(t, "background serve: a; beside your own edits")
	if _, err := run.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.check(t, "call other: b c; beside serve (in the background of another session)")
	f.undo(t, 2)
	f.programs = nil
	f.follow(t)
	f.check(t, "undo : b c; beside ")
	run, err = other.Begin(t.Context(), store.Header{Kind: store.Call, Title: "other"}, undo.Scope{Anywhere: true})
	if err != nil {
		t.Fatal(err)
	}
	f.sh(t, "echo other >b")
	if _, err := run.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.check(t, "call other: b; beside ")
}

// TestHookBesideCall has a hook that ends after a call that began before it: the operation is that of the call, and names the
// hook, also if both belong to one call.
func TestHookBesideCall(t *testing.T) {
	t.Parallel()
	f := newFollower(t, true)
	begin := func(kind store.Kind, title string) *undo.Run {
		run, err := f.recorder.Begin(t.Context(), store.Header{Kind: kind, Call: "1", Title: title}, undo.Scope{Anywhere: true})
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	for _, isCallLast := range []bool{false, true} {
		runs := []*undo.Run{begin(store.Call, "call"), begin(store.Command, "hook")}
		if isCallLast {
			slices.Reverse(runs)
		}
		f.sh(t, "echo x >>a")
		for _, run := range runs {
			if _, err := run.End(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		f.check(t, "call call: a; beside hook")
	}
}
