package fetch

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/process"
)

// clone fetches one commit of a repository, and checks it out in dir. The directory of git that
// remains there shows which commit it is.
func (f *Fetcher) clone(ctx context.Context, r *Request, dir string) error {
	ref := r.Ref
	if ref == "" {
		ref = "HEAD"
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--template="},
		{"remote", "add", "--", "origin", r.URL},
		{"fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", "origin", ref},
		{"checkout", "--quiet", "--detach", "FETCH_HEAD"},
	} {
		if _, err := f.git(ctx, dir, args...); err != nil {
			return err
		}
	}
	return nil
}

// RemoteCommit returns the commit that [Fetcher.Clone] would check out.
func (f *Fetcher) RemoteCommit(ctx context.Context, r *Request) (string, error) {
	wanted := []string{"HEAD"}
	if r.Ref != "" { // in the order in which git looks them up; a tag can name an object that names the commit
		wanted = []string{r.Ref, "refs/tags/" + r.Ref + "^{}", "refs/tags/" + r.Ref, "refs/heads/" + r.Ref}
	}
	if isCommit(r.Ref) {
		return r.Ref, nil
	}
	answer, err := f.git(ctx, "", append([]string{"ls-remote", "--", r.URL}, wanted...)...)
	if err != nil {
		return "", err
	}
	commits := map[string]string{}
	for line := range strings.Lines(answer) {
		if commit, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			commits[name] = commit
		}
	}
	for _, name := range wanted {
		if commit := commits[name]; commit != "" {
			return commit, nil
		}
	}
	return "", fmt.Errorf("git ref %q not found in %s", wanted[0], r.URL)
}

// isCommit reports whether a name is the full id of a commit.
func isCommit(ref string) bool {
	return (len(ref) == 40 || len(ref) == 64) && strings.Trim(ref, "0123456789abcdef") == ""
}

// LocalCommit returns the commit that is checked out in a directory that [Fetcher.Clone] has
// filled. It does not run git, which would follow the configuration there.
func LocalCommit(dir string) (string, error) {
	at := filepath.Join(dir, ".git")
	data, err := durable.ReadFile(filepath.Join(at, "HEAD"), 1<<10)
	if err != nil {
		return "", errors.New("it is not a clone of a repository")
	}
	head := strings.TrimSpace(string(data))
	if branch, ok := strings.CutPrefix(head, "ref: "); ok && filepath.IsLocal(branch) {
		if data, err = durable.ReadFile(filepath.Join(at, branch), 1<<10); err == nil {
			head = strings.TrimSpace(string(data))
		}
	}
	if !isCommit(head) {
		return "", errors.New("git does not show which commit is checked out")
	}
	return head, nil
}

// git runs git in a directory, "" for none, and returns its output.
func (f *Fetcher) git(ctx context.Context, dir string, args ...string) (string, error) {
	path := f.Finder.Find("git")
	if path == "" {
		return "", errors.New("git is not installed")
	}
	if dir == "" {
		dir = string(filepath.Separator) // in a directory for temporary files, a command in the sandbox can make a repository, whose settings git follows
	}
	return f.Launcher.Ask(ctx, &process.Command{
		For:  process.Purpose{Kind: process.KindGit, Origin: process.OriginPollux},
		Path: path, Args: args, Dir: dir, Env: f.gitEnviron(), Grace: 2 * time.Second,
	})
}

// keptVariables are the variables of the user that git gets although they begin with GIT_: how to
// reach servers.
var keptVariables = []string{"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_PROXY_COMMAND"}

// gitConfig overrides settings that make git run programs or ask questions.
var gitConfig = [][2]string{
	{"credential.helper", ""},
	{"core.hooksPath", os.DevNull},
	{"core.fsmonitor", "false"},
	{"core.protectHFS", "true"},
	{"core.protectNTFS", "true"},
	{"fetch.recurseSubmodules", "false"},
	{"submodule.recurse", "false"},
	{"init.defaultBranch", "main"},
	{"gc.auto", "0"},
	{"maintenance.auto", "false"},
}

// gitEnviron returns the environment of git: without the configuration of the user and of the
// system, and without a terminal to ask at.
func (f *Fetcher) gitEnviron() []string {
	environ := slices.DeleteFunc(slices.Clone(f.Environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "GIT_") && !slices.Contains(keptVariables, name) || name == "SSH_ASKPASS"
	})
	environ = append(environ,
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_ALLOW_PROTOCOL=file:git:http:https:ssh:sso", // ext runs commands
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GCM_INTERACTIVE=never",
		"GIT_LFS_SKIP_SMUDGE=1", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C",
	)
	config := gitConfig[:]
	if f.Token != "" { // not in the address, which git would store
		basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + f.Token))
		config = append(slices.Clone(config), [2]string{"http.https://github.com/.extraHeader", "Authorization: Basic " + basic})
	}
	for i, pair := range config {
		n := strconv.Itoa(i)
		environ = append(environ, "GIT_CONFIG_KEY_"+n+"="+pair[0], "GIT_CONFIG_VALUE_"+n+"="+pair[1])
	}
	return append(environ, "GIT_CONFIG_COUNT="+strconv.Itoa(len(config)))
}
