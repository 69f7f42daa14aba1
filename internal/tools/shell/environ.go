package shell

import (
	"strconv"
	"strings"
)

// nonInteractiveEnv keeps programs from waiting for the user in a pager, an editor, a dialog
// or a password prompt.
var nonInteractiveEnv = []string{
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

// isolatedGitConfig overrides the settings with which an untrusted repository could make git
// run programs.
var isolatedGitConfig = [][2]string{
	{"credential.helper", ""},
	{"core.fsmonitor", ""},
	{"core.hooksPath", ""},
	{"core.sshCommand", ""},
	{"core.editor", ""},
	{"sequence.editor", ""},
	{"diff.external", ""},
	{"core.pager", "cat"},
}

// childEnv returns the environment of a command: base, overridden by nonInteractiveEnv and
// isolatedGitConfig. The settings that base passes to git with GIT_CONFIG_COUNT stay, before
// those of isolatedGitConfig.
func childEnv(base []string) []string {
	const maxCount = 10_000 // settings; git's own limit is a million
	count := 0
	set := map[string]bool{"GIT_CONFIG_COUNT": true, "PWD": true} // each command gets its own PWD
	for _, v := range nonInteractiveEnv {
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
	for i, kv := range isolatedGitConfig {
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
	env = append(append(env, nonInteractiveEnv...), git...)
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(count+len(isolatedGitConfig)))
}
