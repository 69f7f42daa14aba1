package revert

import (
	"os/exec"
	"path/filepath"
	"testing"

	"pollux/internal/undo"
	"pollux/internal/undo/store"
)

// project is a directory with a log of its changes.
type project struct {
	dir      string
	store    *store.Store
	recorder *undo.Recorder
}

func newProject(t *testing.T, dir, log string) *project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := &project{dir: dir, store: store.Open(log, store.DefaultLimit)}
	p.recorder = undo.New(undo.Options{
		Store: func() (*store.Store, error) { return p.store, nil }, Roots: func() []string { return []string{dir} },
	})
	t.Cleanup(p.recorder.Close)
	return p
}

// record records the changes that a function makes.
func (p *project) record(t *testing.T, do func()) *store.Operation {
	t.Helper()
	run, err := p.recorder.Begin(t.Context(), store.Header{Kind: store.Call}, undo.Scope{Anywhere: true})
	if err != nil {
		t.Fatal(err)
	}
	do()
	o, err := run.End(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (p *project) sh(t *testing.T, script string) {
	t.Helper()
	c := exec.Command("/bin/sh", "-ec", script)
	c.Dir = p.dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// plan returns the plan to take an operation back.
func (p *project) plan(t *testing.T, number int) *Plan {
	t.Helper()
	o, err := p.store.Read(number)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Make(t.Context(), p.store, []*store.Operation{o})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// apply carries a plan out.
func (p *project) apply(t *testing.T, plan *Plan) (*store.Operation, error) {
	t.Helper()
	b, err := p.store.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	return plan.Apply(t.Context(), b, store.Header{})
}
