package policy

import (
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/guard/trust"
	"pollux/internal/workspace"
)

// TestLifted checks lists of commands some of which a rule of the user's allows: the others may only read, and only
// what the first ones cannot have changed.
func TestLifted(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	root := filepath.Join(top, "work")
	write(t, root, "sub/deep/a", "x")
	write(t, top, "secret", "x")
	if err := os.Symlink("sub/deep", filepath.Join(root, "link")); err != nil {
		t.Skip("this system has no symbolic links")
	}
	if err := os.Symlink(".", filepath.Join(root, "here")); err != nil {
		t.Fatal(err)
	}
	ws, _ := workspace.New(workspace.Options{Root: root})
	rules := []Rule{
		{Tools: []string{shellTool}, Decision: Deny, Priority: 4.3, Prefixes: []string{"tail -f", "id"}},
		{Tools: []string{shellTool}, Decision: Ask, Priority: 4.2, Prefixes: []string{"whoami"}},
		{Tools: []string{shellTool}, Decision: Allow, Priority: 4.1, Prefixes: []string{"go test", "ln", "bash -c", "cd", "ctest", "npm test", "docker run"}},
	}
	e := engine(t, Options{Rules: rules, Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted), Dir: root, Inside: ws.Contains})
	headless := engine(t, Options{Rules: rules, Mode: Default, Trust: trust.NewLive(trust.Trusted), Dir: root, Inside: ws.Contains})
	autoEdit := engine(t, Options{Rules: rules, Mode: AutoEdit, Interactive: true, Trust: trust.NewLive(trust.Trusted), Dir: root, Inside: ws.Contains})
	for _, tt := range []struct {
		want     Decision
		commands []string
	}{
		{Allow, []string{
			"go test ./... 2>&1 | tail -20", "go test ./... >/dev/null; echo $?0", "ls sub && go test ./...", "cat sub/a; git status; go test", "cd sub && go test ./... | grep -v ok | head -n 5",
			"go test | sed -n 1,5p | sort -k 2 | uniq -c | cut -d : -f 1 | tr a b | wc -l", "go test && ln a b", "cd link && cat a && ls", "cd here && cat sub/deep/a",
			"go test | cat -", "bash -c 'go test | tail -3'", "cat sub/a | head -1; go test | tail", "ls && cat sub/a | wc -l && go test", "bash -c 'go test' | tail -3", "ls; bash -c 'go test; pwd'", "cd sub && bash -c 'go test'",
			"ctest -j$(nproc)", "ctest -j `nproc --ignore=1`", "ctest -j$(nproc) | tail", "go test; date +%F", "ctest --label $(date -u +%s)", "ctest -j$(nproc) 2>&1 | tail -3; date | wc -l",
			"npm test -j$(nproc)", "npm test -j\"$(nproc)\" all 2>&1 | tail", "docker run \"$(nproc):$(nproc --all)\" x", "npm test -j`nproc`",
		}},
		{Ask, []string{
			"go test && cat sub/a", "ln -s ../secret x && cat x", "ln -s ../secret x | cat x", "cat sub/a | ln -s b c", "ln -s ../secret 5 && head -n 1 5", "ln -s ../secret 5; head -- -n 5", "go test; cat -n 5",
			"go test; grep -r x", "go test; grep -f x", "go test; grep x y", "go test; grep -e x y", "go test; git status", "go test; ls", "go test; find .", "go test; sort a", "go test; sort -T x", "go test; uniq a",
			"go test; sed -n 1p a", "go test; cut -f 1 a", "go test; bash -lc 'cat a'", "ln -s ../secret x; bash -c 'cat x'", "bash -c 'ln -s ../secret x; cat x'", "bash -c 'ln -s ../secret x'; cat x", "cd sub && bash -c 'cat a'; ln a b",
			"cd here && cat ../secret", "cd here && cd .. && cat secret", "cd /etc && cat passwd", "cd " + top + " && ls", "go test > out | tail", "go test | tail > out", "go test | tee out", "go test & ls", "(go test; ls)",
			"go test | tail $X", "A=1 go test; ls", "whoami; ls", "go test | whoami", "ls; whoami", "go test; eval ls", "go test $(ls) | tail", "go test; make", "make; ls", "make | tail",
			"ctest $(date -r sub/a)", "ctest -j$(nproc > out)", "ctest -j$(nproc; ls)", "ctest -j$(nproc $(go))", "ctest -j$(./nproc)", "nproc() { ls; }; ctest -j$(nproc)", "ctest -j$(PATH=. nproc)", "PATH=.; ctest -j$(nproc)",
			"ctest -j$(cat n) | tail", "npm test -j$(nproc)$(date)", "npm test -j${X:-$(nproc)}", "X=$(date); npm test -j$X", "npm test -j$(uname)", "npm test -j$(nproc <n)", "npm test -j\"$(nproc)$X\"", "nproc() { pwd; }; npm test -j$(nproc)", "npm test -j$(nproc -n)", "docker run $(date)", "npm test -j$(nproc | date)", "ctest $(nproc) | tail $(nproc)", "ctest -j$(nproc > n) | tail", "ctest -j$(go) | tail", "ctest $(nproc; go) | tail", "ctest <(nproc; go) | tail", "ctest $(nproc | (ls)) | tail", "ctest $(nproc & go) | tail",
		}},
		{Deny, []string{"ls; id", "go test | tail -f", "ls | tail -f | cat", "bash -c 'ls; id'"}},
	} {
		for _, c := range tt.commands {
			if v := e.Check(command(c)); v.Decision != tt.want || v.IsLifted {
				t.Errorf("%q: %v, lifted %v, want %v", c, v.Decision, v.IsLifted, tt.want)
			}
			if got := autoEdit.Check(command(c)).Decision; got != tt.want {
				t.Errorf("%q in auto_edit: %v, want %v", c, got, tt.want)
			}
		}
	}
	for c, want := range map[string]Decision{
		"go test 2>&1": Allow, "go test >/dev/null 2>&1 && ln a b": Allow, "go test | tail": Deny, "ls; go test": Deny, "ls": Deny,
	} {
		if got := headless.Check(command(c)).Decision; got != want {
			t.Errorf("%q in a script: %v, want %v", c, got, want)
		}
	}
}
