package cli

import (
	"testing"

	"pollux/internal/exit"
)

func TestRefuseSlash(t *testing.T) {
	t.Parallel()
	const screen = "Exiting due to command result that is not supported in non-interactive mode."
	for prompt, want := range map[string]string{
		"/quit":             screen,
		"/model set flash":  screen,
		"/clear\nand go on": screen,
		"/theme ":           screen,
		"/help": "The command /help is not available yet in this version of Pollux. " +
			"To ask the model about it, put a word before it.",
		"":                   "",
		"/":                  "",
		"/ help":             "",
		"//help":             "",
		"/* help */":         "",
		"/nope":              "",
		"/helpful":           "",
		"/Help":              "",
		"/help/me":           "",
		"/usr/bin/env says?": "",
		" /help":             "",
		"what is /help?":     "",
		"/\nhelp":            "",
		"/\thelp":            "",
	} {
		err := refuseSlash(prompt)
		switch {
		case err == nil && want == "":
		case err == nil || err.Error() != want || exit.CodeOf(err) != exit.Input:
			t.Errorf("%q: %v, want %q", prompt, err, want)
		}
	}
}
