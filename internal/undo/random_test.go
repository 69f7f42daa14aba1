package undo_test

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pollux/internal/undo"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/store"
	"pollux/internal/undo/undotest"
)

// names are few, so that random operations meet.
var names = []string{"a", "b", "d/x", "d/y", "d/e/z", "d", "d/e", "f f", "-g"}

// script returns a random command line that changes files. It may fail.
func script(t *rapid.T) string {
	name := func() string { return "./" + rapid.SampledFrom(names).Draw(t, "name") }
	text := rapid.SampledFrom([]string{"one", "two", "six", "a longer text", ""}).Draw(t, "text")
	switch rapid.IntRange(0, 14).Draw(t, "what") {
	case 0, 1, 2:
		return fmt.Sprintf("printf %q >%q", text, name())
	case 3:
		return fmt.Sprintf("printf %q >>%q", text, name())
	case 4:
		return fmt.Sprintf("rm -rf %q", name())
	case 5:
		return fmt.Sprintf("mkdir -p %q", name())
	case 6:
		return fmt.Sprintf("mv -T %q %q", name(), name())
	case 7:
		return fmt.Sprintf("cp -rT %q %q", name(), name())
	case 8:
		return fmt.Sprintf("ln -sfT %q %q", rapid.SampledFrom([]string{"a", "../a", "/etc", "."}).Draw(t, "target"), name())
	case 9:
		return fmt.Sprintf("chmod %s %q", rapid.SampledFrom([]string{"600", "755", "644"}).Draw(t, "mode"), name())
	case 10:
		return fmt.Sprintf("touch -d '2002-02-0%d' %q", rapid.IntRange(1, 3).Draw(t, "day"), name())
	case 11:
		return fmt.Sprintf("git add -A; git commit -qm %q", text+".")
	case 12:
		return "git gc -q --prune=now"
	case 13:
		return "rm -rf .git"
	default:
		return "git checkout -q -f HEAD~1 || git checkout -q -f main; git clean -fdq"
	}
}

// try runs a script that may fail.
func (p *place) try(script string) {
	c := exec.Command("/bin/sh", "-c", script)
	c.Dir = p.dir
	c.Env = p.environ()
	_ = c.Run()
}

// TestRandom checks that an undo changes exactly the paths that its operation has changed and no one since, whatever
// ran and whatever a person does in between.
func TestRandom(t *testing.T) {
	t.Parallel()
	for _, isWatched := range []bool{true, false} {
		t.Run(fmt.Sprintf("watched=%v", isWatched), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) { walk(t, rt, isWatched) })
		})
	}
}

func walk(t *testing.T, rt *rapid.T, isWatched bool) {
	p := newPlace(t, `git init -q -b main; git config gc.auto 0; echo a >a; mkdir d; echo x >d/x; git add -A; git commit -qm 1; echo y >>a; git commit -qam 2`)
	p.recorder.Close()
	o := p.options()
	o.Walked = walked(isWatched)
	p.recorder = undo.New(o)
	defer p.recorder.Close()
	type done struct {
		number        int
		before, after undotest.Picture
	}
	var stack []done
	for range rapid.IntRange(1, 12).Draw(rt, "steps") {
		switch rapid.IntRange(0, 4).Draw(rt, "step") {
		case 0, 1:
			before := undotest.Take(t, p.dir)
			run, err := p.recorder.Begin(t.Context(), store.Header{Kind: store.Call}, undo.Scope{Anywhere: true})
			if err != nil {
				rt.Fatal(err)
			}
			p.try(script(rt))
			o, err := run.End(t.Context())
			if err != nil {
				rt.Fatal(err)
			}
			after := undotest.Take(t, p.dir)
			if (o == nil) != maps.Equal(before, after) && o == nil {
				rt.Fatalf("no operation for\n%s", cmp.Diff(before, after))
			}
			if o != nil {
				stack = append(stack, done{o.Number, before, after})
			}
		case 2: // a person
			p.try(script(rt))
		default:
			if len(stack) == 0 {
				continue
			}
			last := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			now := undotest.Take(t, p.dir)
			o, err := p.store.Read(last.number)
			if err != nil {
				rt.Fatal(err)
			}
			plan, err := revert.Make(t.Context(), p.store, []*store.Operation{o})
			if err != nil {
				rt.Fatal(err)
			}
			if len(plan.Changes()) == 0 {
				continue
			}
			b, err := p.store.Open()
			if err != nil {
				rt.Fatal(err)
			}
			back, err := plan.Apply(t.Context(), b, store.Header{})
			b.Close()
			if err != nil {
				rt.Fatal(err)
			}
			got := undotest.Take(t, p.dir)
			if maps.Equal(now, last.after) {
				if diff := cmp.Diff(last.before, got); diff != "" {
					rt.Fatalf("after undo (-want +got):\n%s", diff)
				}
			}
			for path := range got {
				if got[path] != now[path] && got[path] != last.before[path] {
					rt.Fatalf("undo made %s something new: %s, was %s", path, got[path], now[path])
				}
				if was, isFile := now[path], strings.HasPrefix(now[path], "-"); isFile && was != last.after[path] && was != got[path] && !sameText(was, last.after[path]) {
					rt.Fatalf("undo took the person's change of %s: %s, was %s", path, got[path], was)
				}
			}
			stack = append(stack, done{back.Number, now, got})
		}
		if slices.ContainsFunc(slices.Collect(maps.Keys(undotest.Take(t, p.dir))), func(path string) bool { return strings.Contains(path, revert.Temporary) }) {
			rt.Fatal("a temporary file is left")
		}
	}
}

// sameText reports whether two descriptions are those of files with the same content.
func sameText(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	return len(x) > 2 && len(y) > 2 && x[2] == y[2]
}
