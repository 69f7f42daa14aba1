package shell

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/charset"
	"pollux/internal/process"
)

// nonInteractiveEnv keeps programs from waiting for a person in a pager, an editor, a dialog
// or a password prompt. An empty DISPLAY, WAYLAND_DISPLAY, DBUS_SESSION_BUS_ADDRESS or GPG_TTY
// makes dialogs fail; ssh fails by itself, because commands have no terminal.
var nonInteractiveEnv = []string{
	"GEMINI_CLI=1",
	"TERM=xterm-256color",
	"PAGER=cat",
	"GIT_PAGER=cat",
	"GH_PAGER=cat",
	"MANPAGER=cat",
	"SYSTEMD_PAGER=cat",
	"PSQL_PAGER=cat",
	"AWS_PAGER=",
	"BROWSER=" + noBrowser,
	"DEBIAN_FRONTEND=noninteractive",
	"PIP_NO_INPUT=1",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_ASKPASS=",
	"SSH_ASKPASS=",
	"SSH_ASKPASS_REQUIRE=never",
	"GPG_TTY=",
	"GH_PROMPT_DISABLED=1",
	"GCM_INTERACTIVE=never",
	"DISPLAY=",
	"WAYLAND_DISPLAY=",
	"DBUS_SESSION_BUS_ADDRESS=",
	"POLLUX_GIT_EDITOR=" + gitEditor,
}

// otherEditors are variables with which programs override EDITOR and VISUAL, and those with programs that ask for
// passwords in a window.
var otherEditors = []string{
	"GH_EDITOR", "KUBE_EDITOR", "SVN_EDITOR", "HGEDITOR", "CVSEDITOR", "FCEDIT", "SUDO_EDITOR", "SYSTEMD_EDITOR", "JJ_EDITOR", "SUDO_ASKPASS",
}

const (
	// noEditor is the value of EDITOR and VISUAL, a command that fails at once.
	noEditor = `sh -c 'echo "Pollux runs commands without an editor: change the file with another command, or pass the text with a flag." >&2; exit 1' editor`
	// noBrowser is the value of BROWSER. Programs split it at colons.
	noBrowser = `sh -c 'echo "Pollux opens no browser, the user can open $*" >&2; exit 1' browser`
)

// editorCommand is the value of core.editor and sequence.editor. It runs gitEditor from a variable, because git
// prints the command when the editor fails.
const editorCommand = `sh -c 'eval "$POLLUX_GIT_EDITOR"' editor`

// gitEditor is the shell script that replaces the editor of git. Git opens the editor also for
// messages that are already written, for example in "git rebase --continue": the script keeps
// them. It fails for an empty message and for other files.
const gitEditor = `case $1 in ` +
	`*_EDITMSG|*/MERGE_MSG) ` +
	`if sed '/^. -* >8 -*$/,$d' "$1" | git stripspace -s | grep -q .; then ` +
	`echo 'Pollux runs git without an editor: the message stays as it is. To change it, run git commit --amend -m "..."'; exit 0; fi; ` +
	`echo 'Pollux runs git without an editor: pass the message with -m or -F.';; ` +
	`*/git-rebase-todo) ` +
	`echo 'Pollux runs git without an editor: set GIT_SEQUENCE_EDITOR to a command that edits the file of the todo list, such as sed -i, or to ":" to keep the list as it is.';; ` +
	`*) echo "Pollux runs git without an editor: change $1 with another command, or run git with flags that open no editor.";; ` +
	`esac >&2; exit 1`

// hiddenGitConfig hides the user's and the system's configuration of git.
var hiddenGitConfig = []string{
	"GIT_CONFIG_GLOBAL=/dev/null",
	"GIT_CONFIG_SYSTEM=/dev/null",
	"GIT_CONFIG_NOSYSTEM=1",
}

// isolatedGitConfig overrides the settings with which an untrusted repository could make git
// run programs.
var isolatedGitConfig = [][2]string{
	{"credential.helper", ""}, // no helpers
	{"core.fsmonitor", "false"},
	{"core.hooksPath", "/dev/null"},
	{"core.sshCommand", "ssh"},
	{"core.pager", "cat"},
	{"gpg.program", "gpg"},
	// An empty command makes git fail, and git has no setting for "none".
	{"diff.external", `f() { echo "diff --git a/$1 b/${8:-$1}"; diff -u -L "a/$1" -L "b/${8:-$1}" "$2" "$5"; :; }; f`},
}

// childEnv returns the environment of a command: base, without variables that make programs wait
// for a person, with a directory for temporary files and in a locale in which the shell reads the command as Pollux does. In a trusted folder git uses the user's configuration, and otherwise only
// isolatedGitConfig and the repository's. The settings that base passes to git with
// GIT_CONFIG_COUNT stay, before those that childEnv adds.
func childEnv(base []string, trusted bool) []string {
	base = charset.ForShell(base)
	own := slices.Clone(nonInteractiveEnv)
	for _, name := range [...]string{"EDITOR", "VISUAL"} {
		if !waitsForNoOne(process.Getenv(base, name)) {
			own = append(own, name+"="+noEditor)
		}
	}
	if process.Getenv(base, "PYTHONUNBUFFERED") == "" { // else a server's lines come when it ends
		own = append(own, "PYTHONUNBUFFERED=1")
	}
	if process.Getenv(base, "TMPDIR") == "" { // the prompt names it, and rm -rf "$TMPDIR"/* must not become rm -rf /*
		own = append(own, "TMPDIR="+os.TempDir())
	}
	git := gitSettings(base)
	user := len(git)
	// A directory of the project that looks like a bare repository is not one. The editors are settings, because GIT_EDITOR
	// would override git -c core.editor=COMMAND.
	git = append(git, [2]string{"safe.bareRepository", "explicit"}, [2]string{"core.editor", editorCommand}, [2]string{"sequence.editor", editorCommand})
	if !setsKey(git[:user], "core.quotePath") { // models misread names whose letters git shows as octal numbers
		git = append(git, [2]string{"core.quotePath", "false"})
	}
	if !trusted {
		own = append(own, hiddenGitConfig...)
		git = append(git, isolatedGitConfig...)
	}
	git = append(git, [2]string{"credential.helper", lastCredentialHelper(base, trusted, user)})
	// Each command gets its own PWD. With CDPATH, cd would lead elsewhere than its argument says.
	set := map[string]bool{"GIT_CONFIG_COUNT": true, "PWD": true, "CDPATH": true}
	for _, name := range otherEditors {
		set[name] = true
	}
	for _, name := range [...]string{"GIT_EDITOR", "GIT_SEQUENCE_EDITOR"} {
		set[name] = !waitsForNoOne(process.Getenv(base, name))
	}
	for _, v := range own {
		name, _, _ := strings.Cut(v, "=")
		set[name] = true
	}
	var env []string
	for _, v := range base {
		name, _, _ := strings.Cut(v, "=")
		isGitSetting := strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
		if !set[name] && !isGitSetting && name != "" && !strings.Contains(v, "\x00") {
			env = append(env, v)
		}
	}
	env = append(env, own...)
	for i, kv := range git {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+kv[0], "GIT_CONFIG_VALUE_"+n+"="+kv[1])
	}
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(git)))
}

// waitsForNoOne reports whether the value of a variable is an editor that keeps files as they are.
func waitsForNoOne(editor string) bool { return editor == ":" || editor == "true" }

// gitSettings returns the settings that an environment passes to git with GIT_CONFIG_COUNT. It
// skips settings without a key or value, with which git would not run: the value may have been
// removed as a secret.
func gitSettings(environ []string) [][2]string {
	const maxCount = 10_000 // settings; git's own limit is a million
	vars := map[string]string{}
	for _, v := range environ {
		if name, value, ok := strings.Cut(v, "="); ok && strings.HasPrefix(name, "GIT_CONFIG_") && !strings.Contains(v, "\x00") {
			vars[name] = value
		}
	}
	count, err := strconv.Atoi(vars["GIT_CONFIG_COUNT"])
	if err != nil || count > maxCount {
		return nil
	}
	var settings [][2]string
	for i := range max(count, 0) {
		key := vars["GIT_CONFIG_KEY_"+strconv.Itoa(i)]
		if value, ok := vars["GIT_CONFIG_VALUE_"+strconv.Itoa(i)]; ok && key != "" {
			settings = append(settings, [2]string{key, value})
		}
	}
	return settings
}

// setsKey reports whether settings of git have a key, which is without regard to case.
func setsKey(settings [][2]string, key string) bool {
	return slices.ContainsFunc(settings, func(s [2]string) bool { return strings.EqualFold(s[0], key) })
}

// lastCredentialHelper returns a credential helper that git runs when no other one has an
// answer. It explains why git then fails. If the user's session has a message bus, the helper
// first asks the others again with it, because keyrings need it; user is the number of the
// user's own settings in GIT_CONFIG_COUNT.
func lastCredentialHelper(base []string, trusted bool, user int) string {
	again := ""
	if bus := process.Getenv(base, "DBUS_SESSION_BUS_ADDRESS"); bus != "" && trusted {
		again = "DBUS_SESSION_BUS_ADDRESS='" + strings.ReplaceAll(bus, "'", `'\''`) + "' GIT_CONFIG_COUNT=" + strconv.Itoa(user) +
			" git credential fill 2>/dev/null && exit; "
	}
	return `!f() { test "$1" = get || exit 0; ` + again +
		`echo 'Pollux runs git without password prompts, and no credential helper has a password for this server: ask the user to store one.' >&2; }; f`
}
