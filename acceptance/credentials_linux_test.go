package acceptance

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pollux/internal/sandbox"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
)

// keys are the credentials of a test, which no command may have.
var keys = map[string]string{"variable": "ghp_REALtokenREALtokenREALtokenREALtok", "git": "real-password-of-git", "npm": "npm_REALrealREALrealREALrealREALreal1234", "gh": "gho_REALofGHofGHofGHofGHofGHofGHofGH12"}

// TestCredentials has a model's commands use credentials that they do not have: a variable, the password of git's helper, and the tokens of npm and gh.
func TestCredentials(t *testing.T) {
	t.Parallel()
	if sandbox.Available() != nil || sandbox.Gap() != "" {
		t.Skip("NOT TESTED: this machine cannot confine commands")
	}
	for _, name := range []string{"curl", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("NOT TESTED: no " + name)
		}
	}
	for _, network := range []string{"", `, "sandboxHosts": ["127.0.0.1"], "childSecrets": "none"`} {
		t.Run("network"+network, func(t *testing.T) {
			t.Parallel()
			useCredentials(t, network, "")
		})
	}
	for _, command := range []string{"HTTPS_PROXY", "GEMINI_SANDBOX_PROXY_COMMAND"} {
		t.Run("by the proxy of "+command, func(t *testing.T) {
			t.Parallel()
			useCredentials(t, "", command)
		})
	}
}

// leadByName is a proxy that leads from the names of a server to its address, for programs with a password.
func leadByName(t *testing.T, to string) (address string, asked func() int) {
	t.Helper()
	var count atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, port, _ := net.SplitHostPort(to)
		if r.Method != http.MethodConnect || r.Host != "example.com:"+port {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if _, password, _ := strings.Cut(r.Header.Get("Proxy-Authorization"), " "); password != base64.StdEncoding.EncodeToString([]byte("me:pass")) {
			w.Header().Set("Proxy-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		count.Add(1)
		there, err := net.Dial("tcp", to)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		here, ahead, _ := w.(http.Hijacker).Hijack()
		_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			_, _ = io.Copy(there, ahead)
			_ = there.Close()
		}()
		_, _ = io.Copy(here, there)
		_ = here.Close()
	}))
	t.Cleanup(s.Close)
	return "http://me:pass@" + strings.TrimPrefix(s.URL, "http://"), func() int { return int(count.Load()) }
}

// useCredentials runs a session whose commands use credentials: directly, or by the proxy that a variable names.
func useCredentials(t *testing.T, network, proxied string) {
	commit, backend := gitServer(t)
	commit("1.0.0")
	var mu sync.Mutex
	var got []string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, isBasic := r.BasicAuth()
		auth := r.Header.Get("Authorization")
		mu.Lock()
		got = append(got, auth)
		mu.Unlock()
		switch {
		case strings.HasPrefix(r.URL.Path, "/tools") && !isBasic:
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
		case strings.HasPrefix(r.URL.Path, "/tools") && user == "anna" && password == keys["git"]:
			backend.ServeHTTP(w, r)
		case r.URL.Path == "/echo":
			_, _ = fmt.Fprintf(w, "the host got %v: %s\n", auth == "Bearer "+keys["variable"], auth)
		case r.URL.Path == "/api/v3/user" && auth == "token "+keys["gh"]:
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"login": "anna", "seen": %q}`, auth)
		case r.URL.Path == "/-/whoami" && auth == "Bearer "+keys["npm"]:
			_, _ = io.WriteString(w, `{"username": "anna"}`)
		default:
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "https://")
	p := newPerson(t)
	if proxied != "" {
		address, asked := leadByName(t, host)
		t.Cleanup(func() {
			if n := asked(); n < 4 {
				t.Errorf("the proxy was used %d times", n)
			}
		})
		host = strings.Replace(host, "127.0.0.1", "example.com", 1)
		p.environ = append(p.environ, "HTTPS_PROXY="+address)
		if proxied != "HTTPS_PROXY" { // it listens already
			p.environ = append(p.environ, proxied+"=false")
		}
	}
	p.settings(fmt.Sprintf(`{"pollux": {"sandboxCredentials": ["MY_TOKEN:%[1]s", "git:%[1]s", "gh:%[1]s", "npm"]%[2]s}}`, host, network))
	certificate := filepath.Join(p.home, "server.pem")
	for path, text := range map[string]string{
		certificate: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})),
		filepath.Join(p.home, ".git-credentials"):           fmt.Sprintf("https://anna:%s@%s\n", keys["git"], strings.ReplaceAll(host, ":", "%3a")),
		filepath.Join(p.home, ".gitconfig"):                 "[credential]\n\thelper = store\n",
		filepath.Join(p.home, ".config", "gh", "hosts.yml"): fmt.Sprintf("%s:\n    oauth_token: %s\n    user: anna\n    git_protocol: https\n", host, keys["gh"]),
		filepath.Join(p.home, ".npmrc"):                     fmt.Sprintf("//%s/:_authToken=%s\n", host, keys["npm"]),
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ask := `echo '"login":"anna"'`
	if gh, err := exec.LookPath("gh"); err == nil {
		ask = "GH_HOST=" + host + " " + gh + " api user | tr -d ' '"
	} else {
		t.Log("NOT TESTED: no gh")
	}
	script := fmt.Sprintf(`turn
  call run_shell_command {"command": "curl -sS -H \"Authorization: Bearer $MY_TOKEN\" https://%[1]s/echo; env"}
turn
  expect result run_shell_command_1 the host got true
  call run_shell_command {"command": "git clone -q https://%[1]s/tools && cat tools/gemini-extension.json"}
turn
  expect result run_shell_command_2 1.0.0
  call run_shell_command {"command": "npm whoami --registry https://%[1]s/"}
turn
  expect result run_shell_command_3 anna
  call run_shell_command {"command": "cat ~/.git-credentials; cat ~/.npmrc; cat $NPM_CONFIG_USERCONFIG; cat /proc/$PPID/environ"}
turn
  expect result run_shell_command_4 .git-credentials: Permission denied
  expect result run_shell_command_4 .npmrc: Permission denied
  call run_shell_command {"command": %[2]q}
turn
  expect result run_shell_command_5 "\"login\":\"anna\""
  text done
`, host, ask)
	model := scripttest.Serve(t, "key none\n"+script, scriptmodel.Options{Wires: everyWire()})
	p.environ = append(p.environ, "MY_TOKEN="+keys["variable"], "MY_URL=https://u:"+keys["variable"]+"@"+host, "SSL_CERT_FILE="+certificate,
		"GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL="+model.URL())
	out, err := p.command("pollux", "-y", "-p", "go", "-o", "stream-json").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	files := []string{string(out)}
	_ = filepath.WalkDir(filepath.Join(p.home, ".gemini"), func(path string, _ os.DirEntry, _ error) error {
		if text, err := os.ReadFile(path); err == nil {
			files = append(files, string(text))
		}
		if strings.Contains(path, "certificates-") {
			t.Errorf("%s is left", path)
		}
		return nil
	})
	for kind, key := range keys {
		if strings.Contains(strings.Join(files, "\n"), key) {
			t.Errorf("the credential of %s is in the output or in a file of Pollux", kind)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(got) < 4 || strings.Contains(strings.Join(got, " "), "placeholder") {
		t.Errorf("the host got %q", got)
	}
}
