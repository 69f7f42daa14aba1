package acceptance

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"pollux/internal/undo/undotest"
)

// TestUndo runs the scripts about undo. Each begins in a project, $WORK/project, which undotest.Repository makes, and has
// these additional commands:
//
//	picture NAME   keeps the project's state under a name: contents, modes, times of files, links, and git's refs and index
//	same NAME      the project is as in the picture
//	kept KILOBYTES undo keeps at most so much, in all projects
func TestUndo(t *testing.T) {
	t.Parallel()
	run(t, "undo", "", func(env *testscript.Env) error {
		w := env.Values[worldKey{}].(*world)
		for _, name := range []string{"GIT_AUTHOR", "GIT_COMMITTER"} {
			env.Setenv(name+"_NAME", "a")
			env.Setenv(name+"_EMAIL", "a@b")
		}
		env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
		w.work = filepath.Join(w.work, "project")
		env.Cd = w.work
		return undotest.Make(t.Context(), w.work, env.Vars)
	})
}

type pictureKey string

func pictureWord(ts *testscript.TestScript, args []string) bool {
	if len(args) != 1 {
		return false
	}
	p, err := undotest.Read(of(ts).work)
	ts.Check(err)
	of(ts).env.Values[pictureKey(args[0])] = p
	return true
}

func sameWord(ts *testscript.TestScript, args []string) bool {
	if len(args) != 1 {
		return false
	}
	want, ok := of(ts).env.Values[pictureKey(args[0])]
	if !ok {
		return false
	}
	got, err := undotest.Read(of(ts).work)
	ts.Check(err)
	if diff := cmp.Diff(want, got); diff != "" {
		ts.Fatalf("the project differs from %s (-want +got):\n%s", args[0], diff)
	}
	return true
}

func keptWord(ts *testscript.TestScript, args []string) bool {
	if len(args) != 1 {
		return false
	}
	most, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return false
	}
	kept, err := undotest.Kept(filepath.Join(of(ts).home, ".gemini", "history"))
	ts.Check(err)
	if kept == 0 || kept > most<<10 {
		ts.Fatalf("undo keeps %d bytes", kept)
	}
	return true
}
