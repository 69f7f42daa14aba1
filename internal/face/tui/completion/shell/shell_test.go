package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pollux/internal/face/tui/completion"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// write makes files, which are programs if their names end in "!", and directories for names that end in a slash.
func write(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		name, content, _ := strings.Cut(name, ":")
		name, isProgram := strings.CutSuffix(name, "!")
		path := filepath.Join(root, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			path = filepath.Join(path, "x")
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			continue
		}
		mode := os.FileMode(0o600)
		if isProgram {
			mode = 0o700
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// newSource returns a source for new directories: work, home and bin.
func newSource(t *testing.T, names ...string) (*Source, string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("programs have other names")
	}
	root := t.TempDir()
	write(t, root, append(names, "work/", "home/", "bin/")...)
	path := strings.Join([]string{filepath.Join(root, "gone"), "relative", filepath.Join(root, "bin"), "", filepath.Join(root, "bin2")}, ":")
	return New(Options{
		Dir: filepath.Join(root, "work"), Home: filepath.Join(root, "home"), Path: path,
		Branches: func() []string { return []string{"feature/a b", "main", "bad\x1b[2J"} },
		Now:      func() time.Time { return time.Unix(0, 0) },
	}), root
}

// inserts returns the texts that are suggested at the mark "|" of a command, with "_" for spaces.
func inserts(s *Source, marked string) string {
	at := strings.LastIndexByte(marked, '|')
	r, _ := s.Complete(context.Background(), completion.Request{Text: marked[:at] + marked[at+1:], Cursor: at, IsShell: true})
	var list []string
	for _, s := range r.Suggestions {
		list = append(list, strings.ReplaceAll(s.Insert, " ", "_"))
	}
	return strings.Join(list, " ")
}

func TestComplete(t *testing.T) {
	t.Parallel()
	s, root := newSource(t, "bin/gitk!", "bin/git!", "bin/gone", "bin/dir/", "bin/gr ep!", "bin2/git!", "bin2/gofmt!", "work/src/main.go", "work/s p.txt", "work/$H",
		"work/-x", "work/.git/HEAD", "home/notes.txt", `work/package.json:{"scripts": {"test": "go test", "tidy up": "x", "bad\u001b": ""}}`)
	if err := os.Symlink("git", filepath.Join(root, "bin", "gitlink")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ marked, want string }{
		{"gi|", "git_ gitk_ gitlink_"},
		{"g|", "getopts_ git_ gitk_ gitlink_ gofmt_ gr\\_ep_"},
		{"pus|", "pushd_"},
		{"zzz|", ""},
		{"ls && gof|", "gofmt_"},
		{"src|", ""},
		{"./s|", `./s\_p.txt_ ./src/`},
		{"cat s|", `s\_p.txt_ src/`},
		{"cat src/m|", "src/main.go_"},
		{"cat src/m|  x", "src/main.go"},
		{"cat |", `./-x_ \$H_ package.json_ s\_p.txt_ src/`},
		{"cat .|", ".git/"},
		{"cat ~/n|", "~/notes.txt_"},
		{`cat "s p|`, `s\_p.txt_`},
		{"cd |", "src/"},
		{"cd ./s|", "./src/"},
		{"cat < p|", "package.json_"},
		{"> p|", "package.json_"},
		{"git che|", "checkout_ cherry-pick_"},
		{"git checkout m|", "main_"},
		{"git -C x checkout f|", ""},
		{"git --no-pager checkout f|", `feature/a\_b_`},
		{"git checkout s|", `s\_p.txt_ src/`},
		{"git checkout feature/a|", ""},
		{"git add m|", ""},
		{"git add s|", `s\_p.txt_ src/`},
		{"npm ru|", "run_ run-script_"},
		{"npm run t|", `test_ tidy\_up_`},
		{"npm run |", `test_ tidy\_up_`},
		{"pnpm run-script te|", "test_"},
		{"npm install s|", `s\_p.txt_ src/`},
		{"cat $H|", ""},
		{"# gi|", ""},
	} {
		if got := inserts(s, c.marked); got != c.want {
			t.Errorf("%q: %s\nwant %s", c.marked, got, c.want)
		}
	}
	if _, ok := s.Complete(context.Background(), completion.Request{Text: "gi", Cursor: 2}); ok {
		t.Error("text that is no shell command is completed")
	}
	r, _ := s.Complete(context.Background(), completion.Request{Text: "npm run te", Cursor: 10, IsShell: true})
	if got := fmt.Sprintf("%+v", r.Suggestions); got != "[{Label:test Detail:go test Suffix: Group: Insert:test  Runs:false MatchAt:[0 1]}]" || r.Range.Start != 8 || r.Range.End != 10 {
		t.Errorf("%s, %v", got, r.Range)
	}
	r, _ = s.Complete(context.Background(), completion.Request{Text: "cat src/m", Cursor: 9, IsShell: true})
	if got := r.Suggestions[0]; got.Label != "main.go" || !slices.Equal(got.MatchAt, []int{0}) {
		t.Errorf("%+v", got)
	}
}

// TestLargeDirectories checks the limits, and that broken files are no errors.
func TestLargeDirectories(t *testing.T) {
	t.Parallel()
	names := []string{"work/package.json:{"}
	for i := range maxSuggestions + 50 {
		names = append(names, fmt.Sprintf("bin/p%d!", i), fmt.Sprintf("work/f%d", i))
	}
	s, _ := newSource(t, names...)
	for _, marked := range []string{"p|", "cat |", "cat f|"} {
		if n := len(strings.Fields(inserts(s, marked))); n != maxSuggestions {
			t.Errorf("%q: %d suggestions", marked, n)
		}
	}
	if got := inserts(s, "npm run |"); got != "" {
		t.Errorf("%s", got)
	}
}

// TestAge checks when the directories of PATH are read again.
func TestAge(t *testing.T) {
	t.Parallel()
	s, root := newSource(t, "bin/qone!")
	now := time.Unix(0, 0)
	s.o.Now = func() time.Time { return now }
	if got := inserts(s, "q|"); got != "qone_" {
		t.Errorf("%s", got)
	}
	write(t, root, "bin/qtwo!", "gone/qthree!")
	now = now.Add(programsAge - 1)
	if got := inserts(s, "q|"); got != "qone_" {
		t.Errorf("%s", got)
	}
	now = now.Add(1)
	if got := inserts(s, "q|"); got != "qone_ qthree_ qtwo_" {
		t.Errorf("%s", got)
	}
}

// TestDeadDirectories checks that a directory that does not answer holds up nothing, and is not read twice at once.
func TestDeadDirectories(t *testing.T) {
	t.Parallel()
	s, root := newSource(t, "bin/qone!")
	dead := filepath.Join(root, "dead")
	s.programs.dirs = append(s.programs.dirs, dead)
	hung := make(chan struct{})
	s.programs.scans[dead] = &scan{done: hung}
	ctx, cancel := context.WithCancel(context.Background())
	for _, running := range s.programs.begin(time.Unix(0, 0)) {
		if running != hung {
			<-running
		}
	}
	cancel()
	if got := s.programs.names(ctx, "q", time.Unix(0, 0)); !slices.Equal(got, []string{"qone"}) {
		t.Errorf("%q", got)
	}
	if s.programs.scans[dead].done != hung {
		t.Error("the directory is read again")
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	var dirs []string
	for i := range maxDirs + 10 {
		dirs = append(dirs, fmt.Sprintf("%c%d", filepath.Separator, i), "relative")
	}
	if runtime.GOOS == "windows" {
		t.Skip("absolute paths have drives")
	}
	if got := newPrograms(strings.Join(append(dirs, dirs...), string(filepath.ListSeparator))).dirs; len(got) != maxDirs || got[1] != "/1" {
		t.Errorf("%q", got)
	}
}
