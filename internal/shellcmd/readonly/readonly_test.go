package readonly_test

import (
	"testing"

	"pollux/internal/shellcmd"
	"pollux/internal/shellcmd/readonly"
)

func TestScript(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"ls", "ls -la /etc", "/bin/ls", "sleep 0.2", "sleep 1 && ls; pwd || true", "cat a | grep b | sort | uniq -c | head -3", "rg -n todo .",
		"cat $FILE", "echo $((1+2)) > /dev/null", "grep -r x . 2>/dev/null", "ls 2>&1 >&2", "cat < in <<< text", "cat <<EOF\n$x\nEOF",
		"cd sub && git status", "git log --oneline -5", "git -C sub diff HEAD~1", "git --no-pager show HEAD:a", "git branch -a", "git remote -v", "git stash list",
		"git config --get user.name", "git reflog show", "git grep -n x", "go vet ./...", "go list -m all", "go env GOPATH", "go version", "gofmt -l .", "gofmt --d -s -r 'a -> b' x.go", "gofmt -l=true .",
		"go vet --json -tags x ./...", "go list -mod=vendor -deps -f '{{.Dir}}' ./...", "go doc -all fmt", "uniq -c", "uniq -- -a", "uniq -c a",
		"find . -name '*.go' | xargs -0 -n 10 wc -l", "find . -type f", "fd x", "sed -n '1,20p' a", "sed -n '5,$p' a", "date +%s", "date -u", "uniq a",
		"bash -c 'ls | wc -l'", "sh -c 'ls | wc -l'", "zsh -lc \"ls 'a b'\"", "bash -c 'ls &>/dev/null rm a'", "timeout 5 ls", "for f in *; do wc -l $f; done", "if [ -f a ]; then cat a; fi", "test -d x && ls x", "node --version",
		"ls $(pwd)", "cat <(sort a) `which x`", "echo \"$(git log -1)\"", "for f in $(ls); do wc -l $f; done", "echo \"$(cat <<'E'\nx\nE\n)\"",
		"printf '%s' x", "sort a", "tree -L 2", "file a", "base64 a", "(cd x; ls) & wc a", "command ls",
		"cat < src/$F", "for f in a b; do wc -l < sub/$f; done", "cat < /proc/$$/stat", "cat < /dev/stdin", "cat <<< /dev/tcp/a.example/80",
	} {
		if s, err := shellcmd.Parse(command); err != nil || !readonly.Script(s, nil) {
			t.Errorf("%q does not only read, %v", command, err)
		}
	}
	for _, command := range []string{
		"", "rm a", "ls; rm a", "ls | tee a", "ls > a", "ls >> a", "ls >| a", "ls &> a", "ls >& a", "ls > $X", "ls <> a", "touch a", "./ls", "x/ls", "mkdir x",
		"PATH=. ls", "A=1 ls", "$CMD a", "sort -o a b", "sort --outp=a b", "sort $X a", "uniq a b", "find . -delete", "find . -exec rm {} +", "find $X",
		"xargs rm", "xargs -a x ls", "xargs sort", "xargs", "xargs -I", "sed -i s/a/b/ a", "sed s/a/b/w a", "sed -n 1p -i a", "git commit -m x", "git checkout .", "git diff --output=a",
		"git -c core.pager=x log", "git branch new", "git branch -d x", "git remote add a b", "git stash", "git tag v1", "git config a b", "git log $X", "git fetch", "git grep -O x",
		"git reflog expire --all", "git worktree add x", "git --exec-path=x log", "git -C", "go build", "go test ./...", "go vet -vettool=x ./...", "go list -mod=mod", "go env -w A=b", "go run .", "gofmt -w .",
		"date -s now", "date 010203", "rg --pre x y", "fd -x rm", "bash -c 'rm a'", "bash x.sh", "sh -c ls -- x", "timeout 5 rm a", "timeout -k 1 5 ls", "eval ls", "ls $(rm a)", "ls `rm a`",
		"ls $(ls $(rm a))", "cat <(rm a)", "$(echo ls) a", "ls $(ls > a)", "sort $(ls)", "git log $(ls)", "git log \"$(ls)\"", "x=$(ls); git log $x", "command $(ls)", "time $(ls)", "xargs $(ls)", "timeout 5 $(ls)",
		"cat <<E\n$(rm a)\nE", "bash -c \"$(ls)\"", "find \"$(pwd)\"", "x() { rm a; }; x", "exec rm a", "command rm a", "node x --version", "./x --version", "curl x", "base64 -o a b", "printf -v X y", "tree -o a", "file -C -m x", "python3 -c 1",
		"gofmt --w .", "gofmt -w=true .", "gofmt --w=1 .", "gofmt --cpuprofile=x .", "go vet --vettool=x ./...", "go list --toolexec x ./...", "go list -toolexec=x ./...", "go vet --exec x",
		"go list -gcflags=all=-memprofile=x -export std", "go vet -debug-trace=x", "go list -mod mod", "go list --mod=mod", "go env --w A=b", "go doc -http", "go vet -ldflags=x", "go list -overlay x",
		"uniq -- a -x", "uniq a -x", "uniq a -- x", "uniq - -x", "uniq -c -- - -x", "xargs command rm", "timeout 5 command rm a",
		"test -v 'a[$(rm x)]'", "sh -c 'ls &>/dev/null rm a'", `sh -c "ls \$'\\'; rm a; #\\''"`, "zsh -c \"printf %d 'path[\\`rm a\\`]'\"", "zsh -c '[ 1 -eq $x ]'", "timeout 5 sh -c 'ls &>/dev/null rm a'",
		"source x", ". x", "awk 1 a", "npm test", "ls {-a,-b} > x", "export A=b", "kill 1", "time rm a", "command rm a",
		"cat < /dev/tcp/a.example/80", "cat < '/dev/udp/a.example/53'", "cat <> /dev/tcp/a.example/80", "exec 3< /dev/tcp/a.example/80", "cat < /dev/tcp/$H/80", "cat < /dev/$X",
		"for f in /dev/tcp/a.example/80; do cat < $f; done", "cat < \"$X\"/80", "cat < /de{v,}/tcp/a.example/80", "sh -c 'cat < /dev/tcp/a.example/80'", "echo $(cat < /dev/tcp/a.example/80)",
		"cat <& /dev/tcp/a.example/80", "cat < /\"dev\"/tcp/$H/80", "cat < ~/$X",
	} {
		if s, err := shellcmd.Parse(command); err == nil && readonly.Script(s, nil) {
			t.Errorf("%q only reads", command)
		}
	}
}

// TestOthers checks the commands that a user lists.
func TestOthers(t *testing.T) {
	t.Parallel()
	others := []string{"go test", "npm run  lint", "", "make"}
	for command, want := range map[string]bool{
		"go test ./...": true, "go test": true, "npm run lint -- -q": true, "make": true, "ls && go test ./a | tail": true, "go test 2>&1 | tail -3": true,
		"go tester": false, "go": true, "go build": false, "npm run": false, "npm run build": false, "X=1 make": true, "go test > log": false, "go $X": false,
		"go test && rm a": false, "'go' test": true, "make $(rm a)": false, "make $(ls)": false, "go test \"$(ls)\"": false, "x=$(ls); make $x": false, "echo $(make)": true,
	} {
		if s, err := shellcmd.Parse(command); err != nil || readonly.Script(s, others) != want {
			t.Errorf("%q: %v, %v, want %v", command, readonly.Script(s, others), err, want)
		}
	}
}

func FuzzScript(f *testing.F) {
	f.Add("ls | sort -o a")
	f.Add("git -C a log; xargs -n 1 cat")
	f.Fuzz(func(t *testing.T, command string) {
		if s, err := shellcmd.Parse(command); err == nil {
			readonly.Script(s, []string{command})
		}
	})
}

func BenchmarkScript(b *testing.B) {
	s, err := shellcmd.Parse("git -C sub log --oneline -5 | grep fix | head -3")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		readonly.Script(s, nil)
	}
}
