package cli

import (
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/pflag"
)

// hint says what may have been meant by a flag that does not exist, "" if nobody
// knows. It stands apart from the message, which scripts match.
func hint(unknown []string, sets ...*pflag.FlagSet) string {
	for _, name := range unknown {
		if instead := gone(name); instead != "" {
			return dashed(name) + " is gone: " + instead + "."
		}
		if near := nearest(kebab(name), sets); near != "" {
			return "Did you mean --" + near + "?"
		}
	}
	return ""
}

// dashed is a flag's name or letter as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// gone says what to use in the place of a flag that older versions of Gemini CLI
// had, "" for any other.
func gone(flag string) string {
	switch flag = kebab(flag); {
	case flag == "checkpointing", flag == "c":
		return "set general.checkpointing.enabled in your settings"
	case flag == "all-files", flag == "a":
		return "name files and directories in the prompt, with @ before them"
	case flag == "show-memory-usage":
		return "set ui.showMemoryUsage in your settings"
	case flag == "telemetry", strings.HasPrefix(flag, "telemetry-"):
		return "see telemetry in your settings, and the GEMINI_TELEMETRY_ variables"
	case flag == "proxy":
		return "set HTTPS_PROXY in the environment"
	case flag == "sandbox-image":
		return "set GEMINI_SANDBOX_IMAGE in the environment"
	case flag == "session-summary":
		return "-o json has the numbers of a run"
	case flag == "ide-mode", flag == "ide-mode-feature":
		return "set ide.enabled in your settings"
	}
	return ""
}

// nearest returns the flag whose name is most like this one, "" if none is.
func nearest(name string, sets []*pflag.FlagSet) string {
	if len(name) < 3 || len(name) > 64 {
		return "" // any letter is like any other
	}
	best, least := "", 1+min(3, len(name)/3)
	for _, set := range sets {
		set.VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			if d := levenshtein.ComputeDistance(name, f.Name); d < least {
				best, least = f.Name, d
			}
		})
	}
	return best
}
