package reach

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/tool"
)

// workspace returns a directory with a workspace in it, and the function that knows it.
func workspace(t *testing.T) (outer string, inside func(string) bool) {
	t.Helper()
	outer, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"project/src", "other"} {
		if err := os.MkdirAll(filepath.Join(outer, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"project/go.mod", "other/secret"} {
		if err := os.WriteFile(filepath.Join(outer, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../other/secret", filepath.Join(outer, "project/link")); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(outer, "project")
	return outer, func(path string) bool {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		return path == root || strings.HasPrefix(path, root+"/")
	}
}

func TestOutside(t *testing.T) {
	t.Parallel()
	outer, inside := workspace(t)
	for _, tt := range []struct {
		command string
		want    []string // O stands for the directory above the workspace
	}{
		{"cat go.mod src/new.go", nil},
		{"cat ../other/secret", []string{"O/other/secret"}},
		{"cat '../other/secret' ../other/secret", []string{"O/other/secret"}},
		{"touch /new-file", []string{"/new-file"}},
		{"touch ../other/new", []string{"O/other/new"}},
		{"cat link", []string{"O/project/link"}},
		{"rm -rf ~", []string{"~"}},
		{`cp a ~/x "$HOME"/y $HOME/z "${HOME}/w"`, []string{"~/x", `"$HOME"/y`, "$HOME/z", `"${HOME}/w"`}},
		{"dd if=/dev/null of=O/other/disk", []string{"/dev/null", "O/other/disk"}},
		{"tar --file=../other/x.tar .", []string{"O/other/x.tar"}},
		{"echo x >>O/other/log 2>/dev/null 2>&1", []string{"O/other/log"}},
		{"sort <../other/secret", []string{"O/other/secret"}},
		{"bash -c 'cat ../other/secret'", []string{"O/other/secret"}},
		{"cd .. && cat other/secret", []string{"O"}},
		{"cd src; cat O/other/secret", []string{"O/other/secret"}},
		// Texts that look like paths but are none.
		{"sed /no/such/place/d go.mod", nil},
		{"awk /error/ go.mod", nil},
		{"echo $X/../../etc", nil},
		{"cat <<../other/secret\nx\n../other/secret", nil},
		{"curl https://example.org/etc/passwd", nil},
		{`cat "../other/secret`, nil}, // not a command
	} {
		command := strings.ReplaceAll(tt.command, "O/", outer+"/")
		var want []string
		for _, w := range tt.want {
			if w == "O" || strings.HasPrefix(w, "O/") {
				w = outer + w[1:]
			}
			want = append(want, w)
		}
		got := Of(Call{Command: command, Dir: filepath.Join(outer, "project"), Inside: inside}).Outside
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.command, diff)
		}
	}
	if got := Of(Call{Command: "ls", Dir: outer, Inside: inside}).Outside; !cmp.Equal(got, []string{outer}) {
		t.Errorf("a command in another directory: %q", got)
	}
	both := Of(Call{Command: "cp ../other/a ~/b; cat <~/c 2>~/d >../other/a >e", Dir: filepath.Join(outer, "project"), Inside: inside})
	if got, want := both.WritesOutside, []string{"~/d", filepath.Join(outer, "other/a")}; !cmp.Equal(got, want) || len(both.Outside) != 4 {
		t.Errorf("a command writes to %q of %q", got, both.Outside)
	}
	paths := []string{filepath.Join(outer, "other/secret"), filepath.Join(outer, "project/go.mod")}
	if got := Of(Call{Paths: paths, Inside: inside}).Outside; !cmp.Equal(got, paths[:1]) {
		t.Errorf("files of another call: %q", got)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]tool.Reach{
		"ls": {Total: 1},
		"make; make; rm x; make -j2": {Total: 4, Commands: []tool.ShellCommand{
			{Program: "make", Text: "make", Times: 2},
			{Program: "rm", Text: "rm x", Times: 1},
			{Program: "make", Text: "make -j2", Times: 1},
		}},
		"sh -c 'git push; ls >a'": {
			Total: 3, Writes: []string{"a"}, Commands: []tool.ShellCommand{
				{Program: "sh", Text: "sh -c 'git push; ls >a'", Times: 1},
				{Program: "git", Text: "git push", Times: 1},
				{Program: "ls", Text: "ls", Times: 1},
			},
		},
		"echo >a >>\"$B\" <c 3>&1 >&2 >/dev/null >a": {Total: 1, Writes: []string{"a", `"$B"`}},
		"cat 'x": {},
	} {
		got := Of(Call{Command: command})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", command, diff)
		}
	}
	long := &strings.Builder{}
	for i := range 3 * tool.MaxReach {
		fmt.Fprintf(long, "p%d >%d.x http://%d.example\n", i, i, i)
	}
	got := Of(Call{Command: long.String()})
	if len(got.Commands) != tool.MaxReach || len(got.Writes) != tool.MaxReach || len(got.Servers) != tool.MaxReach || got.Total != 3*tool.MaxReach {
		t.Errorf("%d commands of %d, %d files, %d servers", len(got.Commands), got.Total, len(got.Writes), len(got.Servers))
	}
}

func TestServers(t *testing.T) {
	t.Parallel()
	got := Of(Call{Command: "curl -s --proxy=http://proxy.example:1 https://me@a.example/x https://xn--pple-43d.com", URLs: []string{"no\x1burl"}}).Servers
	want := []tool.Server{
		{URL: "no\x1burl"},
		{URL: "http://proxy.example:1", Host: "proxy.example", Readable: "proxy.example"},
		{URL: "https://me@a.example/x", Host: "a.example", Readable: "a.example", HasUser: true},
		{URL: "https://аpple.com", Host: "xn--pple-43d.com", Readable: "аpple.com", IsLookalike: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// FuzzOf reads whatever a model may write.
func FuzzOf(f *testing.F) {
	f.Add("cat ../a >b; bash -c 'x=~/y'; curl --a=b://c@d")
	f.Fuzz(func(t *testing.T, command string) {
		dir := t.TempDir()
		r := Of(Call{Command: command, Dir: dir, Inside: func(path string) bool {
			if !filepath.IsAbs(path) {
				t.Errorf("%q is not absolute", path)
			}
			return strings.HasPrefix(path, dir)
		}})
		for _, n := range []int{len(r.Commands), len(r.Writes), len(r.Outside), len(r.Servers)} {
			if n > tool.MaxReach {
				t.Errorf("%d items", n)
			}
		}
	})
}
