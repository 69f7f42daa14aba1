package repository

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunsNothing checks repositories that name programs, each built by a script. In a script
// that is to run nothing "false" would be a fault of the check: it would ask for no reason.
func TestRunsNothing(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("NOT TESTED: git is not installed")
	}
	const lfs = "git config --global filter.lfs.clean 'git-lfs clean -- %f'; "
	for _, tt := range []struct {
		name, script, dir string
		want              bool
	}{
		{"an ordinary repository", "git remote add origin x; git config branch.main.remote origin; git config diff.renames true", ".", true},
		{"a directory of it", "mkdir sub", "sub", true},
		{"a directory that is not there", "", "nowhere", true},
		{"outside", "", "..", false},
		{"no repository", "rm -rf .git", ".", false},
		{"a damaged repository below another one", "git init -q ..; rm .git/HEAD", ".", false},
		{"the repository of a directory above", "rm -rf .git; git init -q ..", ".", false},
		{"a repository in the repository", "git init -q sub", "sub", false},
		{"below a repository in the repository", "git init -q sub; mkdir sub/a", "sub/a", false},
		{"a link", "mv .git ../moved; ln -s ../moved .git", ".", false},
		{"another git directory", "mv .git ../moved; echo 'gitdir: ../moved' >.git", ".", false},
		{"a common directory", "echo ../../other >.git/commondir", ".", false},
		{"a worktree", "git init -q ../main; git -C ../main commit -q --allow-empty -m x; rm -rf .git; git -C ../main worktree add -q ../root/w; mv w/.git .git; git -C . worktree repair 2>&1", ".", true},
		{"the worktree of another", "git init -q ../main; git -C ../main commit -q --allow-empty -m x; git -C ../main worktree add -q ../w; rm -rf .git; cp ../w/.git .git", ".", false},
		{"a worktree that is a pipe", "mkdir -p ../worktrees/w; mkfifo ../worktrees/w/gitdir; rm -rf .git; echo \"gitdir: $PWD/../worktrees/w\" >.git", ".", false},
		{"a worktree of a repository in the workspace", "git init -q main; git -C main commit -q --allow-empty -m x; git -C main worktree add -q ../w; rm -rf .git; mv w/.git .git; git worktree repair 2>&1", ".", false},
		{"a worktree that names a program", "git init -q ../main; git -C ../main commit -q --allow-empty -m x; rm -rf .git; git -C ../main worktree add -q ../root/w; mv w/.git .git; git worktree repair 2>&1; git config extensions.worktreeConfig true; git config --worktree core.fsmonitor x", ".", false},

		{"an external diff", "git config diff.external x", ".", false},
		{"a driver's external diff", "git config diff.A.b.command x", ".", false},
		{"a text conversion", "git config diff.a.textconv x", ".", false},
		{"the type of a file", "git config diff.a.xfuncname x", ".", true},
		{"a filter", "git config filter.a.clean x", ".", false},
		{"a merge driver", "git config merge.a.driver x", ".", false},
		{"the user's merge driver", "git config --global merge.a.driver x; touch b; git add b; echo 'b merge=a' >.git/info/attributes", ".", false},
		{"a signing program", "git config gpg.ssh.program x", ".", false},
		{"a monitor", "git config core.fsmonitor true", ".", false},
		{"hooks", "git config core.hooksPath .husky", ".", false},
		{"ssh", "git config core.sshCommand x", ".", false},
		{"a pager", "git config core.pager x", ".", false},
		{"a pager of a command", "git config pager.diff x", ".", false},
		{"another working tree", "git config core.worktree ..", ".", false},
		{"an included file", "git config include.path x", ".", false},
		{"a file included on a condition", "git config includeIf.gitdir:x.path x", ".", false},
		{"a partial clone", "git config remote.origin.promisor true", ".", false},
		{"an old partial clone", "git config core.repositoryFormatVersion 1; git config extensions.partialClone origin", ".", false},
		{"a hook in the configuration", "git config hook.a.command x", ".", false},
		{"a way to sign in", "git config credential.helper store", ".", true},
		{"unreadable settings", "echo '[' >>.git/config", ".", false},
		{"a hook of git status", "touch .git/hooks/post-index-change", ".", false},
		{"a hook of git commit", "touch .git/hooks/pre-commit", ".", true},

		{"the user's external diff", "git config --global diff.external x; git config --global core.pager x", ".", true},
		{"the user's filter, not used", lfs + "touch a; git add a", ".", true},
		{"the user's filter", lfs + "touch sub.bin; git -c filter.lfs.clean=cat add sub.bin; echo '*.bin filter=lfs' >.gitattributes", ".", false},
		{"the user's filter, in attributes elsewhere", lfs + "touch sub.bin; git -c filter.lfs.clean=cat add sub.bin; echo '*.bin filter=lfs' >../attributes; git config core.attributesFile ../attributes", ".", false},
		{"the user's text conversion", "git config --global diff.pdf.textconv x; touch a.pdf; git add a.pdf; echo '*.pdf diff=pdf' >.git/info/attributes", ".", false},
		{"differences of submodules of older commits", "git config diff.submodule diff", ".", false},
		{"the user's differences of submodules of older commits", "git config --global diff.submodule diff", ".", false},
		{"the commits of submodules", "git config diff.submodule log", ".", true},
		{"a value of several lines", "git config user.name \"a\ndiff.external\"", ".", true},
		{"a submodule", "git init -q sub; git -C sub commit -q --allow-empty -m x; touch a; git add a sub 2>&1", ".", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			root := filepath.Join(dir, "root")
			env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
			if err := os.Mkdir(root, 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("sh", "-ec", "git config --global user.name A; git config --global user.email a@b; git config --global init.defaultBranch main; git init -q .; "+tt.script)
			cmd.Dir, cmd.Env = root, env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			c := &Checker{Root: root, Git: func() string { return git }, Environ: env}
			if got := c.RunsNothing(filepath.Join(root, tt.dir)); got != tt.want {
				t.Errorf("%t, want %t", got, tt.want)
			}
			if !tt.want && c.RunsNothingEver(filepath.Join(root, tt.dir)) {
				t.Error("other commands run nothing where one that reads may")
			}
			if tt.want {
				c.Environ = append(env, "GIT_DIR=/elsewhere")
				if c.RunsNothing(root) {
					t.Error("GIT_DIR is ignored")
				}
				c = &Checker{Root: root, Git: func() string { return "" }, Environ: env}
				if c.RunsNothing(root) {
					t.Error("true without git")
				}
			}
		})
	}
}

// TestRunsNothingEver checks repositories that name programs for commands which change or send something.
func TestRunsNothingEver(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("NOT TESTED: git is not installed")
	}
	for script, want := range map[string]bool{
		"git remote add origin x; git config user.name me": true,
		"printf '#!/bin/sh' >.git/hooks/pre-push":          false,
		"rm -r .git/hooks":                                                       true,
		"rm -r .git/hooks; ln -s /etc .git/hooks":                                false,
		"git config alias.push '!x'":                                             false,
		"git config credential.helper x":                                         false,
		"git config credential.https://a.example.helper x":                       false,
		"git config remote.origin.receivepack x":                                 false,
		"git config core.askPass x":                                              false,
		"git config sequence.editor x":                                           false,
		"git config --global alias.p push; git config --global core.editor vi; ": true,
	} {
		home := t.TempDir()
		root := filepath.Join(home, "root")
		env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
		cmd := exec.Command("sh", "-c", "git init -q root && cd root && "+script)
		cmd.Dir, cmd.Env = home, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		root, err := filepath.EvalSymlinks(root)
		if err != nil {
			t.Fatal(err)
		}
		c := &Checker{Root: root, Git: func() string { return git }, Environ: env}
		if got := c.RunsNothingEver(root); got != want {
			t.Errorf("%s: %v, want %v", script, got, want)
		}
	}
}

// TestLinks checks that an entry of a submodule is found wherever the output is split.
func TestLinks(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]bool{
		"100644 abc 0\ta\x00160000 abc 0\tb\x00": true,
		"160000 abc 0\ta\x00":                    true,
		"100644 abc 0\t160000 \x00":              false,
		"":                                       false,
	} {
		for size := 1; size <= len(output)+1; size++ {
			var l links
			for rest := output; rest != ""; {
				n := min(size, len(rest))
				_, _ = l.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			if l.found != want {
				t.Errorf("%s in pieces of %d: %t", strings.ReplaceAll(output, "\x00", "|"), size, l.found)
			}
		}
	}
}
