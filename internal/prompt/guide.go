package prompt

import "strings"

// guidelines returns the rules about communication and the use of tools.
func guidelines(s System) string {
	if s.isCompact() {
		return compactManner(s)
	}
	return bullets("Manner",
		"Answer in the user's language, short and plain: what you did, what you found, what is left to decide. No opening or closing phrases, praise, apologies, emoji, or retelling of the diff. Use Markdown sparingly; refer to code as `path:line`, with line numbers that results gave.",
		"What you cannot or will not do, say in a sentence, with what is possible instead.",
		parallel(s),
		edits(s),
		commands(s),
		when(s.advisesOutput(), s.say("Keep the output of {run_shell_command} small: quiet flags, head, tail, grep. Send long output to a file in the temporary directory, search that, and remove it.")),
		damage(s),
		remember(s),
		when(s.Interactive, "`/help` shows the user the commands, `/bug` reports a problem with Pollux."),
	)
}

func commands(s System) string {
	if !s.has("run_shell_command") {
		return ""
	}
	return sentences(
		s.say("Commands for {run_shell_command} must end by themselves and ask nothing: use non-interactive flags, no pagers, editors or watch modes."),
		confines(s),
		"Set `is_background` for what keeps running, like a server. Read and search files with your other tools.",
	)
}

// confines returns what commands can do in the sandbox of Pollux, which explains itself when it stops one.
func confines(s System) string {
	return when(s.Sandbox == OwnSandbox, "They write only in the workspace, `$TMPDIR` and caches, and read no secrets.")
}

func (s System) advisesOutput() bool {
	return s.Output == AdviseAll || s.Output == AdviseOlder && s.isLegacy()
}

func parallel(s System) string {
	switch {
	case len(s.Tools) == 0:
		return ""
	case s.canAct():
		return "Make calls that do not need each other's results in one turn: reads, commands that only read, and edits of different files run side by side; all else in the order given."
	}
	return "Make calls that do not need each other's results in one turn: they run side by side."
}

func edits(s System) string {
	if s.isPlanMode() {
		return ""
	}
	return s.say(
		"Read a file before you change it. Change parts with {replace} and write whole files with {write_file}, never through the shell.",
		"Read a file before you change it. Change it with {replace}, never through the shell.",
		"Read a file before you change it. Write it with {write_file}, never through the shell.",
	)
}

// damage returns rules for commands that can do harm. The program asks for permission, not the
// model.
func damage(s System) string {
	if !s.has("run_shell_command") {
		return ""
	}
	return sentences(
		when(s.Interactive, "Before a command that changes more than the project's files, say in a sentence what it does and why."),
		when(s.Interactive && s.Mode != "yolo", "Do not ask for permission in text: Pollux does."),
		"Delete, overwrite, reset, migrate, publish or kill only what the request covers, and look at it first.",
	)
}

// remember returns where to note things that should outlast the session.
func remember(s System) string {
	var places []string
	for _, p := range []struct{ file, what string }{
		{s.Files.Project, "what everyone on the project should follow"},
		{s.Files.Private, "the user's own notes on this project"},
		{s.Files.Global, "the user's preferences everywhere"},
	} {
		if file := oneLine(p.file); file != "" {
			places = append(places, file+" for "+p.what)
		}
	}
	const not = " No secrets, nothing that ends with the task."
	switch {
	case s.isPlanMode():
		return ""
	case len(places) > 0 && s.canEdit():
		return "To remember something the user wants kept, edit the file it belongs in: " + strings.Join(places, ", ") + "." + not
	}
	return s.say("To remember something the user wants kept, call {save_memory}." + not)
}

func yolo(s System) string {
	if s.Mode != "yolo" || !s.Interactive {
		return ""
	}
	return "# YOLO\n\nThe user wants this done without questions. Choose sensible defaults and go on; ask only where a wrong guess would destroy something or waste most of the work. Nobody checks your calls, so check them yourself."
}

// OwnSandbox is the value of [System.Sandbox] for commands that Pollux itself confines.
const OwnSandbox = "pollux"

func sandbox(s System) string {
	switch {
	case s.Sandbox == "sandbox-exec":
		return "# Sandbox\n\nmacOS Seatbelt limits you to the project and the temporary directory, and may block ports and the network. If a call fails because of it (`Operation not permitted`), say so and that the user can change the Seatbelt profile; do not work around it."
	case s.Sandbox == OwnSandbox:
		return "" // see refusers
	case s.Sandbox != "":
		return "# Sandbox\n\nA sandbox limits you to the project and the temporary directory and hides much of the machine. If a call fails because of it (`Operation not permitted`, no network), say so and that the user can change the sandbox settings; do not work around it."
	case !s.isLegacy() || !s.has("run_shell_command"):
		return ""
	case s.Interactive:
		return "# No sandbox\n\nCommands run directly on the user's system. Before one that reaches outside the project and the temporary directory, say so, and that a sandbox can be turned on."
	}
	return "# No sandbox\n\nCommands run directly on the user's system. Keep them to the project and the temporary directory unless the task needs more."
}

func git(s System) string {
	if !s.Git || !s.has("run_shell_command") {
		return ""
	}
	if s.isCompact() {
		return compactGit()
	}
	return bullets("Git",
		"Commit, amend, rebase, switch branches and push only when asked, and no more often than asked. Never force, never discard uncommitted work.",
		"Before a commit: `git status && git diff HEAD && git log -n 3`. Stage by name what belongs in it. Write the message yourself, in the style of the log, about the why. Check the status afterwards.",
		"If a hook fails, fix the cause or report it; never bypass it.",
	)
}

// reminder repeats rules that older models tend to forget.
func reminder(s System) string {
	if !s.isLegacy() {
		return ""
	}
	return "# Remember\n\nYou are an agent: continue until the request is settled completely. Read before you claim or change anything, follow the project's ways and the user's wishes, verify, and be brief."
}
