//go:build unix

package acceptance

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
)

// TestExtensionsFromInternet installs and updates extensions as a user does, through the user's proxy: a
// release of GitHub, and a repository on another host.
func TestExtensionsFromInternet(t *testing.T) {
	t.Parallel()
	model := scripttest.Serve(t, "key none\nturn\n  times always\n  text ok\n", scriptmodel.Options{Wires: everyWire()})
	web := startInternet(t, model.URL())
	r := newReader(t, web)
	r.environ = append(r.environ, "GEMINI_CLI_TRUST_WORKSPACE=true", "GIT_SSL_CAINFO="+web.file, "GITHUB_TOKEN=token-of-user", "GIT_CONFIG_NOSYSTEM=1")
	run := func(want string, words ...string) {
		t.Helper()
		cmd := exec.Command("pollux", append([]string{"extensions"}, words...)...)
		cmd.Dir, cmd.Env = r.dir, r.environ
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("pollux extensions %v: %v\n%s\nwant %s", words, err, out, want)
		}
	}

	var version atomic.Int32
	version.Store(1)
	web.hosts.Store("api.github.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tag := fmt.Sprintf("v%d.0.0", version.Load())
		switch {
		case r.Header.Get("Authorization") != "token token-of-user":
			w.WriteHeader(http.StatusNotFound)
		case r.URL.Path == "/repos/owner/repo/releases/latest":
			fmt.Fprintf(w, `{"tag_name":%q,"assets":[],"tarball_url":"https://api.github.com/tarball/%s"}`, tag, tag)
		case strings.HasPrefix(r.URL.Path, "/tarball/"):
			http.Redirect(w, r, "https://codeload.github.com/"+filepath.Base(r.URL.Path), http.StatusFound)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	web.hosts.Store("codeload.github.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the token went to another host")
		}
		_, _ = w.Write(releaseArchive(t, strings.TrimPrefix(filepath.Base(r.URL.Path), "v")))
	}))
	run(`Extension "hub" installed successfully and enabled.`, "install", "https://github.com/owner/repo", "--consent")
	run(" Source: https://github.com/owner/repo (Type: github-release)\n Release tag: v1.0.0\n", "list")
	run(`Extension "hub" is already up to date.`, "update", "hub")
	version.Store(2)
	run(`Extension "hub" successfully updated: 1.0.0 → 2.0.0.`, "update", "--all")
	run(" Release tag: v2.0.0\n", "list")

	git, backend := gitServer(t)
	web.hosts.Store("git.example", backend)
	git("1.0.0")
	run(`Extension "tools" installed successfully and enabled.`, "install", "https://git.example/tools", "--consent")
	run(" Source: https://git.example/tools (Type: git)\n", "list")
	git("1.1.0")
	run(`Extension "tools" successfully updated: 1.0.0 → 1.1.0.`, "update", "tools")
	run(`Extension "tools" is already up to date.`, "update", "tools")
}

// releaseArchive returns the source of a release, as GitHub packs it.
func releaseArchive(t *testing.T, version string) []byte {
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	manifest := fmt.Sprintf(`{"name":"hub","version":%q}`, version)
	err := w.WriteHeader(&tar.Header{Name: "owner-repo-1a2b3c/gemini-extension.json", Mode: 0o644, Size: int64(len(manifest))})
	_, writeErr := w.Write([]byte(manifest))
	if err := errors.Join(err, writeErr, w.Close(), gz.Close()); err != nil {
		t.Error(err)
	}
	return b.Bytes()
}

// gitServer returns a function that commits a version of an extension, and the server of its repository.
func gitServer(t *testing.T) (commit func(version string), server http.Handler) {
	t.Helper()
	path, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Skip("there is no git:", err)
	}
	backend := filepath.Join(strings.TrimSpace(string(path)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("git has no server here:", err)
	}
	root := t.TempDir()
	dir := filepath.Join(root, "tools")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + root, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	git("init", "-q", "-b", "main")
	release := func(version string) {
		t.Helper()
		text := fmt.Sprintf(`{"name":"tools","version":%q}`, version)
		if err := os.WriteFile(filepath.Join(dir, "gemini-extension.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", ".")
		git("commit", "-q", "-m", version)
	}
	return release, &cgi.Handler{
		Path: backend, Root: "/", Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "HOME=" + root, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
	}
}
