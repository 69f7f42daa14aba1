package extensions

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/extension"
	"pollux/internal/extension/install"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

func newProject(t *testing.T, settings string) *project.Project {
	t.Helper()
	return projecttest.New(t, settings, "PATH="+os.Getenv("PATH"), "GEMINI_FORCE_FILE_STORAGE=true")
}

// File tools may read the directories of the extensions that are enabled. MCP servers do not learn of these
// directories, but of those that become readable for another reason.
func TestRoots(t *testing.T) {
	t.Parallel()
	p := newProject(t, `{"extensions": {"disabled": ["off"]}}`)
	for _, name := range []string{"on", "off", "known"} {
		projecttest.AddExtension(t, p, name, "", nil)
	}
	dir := func(name string) string {
		path, err := filepath.EvalSymlinks(filepath.Join(p.ExtensionsDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	ws := project.NewWorkspace(p)
	if _, added, err := ws.AddReadable(dir("known")); !added || err != nil { // by the user
		t.Fatal(added, err)
	}
	x := Open(p, ws)
	if want := []string{ws.Root(), dir("known"), dir("on")}; !slices.Equal(ws.ReadableDirs(), want) {
		t.Errorf("readable are %q, want %q", ws.ReadableDirs(), want)
	}
	skill, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ws.AddReadable(skill); err != nil {
		t.Fatal(err)
	}
	if want := []string{ws.Root(), dir("known"), skill}; !slices.Equal(x.Roots(), want) {
		t.Errorf("servers know of %q, want %q", x.Roots(), want)
	}
	if !slices.Contains(ws.ReadableDirs(), dir("on")) {
		t.Error("the directory of an extension is not readable any more")
	}
}

// repository is the Git repository of an extension.
type repository struct {
	*testing.T
	dir, name string
}

func newRepository(t *testing.T, name string) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	r := &repository{t, t.TempDir(), name}
	r.git("init", "-q", "-b", "main")
	r.commit("1", "")
	return r
}

func (r *repository) git(args ...string) {
	r.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = r.dir, []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}
	if out, err := c.CombinedOutput(); err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// commit commits a version of the extension, with more keys in its manifest.
func (r *repository) commit(version, keys string) {
	r.Helper()
	manifest := fmt.Sprintf(`{"name": %q, "version": %q%s}`, r.name, version, keys)
	if err := os.WriteFile(filepath.Join(r.dir, extension.ManifestName), []byte(manifest), 0o600); err != nil {
		r.Fatal(err)
	}
	r.git("add", "--all")
	r.git("commit", "-q", "-m", version)
}

// yes agrees to all questions.
type yes struct{}

func (yes) Confirm(context.Context, string, string, bool) (bool, error) { return true, nil }

func (yes) Value(context.Context, extension.Setting) (string, bool, error) { return "", false, nil }

// install installs the extension of a repository.
func (r *repository) install(p *project.Project, o install.Options) {
	r.Helper()
	if _, err := p.ExtensionManager(yes{}, func(string) {}).Install(r.Context(), "file://"+r.dir, o); err != nil {
		r.Fatal(err)
	}
}

// Update installs updates only of extensions that the user wants to be updated, and only those without new parts.
func TestUpdate(t *testing.T) {
	t.Parallel()
	p := newProject(t, `{}`)
	shown := make(chan string, 10)
	p.Options.Warn = func(text string) { shown <- text }
	manual, same, more, current := newRepository(t, "manual"), newRepository(t, "same"), newRepository(t, "more"), newRepository(t, "current")
	manual.install(p, install.Options{})
	for _, r := range []*repository{same, more, current} {
		r.install(p, install.Options{AutoUpdate: true})
	}
	manual.commit("2", "")
	same.commit("2", "")
	more.commit("2", `, "mcpServers": {"s": {"command": "evil"}}`)
	for len(shown) > 0 { // warnings about the sources
		<-shown
	}
	stop := Open(p, project.NewWorkspace(p)).Update()
	got := []string{<-shown, <-shown}
	stop()
	slices.Sort(got)
	want := []string{
		`Extension "more" has an update that changes what it brings. To see the changes, type /extensions update more`,
		`Extension "same" successfully updated: 1 → 2. Takes effect the next time you start Pollux.`,
	}
	if diff := cmp.Diff(want, got); diff != "" || len(shown) > 0 {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	for name, version := range map[string]string{"manual": "1", "same": "2", "more": "1", "current": "1"} {
		m, err := extension.ReadManifest(filepath.Join(p.ExtensionsDir(), name))
		if err != nil || m.Version != version {
			t.Errorf("%s: %+v, want version %s, %v", name, m, version, err)
		}
	}
}

// The end of a session ends an update that has begun.
func TestUpdateStops(t *testing.T) {
	t.Parallel()
	p := newProject(t, `{}`)
	newRepository(t, "same").install(p, install.Options{AutoUpdate: true})
	began := make(chan string, 10)
	var running atomic.Int32
	p.Launcher = process.NewLauncher(func(process.Handler) process.Handler {
		return func(ctx context.Context, c *process.Command) (*process.Process, error) {
			running.Add(1)
			defer running.Add(-1)
			began <- strings.Join(c.Args, " ")
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
	})
	stop := Open(p, project.NewWorkspace(p)).Update()
	<-began
	stop()
	if running.Load() > 0 {
		t.Error("the update has not ended")
	}
	if len(began) > 0 {
		t.Errorf("after the end, git runs with %s", <-began)
	}
}

// Without extensions to update, nothing starts.
func TestUpdateOfNone(t *testing.T) {
	t.Parallel()
	p := newProject(t, `{}`)
	newRepository(t, "manual").install(p, install.Options{})
	p.Launcher = process.NewLauncher(func(process.Handler) process.Handler {
		return func(_ context.Context, c *process.Command) (*process.Process, error) {
			t.Errorf("%s runs", c.Path)
			return nil, os.ErrInvalid
		}
	})
	Open(p, project.NewWorkspace(p)).Update()()
}
