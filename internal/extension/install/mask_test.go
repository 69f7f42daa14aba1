package install

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pollux/internal/extension"
)

// TestMasks checks that neither the consent nor the JSON of the list shows a secret.
func TestMasks(t *testing.T) {
	t.Parallel()
	secrets := []string{
		"sk-proj-0123456789abcdefghij", "ghp_0123456789abcdefghijABCDEFGHIJ012345", "AIzaSy0123456789abcdefghijABCDEFGHIJ012",
		"sk-ant-api03-0123456789abcdefghij", "passw0rd", "t0kenabc", "zzzkey", "hunter2", "envsecret", "oauthsecret",
	}
	m, _ := newManager(t)
	e := mustInstall(t, m, source(t, map[string]string{
		"gemini-extension.json": `{"name": "leak", "version": "1.0.0", "mcpServers": {
			"local": {"command": "server", "args": ["--api-key", "sk-proj-0123456789abcdefghij", "--token=ghp_0123456789abcdefghijABCDEFGHIJ012345",
				"-k", "AIzaSy0123456789abcdefghijABCDEFGHIJ012", "--password", "hunter2", "--port", "8080", "--token", "$TOKEN"],
				"env": {"API_KEY": "envsecret", "MODE": "fast", "NODE_KEY": "$NODE_KEY"}},
			"foreign": {"serverUrl": "https://user:passw0rd@y.example/mcp?token=t0kenabc", "disabledTools": ["drop"], "disabled": true},
			"remote": {"httpUrl": "https://user:passw0rd@x.example/mcp?token=t0kenabc&api_key=zzzkey&page=2",
				"headers": {"X-Foo": "sk-ant-api03-0123456789abcdefghij"}, "oauth": {"clientSecret": "oauthsecret", "enabled": true}}}}`,
		"hooks/hooks.json": `{"hooks": {"SessionStart": [{"hooks": [
			{"type": "command", "command": "curl https://user:passw0rd@x.example", "env": {"HOOK_KEY": "envsecret"}}]}]}}`,
	}), Options{HasConsent: true})
	text := strings.Join(consentLines(&e.Manifest, readContent(e.Dir, &e.Manifest)), "\n")
	data, err := json.Marshal(m.DescribeJSON(e))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("the consent shows %s:\n%s", secret, text)
		}
		if strings.Contains(string(data), secret) {
			t.Errorf("the list shows %s:\n%s", secret, data)
		}
	}
	for _, want := range []string{
		"server --api-key ******** --token=******** -k ******** --password ******** --port 8080 --token $TOKEN",
		"https://user:********@x.example/mcp?token=********&api_key=********&page=2", "X-Foo: ********", "MODE: fast", "NODE_KEY: $NODE_KEY",
		"SessionStart: curl https://user:********@x.example", "URL: https://user:********@y.example/mcp?token=********", "Exclude tools: drop", "Disabled: true",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the consent does not show %q:\n%s", want, text)
		}
	}
	for _, want := range []string{`"API_KEY":"********"`, `"MODE":"fast"`, `"X-Foo":"********"`, `"HOOK_KEY":"********"`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the list does not show %s:\n%s", want, data)
		}
	}
}

func TestMaskText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"-H Authorization: Bearer abc":                "-H Authorization: Bearer ********",
		"X-Api-Key:abc":                               "X-Api-Key:********",
		"--url=https://x.example:80/?token=abc&a=b":   "--url=https://x.example:80/?token=********&a=b",
		"DB_PASSWORD=hunter2 run --x y":               "DB_PASSWORD=******** run --x y",
		"run --token abc --private -y":                "run --token ******** --private -y",
		"https://abc@x.example/p, ssh://git@x/y":      "https://********@x.example/p, ssh://git@x/y",
		"https://a:p@ss@x.example/@scope":             "https://a:********@x.example/@scope",
		`sh "${extensionPath}/hooks/date.sh" --key 5`: `sh "${extensionPath}/hooks/date.sh" --key ********`,
		"npx -y @scope/server@1.2 --port 80":          "npx -y @scope/server@1.2 --port 80",
	} {
		if got := MaskText(text); got != want {
			t.Errorf("MaskText(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestMaskHidesNoCommand checks that a command line cannot look like a secret.
func TestMaskHidesNoCommand(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"x --token=$(rm)", "TOKEN=`rm` x", "curl http://a:$(rm)@x", "x; token=a;rm", ": -----BEGIN PRIVATE KEY-----; rm", "https://x.example/?token=a|rm",
		"sh --key=a&&rm", "TOKEN=abc rm", "run --token; rm", "X-Key: a; rm",
	} {
		if got := MaskText(text); !strings.Contains(got, "rm") {
			t.Errorf("MaskText(%q) = %q", text, got)
		}
	}
	if got := maskArgs([]any{"--token", "$(rm)"}); got[1] != "$(rm)" {
		t.Errorf("maskArgs = %q", got)
	}
}

// TestUpdateShowsMaskedChange checks that a change of a masked value is a change.
func TestUpdateShowsMaskedChange(t *testing.T) {
	t.Parallel()
	lines := func(key string) []string {
		e := source(t, map[string]string{
			"gemini-extension.json": `{"name": "h", "version": "1.0.0"}`,
			"hooks/hooks.json":      `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "curl https://x/` + key + `"}]}]}}`,
		})
		m, err := extension.ReadManifest(e)
		if err != nil {
			t.Fatal(err)
		}
		return consentLines(m, readContent(e, m))
	}
	if changes := changedLines(lines("sk-0123456789abcdefghij"), lines("sk-0123456789abcdefghik")); len(changes) != 2 {
		t.Errorf("changes: %q", changes)
	}
}

// TestUpdateShowsLateChange checks that a change is one however many hooks come before it, and however late in its command it is.
func TestUpdateShowsLateChange(t *testing.T) {
	t.Parallel()
	lines := func(late, end string) []string {
		hooks := make([]string, 300)
		for i := range hooks {
			hooks[i] = fmt.Sprintf(`{"type": "command", "command": "echo %d"}`, i)
		}
		hooks[250] = `{"type": "command", "command": "` + late + `"}`
		hooks[3] = `{"type": "command", "command": "echo ` + strings.Repeat("x", 3000) + end + `"}`
		e := source(t, map[string]string{
			"gemini-extension.json": `{"name": "h", "version": "1.0.0"}`,
			"hooks/hooks.json":      `{"hooks": {"SessionStart": [{"hooks": [` + strings.Join(hooks, ", ") + `]}]}}`,
		})
		m, err := extension.ReadManifest(e)
		if err != nil {
			t.Fatal(err)
		}
		return consentLines(m, readContent(e, m))
	}
	for name, after := range map[string][]string{"late in the list": lines("rm -rf x", "; a"), "late in the command": lines("echo 250", "; b")} {
		if changes := changedLines(lines("echo 250", "; a"), after); len(changes) != 2 {
			t.Errorf("%s: %q", name, changes)
		}
	}
}
