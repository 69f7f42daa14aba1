package skill

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// write writes a file below dir.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// text returns a SKILL.md.
func text(name, description string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %s\n---\nDo %[1]s.\n", name, description)
}

// list returns "name=description" of the skills that are not part of Pollux.
func list(s *Set) string {
	var all []string
	for _, k := range s.All() {
		if !k.IsBuiltin() {
			all = append(all, k.FullName()+"="+k.Description)
		}
	}
	return strings.Join(all, " ")
}

func TestBuiltins(t *testing.T) {
	t.Parallel()
	s := Load(nil, nil)
	entries, err := own.ReadDir("builtin")
	if err != nil || len(s.All()) != len(entries) || len(s.Problems) > 0 {
		t.Fatalf("%d skills of %d: %v %v", len(s.All()), len(entries), s.Problems, err)
	}
	k, found := s.Lookup("skill-creator")
	if !found || !k.IsBuiltin() || k.Folder() != "" {
		t.Fatalf("%+v", k)
	}
	body, err := k.Instructions()
	if err != nil || !strings.HasPrefix(body, "# Writing a skill") {
		t.Errorf("%q %v", body, err)
	}
}

// Skills are found in the directory of a source and one level below it, and those of a later source replace
// those of an earlier one.
func TestLoad(t *testing.T) {
	t.Parallel()
	ext, user, project := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, ext, "a/SKILL.md", text("a", "extension ${x}"))
	write(t, ext, "b/SKILL.md", text("b", "extension"))
	write(t, user, "SKILL.md", text("direct", "user"))
	write(t, user, "b/SKILL.md", text("b", "user"))
	write(t, user, "b/deep/SKILL.md", text("deep", "user"))
	write(t, user, ".hidden/SKILL.md", text("hidden", "user"))
	write(t, user, "creator/SKILL.md", text("skill-creator", "mine"))
	write(t, user, "node_modules/SKILL.md", text("module", "user"))
	write(t, user, "other/README.md", "no skill")
	write(t, user, "file", "no directory")
	at := write(t, project, "c/SKILL.md", text("direct", "project"))
	link := filepath.Join(project, "linked")
	if err := os.Symlink(filepath.Join(ext, "a"), link); err != nil {
		t.Fatal(err)
	}
	s := Load([]Source{
		{Dir: ext, Tier: Extension, Extension: "ship", Expand: func(s string) string { return strings.ReplaceAll(s, "${x}", "of X") }},
		{Dir: user, Tier: User},
		{Dir: filepath.Join(user, "none"), Tier: User},
	}, []string{"B", "nothing"})
	if want := "ship:a=extension of X b=user direct=user skill-creator=mine"; list(s) != want {
		t.Errorf("skills %s\nwant %s", list(s), want)
	}
	if len(s.Problems) != 1 || !strings.Contains(s.Problems[0], `Skill conflict detected: "b" from `) {
		t.Errorf("problems %v", s.Problems)
	}
	for name, want := range map[string]bool{"a": true, "ship:a": true, "A": true, "b": false, "other:a": false, "direct": true, "skill-creator": true} {
		if _, found := s.Lookup(name); found != want {
			t.Errorf("Lookup(%s) = %v", name, found)
		}
	}
	if k, _ := s.Lookup("a"); k.Folder() != filepath.Join(ext, "a") {
		t.Errorf("folder %s", k.Folder())
	}
	s = Load([]Source{{Dir: user, Tier: User}, {Dir: project, Tier: Workspace}}, nil)
	if k, _ := s.Lookup("direct"); k.Path != at {
		t.Errorf("path %s", k.Path)
	}
	if k, _ := s.Lookup("a"); k.Path != filepath.Join(link, FileName) || k.Folder() != filepath.Join(ext, "a") {
		t.Errorf("the link leads to %s, %s", k.Path, k.Folder())
	}
}

// A skill of a project is not a link to another place, neither its directory, nor its file, nor the directory of
// skills; also if it becomes one later.
func TestLoadLinksOutOfProject(t *testing.T) {
	t.Parallel()
	outside, project := t.TempDir(), t.TempDir()
	write(t, outside, "a/SKILL.md", text("a", "outside"))
	write(t, project, "tools/inside/SKILL.md", text("inside", "project"))
	at := write(t, project, "skills/later/SKILL.md", text("later", "project"))
	write(t, project, "skills/file/README.md", "x")
	for link, target := range map[string]string{
		"skills/dir": filepath.Join(outside, "a"), "skills/file/SKILL.md": filepath.Join(outside, "a", "SKILL.md"),
		"all": outside, "skills/inside": "../tools/inside", "skills/up": "../../" + filepath.Base(outside) + "/a",
	} {
		if err := os.Symlink(target, filepath.Join(project, link)); err != nil {
			t.Fatal(err)
		}
	}
	s := Load([]Source{{Dir: filepath.Join(project, "skills"), Tier: Workspace, Root: project}, {Dir: filepath.Join(project, "all"), Tier: Workspace, Root: project}}, nil)
	if want := "inside=project later=project"; list(s) != want {
		t.Errorf("skills %s\nwant %s", list(s), want)
	}
	if n := strings.Count(strings.Join(s.Problems, "\n"), "it is a link that leads out of the project"); n < 3 {
		t.Errorf("problems %q", s.Problems)
	}
	later, _ := s.Lookup("later")
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "a", "SKILL.md"), at); err != nil {
		t.Fatal(err)
	}
	if got, err := later.Instructions(); err == nil {
		t.Errorf("the instructions are %q", got)
	}
}

// A changed body counts at once.
func TestInstructions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "a/SKILL.md", text("a", "x"))
	s := Load([]Source{{Dir: dir, Tier: User}}, nil)
	k, _ := s.Lookup("a")
	check := func(want string) {
		t.Helper()
		got, err := k.Instructions()
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check("Do a.")
	write(t, dir, "a/SKILL.md", "---\r\nname: a\r\ndescription: x\r\n---\r\n\r\nDo b.\r\n")
	check("Do b.")
	write(t, dir, "a/SKILL.md", "nothing")
	check(path + ": " + errNoFrontMatter.Error())
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	check(path + ": no such file or directory")
}

// Files in a directory cannot block Pollux or fill its memory.
func TestLoadHostile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "ok/SKILL.md", text("ok", "fine"))
	write(t, dir, "huge/SKILL.md", text("huge", "x")+strings.Repeat("x", 10<<20))
	write(t, dir, "front/SKILL.md", "---\nname: x\ndescription: "+strings.Repeat("x", 100<<10)+"\n---\n")
	write(t, dir, "none/SKILL.md", "# No front matter")
	write(t, dir, "open/SKILL.md", "---\nname: x\ndescription: y\n")
	write(t, dir, "number/SKILL.md", "---\nname: [x]\n---\n")
	write(t, dir, "empty/SKILL.md", "---\nname: ''\ndescription: y\n---\n")
	write(t, dir, "long/SKILL.md", text(strings.Repeat("n", 200), "y"))
	write(t, dir, "bomb/SKILL.md", "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"+
		"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nname: *e\ndescription: *e\n---\n")
	write(t, dir, "nested/SKILL.md", "---\nname: "+strings.Repeat("[", 60_000)+"\ndescription: x\n---\n")
	for _, name := range []string{"pipe/x", "dir/SKILL.md/x"} {
		write(t, dir, name, "")
	}
	if err := exec.Command("mkfifo", filepath.Join(dir, "pipe/SKILL.md"), filepath.Join(dir, "fifo")).Run(); err != nil {
		t.Fatal(err)
	}
	for target, name := range map[string]string{"loop": "loop", ".": "self", "/dev/zero": "zero", "nowhere": "gone", "/dev": "devices"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	s := Load([]Source{{Dir: dir, Tier: User}, {Dir: filepath.Join(dir, "fifo"), Tier: User}, {Dir: filepath.Join(dir, "loop"), Tier: User}}, nil)
	if got := list(s); !strings.Contains(got, "ok=fine") {
		t.Errorf("skills %s", got)
	}
	for _, want := range []string{
		"huge/SKILL.md: it is larger than 256 KB", "front/SKILL.md: the front matter is larger than 64 KB",
		"none/SKILL.md: " + errNoFrontMatter.Error(), "number/SKILL.md: the front matter needs", "empty/SKILL.md: the name or the description is empty",
		"long/SKILL.md: the name is longer", "dir/SKILL.md: it is a directory",
	} {
		if !strings.Contains(strings.Join(s.Problems, "\n"), want) {
			t.Errorf("no problem %q in\n%s", want, strings.Join(s.Problems, "\n"))
		}
	}
	if len(s.Problems) != maxProblems+1 {
		t.Errorf("%d problems:\n%s", len(s.Problems), strings.Join(s.Problems, "\n"))
	}
}

// TestLoadMany checks that a directory with very many files costs a bounded amount.
func TestLoadMany(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range maxSkills + 2 {
		write(t, dir, fmt.Sprintf("%05d/SKILL.md", i), text(fmt.Sprint("s", i), "x"))
	}
	s := Load([]Source{{Dir: dir, Tier: User}}, nil)
	if n := len(s.All()); n != maxSkills+1 || len(s.Problems) != 1 || !strings.Contains(s.Problems[0], "more than 500 skills") {
		t.Errorf("%d skills, %v", n, s.Problems)
	}
	for i := range maxEntries {
		write(t, dir, fmt.Sprintf("f%d", i), "")
	}
	if n := len(Load([]Source{{Dir: dir, Tier: User}}, nil).All()); n > maxSkills+1 {
		t.Errorf("%d skills", n)
	}
}

// A set names the first problems, and the number of the others.
func TestLoadProblemsCount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, last := range map[int]string{maxProblems: "0009/SKILL.md: ", maxProblems + 1: "1 more problem with skills.", maxProblems + 2: "2 more problems with skills."} {
		for n := range i {
			write(t, dir, fmt.Sprintf("%d/%04d/SKILL.md", i, n), "")
		}
		s := Load([]Source{{Dir: filepath.Join(dir, fmt.Sprint(i)), Tier: User}}, nil)
		if got := s.Problems[len(s.Problems)-1]; !strings.Contains(got, last) {
			t.Errorf("%d problems: the last is %q, want %q", i, got, last)
		}
	}
}

func TestHasName(t *testing.T) {
	t.Parallel()
	k := Skill{Name: "Tidy", Source: Source{Extension: "ship"}}
	for name, want := range map[string]bool{"tidy": true, " TIDY ": true, "Ship:tidy": true, "ship": false, "ship:": false, "": false, "boat:tidy": false} {
		if HasName(name)(k) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

func BenchmarkLoadNone(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		Load([]Source{{Dir: filepath.Join(dir, "a")}, {Dir: filepath.Join(dir, "b")}, {Dir: filepath.Join(dir, "c")}, {Dir: filepath.Join(dir, "d")}}, nil)
	}
}
