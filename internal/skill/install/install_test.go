package install

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/extension/fetch"
	"pollux/internal/process"
)

// place is a directory of skills, and an installer for it.
type place struct {
	Installer
	t       *testing.T
	root    string
	refuses bool
	shown   []string // texts that the user has seen
}

func newPlace(t *testing.T) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, root: root}
	environ := append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
	p.Installer = Installer{
		Dir:     filepath.Join(root, "home", "skills"),
		Fetcher: &fetch.Fetcher{Launcher: process.NewLauncher(), Finder: process.Finder{Path: os.Getenv("PATH")}, Environ: environ},
		Show:    func(text string) { p.shown = append(p.shown, text) },
		Consent: func(_ context.Context, text string) (bool, error) {
			p.shown = append(p.shown, text)
			return !p.refuses, nil
		},
	}
	return p
}

// file writes a file below the root, and returns its path.
func (p *place) file(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// skill writes a skill below the root, and returns its directory.
func (p *place) skill(dir, name string) string {
	p.t.Helper()
	return filepath.Dir(p.file(dir+"/SKILL.md", "---\nname: "+name+"\ndescription: Does "+name+".\n---\n"))
}

// wantFiles checks the files of the directory of skills.
func (p *place) wantFiles(want ...string) {
	p.t.Helper()
	var got []string
	_ = filepath.WalkDir(p.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(p.Dir, path)
			got = append(got, rel)
		}
		return nil
	})
	if strings.Join(got, " ") != strings.Join(want, " ") {
		p.t.Errorf("files %q, want %q", got, want)
	}
}

// wantError checks that an installation fails, and leaves nothing.
func (p *place) wantError(part string, err error) {
	p.t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		p.t.Errorf("error %v, want %q", err, part)
	}
	p.wantFiles()
}

// archive writes a zip archive of files, and returns its path.
func (p *place) archive(name string, files ...string) string {
	p.t.Helper()
	path := p.file(name, "")
	f, err := os.Create(path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for i := 0; i < len(files); i += 2 {
		h := &zip.FileHeader{Name: files[i], Method: zip.Deflate}
		h.SetMode(0o644)
		text := files[i+1]
		if target, isLink := strings.CutPrefix(text, "-> "); isLink {
			h.SetMode(fs.ModeSymlink | 0o777)
			text = target
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		p.t.Fatal(err)
	}
	return path
}

const skillText = "---\nname: tidy\ndescription: Tidies up.\n---\nDo.\n"

func TestInstallDirectory(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.skill("src/a", "one")
	p.file("src/a/scripts/run.sh", "echo")
	p.file("src/a/.git/config", "x")
	p.skill("src/b", "two words")
	p.file("src/broken/SKILL.md", "no")
	done, err := p.Install(t.Context(), filepath.Join(p.root, "src"), "")
	if err != nil || len(done) != 2 || done[0].Path != filepath.Join(p.Dir, "one") {
		t.Fatalf("%v %v", done, err)
	}
	p.wantFiles("one/SKILL.md", "one/scripts/run.sh", "two words/SKILL.md")
	for _, want := range []string{`from "` + p.root, "* one: Does one.\n    2 files: SKILL.md, scripts/run.sh", "broken/SKILL.md: it does not start", "Install Destination: " + p.Dir} {
		if !strings.Contains(strings.Join(p.shown, "\n"), want) {
			t.Errorf("no %q in\n%s", want, strings.Join(p.shown, "\n"))
		}
	}
	// A new version replaces all files of the old one.
	if err := os.Remove(filepath.Join(p.root, "src/a/scripts/run.sh")); err != nil {
		t.Fatal(err)
	}
	p.shown = nil
	if _, err := p.Install(t.Context(), filepath.Join(p.root, "src"), "a"); err != nil {
		t.Fatal(err)
	}
	p.wantFiles("one/SKILL.md", "two words/SKILL.md")
	if !strings.Contains(strings.Join(p.shown, "\n"), `Skill "one" already exists. Overwriting...`) {
		t.Errorf("shown %q", p.shown)
	}
	// An installed skill may be its own source.
	if _, err := p.Install(t.Context(), filepath.Join(p.Dir, "one"), ""); err != nil {
		t.Fatal(err)
	}
	p.wantFiles("one/SKILL.md", "two words/SKILL.md")
}

func TestInstallErrors(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	install := func(source, sub string) error {
		_, err := p.Install(t.Context(), source, sub)
		return err
	}
	p.skill("src/a", "same")
	p.skill("src/b", "Same")
	p.wantError("Duplicate skill name", install(filepath.Join(p.root, "src"), ""))
	p.wantError("Directory traversal not allowed", install(p.root, "../x"))
	p.wantError("No valid skills found in", install(filepath.Join(p.root, "none"), ""))
	p.wantError(`at path "none"`, install(p.root, "none"))
	for _, name := range []string{"..", ".hidden", "."} {
		p.wantError("No valid skills found in", install(p.skill("dots", "'"+name+"'"), ""))
	}
	p.wantError("cannot unpack", install(filepath.Join(p.root, "none.skill"), ""))
	p.wantError("is not the address", install("https://", ""))
	p.wantError("neither a tar.gz nor a zip", install(p.file("x.skill", "hello"), ""))
	if err := exec.Command("mkfifo", filepath.Join(p.root, "pipe.skill")).Run(); err != nil {
		t.Fatal(err)
	}
	p.wantError("it is not a file", install(filepath.Join(p.root, "pipe.skill"), ""))
	p.skill("home", "home")
	p.wantError("contains the directory of skills", install(filepath.Join(p.root, "home"), ""))
	linked := p.skill("linked", "linked")
	if err := os.Symlink("/etc/hosts", filepath.Join(linked, "out")); err != nil {
		t.Fatal(err)
	}
	p.wantError("leads out of its directory", install(linked, ""))
	p.refuses = true
	p.wantError("Skill installation cancelled by user", install(p.skill("ok", "ok"), ""))
}

// Archives come from strangers.
func TestInstallArchive(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for name, files := range map[string][]string{
		"up":   {"tidy/SKILL.md", skillText, "../up.md", "x"},
		"root": {"tidy/SKILL.md", skillText, "/tmp/root.md", "x"},
		"link": {"tidy/SKILL.md", skillText, "tidy/out", "-> ../../../.."},
		"twig": {"tidy/SKILL.md", skillText, "tidy/d", "-> /tmp", "tidy/d/x", "x"},
		"bomb": {"tidy/SKILL.md", skillText, "tidy/zeros", strings.Repeat("0", int(limits.Bytes)+1)},
		"case": {"tidy/SKILL.md", skillText, "tidy/a", "x", "tidy/A", "x"},
	} {
		_, err := p.Install(t.Context(), p.archive(name+".skill", files...), "")
		p.wantError("cannot unpack", err)
	}
	done, err := p.Install(t.Context(), p.archive("tidy.SKILL", "SKILL.md", skillText, "scripts/x.sh", "echo", "alias", "-> SKILL.md"), "")
	if err != nil || len(done) != 1 {
		t.Fatal(done, err)
	}
	p.wantFiles("tidy/SKILL.md", "tidy/alias", "tidy/scripts/x.sh")
}

func TestInstallRepository(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.skill("repo/skills/tidy", "tidy")
	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@y", "commit", "--quiet", "-m", "x"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = filepath.Join(p.root, "repo")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if _, err := p.Install(t.Context(), "file://"+filepath.Join(p.root, "repo"), "skills"); err != nil {
		t.Fatal(err)
	}
	p.wantFiles("tidy/SKILL.md")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Install(ctx, "file://"+filepath.Join(p.root, "repo"), "skills"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestLinkAndUninstall(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := p.skill("src/tidy", "Tidy: up")
	for range 2 { // a link is replaced
		if _, err := p.Link(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	if target, err := os.Readlink(filepath.Join(p.Dir, "Tidy- up")); err != nil || target != dir {
		t.Errorf("%s %v", target, err)
	}
	for _, name := range []string{"tidy", "..", ".", "", "../skills/Tidy- up", "x/y"} {
		if path, found, err := Uninstall(p.Dir, name); found || err != nil {
			t.Errorf("%q: %s, %v", name, path, err)
		}
	}
	if path, found, err := Uninstall(p.Dir, "Tidy- up"); !found || err != nil || path != filepath.Join(p.Dir, "Tidy- up") {
		t.Errorf("%s, %v, %v", path, found, err)
	}
	p.wantFiles()
	if _, err := os.Stat(filepath.Join(dir, "SKILL.md")); err != nil {
		t.Errorf("the linked skill is gone: %v", err)
	}
	if _, err := p.Install(t.Context(), dir, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Link(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "already installed") {
		t.Errorf("a link replaces a directory: %v", err)
	}
	p.wantFiles("Tidy- up/SKILL.md")
	p.file("home/skills/odd/README", "no skill")
	if _, found, err := Uninstall(p.Dir, "odd"); !found || err != nil {
		t.Errorf("%v %v", found, err)
	}
	p.file("home/skills/SKILL.md", "---\nname: all\ndescription: x\n---\n")
	if _, found, err := Uninstall(p.Dir, "all"); found || err != nil {
		t.Errorf("%v %v", found, err)
	}
	p.wantFiles("SKILL.md", "Tidy- up/SKILL.md")
}

func TestDescribeFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := p.skill("many", "many")
	for n := range 25 {
		p.file(fmt.Sprintf("many/scripts/%02d", n), "")
	}
	p.file("many/.git/config", "")
	for most, want := range map[int][2]string{
		26: {"26 files: SKILL.md, scripts/00, ", ", scripts/18 and 6 more"},
		25: {"More than 25 files: SKILL.md, scripts/00, ", ", scripts/18 and others"},
	} {
		if got := describeFiles(dir, most); !strings.HasPrefix(got, want[0]) || !strings.HasSuffix(got, want[1]) {
			t.Errorf("at most %d: %s", most, got)
		}
	}
}

// A repository may have its skills anywhere. The user chooses, or wants all.
func TestInstallCollection(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, name := range []string{"one", "two"} {
		p.skill("repo/plugins/"+name+"/skills/"+name, name)
		p.skill("repo/plugins/"+name+"/skills/"+name+"/inner", "inner of "+name)
	}
	p.skill("repo/node_modules/x/y/z", "module")
	p.skill("repo/1/2/3/4/5/6/7", "deep")
	p.file("repo/plugins/bad/skills/bad/SKILL.md", "no")
	repo := filepath.Join(p.root, "repo")
	p.IsAgreed = true
	_, err := p.Install(t.Context(), repo, "")
	p.wantError("repo has 2 skills. To install one of them, name its directory; to install all, add --all:\n  --path plugins/one/skills/one  Does one.\n  --path plugins/two/", err)
	p.IsAgreed, p.refuses = false, true
	_, err = p.Install(t.Context(), repo, "plugins")
	p.wantError("cancelled by user.\nTo install one of them", err)
	p.wantError("--path plugins/one/skills/one", err)
	if !strings.Contains(strings.Join(p.shown, "\n"), "bad/SKILL.md: it does not start") {
		t.Errorf("shown %q", p.shown)
	}
	p.refuses = false
	if done, err := p.Install(t.Context(), repo, "plugins/one/skills/one"); err != nil || len(done) != 2 || !done[0].IsNew {
		t.Errorf("%+v, %v", done, err)
	}
	p.IsAgreed, p.All = true, true
	if done, err := p.Install(t.Context(), repo, ""); err != nil || len(done) != 2 || done[0].IsNew || !done[1].IsNew {
		t.Errorf("%+v, %v", done, err)
	}
}

// TestStaging checks that the files which the user is asked about are in the directory for that: in one for temporary files, a command in the sandbox could exchange them
// after the answer.
func TestStaging(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.Temp = filepath.Join(p.root, "private", "pollux")
	var staged []string
	consent := p.Consent
	p.Consent = func(ctx context.Context, text string) (bool, error) {
		staged, _ = filepath.Glob(filepath.Join(p.Temp, "*", "SKILL.md"))
		return consent(ctx, text)
	}
	if _, err := p.Install(t.Context(), p.archive("a.skill", "SKILL.md", "---\nname: a\ndescription: Does a.\n---\n"), ""); err != nil {
		t.Fatal(err)
	}
	if len(staged) != 1 {
		t.Errorf("the user was asked about %q", staged)
	}
	if left, err := os.ReadDir(p.Temp); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	p.wantFiles("a/SKILL.md")
}
