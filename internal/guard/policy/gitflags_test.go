package policy

import (
	"strings"
	"testing"
)

func TestGitRunsOthers(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"--exec-path=. pager", "-C ../outside init", "-C /etc status", "--git-dir=../g init", "--work-tree ../o checkout -f", "-C ~/x log",
		"ls-remote --upload-pack=x .", "fetch --upload-pack x .", "clone -u x . c", "clone -c core.pager=x .", "push --receive-pack=x", "push --exec=x",
		"grep -Ox a", "grep --open-files-in-pager=x a", "rebase --exec=x --root", "rebase -x x", "rebase -ix x", "difftool -y -x x", "difftool --tool=x",
		"archive -o x HEAD", "archive --output=x HEAD", "archive --remote=. --exec=x HEAD", "format-patch -o x -1", "fast-export --export-marks=x HEAD",
		"bisect run x", "submodule foreach x", "submodule --quiet foreach x", "filter-branch --msg-filter x", "config core.fsmonitor x",
		"config alias.x !x", "config --global user.name x", "config set core.pager x", "config -e", "config --unset core.pager", "config edit", "-C sub config alias.x y",
		"send-email x", "diff --output=x", "diff --outp=x",
	} {
		if !gitRunsOthers(strings.Fields(command), func(string) bool { return false }) {
			t.Errorf("git %s: runs nothing else", command)
		}
	}
	for _, command := range []string{
		"", "status", "commit -m x", "push -u origin main", "-C sub status", "--git-dir .git log", "--no-pager log -n 5", "clone https://example.org/x", "fetch --all",
		"rebase -i main", "rebase --continue", "bisect start", "bisect good", "submodule update --init", "config user.name x", "config user.email", "config --get core.pager",
		"config -l", "config core.pager", "config get core.pager", "config branch.x.remote y", "config set user.name x", "config --local user.name x", "grep -n x", "archive HEAD", "difftool -y", "log --oneline", "-P diff",
	} {
		if gitRunsOthers(strings.Fields(command), func(string) bool { return false }) {
			t.Errorf("git %s: runs others", command)
		}
	}
}
