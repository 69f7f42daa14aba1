package secret

import (
	"slices"
	"strings"
	"testing"
)

func TestMaskArgs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{"-y|server|/srv/dir|--port|80", "-y|server|/srv/dir|--port|80"},
		{"--api-key|sk-abc|x", "--api-key|[REDACTED]|x"},
		{"--token=hunter2", "--token=[REDACTED]"},
		{"--apiKey|-starts-with-a-dash1|x", "--apiKey|[REDACTED]|x"},
		{"--no-auth|--verbose|x", "--no-auth|--verbose|x"},
		{"--auth|-y|x", "--auth|-y|x"},
		{"-password|hunter2", "-password|[REDACTED]"},
		{"-e|DB_PASSWORD=hunter2|-e|LEVEL=debug", "-e|DB_PASSWORD=[REDACTED]|-e|LEVEL=debug"},
		{"--header|Authorization: Bearer abc", "--header|Authorization: [REDACTED]"},
		{"--header|X-Api-Key:abc", "--header|X-Api-Key:[REDACTED]"},
		{"--header=Authorization: Bearer abc", "--header=Authorization: [REDACTED]"},
		{"-H|X-Team: abc", "-H|X-Team: [REDACTED]"},
		{"-H|Accept: text/html", "-H|Accept: text/html"},
		{"-u|me:hunter2", "-u|me:[REDACTED]"},
		{"--user=me:hunter2", "--user=me:[REDACTED]"},
		{"-u|1000:1000", "-u|1000:1000"},
		{"-u|http://h/x", "-u|http://h/x"},
		{"-u|me|-c|a:b", "-u|me|-c|a:b"},
		{"--keyboard|us|--monkey|x|--author|me", "--keyboard|us|--monkey|x|--author|me"},
		{"-c|run  --token abc --x", "-c|run --token [REDACTED] --x"},
		{"-c|TOKEN=abc run", "-c|TOKEN=[REDACTED]"},
		{"-c|echo  two  spaces", "-c|echo  two  spaces"},
		{`-c|curl -H "Authorization: Bearer abc" x`, `-c|curl -H "Authorization: [REDACTED]`},
		{"ghp_0123456789abcdefghijABCDEFGHIJ012345", "[REDACTED]"},
		{"https://host/mcp?token=abc", "https://host/mcp?[REDACTED]"},
		{"postgres://me:hunter2@host/db", "postgres://[REDACTED]@host/db"},
		{"--db-uri|Server=x;Pwd=y", "--db-uri|[REDACTED]"},
	} {
		args := strings.Split(c.args, "|")
		if got := strings.Join(MaskArgs(args), "|"); got != c.want {
			t.Errorf("%s is shown as %s, want %s", c.args, got, c.want)
		}
	}
}

func TestMaskText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`Post "http://127.0.0.1:1/mcp?token=SECRETQ1": dial tcp`: `Post "http://127.0.0.1:1/mcp?[REDACTED]": dial tcp`,
		"https://user:pass@h/mcp#abc":                            "https://[REDACTED]@h/mcp#[REDACTED]",
		"https://token@h":                                        "https://[REDACTED]@h",
		"https://user:pa/ss@h/x":                                 "https://[REDACTED]@h/x",
		"https://user:p@ss@h/x":                                  "https://[REDACTED]@h/x",
		"https://host:80/@scope/x":                               "https://host:80/@scope/x",
		"http://[::1]:80/@a":                                     "http://[::1]:80/@a",
		"is it https://host/x? yes":                              "is it https://host/x? yes",
		"two: http://a?b=c and http://d?e=f":                     "two: http://a?[REDACTED] and http://d?[REDACTED]",
		"the key AIzaSy0123456789abcdefghijklmnopqrstuvw is bad": "the key [REDACTED] is bad",
	} {
		if got := MaskText(text); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
}

func TestMaskURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://user:pa ss@h/x?a b": "https://[REDACTED]@h/x?[REDACTED]",
		"user:pass@h?t=1":            "[REDACTED]@h?[REDACTED]",
		"":                           "",
	} {
		if got := MaskURL(address); got != want {
			t.Errorf("%s is shown as %s, want %s", address, got, want)
		}
	}
}

func TestSecretsOfCommands(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ got, want []string }{
		"flag":   {InArgs([]string{"--api-key", "hunter2", "--port", "80"}), []string{"hunter2"}},
		"header": {InHeaders(map[string]string{"Authorization": "Bearer abc"}), []string{"Bearer abc", "abc"}},
		"env":    {InEnv(map[string]string{"LEVEL": "debug", "DIR": "/a/long/path", "PASS": "hunter2"}), []string{"hunter2"}},
		"url":    {InURL("http://me:p%40ss@h/?t=a+b"), []string{"me:p%40ss", "me", "p@ss", "a b", "a+b"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: the secrets are %q, want %q", name, c.got, c.want)
		}
	}
}
