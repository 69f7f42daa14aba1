package cli

import (
	"strings"
	"testing"
)

// TestHint checks the hint for an unknown flag, between the message and how to get help.
func TestHint(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--promt|x":                       "Did you mean --prompt?",
		"--outputFromat|json":             "Did you mean --output-format?",
		"--output_format|json":            "Did you mean --output-format?",
		"--no-yollo":                      "Did you mean --yolo?",
		"--models|x":                      "Did you mean --model?",
		"--fake-response|x":               "", // hidden
		"--modle|x":                       "Did you mean --model?",
		"-ojson":                          "Did you mean -o json?",
		"--xyzzy":                         "",
		"-z":                              "",
		"--z":                             "",
		"--checkpointing":                 "--checkpointing was removed: set general.checkpointing.enabled in your settings.",
		"-a":                              "-a was removed: put @ before the path of a file or directory in the prompt.",
		"--allFiles":                      "--allFiles was removed: put @ before the path of a file or directory in the prompt.",
		"--show-memory-usage":             "--show-memory-usage was removed: set ui.showMemoryUsage in your settings.",
		"--telemetry-target|gcp":          "--telemetry-target was removed: use the telemetry settings or the GEMINI_TELEMETRY_ variables.",
		"--proxy|http://x":                "--proxy was removed: set HTTPS_PROXY in the environment.",
		"--sandbox-image|x":               "--sandbox-image was removed: set GEMINI_SANDBOX_IMAGE in the environment.",
		"--session-summary":               "--session-summary was removed: use -o json for the statistics of a run.",
		"--ide-mode-feature":              "--ide-mode-feature was removed: set ide.enabled in your settings.",
		"demo|--kep":                      "Did you mean --keep?",
		"demo|--debg":                     "Did you mean --debug?",
		"-p|a|b":                          "",
		"--" + strings.Repeat("p", 1<<20): "",
	} {
		s := (&start{args: strings.Split(args, "|"), commands: []subcommand{sample(nil)}}).do()
		if got := hintOf(s); got != want {
			t.Errorf("%.40s: %q, want %q", args, got, want)
		}
	}
}

// hintOf returns the part of a usage error that follows the message, without how to get help.
func hintOf(s *start) string {
	text, _, _ := strings.Cut(s.err.String(), " Run 'pollux")
	for _, begin := range []string{". Did you mean ", ". --", ". -a"} {
		if i := strings.Index(text, begin); i >= 0 {
			return text[i+2:]
		}
	}
	return ""
}
