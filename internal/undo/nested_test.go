//go:build unix

package undo_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/undo/undotest"
)

// TestNestedRepositories takes changes of repositories within the work tree back.
func TestNestedRepositories(t *testing.T) {
	t.Parallel()
	const commit = "echo two >f; git add -A; git commit -qm two"
	for name, c := range map[string]struct{ setUp, script string }{
		"clone":     {repository + "; git init -q -b main inner; cd inner; echo one >f; git add -A; git commit -qm one", "cd inner; " + commit + "; git checkout -q -b side; git branch -D main"},
		"submodule": {repository + "; git init -q -b main ../lib; cd ../lib; echo one >f; git add -A; git commit -qm one; cd ../project; git -c protocol.file.allow=always submodule add -q ../lib lib; git commit -qm lib", "cd lib; " + commit + "; git checkout -q -b side; cd ..; git add -A; git commit -qm sub"},
		"deinit":    {repository + "; git init -q -b main ../lib; cd ../lib; echo one >f; git add -A; git commit -qm one; cd ../project; git -c protocol.file.allow=always submodule add -q ../lib lib; git commit -qm lib", "git submodule deinit -q -f lib; git rm -qf lib; git commit -qm gone; rm -rf .git/modules"},
		"reset":     {repository + "; git init -q -b main inner; cd inner; echo one >f; git add -A; git commit -qm one; " + commit + "; echo dirty >f", "cd inner; git reset -q --hard HEAD~1; git reflog expire --expire=now --all; git gc -q --prune=now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, c.setUp)
			before := take(t, p)
			o := p.run(t, c.script)
			p.undo(t, o.Number)
			if diff := cmp.Diff(before, take(t, p)); diff != "" {
				t.Errorf("after undo (-want +got):\n%s", diff)
			}
		})
	}
}

// take is undotest.Take without the objects of submodules, and of directories for objects: an undo leaves those that were added.
func take(t *testing.T, p *place) undotest.Picture {
	t.Helper()
	picture := undotest.Take(t, p.dir)
	for path := range picture {
		if strings.Contains(path, ".git/") && strings.Contains(path, "/objects") {
			delete(picture, path)
		}
	}
	return picture
}
