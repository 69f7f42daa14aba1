package prompt

import (
	"strconv"
	"strings"
)

// workflow describes the steps of a task from the request to the report.
func workflow(s System) string {
	switch {
	case s.isPlanMode():
		return ""
	case s.isCompact() && len(s.Tools) > 0:
		return compactWork(s)
	case len(s.Tools) == 0:
		return "# Work\n\nYou have no tools here: answer from what the conversation holds, and say what you would have to look at."
	case !s.canAct():
		return "# Work\n\n" + sentences(
			"You cannot edit files or run commands here.", research(s),
			"Answer from what you found and say where it is. If something must change, give the exact change (file, place, new text) and say that it has not been made.")
	}
	return "# Work\n\n" + steps(
		"Understand. "+sentences(research(s), "Reproduce a bug first, ideally as a failing test."),
		"Decide. "+strategy(s),
		"Act in small steps: change, check, next. "+sentences(checks(s),
			"Carry a change through to the callers, tests, docs and configuration that depend on it.",
			"Report what was already broken; do not repair it unasked."),
		"Review the whole change as a stranger would: no debug output or temporary files. Then report.",
	) + "\n\n" + somethingNew(s)
}

// steps numbers the texts.
func steps(texts ...string) string {
	for i := range texts {
		texts[i] = strconv.Itoa(i+1) + ". " + texts[i]
	}
	return strings.Join(texts, "\n")
}

func research(s System) string {
	find := s.say(
		"Find the relevant code, its callers and its tests, with {grep_search} and {glob}.",
		"Find the relevant code, its callers and its tests, with {grep_search}.",
		"Find the relevant code, its callers and its tests.")
	if s.hasAgent("codebase_investigator") {
		find = sentences(find, "On unfamiliar ground, or for a change across the project, send `codebase_investigator` first and build on its report.")
	}
	return find
}

func strategy(s System) string {
	if plan := oneLine(s.Plan); plan != "" {
		return "The user approved the plan in " + plan + ": follow it step by step, and say where you must depart from it. Read it only if this conversation does not have its text."
	}
	return sentences(
		"Choose the simplest approach that fits what you found.",
		when(s.Interactive, "Unless it is obvious, tell the user in a sentence or two."),
		when(s.Interactive, s.say("Before work that is large, hard to undo or open in its design, call {enter_plan_mode}.")),
		when(!s.has("tracker_create_task"), s.say("Keep work of more than three steps in {write_todos}: one item in progress, each closed as soon as it is done.")),
	)
}

func checks(s System) string {
	if s.has("run_shell_command") {
		return "Run tests, build, lint and type checks with the commands that the project names (README, manifest, CI)."
	}
	return "You cannot run commands here: name the checks that the user should run."
}

func somethingNew(s System) string {
	build := "Then build all of it: it installs, starts and works end to end, looks finished, and brings its own stand-ins for missing images and data."
	if s.has("run_shell_command") {
		build += " Start it, fix what fails,"
	} else {
		build += " Read it through once more,"
	}
	build += " and end with how to start it."
	if s.Interactive {
		return "For something new, first agree with the user in a few lines on what it does, what it is built with and how it looks. " + build
	}
	return "For something new, choose common tools that fit. " + build
}

const planContents = "the goal, the steps in order with the files and names each one touches, the risks, and how each step is verified. Keep it as short as the task allows: a small fix takes a few lines."

// planning replaces the workflow in plan mode.
func planning(s System) string {
	if !s.isPlanMode() {
		return ""
	}
	dir := strings.TrimRight(oneLine(s.PlanDir), `/\`)
	write := s.say("{write_file} and {replace}", "{write_file}")
	if dir == "" || write == "" || !s.has("exit_plan_mode") {
		return "# Plan mode\n\n" + sentences("Nothing may change yet.", research(s), "Answer with a plan:", planContents)
	}
	explore := research(s) + " If the user only wants to know something, answer; that needs no plan."
	if plan := oneLine(s.Plan); plan != "" {
		explore = "Read the approved plan in " + plan + "; for the same task revise it instead of starting another. " + explore
	}
	hand := s.say("Call {exit_plan_mode} with its file name. That call asks for approval: do not ask for it in text. If feedback comes back, revise the same file and call again.")
	if !s.Interactive {
		hand = s.say("Call {exit_plan_mode} with its file name as your last call. Nobody approves it here: the run prints the plan as its output and ends, unless the result tells you to carry it out. Answer the user's questions in the plan.")
	}
	return "# Plan mode\n\n" +
		"Nothing in the project may change until a plan is approved; asked to implement, write the plan. You may use " + toolList(s) + "; " + write + " only for plans.\n\n" +
		steps(
			"Explore. "+explore,
			"Design. "+weigh(s),
			"Write the plan to "+dir+"/<short-name>.md. It holds "+planContents,
			hand,
		)
}

func weigh(s System) string {
	const choices = "Weigh the approaches that your findings leave open."
	if !s.Interactive {
		return choices + " Choose one and say why."
	}
	return choices + s.say(
		" Ask about those that make a difference to the user with {ask_user}, and recommend one; decide the rest.",
		" Ask about those that make a difference to the user, recommend one, and wait for the answer; decide the rest.",
	)
}

// toolList lists the tools that are available in plan mode. It summarizes those of MCP
// servers, of which there may be hundreds.
func toolList(s System) string {
	var names []string
	servers := false
	for _, name := range s.Tools {
		if strings.HasPrefix(name, "mcp_") {
			servers = true
			continue
		}
		name = "`" + name + "`"
		if name == "`run_shell_command`" {
			name += " for commands that only read in the workspace"
		}
		names = append(names, name)
	}
	if servers {
		names = append(names, "the MCP tools you have")
	}
	return strings.Join(names, ", ")
}
