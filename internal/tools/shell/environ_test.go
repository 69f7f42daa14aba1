//go:build unix

package shell

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"

	"pollux/internal/process"
)

func TestChildEnv(t *testing.T) {
	t.Parallel()
	base := []string{
		"A=1", "PWD=/elsewhere", "PAGER=less", "MANPAGER=less", "EDITOR=vi", "VISUAL=true", "KUBE_EDITOR=vi", "SUDO_ASKPASS=/bin/window", "DISPLAY=:0", "=C:=x", "B=\x00", "GIT_EDITOR=vi", "GIT_SSH_COMMAND=mine",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=x", "GIT_CONFIG_KEY_1=beyond.the.count",
	}
	for _, trusted := range []bool{false, true} {
		env := childEnv(base, trusted)
		want := map[string]string{
			"A": "1", "PAGER": "cat", "MANPAGER": "cat", "SYSTEMD_PAGER": "cat", "EDITOR": noEditor, "VISUAL": "true", "BROWSER": noBrowser, "KUBE_EDITOR": "", "SUDO_ASKPASS": "", "GIT_PAGER": "cat", "TERM": "xterm-256color", "GEMINI_CLI": "1", "TMPDIR": os.TempDir(), "GIT_TERMINAL_PROMPT": "0",
			"SSH_ASKPASS_REQUIRE": "never", "GIT_EDITOR": "", "GIT_SEQUENCE_EDITOR": "", "GIT_SSH_COMMAND": "mine",
			"GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "x",
			"GIT_CONFIG_KEY_1": "safe.bareRepository", "GIT_CONFIG_VALUE_1": "explicit",
			"GIT_CONFIG_KEY_2": "core.editor", "GIT_CONFIG_VALUE_2": editorCommand,
			"GIT_CONFIG_KEY_3": "sequence.editor", "GIT_CONFIG_VALUE_3": editorCommand,
			"GIT_CONFIG_KEY_4": "core.quotePath", "GIT_CONFIG_VALUE_4": "false",
			"GIT_CONFIG_COUNT": "6",
		}
		if !trusted {
			want["GIT_CONFIG_GLOBAL"], want["GIT_CONFIG_NOSYSTEM"], want["GIT_CONFIG_COUNT"] = "/dev/null", "1", "13"
		}
		for name, want := range want {
			if got := process.Getenv(env, name); got != want {
				t.Errorf("trusted %t: %s=%q, want %q", trusted, name, got, want)
			}
		}
		if trusted && slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "GIT_CONFIG_GLOBAL=") }) {
			t.Error("the user's configuration of git is hidden in a trusted folder")
		}
		seen := map[string]bool{}
		for _, v := range env {
			name, _, _ := strings.Cut(v, "=")
			if seen[name] || name == "" || name == "PWD" || name == "B" {
				t.Errorf("%q: twice, or should not be", v)
			}
			seen[name] = true
		}
		if !slices.Contains(env, "DISPLAY=") {
			t.Error("DISPLAY is not empty")
		}
	}
	for _, bad := range []string{"-1", "x", "99999999999999999999", "1000000"} {
		if got := process.Getenv(childEnv([]string{"GIT_CONFIG_COUNT=" + bad}, true), "GIT_CONFIG_COUNT"); got != "5" {
			t.Errorf("count %s becomes %s", bad, got)
		}
	}
	env := childEnv([]string{"GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=:"}, true)
	if process.Getenv(env, "GIT_EDITOR") != "true" || process.Getenv(env, "GIT_SEQUENCE_EDITOR") != ":" {
		t.Error("an editor that waits for no one is replaced")
	}
}

// TestChildEnvIncomplete checks that git runs if a variable of a setting was removed as a
// secret.
func TestChildEnvIncomplete(t *testing.T) {
	t.Parallel()
	g := newGit(t, true, "GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=url.x.insteadOf", "GIT_CONFIG_KEY_1=user.name", "GIT_CONFIG_VALUE_1=kept")
	if got := g.run("git config user.name; git config url.x.insteadOf; echo $?"); got != "kept\n1\n" {
		t.Errorf("user.name and url.x.insteadOf are %q", got)
	}
}

// TestGitShowsNames checks that git shows file names as they are, unless they have control characters, or the user's variables or the command
// ask for other names.
func TestGitShowsNames(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{false, true} {
		g := newGit(t, trusted)
		for _, name := range []string{"保存.sh", "日志\nb", "c\x1b[2J"} {
			g.write(g.dir, name, "")
		}
		g.expect("git status --short", "?? 保存.sh\n", `?? "日志\nb"`, `?? "c\033[2J"`)
		g.expect("git add . && git -c user.name=x -c user.email=x commit -qm one && git show --stat --format=", " 保存.sh ")
		g.expect("git -c core.quotePath=true ls-files", `"\344\277\235\345\255\230.sh"`)
	}
	g := newGit(t, true, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.quotepath", "GIT_CONFIG_VALUE_0=true")
	g.write(g.dir, "保存.sh", "")
	g.expect("git status --short", `?? "\344\277\235\345\255\230.sh"`)
}

// gitScene is a repository and a user with a configuration of git.
type gitScene struct {
	t         *testing.T
	dir, home string
	env       []string
}

// newGit returns an empty repository. vars are part of the user's environment.
func newGit(t *testing.T, trusted bool, vars ...string) *gitScene {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: git is not installed")
	}
	g := &gitScene{t: t, dir: t.TempDir(), home: t.TempDir()}
	base := append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + g.home, "GIT_CONFIG_NOSYSTEM=1"}, vars...)
	g.env = childEnv(base, trusted)
	g.write(g.home, ".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n")
	g.run("git init -q -b main .")
	return g
}

func (g *gitScene) write(dir, name, text string) {
	g.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
		g.t.Fatal(err)
	}
}

// run returns the output of a command. Like the tool, it gives the command no terminal and no
// input.
func (g *gitScene) run(command string) string {
	g.t.Helper()
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir, cmd.Env = g.dir, g.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, _ := cmd.CombinedOutput() // the output shows whether it failed
	return string(out)
}

// expect checks that the output of a command contains each of the texts.
func (g *gitScene) expect(command string, texts ...string) {
	g.t.Helper()
	got := g.run(command)
	for _, text := range texts {
		if !strings.Contains(got, text) {
			g.t.Errorf("%s: %q is not in\n%s", command, text, got)
		}
	}
}

// conflict creates commits on two branches that conflict with each other, the one of the branch
// side checked out.
func (g *gitScene) conflict() {
	g.t.Helper()
	g.expect(`echo a >f; git add f; git commit -qm one; echo b >f; git commit -qam two
git checkout -qb side HEAD~1; echo c >f; git commit -qam three; git log --format=%s`, "three\none\n")
}

func TestGitIsTheUsers(t *testing.T) {
	t.Parallel()
	g := newGit(t, true)
	g.write(g.dir, ".git/hooks/pre-commit", "#!/bin/sh\necho the hook runs\n")
	g.write(g.home, "differ", "#!/bin/sh\necho differ: $1\n")
	g.expect("echo a >f; git add f; git commit -m one", "the hook runs")
	g.expect("git log --format='%an <%ae> %s'", "Ada <ada@example.org> one\n")
	g.expect("echo b >>f; git diff", "diff --git a/f b/f", "+b")
	g.expect("git config --global diff.external '"+g.home+"/differ'; git diff", "differ: f\n")
	g.expect("git diff --no-ext-diff", "+b")
	g.expect("git config --global alias.st 'status -s'; git st", " M f\n")
}

func TestGitEditor(t *testing.T) {
	t.Parallel()
	const noEditor = "Pollux runs git without an editor: "
	g := newGit(t, true)
	g.conflict()
	g.expect("echo d >>f; git commit -a; echo $?", noEditor+"pass the message with -m or -F.\n", "\n1\n")
	g.expect("git -c commit.verbose=true -c core.commentChar=';' commit -a; echo $?", noEditor+"pass", "\n1\n")
	g.expect("git -c core.commentChar=auto commit -a; echo $?", noEditor+"pass", "\n1\n")
	g.expect("echo '# template' >t; echo 'Why:' >>t; git -c commit.template=t commit -a; echo $?; rm t", "you did not edit the message", "\n1\n")
	g.expect("git commit -a -e -m 'edit #1'; git log -1 --format=%s; git reset -q --hard HEAD~1; echo d >>f", "edit #1\n")
	g.expect("git checkout f; git tag -a v1; echo $?", noEditor+"pass", "\n1\n")
	g.expect("git rebase -i HEAD~1; echo $?; git status", noEditor+"set GIT_SEQUENCE_EDITOR", "\n1\n", "nothing to commit")
	g.expect("git config -e", noEditor+"change ")

	g.expect("git rebase main", "CONFLICT")
	g.expect("echo m >f; git add f; git rebase --continue && git log --format=%s", "the message stays as it is", "three\ntwo\none\n")
	g.expect("git commit --amend --no-edit && git log -1 --format=%s", "three\n")
	g.expect("git commit --amend && git log -1 --format=%s", "the message stays as it is", "three\n")
	g.expect(`git -c sequence.editor="sed -i.bak 2s/pick/reword/" rebase -i HEAD~2 && git log --format=%s`, "two\none\n")
	g.expect(`GIT_SEQUENCE_EDITOR="sed -i.bak 2s/pick/squash/" git rebase -i HEAD~2 && git log --format=%s`, "two\none\n")

	g = newGit(t, true)
	g.conflict()
	g.expect("git merge main; echo m >f; git add f; git merge --continue && git log -1 --format=%s", "Merge branch 'main' into side\n")
	g.expect("git checkout -qb other HEAD~1; git cherry-pick main; echo p >f; git add f; git cherry-pick --continue && git log -1 --format=%s", "two\n")
	g.expect("git revert HEAD && git log -1 --format=%s", `Revert "two"`)
	g.expect("git checkout -q main; echo x >g; git add g; git commit -qm four; git merge other --no-edit -X ours && git log -1 --format=%s", "Merge branch 'other'\n")
}

// TestOtherEditors checks that what opens the editor or the browser of a person fails at once, with advice.
func TestOtherEditors(t *testing.T) {
	t.Parallel()
	g := newGit(t, true)
	const noEditor = "Pollux runs commands without an editor: "
	g.expect(`$EDITOR f || echo failed`, "failed\n") // split at spaces
	g.expect(`sh -c "$EDITOR f"; echo $?; eval "$VISUAL f"; echo $?`, noEditor, "\n1\n"+noEditor)
	g.expect(`eval "$BROWSER https://example.org"; echo $?`, "the user can open https://example.org\n1\n")
	if _, err := exec.LookPath("python3"); err == nil {
		g.expect(`timeout 20 python3 -m webbrowser https://example.org </dev/null; echo ended`, "ended\n")
	}
}

// TestGitPrompts checks that git fails at once where it would ask for a password.
func TestGitPrompts(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password == "right" {
			http.Error(w, "welcome", http.StatusTeapot)
			return
		}
		w.Header().Set("WWW-Authenticate", "Basic")
		http.Error(w, "who are you?", http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	const noPrompts = "Pollux runs git without password prompts"
	push := "echo a >f; git add f; git commit -qm one; git push " + server.URL + "/r.git main; echo $?"

	g := newGit(t, true)
	g.expect(push, noPrompts, "terminal prompts disabled", "\n128\n")
	g.expect("git config --global credential.helper '!f() { echo username=u; echo password=right; }; f'")
	g.expect(push, "418") // it has authenticated

	// A keyring answers only with the message bus of the user's session.
	keyring := `[credential]` + "\n\t" + `helper = "!f() { test $DBUS_SESSION_BUS_ADDRESS = it\\'s || exit; echo username=u; echo password=right; }; f"` + "\n"
	g = newGit(t, true, "DBUS_SESSION_BUS_ADDRESS=it's", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=Bo")
	g.write(g.home, ".gitconfig", "[user]\n\temail = a@b\n"+keyring)
	g.expect("echo bus=$DBUS_SESSION_BUS_ADDRESS.", "bus=.\n")
	g.expect(push, "418")
	g.write(g.home, ".gitconfig", "[user]\n\temail = a@b\n")
	g.expect(push, noPrompts, "\n128\n")
	g = newGit(t, true, "DBUS_SESSION_BUS_ADDRESS=x", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=credential.helper",
		"GIT_CONFIG_VALUE_0=!f() { test $DBUS_SESSION_BUS_ADDRESS || exit; echo username=u; echo password=right; }; f")
	g.expect(push, "418")
}

// TestGitSSH checks that ssh fails at once where it would ask for the key of a host or for a
// password.
func TestGitSSH(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssh"); err != nil {
		t.Skip("NOT TESTED: ssh is not installed")
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	config := &ssh.ServerConfig{PasswordCallback: func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) {
		return nil, errors.New("wrong")
	}}
	config.AddHostKey(signer)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _, _, _ = ssh.NewServerConn(c, config) // the password is unknown
			_ = c.Close()
		}
	}()
	g := newGit(t, true, "SSH_ASKPASS=/bin/cat", "SSH_ASKPASS_REQUIRE=force", "DISPLAY=:0")
	command := "git ls-remote ssh://127.0.0.1:" + strconv.Itoa(l.Addr().(*net.TCPAddr).Port) + "/x; echo $?"
	g.expect("GIT_SSH_COMMAND='ssh -o UserKnownHostsFile="+g.home+"/hosts' "+command, "Host key verification failed", "\n128\n")
	g.expect("git config core.sshCommand 'ssh -o StrictHostKeyChecking=no -o UserKnownHostsFile="+g.home+"/hosts'; "+command, "Permission denied (password", "\n128\n")
}

// TestGitBareRepository checks that a directory which looks like a bare repository, and which a
// project can contain, is not one.
func TestGitBareRepository(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{false, true} {
		g := newGit(t, trusted)
		g.expect("git init -q --bare planted; cd planted; git config core.fsmonitor 'touch ../../was-run;'; git -C . log; echo $?", "safe.bareRepository", "128\n")
		g.expect("git --git-dir planted rev-parse --git-dir", "planted\n")
	}
}

// TestGitIsIsolated checks that an untrusted repository's settings run no programs.
func TestGitIsIsolated(t *testing.T) {
	t.Parallel()
	g := newGit(t, false, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=kept")
	g.expect("git config user.name", "kept\n")
	if got := g.run("git config user.email"); got != "" {
		t.Errorf("the global user.email is used: %q", got)
	}
	g.expect("echo a >f; git add f; git -c user.email=x commit -qm one; git log --format=%s", "one\n")
	ran := filepath.Join(t.TempDir(), "was-run")
	g.write(g.dir, ".git/hooks/pre-commit", "#!/bin/sh\ntouch "+ran+"\n")
	g.write(g.dir, ".git/evil", "#!/bin/sh\ntouch "+ran+"\nexit 1\n")
	for _, key := range []string{
		"credential.helper", "core.fsmonitor", "core.sshCommand", "core.pager", "gpg.program", "diff.external",
		"core.editor", "sequence.editor", "core.askPass",
	} {
		g.run("git config " + key + " " + g.dir + "/.git/evil")
	}
	g.run("git config core.hooksPath " + g.dir + "/.git/hooks")
	g.expect("echo b >>f; git status -s", " M f\n")
	g.expect("git diff; echo $?", "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n a\n+b\n0\n")
	g.expect("cp f g; git add -N g; git rm -q --cached f; git diff HEAD", "--- a/f\n+++ b/g\n") // a renamed file
	g.expect("git reset -q; rm f; git diff", "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-a\n")
	g.expect("mv g f")
	g.expect("git add f; git -c user.email=x commit -qam two; git log --format=%s", "two\none\n")
	g.expect("git -c user.email=x commit --allow-empty; git rebase -i HEAD~1", "pass the message with -m", "set GIT_SEQUENCE_EDITOR")
	g.expect("git -c user.email=x commit -S --allow-empty -m signed; git ls-remote ssh://127.0.0.1/x; printf 'protocol=https\\nhost=h\\n\\n' | git credential fill",
		"gpg", "Could not read from remote repository", "terminal prompts disabled")
	if _, err := os.Stat(ran); err == nil {
		t.Error("git has run the repository's program")
	}
}
