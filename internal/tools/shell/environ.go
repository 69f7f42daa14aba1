package shell

import (
	"strconv"
	"strings"
)

// plainEnv keeps programs from waiting for a person, by a pager, an editor, a
// dialogue or a password prompt (spec/tools.md §3.9).
var plainEnv = []string{
	"GEMINI_CLI=1",
	"TERM=xterm-256color",
	"PAGER=cat",
	"GIT_PAGER=cat",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_ASKPASS=",
	"SSH_ASKPASS=",
	"GH_PROMPT_DISABLED=1",
	"GCM_INTERACTIVE=never",
	"DISPLAY=",
	"DBUS_SESSION_BUS_ADDRESS=",
	"GIT_CONFIG_GLOBAL=/dev/null",
	"GIT_CONFIG_SYSTEM=/dev/null",
	"GIT_CONFIG_NOSYSTEM=1",
}

// gitConfig empties the settings by which a repository that somebody else
// wrote makes git run programs.
var gitConfig = [][2]string{
	{"credential.helper", ""},
	{"core.fsmonitor", ""},
	{"core.hooksPath", ""},
	{"core.sshCommand", ""},
	{"core.editor", ""},
	{"sequence.editor", ""},
	{"diff.external", ""},
	{"core.pager", "cat"},
}

// childEnv returns the environment of a command: base, and over it what keeps
// programs plain and git isolated. Settings that base gives git by
// GIT_CONFIG_COUNT stay, before ours.
func childEnv(base []string) []string {
	const maxCount = 10_000 // of settings; git itself would take a million
	count := 0
	set := map[string]bool{"GIT_CONFIG_COUNT": true, "PWD": true} // PWD is each command's own
	for _, v := range plainEnv {
		name, _, _ := strings.Cut(v, "=")
		set[name] = true
	}
	for _, v := range base {
		if s, ok := strings.CutPrefix(v, "GIT_CONFIG_COUNT="); ok {
			if n, err := strconv.Atoi(s); err == nil && n >= 0 && n <= maxCount {
				count = n
			}
		}
	}
	var git []string
	for i, kv := range gitConfig {
		n := strconv.Itoa(count + i)
		git = append(git, "GIT_CONFIG_KEY_"+n+"="+kv[0], "GIT_CONFIG_VALUE_"+n+"="+kv[1])
		set["GIT_CONFIG_KEY_"+n], set["GIT_CONFIG_VALUE_"+n] = true, true
	}
	var env []string
	for _, v := range base {
		if name, _, _ := strings.Cut(v, "="); !set[name] && name != "" && !strings.Contains(v, "\x00") {
			env = append(env, v)
		}
	}
	env = append(append(env, plainEnv...), git...)
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(count+len(gitConfig)))
}

// lookup returns the value of a variable in environ; the last one counts.
func lookup(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}
