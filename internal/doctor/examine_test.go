package doctor

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/llm/provider"
)

// testEnv returns an environment with an empty home directory and the given variables.
func testEnv(t *testing.T, vars ...string) *config.Env {
	t.Helper()
	home := t.TempDir()
	return config.NewEnv(append(vars,
		"HOME="+home, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+filepath.Join(home, "none.json"))...)
}

// sectionText returns the checks of a section, one per line.
func sectionText(t *testing.T, d *Report, id string) string {
	t.Helper()
	for _, s := range d.Sections {
		if s.ID != id {
			continue
		}
		var b strings.Builder
		for _, c := range s.Checks {
			b.WriteString(string(c.Verdict) + " " + c.Subject + ": " + c.Text + "\n")
		}
		return b.String()
	}
	t.Fatalf("there is no section %q", id)
	return ""
}

func TestDoctorTerminal(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	tmux := "#!/bin/sh\ncase \"$*\" in *passthrough*) echo 0;; *keys*) echo on;; *) echo 'external';; esac\n"
	if err := os.WriteFile(filepath.Join(bin, "tmux"), []byte(tmux), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		vars []string
		tty  bool
		want string
	}{
		"none": {[]string{"TERM=xterm"}, false, "ok streams: stdin is not a terminal, stdout is not a terminal, stderr is not a terminal\n"},
		"good": {
			[]string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=en_GB.UTF-8", "TERM_PROGRAM=WezTerm", "SSH_TTY=x"},
			true,
			"ok streams: stdin is a terminal, stdout is a terminal, stderr is a terminal; 90 columns\n" +
				"ok program: WezTerm, over SSH\nok colors: true colour (COLORTERM)\nok characters: UTF-8 (LANG=en_GB.UTF-8)\n" +
				"ok clipboard: through the terminal (OSC 52), if it allows that\n",
		},
		"dumb": {
			[]string{"TERM=dumb", "LANG=C"},
			true,
			"ok streams: stdin is a terminal, stdout is a terminal, stderr is a terminal; 90 columns\n" +
				"ok program: unknown\nwarning colors: none (TERM): TERM is \"dumb\"\n" +
				"warning characters: LANG=C is not UTF-8; characters outside ASCII may look wrong\n" +
				"ok clipboard: through the terminal (OSC 52), if it allows that\n",
		},
		"tmux": {
			[]string{"TERM=screen", "TMUX=/tmp/x", "LANG=C.UTF-8", "PATH=" + bin, "SSH_TTY=x"},
			true,
			"ok streams: stdin is a terminal, stdout is a terminal, stderr is a terminal; 90 columns\n" +
				"ok program: unknown, in tmux, over SSH\n" +
				"warning colors: 16 (TERM): TERM is \"screen\" inside tmux\nok characters: UTF-8 (LANG=C.UTF-8)\n" +
				"ok clipboard: through the terminal (OSC 52), if it allows that\n" +
				"warning tmux: allow-passthrough is 0; it should be on for notifications\nwarning tmux: set-clipboard is external; it should be on for the clipboard\n" +
				"ok tmux: extended-keys is on (Shift+Enter)\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term, _, _ := terminal.Test("")
			if term.InTTY, term.OutTTY, term.ErrTTY = tt.tty, tt.tty, tt.tty; tt.tty {
				term.Width = 90
			}
			d, err := Examine(t.Context(), Options{Session: project.Options{Env: testEnv(t, tt.vars...)}, Terminal: term, Unasked: "here"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, sectionText(t, d, "terminal")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestText checks that the text contains no control characters, and that Text returns an error
// if ctx ends.
func TestText(t *testing.T) {
	t.Parallel()
	term, _, _ := terminal.Test("")
	term.InTTY, term.OutTTY = true, true
	env := testEnv(t, "TERM=\x1b]0;title\a\x1b[2J", "SANDBOX=a\nb\x1b[31m", "TERM_PROGRAM=\u202eevil")
	text, err := Text(t.Context(), Options{Session: project.Options{Env: env}, Terminal: term, Unasked: "here"})
	if err != nil || strings.ContainsAny(text, "\x1b\a\u202e") || !strings.Contains(text, "Pollux runs in a sandbox: a b") {
		t.Errorf("%v\n%q", err, text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Text(ctx, Options{Session: project.Options{Env: env}, Terminal: term, Unasked: "here"}); err == nil {
		t.Error("it goes on without anybody who waits")
	}
}

// TestOffline checks that nothing is connected to with --offline: no server of models on this machine, and no daemon of containers.
func TestOffline(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte(`{"models": [{"name": "m", "model": "m"}], "data": [{"id": "m"}]}`))
	}))
	t.Cleanup(server.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	bin := t.TempDir()
	docker := "#!/bin/sh\necho x >" + filepath.Join(bin, "asked") + "\necho 27.1\n"
	if err := os.WriteFile(filepath.Join(bin, "docker"), []byte(docker), 0o700); err != nil {
		t.Fatal(err)
	}
	settings := `{"pollux": {"localServers": true, "localPatience": 5000}, "modelProviders": {"lmstudio": {"local": {"port": ` + port + `, "probe": "/v1/models", "says": "data"}}}}`
	for name, vars := range map[string][]string{"nothing": nil, "a server of models": {"OLLAMA_HOST=" + server.URL}, "an address": {"OPENAI_BASE_URL=" + server.URL}} {
		env := testEnv(t, append(vars, "PATH="+bin)...)
		file := filepath.Join(env.Get("HOME"), ".gemini", "settings.json")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		term, _, _ := terminal.Test("")
		d, err := Examine(t.Context(), Options{Session: project.Options{Env: env}, Terminal: term, Unasked: "here", IsOffline: true})
		if err != nil {
			t.Fatal(err)
		}
		if n := asked.Swap(0); n > 0 {
			t.Errorf("%s: %d requests", name, n)
		}
		if _, err := os.Stat(filepath.Join(bin, "asked")); err == nil {
			t.Errorf("%s: docker was run", name)
		}
		text := sectionText(t, d, "model")
		if isNoted := strings.Contains(text, "note server: model servers on this machine are not asked"); isNoted != (vars == nil) {
			t.Errorf("%s: %s", name, text)
		}
		if vars != nil && !strings.Contains(text, "note model: not known without a request") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestSkills checks the list of skills.
func TestSkills(t *testing.T) {
	t.Parallel()
	examine := func(settings string, files map[string]string) string {
		t.Helper()
		env := testEnv(t)
		files[".gemini/settings.json"] = settings
		for name, text := range files {
			path := filepath.Join(env.Get("HOME"), name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		term, _, _ := terminal.Test("")
		d, err := Examine(t.Context(), Options{Session: project.Options{Env: env, Dir: t.TempDir()}, Terminal: term, Unasked: "here", IsOffline: true})
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(sectionText(t, d, "skills"), env.Get("HOME"), "~")
	}
	skills := map[string]string{
		".gemini/skills/tidy/SKILL.md":  "---\nname: tidy\ndescription: x\n---\nTidy.\n",
		".agents/skills/plan/SKILL.md":  "---\nname: plan-it\ndescription: x\n---\nPlan.\n",
		".gemini/skills/wrong/SKILL.md": "no front matter",
	}
	want := "ok skill: plan-it (~/.agents/skills/plan/SKILL.md)\nok skill: tidy (~/.gemini/skills/tidy/SKILL.md), disabled by skills.disabled\n" +
		"warning skill: Skipping the skill file ~/.gemini/skills/wrong/SKILL.md: "
	if got := examine(`{"skills": {"disabled": ["Tidy"]}}`, skills); !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
	if got := examine(`{"skills": {"enabled": false}}`, skills); got != "ok skills: off (skills.enabled)\n" {
		t.Errorf("off: %s", got)
	}
	if got := examine(`{}`, map[string]string{}); got != "ok skills: none but those of Pollux\n" {
		t.Errorf("none: %s", got)
	}
	many := map[string]string{}
	for i := range 60 {
		many[fmt.Sprintf(".gemini/skills/s%d/SKILL.md", i)] = fmt.Sprintf("---\nname: s%d\ndescription: x\n---\n", i)
	}
	if got := examine(`{}`, many); strings.Count(got, "\n") != 51 || !strings.HasSuffix(got, "ok skill: and 10 more: pollux skills list\n") {
		t.Errorf("many: %s", got)
	}
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	x := &examination{Report: &Report{}, set: project.New(project.Options{Dir: t.TempDir(), Env: config.NewEnv("MY_KEY=1")})}
	account := &auth.Account{ConfiguredID: "mine", Access: provider.Access{
		Profile: &provider.Profile{ID: "mine", Protocol: provider.Chat}, BaseURL: "http://me:pass@host/v1", From: "MY_KEY",
	}}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&llm.Error{Kind: llm.KindUnauthorized}, "check MY_KEY: it is wrong"},
		{&llm.Error{Kind: llm.KindForbidden}, "check the permissions of MY_KEY"},
		{&llm.Error{Kind: llm.KindModelNotFound}, "choose a model of 'pollux models mine'"},
		{&llm.Error{Kind: llm.KindQuota, Link: "https://pay"}, "wait, or choose another model"},
		{&llm.Error{Kind: llm.KindValidation, Link: "https://\x1b[2Jhelp"}, "check your account: https://help"},
		{&llm.Error{Kind: llm.KindServer}, "the provider failed"},
		{&llm.Error{Kind: llm.KindContextWindow}, "the context window of the model is too small"},
		{&llm.Error{Kind: llm.KindBadRequest}, "the provider rejected"},
		{&llm.Error{Kind: llm.KindOther}, "check that http://***@host/v1 is"},
		{&llm.Error{Kind: llm.KindOther, Err: &tls.CertificateVerificationError{}}, "if a proxy or gateway of your company"},
		{&llm.Error{Kind: llm.KindNetwork, Code: "ECONNREFUSED"}, "check the address http://***@host/v1: nothing"},
		{&llm.Error{Kind: llm.KindNetwork, Code: "ENOTFOUND"}, "check the address http://***@host/v1 and the DNS"},
		{&llm.Error{Kind: llm.KindNetwork, Code: "EAI_AGAIN"}, "check the network and the DNS"},
		{&llm.Error{Kind: llm.KindNetwork, Code: "EPROTO"}, "check whether http://***@host/v1 should"},
		{&llm.Error{Kind: llm.KindNetwork, Code: "ECONNRESET"}, "try again; if it fails again"},
		{&llm.Error{Kind: llm.KindNetwork, Proxy: "p:1"}, "check HTTPS_PROXY, or unset it"},
		{&llm.Error{Kind: llm.KindNetwork, Code: "ETIMEDOUT"}, "check the network"},
		{errProbeTimeout, "check the network"},
		{context.Canceled, "choose another model"},
	} {
		if got := x.advice(account, tt.err); !strings.HasPrefix(got, tt.want) || strings.ContainsAny(got, "\x1b") || strings.Contains(got, "pass@") {
			t.Errorf("%v: %q, want %q...", tt.err, got, tt.want)
		}
	}
}

func TestParseSettingsWarning(t *testing.T) {
	t.Parallel()
	many := "Invalid configuration in /s.json:\n\nError in: a.b\n    Expected boolean, received string\n\n" +
		"Error in: c\n    Wrong\n...and 7 more errors.\nPlease fix the configuration."
	for w, want := range map[string][2]string{
		many:                            {"wrong values", "/s.json: a.b (Expected boolean, received string), c (Wrong), ...and 7 more errors."},
		"Invalid configuration in x:":   {"wrong values", "x: "},
		"Warning: this\nand that":       {"settings", "this and that"},
		"Security Warning: Skipping it": {"settings", "Security Warning: Skipping it"},
	} {
		subject, text, next := parseSettingsWarning(w)
		if subject != want[0] || text != want[1] || next == "" {
			t.Errorf("%q: %q, %q, %q", w, subject, text, next)
		}
	}
}

func TestSummarize(t *testing.T) {
	t.Parallel()
	warned := sectionReport{Checks: []check{{"a", verdictWarning, "", ""}, {"a", verdictWarning, "", ""}, {"b", verdictBroken, "", ""}, {"c", verdictNote, "", ""}}}
	for _, tt := range []struct {
		sections []sectionReport
		failure  error
		want     string
	}{
		{nil, nil, "ok: Pollux can run. No problems found."},
		{[]sectionReport{{Optional: true, Checks: warned.Checks}}, nil, "ok: Pollux can run. No problems found, 1 note."},
		{[]sectionReport{warned}, nil, "warning: Pollux can run. 3 things to check: b, a."},
		{[]sectionReport{warned}, &llm.Error{Message: "no\nway"}, "broken: Pollux cannot run here (exit code 1): no way. 3 things to check: b, a."},
	} {
		x := &examination{Report: &Report{Sections: tt.sections}}
		if tt.failure != nil {
			x.fail(tt.failure)
		}
		if x.summarize(); string(x.Verdict)+": "+x.Summary != tt.want {
			t.Errorf("%s: %s, want %s", x.Verdict, x.Summary, tt.want)
		}
	}
}
