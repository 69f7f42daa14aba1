package subagent

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Builtins returns Pollux's own subagents. With scratchpad, the investigator keeps one in its answers.
func Builtins(scratchpad bool) []*Definition {
	i := investigator()
	if scratchpad {
		i.Prompt += scratchpadPrompt
	}
	return []*Definition{i, help(), generalist()}
}

func investigator() *Definition {
	return &Definition{
		Name: "codebase_investigator", DisplayName: "Codebase Investigator Agent", Kind: LocalKind, Origin: Builtin,
		Description: "Reads an unfamiliar code base and reports how it works: the files and symbols that matter, how they depend on each other, the cause of a bug, what a change will affect. Use it before a vague task, a bug without a known cause, a refactoring or a feature that reaches across the project. It changes nothing.",
		Input:       "objective",
		Query:       "Investigate the code for this objective:\n<objective>\n${objective}\n</objective>",
		Tools:       []string{"list_directory", "read_file", "glob", "grep_search"},
		Class:       Investigation,
		MaxTurns:    50, Timeout: 10 * time.Minute,
		Output: &Output{
			Name: "report", Description: "what you found.",
			Schema: json.RawMessage(`{"type":"object","properties":{` +
				`"SummaryOfFindings":{"type":"string","description":"The answer to the objective: how the code works, the cause of the problem, where and how to change it, what else that affects, and what remains uncertain."},` +
				`"ExplorationTrace":{"type":"array","items":{"type":"string"},"description":"The steps that led to the findings, one line each."},` +
				`"RelevantLocations":{"type":"array","items":{"type":"object","properties":{` +
				`"FilePath":{"type":"string"},"Reasoning":{"type":"string","description":"Why this file matters."},"KeySymbols":{"type":"array","items":{"type":"string"}}},` +
				`"required":["FilePath","Reasoning"],"additionalProperties":false},"description":"The files that matter, the most important first."}},` +
				`"required":["SummaryOfFindings","ExplorationTrace","RelevantLocations"],"additionalProperties":false}`),
			Text: indented,
		},
		Prompt: investigatorPrompt,
	}
}

const investigatorPrompt = `You investigate a code base for another agent. It will change the code with nothing but your report, so the report must be right, complete and short enough to use.

# How to work

- Start from the strongest clue: an error text, a symbol, a route, a file name. Search for it, read what it leads to, follow calls in both directions.
- Read the code, not only its names. Read the callers and the tests of what may change; they show the contract. Look at the history of a design only through what is in the files.
- Make searches narrow and several at once. Read the part of a large file that matters. Do not read generated code, dependencies or lock files unless the question is about them.
- Keep a list of open questions. Answer each by reading, or report it as open. Check a conclusion against the code that could contradict it before you rely on it.
- Stop when the objective can be answered and a stranger could start the change at the places that you name. Do not write the change.

# The report

- SummaryOfFindings: the answer first. For a bug: the cause, the evidence (` + "`path:line`" + `), the smallest fix and what it touches. For a feature or refactoring: where it belongs, the pattern of the code around it, the steps, the callers, tests and settings that must follow. Then what you could not settle.
- ExplorationTrace: the few steps that mattered.
- RelevantLocations: only files that someone must read or change.`

const scratchpadPrompt = `

# Scratchpad

Begin every answer with a <scratchpad>. It is your memory and your plan, so write it before your first call and bring it up to date after each result, before the next call:

- Checklist: what to find out, one line each, "[ ]" open or "[x]" done. Add a line for everything that the code makes you want to know.
- Questions to Resolve: what you do not understand yet. Answer each, or report it as open.
- Key Findings: what you know, each with its file and why it matters.
- Irrelevant Paths to Ignore: where you found nothing, so that you do not look there again.

You are done when no line of the checklist and no question is open. Only then report.`

func help() *Definition {
	return &Definition{
		Name: "cli_help", DisplayName: "CLI Help Agent", Kind: LocalKind, Origin: Builtin,
		Description: "Answers questions about Pollux itself, the program that you run in: features, commands, settings, policies, hooks, MCP servers, how to write subagents. It reads the documentation of this version.",
		Input:       "question",
		Query:       "Answer this question about Pollux:\n<question>\n${question}\n</question>",
		Tools:       []string{"get_internal_docs"},
		Class:       QuickAnswer,
		MaxTurns:    10, Timeout: 3 * time.Minute,
		Output: &Output{
			Name: "report", Description: "the answer, and the pages that it is from.",
			Schema: json.RawMessage(`{"type":"object","properties":{` +
				`"answer":{"type":"string","description":"The answer, with the exact commands, keys and file names."},` +
				`"sources":{"type":"array","items":{"type":"string"},"description":"The pages of the documentation that the answer is from."}},` +
				`"required":["answer","sources"],"additionalProperties":false}`),
			Text: withSources,
		},
		Prompt: `You answer questions about Pollux, a terminal agent that understands the files and settings of Gemini CLI.

Version: ${cliVersion}. Model of the session: ${activeModel}. Today: ${today}.

- Call get_internal_docs without a path for the list of pages, then read those that the question is about: two or three at once, not all.
- Answer from the pages alone. If they do not say it, say that they do not, and name the nearest thing that they say.
- Give exact commands, setting keys with an example value, and file names. Say where something differs from Gemini CLI if the pages do.
- Be short: the answer, an example, nothing else.`,
	}
}

func generalist() *Definition {
	return &Definition{
		Name: "generalist", DisplayName: "Generalist Agent", Kind: LocalKind, Origin: Builtin,
		Description: "A general agent with all tools. Use it for work of many turns or much output that would fill this conversation: the same change in many files, fixing a list of errors, commands with long output, a trial that may fail.",
		Input:       "request",
		Query:       "${request}",
		IsCore:      true,
		MaxTurns:    20, Timeout: 10 * time.Minute,
		Output: &Output{
			Name: "result", Description: "the result of the task.",
			Schema: json.RawMessage(`{"type":"object","properties":{"response":{"type":"string","description":"What you did and found, what you checked, and what is left."}},"required":["response"],"additionalProperties":false}`),
			Text:   indented,
		},
	}
}

// indented returns a value as indented JSON.
func indented(value json.RawMessage) string {
	var text bytes.Buffer
	if json.Indent(&text, value, "", "  ") != nil {
		return string(value)
	}
	return text.String()
}

// withSources returns an answer followed by the list of its sources.
func withSources(value json.RawMessage) string {
	var report struct {
		Answer  string
		Sources []string
	}
	if json.Unmarshal(value, &report) != nil {
		return string(value)
	}
	text := strings.TrimSpace(report.Answer)
	var sources []string
	for _, s := range report.Sources {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(sources, s) {
			sources = append(sources, s)
		}
	}
	if len(sources) == 0 {
		return text
	}
	return text + "\n\n**Sources:**\n- " + strings.Join(sources, "\n- ")
}
