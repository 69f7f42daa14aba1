package confine_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pollux/internal/process"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/confine"
)

// TestCredentials checks how entries are read, and the warnings about those that are none.
func TestCredentials(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"gh":                          "gh: github.com api.github.com uploads.github.com",
		"gh:my.ghe.com":               "gh: my.ghe.com api.my.ghe.com uploads.my.ghe.com",
		"gh:git.example.org:8443":     "gh: git.example.org:8443",
		" git:Git.Example.org. ":      "git: git.example.org",
		"git:192.0.2.1:8443":          "git: 192.0.2.1:8443",
		"git:[2001:db8::1]:8443":      "git: [2001:db8::1]:8443",
		"npm":                         "npm: ",
		"GITLAB_TOKEN:gitlab.example": "GITLAB_TOKEN: gitlab.example",
		"git":                         "it names no host: write git:git.example.org",
		"GITLAB_TOKEN":                "it names no host",
		"npm:registry.npmjs.org":      "npm has no host",
		"token:example.org":           "it begins with none of gh, git, npm",
		"git:*.example.org":           "is more than one host",
		"git:192.0.2.0/24":            "is more than one host",
		"git:private:example.org":     "is more than one host",
		"git:https://example.org":     "is no name of a host or single address",
		"GIT_TOKEN:":                  "is no name of a host or single address",
		"PATH:example.org":            "PATH holds no credential",
		"":                            "it begins with none of",
	} {
		c := open(t, fmt.Sprintf(`{"pollux": {"sandboxCredentials": [%q]}}`, entry), "")
		list, bad := c.Credentials()
		got := ""
		for _, one := range list {
			got += one.From + ":"
			for _, h := range one.Hosts {
				got += " " + h.String()
			}
			got += strings.Repeat(" ", 1-min(1, len(one.Hosts)))
		}
		for _, err := range bad {
			got += err.Error()
		}
		if len(bad) > 0 && !strings.Contains(c.Warning(), "Pollux ignores a credential in pollux.sandboxCredentials: "+got) {
			t.Errorf("%q: the warning is %q", entry, c.Warning())
		}
		if got != want && !(len(bad) > 0 && strings.Contains(got, want)) {
			t.Errorf("%q is %q, want %q", entry, got, want)
		}
	}
	if list, _ := open(t, "", `{"pollux": {"sandboxCredentials": ["gh"]}}`).Credentials(); len(list) > 0 {
		t.Errorf("a project adds %v", list)
	}
}

// TestCredentialWarnings checks the warnings about credentials for hosts that commands do not reach, and without the sandbox.
func TestCredentialWarnings(t *testing.T) {
	t.Parallel()
	if !sandbox.KnowsHosts() {
		t.Skip("NOT TESTED: this machine does not let Pollux decide about connections")
	}
	const unreached = "Commands do not reach git.example.org"
	for settings, want := range map[string]bool{
		`"git:git.example.org"]`:                                                           false,
		`"git:git.example.org"], "sandboxHosts": ["github.com"]`:                           true,
		`"git:git.example.org"], "sandboxHosts": ["*.example.org"]`:                        false,
		`"git:git.example.org"], "sandboxHosts": ["git.example.org:80"]`:                   true,
		`"git:git.example.org", "git:127.0.0.1"], "sandboxHosts": ["git.example.org:443"]`: false,
		`"T:git.example.org"], "sandboxHosts": ["github.com"]`:                             false, // it is not set
	} {
		if got := open(t, `{"pollux": {"sandboxCredentials": [`+settings+`}}`, "").Warning(); strings.Contains(got, unreached) != want || !want && got != "" {
			t.Errorf("%s: the warning is %q", settings, got)
		}
	}
	const list = `{"pollux": {"sandboxCredentials": ["gh", "git:127.0.0.1:8443", "NOT_SET:b.example"]}}`
	for _, address := range []string{"https_proxy=socks5://proxy.example:1080", "HTTPS_PROXY=https://proxy.example:3128", "all_proxy=socks5://proxy.example:1080"} {
		if got := openIn(t, t.TempDir(), list, "", address).Warning(); strings.Count(got, "send placeholders to github.com") != 1 || strings.Count(got, "\n") != 0 {
			t.Errorf("with %s, the warning is %q", address, got)
		}
	}
	for _, environ := range [][]string{
		{"HTTPS_PROXY=http://proxy.example:3128"},
		{"https_proxy=proxy.example:3128"},
		{"HTTPS_PROXY=socks5://proxy.example:1080", "NO_PROXY=.github.com,github.com"},
		{"HTTPS_PROXY=http://127.0.0.1:7890", "ALL_PROXY=socks5://127.0.0.1:7891"}, // programs use the second one for other protocols
	} {
		if got := openIn(t, t.TempDir(), list, "", environ...).Warning(); got != "" {
			t.Errorf("with %q, the warning is %q", environ, got)
		}
	}
	c := open(t, `{"tools": {"sandbox": false}, "pollux": {"sandboxCredentials": ["gh"]}}`, "")
	if warning, err := c.Start(confine.Request{}); err != nil || !strings.Contains(warning, "they run without the sandbox") {
		t.Errorf("without the sandbox, the warning is %q: %v", warning, err)
	}
}

// TestPlaceholders checks the variables and files that commands get in the places of credentials.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || sandbox.Available() != nil || !sandbox.KnowsHosts() {
		t.Skip("NOT TESTED: this machine does not confine commands, or does not let Pollux decide about connections")
	}
	const token, other = "ghp_REALtokenREALtokenREALtokenREALtok", "glpat-REALtokenREALtoken"
	home := t.TempDir()
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for name, text := range map[string]string{
		".npmrc": "; old: npm_REAL6\ncafile=${HOME}/own.pem\n//a.example/:_authToken = npm_REAL1 # mine\n//b.example:8443/x/:_auth=" + encode("anna:npm_REAL2") +
			"\n//c.example/:username=anna\n//c.example/:_password=\"" + encode("npm_REAL3") + "\"\n//d.example/:_authToken=${OTHER}\n_authToken=npm_REAL4\n//e.example/:_authToken=${UNSET}\nfund=false\n" +
			"\"//f.example/:_authToken\"=npm_REAL7\nregistry=https://anna:npm_REAL8@a.example/\n//a.example/:always-auth=true\n//g.example/:_authToken=x-${NPM_VAR}\nkey=\"npm_REAL9\"\n[x]\n//h.example/:_auth=${NPM_AUTH}\nkey=-----BEGIN PRIVATE KEY-----\nMIIEREAL14==\nhttps-proxy=http://u:p@REAL15@proxy.example:1/ ; REAL16\notp=REAL17\n",
		"own.pem":               "own certificates\n",
		".config/gh/config.yml": "editor: vi\n",
		".config/gh/hosts.yml":  "github.com:\n    oauth_token: gho_REAL5\n",
		"node.pem":              "of node\n",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := openIn(t, home, `{"tools": {"sandbox": true}, "pollux": {"sandboxCredentials": ["gh", "MY_TOKEN:git.example", "MY_TOKEN:api.example", "NOT_SET:x.example", "npm", "gh:my.ghe.com", "gh:git.corp.example"]}}`, "",
		"MY_TOKEN="+token, "OTHER="+other, "NPM_VAR=npm_REAL10", "NPM_AUTH="+encode("u:npm_REAL18"), "GITHUB_TOKEN=gho_REAL11", "GH_ENTERPRISE_TOKEN=gho_REAL12")
	if _, err := c.Start(confine.Request{}); err != nil {
		t.Fatal(err)
	}
	launcher := process.NewLauncher(c.Middleware)
	run := func(kind process.Kind) string {
		t.Helper()
		var out bytes.Buffer
		_, err := launcher.Run(t.Context(), &process.Command{
			For: process.Purpose{Kind: kind, Origin: process.OriginModel}, Path: "/bin/sh", Dir: filepath.Join(home, "work"), Stdout: &out, Stderr: &out,
			Args: []string{"-c", `/usr/bin/env; for f in "$NPM_CONFIG_USERCONFIG" "$GH_CONFIG_DIR"/* "$NODE_EXTRA_CA_CERTS" "$npm_config_cafile"; do echo "== $f"; /bin/cat "$f"; done; /bin/cat ~/.npmrc; : >"$GH_CONFIG_DIR/x"`},
			Env: []string{
				"HOME=" + home, "PATH=/usr/bin:/bin", "MY_TOKEN=" + token, "MY_URL=https://u:" + token + "@git.example", "OTHER=" + other, "NPM_VAR=npm_REAL10", "NPM_AUTH=" + encode("u:npm_REAL18"), "GITHUB_TOKEN=gho_REAL11", "GH_ENTERPRISE_TOKEN=gho_REAL12", "npm_config_//a.example/:_authToken=npm_REAL13",
				"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=c",
				"NODE_EXTRA_CA_CERTS=" + filepath.Join(home, "node.pem"),
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	got := run(process.KindShell)
	for _, secret := range []string{token, other, "npm_REAL", encode("anna:npm_REAL2"), encode("npm_REAL3"), encode("u:npm_REAL18"), "gho_REAL", "REAL1"} {
		if strings.Contains(got, secret) {
			t.Errorf("the command reads %s", secret)
		}
	}
	variables := strings.Split(got, "\n")
	value := func(name string) string { return process.Getenv(variables, name) }
	placeholder := value("MY_TOKEN")
	if !strings.HasPrefix(placeholder, "ghp_placeholder") || value("MY_URL") != "https://u:"+placeholder+"@git.example" || !strings.HasPrefix(value("OTHER"), "glpat-placeholder") {
		t.Errorf("MY_TOKEN is %q, MY_URL %q, OTHER %q", placeholder, value("MY_URL"), value("OTHER"))
	}
	if gh := value("GH_TOKEN"); gh == "" || value("GITHUB_TOKEN") != gh || value("GH_ENTERPRISE_TOKEN") == gh || value("GITHUB_ENTERPRISE_TOKEN") != "" {
		t.Errorf("gh has %q, %q and %q", gh, value("GITHUB_TOKEN"), value("GH_ENTERPRISE_TOKEN"))
	}
	if value("GIT_CONFIG_KEY_0") != "a.b" || value("GIT_CONFIG_COUNT") == "1" || value("SSL_CERT_FILE") == "" {
		t.Errorf("the variables are %s", got)
	}
	for _, want := range []string{
		"//a.example/:_authToken=placeholder", "//b.example:8443/x/:_auth=" + encode("anna:placeholder")[:20], "//c.example/:username=anna", "//c.example/:_password=" + encode("placeholder")[:12],
		"//d.example/:_authToken=glpat-placeholder", "fund=false", "//f.example/:_authToken=placeholder", "registry=https://a.example/", "//a.example/:always-auth=true", "https-proxy=http://proxy.example:1/", "//h.example/:_auth=" + encode("u:placeholder")[:12], "//g.example/:_authToken=placeholder",
		"my.ghe.com:\n    oauth_token: " + value("GH_TOKEN"), "== " + value("GH_CONFIG_DIR") + "/hosts.yml\ngithub.com:\n    oauth_token: " + value("GH_TOKEN"), "git.corp.example:\n    oauth_token: " + value("GH_ENTERPRISE_TOKEN"),
		"version: \"1\"\neditor: vi", "oauth_token: placeholder", "of node\n\n-----BEGIN CERT", "own certificates\n\n-----BEGIN CERT",
		".npmrc: Permission denied", "x: Permission denied", "=credential.https://github.com.helper", "=http.https://git.example.sslCAInfo",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the command does not read %q in\n%s", want, got)
		}
	}
	for _, not := range []string{"NOT_SET", "e.example", "npm_REAL4"} {
		if strings.Contains(got, not) {
			t.Errorf("the command reads %s", not)
		}
	}
	if again := strings.Split(run(process.KindTool), "\n"); process.Getenv(again, "MY_TOKEN") != placeholder {
		t.Error("the placeholder of a variable changes in a session")
	}
	hook := strings.Split(run(process.KindHook), "\n")
	if process.Getenv(hook, "MY_TOKEN") != token || process.Getenv(hook, "NPM_CONFIG_USERCONFIG") != value("NPM_CONFIG_USERCONFIG") || process.Getenv(hook, "GH_CONFIG_DIR") != "" {
		t.Errorf("a hook has %q", hook)
	}
	dir := filepath.Dir(value("SSL_CERT_FILE"))
	if mode := func() os.FileMode { info, _ := os.Stat(dir); return info.Mode().Perm() }(); mode != 0o700 {
		t.Errorf("the files of commands are in a directory with mode %v", mode)
	}
	if left, err := os.ReadFile(filepath.Join(dir, "npmrc")); err != nil || strings.Contains(string(left), "REAL") {
		t.Errorf("the copy is %s: %v", left, err)
	}
	c.Close()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", dir, err)
	}
}

// TestNPMOfProject checks that a file of the project is not taken for that of the user: it could send any variable anywhere.
func TestNPMOfProject(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || sandbox.Available() != nil || !sandbox.KnowsHosts() {
		t.Skip("NOT TESTED: this machine does not confine commands, or does not let Pollux decide about connections")
	}
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	rc := filepath.Join(home, "work", ".npmrc")
	if err := os.WriteFile(rc, []byte("//evil.example/:_authToken=${SECRET_OF_USER}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := openIn(t, home, `{"tools": {"sandbox": true}, "pollux": {"sandboxCredentials": ["npm"]}}`, "", "NPM_CONFIG_USERCONFIG="+rc, "SECRET_OF_USER=a-real-secret")
	if _, err := c.Start(confine.Request{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	var out bytes.Buffer
	_, err := process.NewLauncher(c.Middleware).Run(t.Context(), &process.Command{
		For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: "/usr/bin/env", Dir: filepath.Join(home, "work"), Stdout: &out, Stderr: &out, Env: []string{"A=b"},
	})
	if err != nil || strings.Contains(out.String(), "placeholder") || strings.Contains(out.String(), "NPM_CONFIG_USERCONFIG") {
		t.Errorf("the command has %s: %v", out.String(), err)
	}
}
