package undo_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/process"
	"pollux/internal/undo"
	"pollux/internal/undo/gitbase"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/store"
	"pollux/internal/undo/undotest"
)

// place is a project with a recorder.
type place struct {
	dir      string
	store    *store.Store
	recorder *undo.Recorder
}

func newPlace(t testing.TB, setUp string) *place {
	t.Helper()
	return newPlaceIn(t, t.TempDir(), setUp)
}

// newPlaceIn is newPlace with the workspace and the log in a directory.
func newPlaceIn(t testing.TB, dir, setUp string) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := &place{dir: filepath.Join(dir, "project"), store: store.Open(filepath.Join(dir, "undo"), store.DefaultLimit)}
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p.sh(t, setUp)
	undotest.SettleGit(t, p.dir, p.environ())
	p.recorder = undo.New(p.options())
	t.Cleanup(func() { p.recorder.Close() })
	return p
}

func (p *place) open() (*store.Store, error) { return p.store, nil }

func (p *place) options() undo.Options {
	return undo.Options{Store: p.open, Roots: func() []string { return []string{p.dir} }, Git: p.git, Walked: walked(true)}
}

// walked returns the option for roots that are watched, or are not, whatever their size.
func walked(isWatched bool) int {
	if isWatched {
		return -1
	}
	return math.MaxInt
}

func (p *place) git() *gitbase.Git { return gitbase.New(process.Launcher{}, p.environ()) }

func (p *place) environ() []string {
	return append(os.Environ(), "HOME="+filepath.Dir(p.dir), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "GIT_CONFIG_NOSYSTEM=1")
}

func (p *place) sh(t testing.TB, script string) {
	t.Helper()
	c := exec.Command("/bin/sh", "-ec", script)
	c.Dir = p.dir
	c.Env = p.environ()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// run records a script.
func (p *place) run(t testing.TB, script string) *store.Operation {
	t.Helper()
	run, err := p.recorder.Begin(t.Context(), store.Header{Kind: store.Call, Title: script}, undo.Scope{Anywhere: true})
	if err != nil {
		t.Fatal(err)
	}
	p.sh(t, script)
	o, err := run.End(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// restart replaces the recorder.
func (p *place) restart(o undo.Options) {
	p.recorder.Close()
	whole := p.options()
	if whole.Max = o.Max; o.Walked != 0 {
		whole.Walked = o.Walked
	}
	p.recorder = undo.New(whole)
}

// rename moves all into a directory with a name.
func (p *place) rename(t *testing.T, name string) {
	t.Helper()
	old := filepath.Dir(p.dir)
	dir := filepath.Join(filepath.Dir(old), name)
	if err := os.Rename(old, dir); err != nil {
		t.Fatal(err)
	}
	p.dir, p.store = filepath.Join(dir, "project"), store.Open(filepath.Join(dir, "undo"), store.DefaultLimit)
}

// plan returns the plan to take the operation with a number back.
func (p *place) plan(t testing.TB, number int) *revert.Plan {
	t.Helper()
	o, err := p.store.Read(number)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := revert.Make(t.Context(), p.store, []*store.Operation{o})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func (p *place) apply(t testing.TB, plan *revert.Plan) (*store.Operation, error) {
	t.Helper()
	b, err := p.store.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	return plan.Apply(t.Context(), b, store.Header{})
}

// undo takes the operation with a number back, all of it.
func (p *place) undo(t testing.TB, number int) *store.Operation {
	t.Helper()
	plan := p.plan(t, number)
	for _, s := range plan.Problems() {
		t.Errorf("%s: %s", s.Path, s.Problem)
	}
	back, err := p.apply(t, plan)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

const repository = undotest.Repository

// TestDisasters takes back the damage of public reports, and does it again.
func TestDisasters(t *testing.T) {
	t.Parallel()
	for _, d := range undotest.Disasters {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			strike(t, newPlace(t, repository), d)
		})
	}
}

// strike takes a disaster in a place back, and does it again.
func strike(t *testing.T, p *place, d undotest.Disaster) {
	t.Helper()
	before := undotest.Take(t, p.dir)
	o := p.run(t, d.Script)
	after := undotest.Take(t, p.dir)
	if o == nil {
		t.Fatal("no operation")
	}
	back := p.undo(t, o.Number)
	if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
	p.sh(t, "git fsck --no-progress; GIT_OPTIONAL_LOCKS=0 git status --short >/dev/null")
	p.undo(t, back.Number)
	if diff := cmp.Diff(after, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("after redo (-want +got):\n%s", diff)
	}
}
