package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/exit"
)

// TestTopics checks that "help" and "version" are commands only before known topics.
func TestTopics(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{ // "" for a prompt
		"help":                   "\nUSAGE\n",
		"help|config":            "pollux config [command]",
		"help|config|get":        "pollux config get KEY",
		"help|gemma":             "\nCOMMANDS\n  gemma",
		"help|later":             "gemma",
		"help|flags":             "--policy",
		"help|sessions":          "--session-id",
		"help|version":           "\nUSAGE\n",
		"version":                "1.2.3\n",
		"upgrade":                "Pollux does not upgrade itself.",
		"update":                 "Pollux does not upgrade itself.",
		"uninstall":              "To uninstall Pollux, delete ",
		"update|the|readme":      "",
		"-m|x|help":              "\nUSAGE\n",
		"help|me|fix|the|bug":    "",
		"help|config|me":         "",
		"help|sessions|overflow": "",
		"version|of|what":        "",
		"--|help":                "",
		"-p|help":                "",
		"-p||help":               "",
		"say|help":               "",
		"help me":                "",
	} {
		s := (&start{args: strings.Split(args, "|"), env: []string{"CLI_VERSION=1.2.3"}, commands: []subcommand{noun("config")}}).do()
		if s.code != exit.OK || s.ran != (want == "") || !strings.Contains(s.out.String(), want) || s.err.Len() > 0 {
			t.Errorf("%s: code %d, ran %v, %q, stdout %.200q", args, s.code, s.ran, s.err, s.out)
		}
	}
}

// TestNearSubcommand checks that a misspelled subcommand is not sent to the model without a hint,
// and that other prompts are.
func TestNearSubcommand(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"modls":           "pollux models",
		"modles":          "pollux models",
		"confg|gte":       "",
		"confg|get|x":     "pollux config get",
		"hlep":            "pollux help",
		"demoo":           "pollux demo",
		"extensons":       "pollux extensions",
		"hello":           "",
		"modls|are|nice":  "",
		"models are|nice": "",
		"--|modls":        "",
		"hi":              "",
		"fix":             "",
		"mod":             "",
		"conference":      "",
		"explain":         "",
	} {
		for _, tty := range []bool{true, false} {
			s := (&start{args: strings.Split(args, "|"), tty: tty, commands: []subcommand{sample(nil), noun("config"), noun("models"), noun("extensions")}}).do()
			hinted := want != "" && strings.Contains(s.err.String(), `Did you mean "`+want+`"?`)
			if hinted != (want != "") || s.ran != (want == "" || !tty) || want == "" && s.err.Len() > 0 {
				t.Errorf("%s, tty %v: ran %v, %q, want %q", args, tty, s.ran, s.err, want)
			}
		}
	}
}

// TestUsageJSON checks that a usage error prints one object to stdout if the arguments ask for
// JSON, and a line to stderr.
func TestUsageJSON(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-o|json|--bogus":              "Unknown argument: bogus",
		"--bogus|--output-format=json": "Unknown argument: bogus",
		"--bogus|-ojson":               "Unknown arguments: bogus, j, n",
		"-o|json|--approval-mode|bad":  "Invalid values:",
		"-o|json|-p|a|b":               "Cannot use both",
		"-o|json|demo|--bogus":         "Unknown argument: ",
		"-o|stream-json|--bogus":       "Unknown argument: bogus",
		"-o|xml|-o|json|--yolo=maybe":  "Invalid values:",
	} {
		s := (&start{args: strings.Split(args, "|"), commands: []subcommand{sample(nil)}}).do()
		var object struct {
			ID     string `json:"session_id"`
			Type   string
			Status string
			Error  struct{ Message, Type string }
		}
		out := s.out.String()
		if strings.Contains(args, "stream-json") {
			_, out, _ = strings.Cut(out, "\n") // after init
		}
		err := json.Unmarshal([]byte(out), &object)
		isEnd := object.ID != "" || object.Type == "result" && object.Status == "error"
		if err != nil || s.code != exit.General || !isEnd || !strings.HasPrefix(object.Error.Message, want) || !strings.HasPrefix(s.err.String(), want) {
			t.Errorf("%s: code %d, %v\nstdout %s\nstderr %s", args, s.code, err, s.out, s.err)
		}
	}
	s := (&start{args: []string{"-o", "json"}, tty: true, run: failing(errOrdinary)}).do()
	if s.out.Len() > 0 || s.err.String() != "something went wrong\n" {
		t.Errorf("an interactive session ends with %s%s", s.out, s.err)
	}
}

// TestUpgradeStep checks that the advice follows how the program was installed.
func TestUpgradeStep(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file string
		env  []string
		want string
	}{
		{"/home/u/go/bin/pollux", []string{"HOME=/home/u"}, "go install"},
		{"/srv/go/bin/pollux", []string{"HOME=/home/u", "GOPATH=/x" + string(filepath.ListSeparator) + "/srv/go"}, "go install"},
		{"/opt/bin/pollux", []string{"HOME=/home/u", "GOBIN=/opt/bin"}, "go install"},
		{"/usr/bin/pollux", []string{"HOME=/home/u"}, "single program file"},
	} {
		if got := upgradeStep(filepath.FromSlash(tt.file), config.NewEnv(tt.env...)); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", tt.file, got)
		}
	}
}
