package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pollux/internal/extension/unpack"
	"pollux/internal/process"
)

// newFetcher returns a fetcher whose requests go to a server that handle answers.
func newFetcher(t *testing.T, handle http.HandlerFunc) *Fetcher {
	t.Helper()
	f := &Fetcher{
		Finder:  process.Finder{Path: os.Getenv("PATH")},
		Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()},
	}
	if handle != nil {
		server := httptest.NewServer(handle)
		t.Cleanup(server.Close)
		f.API = server.URL
	}
	return f
}

// repository returns the directory of a new repository with one commit, and a function that runs git
// in it.
func repository(t *testing.T) (dir string, git func(args ...string) string) {
	t.Helper()
	dir = t.TempDir()
	home := t.TempDir()
	git = func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	write(t, dir, "gemini-extension.json", `{"name":"x","version":"1.0.0"}`)
	git("add", ".")
	git("commit", "-q", "-m", "one")
	return dir, git
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestClone(t *testing.T) {
	t.Parallel()
	dir, git := repository(t)
	first := git("rev-parse", "HEAD")
	git("tag", "-a", "v1", "-m", "one")
	write(t, dir, "gemini-extension.json", `{"name":"x","version":"2.0.0"}`)
	git("commit", "-q", "-a", "-m", "two")
	second := git("rev-parse", "HEAD")
	f := newFetcher(t, nil)
	for ref, want := range map[string]string{"": second, "main": second, "v1": first, second: second} {
		r, err := Parse("file://"+dir, ref)
		if err != nil {
			t.Fatal(err)
		}
		to := t.TempDir()
		got, err := f.Clone(t.Context(), r, to)
		if err != nil {
			t.Fatal(err)
		}
		if commit, err := LocalCommit(got.Dir); err != nil || commit != want {
			t.Errorf("%q: commit %s, %v, want %s", ref, commit, err, want)
		}
		if commit, err := f.RemoteCommit(t.Context(), r); err != nil || commit != want {
			t.Errorf("%q: remote commit %s, %v, want %s", ref, commit, err, want)
		}
		if _, err := os.Stat(filepath.Join(to, "gemini-extension.json")); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.RemoteCommit(t.Context(), &Request{URL: "file://" + dir, Ref: "none"}); err == nil || !strings.Contains(err.Error(), `"none" not found`) {
		t.Errorf("error %v", err)
	}
}

// TestRemoteCommitInNoRepository looks for the commit of a repository while commands have made another one in the directory for temporary files, whose settings lead
// elsewhere, and name a program.
func TestRemoteCommitInNoRepository(t *testing.T) {
	dir, git := repository(t)
	want := git("rev-parse", "HEAD")
	evil, theirs := repository(t)
	theirs("commit", "-q", "--allow-empty", "-m", "evil")
	theirs("config", "url.file://"+evil+".insteadOf", "file://"+dir)
	theirs("config", "core.sshCommand", "touch "+evil+"/ran; false")
	t.Setenv("TMPDIR", evil)
	f := newFetcher(t, nil)
	if commit, err := f.RemoteCommit(t.Context(), &Request{URL: "file://" + dir}); err != nil || commit != want {
		t.Errorf("commit %s, %v, want %s", commit, err, want)
	}
	if _, err := f.RemoteCommit(t.Context(), &Request{URL: "ssh://none.invalid/x"}); err == nil {
		t.Error("a host that does not exist has a commit")
	}
	if _, err := os.Stat(filepath.Join(evil, "ran")); err == nil {
		t.Error("git has run a program of the other repository")
	}
}

// A repository runs nothing: no hooks, no filters, no helpers, whatever its files and the user's
// configuration contain.
func TestCloneRunsNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("uses a shell script")
	}
	dir, git := repository(t)
	mark := filepath.Join(t.TempDir(), "ran")
	evil := "touch " + mark
	write(t, dir, ".gitattributes", "* filter=evil diff=evil\n")
	write(t, dir, ".gitmodules", "[submodule \"s\"]\n path = s\n url = ext::sh -c '"+evil+"'\n")
	git("add", ".")
	git("commit", "-q", "-m", "two")
	f := newFetcher(t, nil)
	home := t.TempDir()
	templates := filepath.Join(home, "templates")
	write(t, templates, "hooks/post-checkout", "#!/bin/sh\n"+evil+"\n")
	if err := os.Chmod(filepath.Join(templates, "hooks/post-checkout"), 0o700); err != nil { //nolint:gosec // a script
		t.Fatal(err)
	}
	write(t, home, ".gitconfig", "[init]\n templateDir = "+templates+"\n[core]\n fsmonitor = "+evil+
		"\n[filter \"evil\"]\n smudge = "+evil+"; cat\n clean = "+evil+"; cat\n[protocol \"ext\"]\n allow = always\n")
	f.Environ = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_TEMPLATE_DIR=" + templates, "GIT_ASKPASS=" + evil,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=" + evil, "GIT_ALLOW_PROTOCOL=ext:file",
	}
	if _, err := f.Clone(t.Context(), &Request{URL: "file://" + dir}, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"ext::sh -c " + evil, "--upload-pack=" + evil, "ssh://-oProxyCommand=" + evil + "/x"} {
		if _, err := f.Clone(t.Context(), &Request{URL: address}, t.TempDir()); err == nil {
			t.Errorf("%s: cloned", address)
		}
		if _, err := f.RemoteCommit(t.Context(), &Request{URL: address}); err == nil {
			t.Errorf("%s: listed", address)
		}
	}
	if _, err := f.Clone(t.Context(), &Request{URL: "file://" + dir, Ref: "--upload-pack=" + evil}, t.TempDir()); err == nil {
		t.Error("an option as a ref was fetched")
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a command of the repository or of the configuration was run")
	}
}

func TestCloneRefusesLinksOut(t *testing.T) {
	t.Parallel()
	dir, git := repository(t)
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "GEMINI.md")); err != nil {
		t.Skip(err)
	}
	git("add", ".")
	git("commit", "-q", "-m", "two")
	_, err := newFetcher(t, nil).Clone(t.Context(), &Request{URL: "file://" + dir}, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), `the link "GEMINI.md" leads out`) {
		t.Errorf("error %v", err)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ source, ref, url, repository, problem string }{
		{source: "https://github.com/o/r", url: "https://github.com/o/r", repository: "o/r"},
		{source: "https://github.com/o/r.git", ref: "v1", url: "https://github.com/o/r.git", repository: "o/r"},
		{source: "git@github.com:o/r.git", url: "git@github.com:o/r.git", repository: "o/r"},
		{source: "github:o/r", url: "https://github.com/o/r", repository: "o/r"},
		{source: "gitlab:o/r", url: "https://gitlab.com/o/r"},
		{source: "ssh://git@example.com/o/r", url: "ssh://git@example.com/o/r"},
		{source: "sso://team/r", url: "sso://team/r"},
		{source: "https://github.com/o/r/tree/main", problem: "invalid GitHub repository source"},
		{source: "o/r", problem: "not the address"},
		{source: "ext::sh -c id", problem: "not the address"},
		{source: "-o", problem: "not the address"},
		{source: "https://", problem: "not the address"},
		{source: "ssh://-oProxyCommand=id/x", problem: "not the address"},
		{source: "ssh://-oProxyCommand=id@host/x", problem: "not the address"},
		{source: "git@-oProxyCommand=id:x", problem: "not the address"},
		{source: "https://e.com/a b", problem: "not the address"},
		{source: "https://e.com/\x1b[31m", problem: "not the address"},
		{source: "https://e.com/x", ref: "--upload-pack=id", problem: "not the name of a branch"},
		{source: "https://e.com/x", ref: "+a:b", problem: "not the name of a branch"},
		{source: "https://e.com/x", ref: "a..b", problem: "not the name of a branch"},
	} {
		r, err := Parse(test.source, test.ref)
		if test.problem != "" {
			if err == nil || !strings.Contains(err.Error(), test.problem) || strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("Parse(%q, %q): error %v, want %q", test.source, test.ref, err, test.problem)
			}
			continue
		}
		if err != nil {
			t.Errorf("Parse(%q, %q): %v", test.source, test.ref, err)
			continue
		}
		if got := strings.Trim(r.Owner+"/"+r.Repo, "/"); r.URL != test.url || got != test.repository || r.Ref != test.ref {
			t.Errorf("Parse(%q, %q) = %+v", test.source, test.ref, r)
		}
	}
}

func TestChooseAsset(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		names []string
		want  string
	}{
		{[]string{"Linux.x64.ext.tar.gz", "linux.ext.tar.gz", "darwin.x64.ext.tar.gz"}, "Linux.x64.ext.tar.gz"},
		{[]string{"darwin.ext.zip", "linux.arm64.ext.tar.gz", "linux.ext.tar.gz"}, "linux.ext.tar.gz"},
		{[]string{"ext.tar.gz"}, "ext.tar.gz"},
		{[]string{"win32.x64.zip"}, ""},
		{[]string{"my-linux-ext.tar.gz"}, ""},
		{[]string{"ext.tar.gz", "ext.zip"}, ""},
		{nil, ""},
	} {
		assets := make([]asset, 0, len(test.names))
		for _, name := range test.names {
			assets = append(assets, asset{Name: name})
		}
		got := ""
		if a := chooseAsset(assets, "linux", "amd64"); a != nil {
			got = a.Name
		}
		if got != test.want {
			t.Errorf("chooseAsset(%v) = %q, want %q", test.names, got, test.want)
		}
	}
}

// tarball returns an archive with a manifest in a directory, as GitHub makes it.
func tarball(t *testing.T, name, version string) []byte {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	text := fmt.Sprintf(`{"name":"x","version":%q}`, version)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), gz.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// github answers as GitHub does: the latest release is v2, v3 is an early one.
func github(t *testing.T) http.HandlerFunc {
	release := func(w http.ResponseWriter, r *http.Request, tag string) {
		fmt.Fprintf(w, `{"tag_name":%q,"assets":[{"name":"x.tar.gz","url":"http://%s/assets/%s"}],"tarball_url":"http://%s/tarball/%s"}`,
			tag, r.Host, tag, r.Host, tag)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "token secret" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		switch path := r.URL.Path; {
		case path == "/repos/o/r/releases/latest", path == "/repos/o/r/releases/tags/v2":
			release(w, r, "v2")
		case path == "/repos/o/r/releases":
			_, _ = io.WriteString(w, "[")
			release(w, r, "v3")
			_, _ = io.WriteString(w, "]")
		case path == "/repos/o/none/releases":
			_, _ = io.WriteString(w, "[]")
		case strings.HasPrefix(path, "/assets/"):
			http.Redirect(w, r, "/storage/"+filepath.Base(path), http.StatusFound)
		case strings.HasPrefix(path, "/storage/"):
			_, _ = w.Write(tarball(t, "o-r-123/gemini-extension.json", filepath.Base(path)))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}
}

func TestRelease(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, github(t))
	f.Token = "secret"
	for _, test := range []struct {
		r    Request
		want string
	}{
		{Request{Owner: "o", Repo: "r"}, "v2"},
		{Request{Owner: "o", Repo: "r", Ref: "v2"}, "v2"},
		{Request{Owner: "o", Repo: "r", PreRelease: true}, "v3"},
	} {
		dir := filepath.Join(t.TempDir(), "in")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		got, err := f.Release(t.Context(), &test.r, dir)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(got.Dir, "gemini-extension.json"))
		if err != nil || !strings.Contains(string(data), test.want) || got.Tag != test.want {
			t.Errorf("%+v: tag %s, %s, %v", test.r, got.Tag, data, err)
		}
		if tag, err := f.LatestTag(t.Context(), &test.r); err != nil || tag != test.want {
			t.Errorf("%+v: LatestTag = %s, %v", test.r, tag, err)
		}
		if entries, _ := os.ReadDir(filepath.Dir(dir)); len(entries) != 1 {
			t.Errorf("left behind: %v", entries)
		}
	}
	for _, r := range []Request{{Owner: "o", Repo: "none"}, {Owner: "o", Repo: "absent"}, {Owner: "o", Repo: "r", Ref: "main"}} {
		if _, err := f.Release(t.Context(), &r, t.TempDir()); !errors.Is(err, ErrNoRelease) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	f.Token = ""
	if _, err := f.LatestTag(t.Context(), &Request{Owner: "o", Repo: "r"}); err == nil || !strings.Contains(err.Error(), "set GITHUB_TOKEN") {
		t.Errorf("without a token: %v", err)
	}
}

// The token goes to GitHub's interface only, not to where a release sends the download.
func TestTokenStaysAtGitHub(t *testing.T) {
	t.Parallel()
	var leaked string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked += r.Header.Get("Authorization")
		_, _ = w.Write(tarball(t, "gemini-extension.json", "1"))
	}))
	t.Cleanup(other.Close)
	f := newFetcher(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/assets/") {
			http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1), http.StatusFound)
			return
		}
		fmt.Fprintf(w, `{"tag_name":"v1","assets":[{"name":"x.zip","url":"http://%s/assets/1"}]}`, r.Host)
	})
	f.Token = "secret"
	if _, err := f.Release(t.Context(), &Request{Owner: "o", Repo: "r"}, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if leaked != "" {
		t.Errorf("the other server got %q", leaked)
	}
}

func TestHostileRelease(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ answer, want string }{
		"elsewhere":  {`{"tag_name":"v1","assets":[{"name":"x.zip","url":"http://evil.example/x"}]}`, "address of release"},
		"file":       {`{"tag_name":"v1","assets":[{"name":"x.zip","url":"file:///etc/passwd"}]}`, "address of release"},
		"no address": {`{"tag_name":"v1"}`, "no assets found"},
		"no JSON":    {`<html>`, "not valid"},
		"page":       {`{"tag_name":"v\u001b1","tarball_url":"API/page"}`, "neither a tar.gz nor a zip"},
		"hostile":    {`{"tag_name":"v1","tarball_url":"API/hostile"}`, "leads out of its directory"},
		"large":      {`{"tag_name":"v1","tarball_url":"API/fine"}`, "larger than 10 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFetcher(t, func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/page":
					_, _ = io.WriteString(w, "<html>")
				case "/hostile":
					_, _ = w.Write(tarball(t, "../x", "1"))
				case "/fine":
					_, _ = w.Write(tarball(t, "x", "1"))
				default:
					_, _ = io.WriteString(w, strings.ReplaceAll(test.answer, "API", "http://"+r.Host))
				}
			})
			if name == "large" {
				f.Limits = unpack.Limits{Bytes: 10, Files: 10}
			}
			_, err := f.Release(t.Context(), &Request{Owner: "o", Repo: "r"}, t.TempDir())
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("error %v, want one line with %q", err, test.want)
			}
		})
	}
}
