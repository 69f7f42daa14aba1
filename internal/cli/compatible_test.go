package cli

// better has a note for each thing that is better in Pollux than in Gemini CLI 0.61, by its name
// in docs/compatibility.md. Each note links to its description.
var better = map[string]string{
	"--prompt":              "if given twice, the last one counts ([command line](command-line.md))",
	"--include-directories": "a missing directory is a warning, not a crash ([command line](command-line.md))",
	"--ignore-env":          "accepted; Gemini CLI's own parser refuses it ([command line](command-line.md))",
	"--version":             "reads and writes no file ([command line](command-line.md))",
	"--help":                "by topic; reads and writes no file ([command line](command-line.md))",
	"--model":               "also `provider/model`, of any provider ([models](models.md))",
	"--output-format":       "always ends with a result, also after errors and signals ([scripts](headless.md))",
	"--policy":              "warns about a missing path ([policies](policies.md))",
	"--acp":                 "also lists, resumes, closes and deletes sessions, with commands, the output of running commands, forms, levels of thinking, and calls that end after a refusal ([editors](editors.md))",
	"--worktree":            "enters an existing worktree again, removes an unchanged one, runs no programs of the repository ([worktrees](worktrees.md))",
	"--extensions":          "names an extension that does not exist ([extensions](extensions.md))",
	"--list-extensions":     "also in scripts, on standard output ([extensions](extensions.md))",
	"--skip-trust":          "a `.env` file that no one has seen sets only what describes the project's own work ([environment](environment.md))",
	"--screen-reader":       "lines of text only, for the whole session ([sessions](plain.md))",

	"pollux extensions": "an update shows what changes, and keeps the old copy if it fails; `list` prints to standard output ([extensions](extensions.md))",

	"pollux mcp":   "also `serve`, `test` and `--json`; keeps other servers in folders that are not trusted ([MCP servers](mcp.md))",
	"/auth":        "also keys of other providers ([authentication](authentication.md))",
	"/compress":    "takes what to keep ([commands](commands.md))",
	"/help":        "also in scripts ([commands](commands.md))",
	"/mcp":         "servers start when they are used, and again when they end ([MCP servers](mcp.md))",
	"/memory":      "still has `add` ([commands](commands.md))",
	"/model":       "also `provider/model`, within a session ([models](models.md))",
	"/permissions": "lists what you have allowed in the session ([commands](commands.md))",
	"/restore":     "for each call that may have changed something, in each mode and without git, what commands have changed included; it also returns to checkpoints that Gemini CLI has left ([sessions](sessions.md))",
	"/rewind":      "can go on in a copy of the session; also for stored sessions ([sessions](sessions.md))",
	"/stats":       "with prices, and over time ([statistics](stats.md)); also in scripts ([commands](commands.md))",
	"/tools":       "also in scripts ([commands](commands.md))",

	"grep_search":       "the same matches with `rg` and without ([tools](tools.md))",
	"run_shell_command": "output of any size in bounded memory ([tools](tools.md))",
	"web_fetch":         "checks the address that it connects to ([tools](tools.md))",
	"write_todos":       "for every model ([tools](tools.md))",

	"exit 1":   "API errors in every format; Gemini CLI exits with the HTTP status modulo 256 in two formats ([scripts](headless.md))",
	"exit 41":  "also if the credentials of the machine do not work ([authentication](authentication.md))",
	"exit 55":  "also for a folder with guard hooks that the user has not seen ([trust](security.md#what-was-seen))",
	"exit 52":  "also if a setting, hook or policy that may restrict cannot be used ([trust](security.md#what-was-seen))",
	"exit 130": "also after SIGINT without a terminal ([scripts](headless.md))",

	"output.format":                                 "may be `stream-json` ([scripts](headless.md))",
	"security.auth.selectedType":                    "also other providers ([authentication](authentication.md))",
	"security.environmentVariableRedaction.enabled": "whole words of names count, so `MONKEY` stays and `DATABASE_URL`, `COOKIE` and `SENTRY_DSN` go; also values of other secrets ([security](security.md#secrets))",
	"security.toolSandboxing":                       "also asks about single hosts while a command waits; `approvedTools` of `sandbox.toml` let no command run unasked, and invalid restrictions end a script ([the sandbox](sandbox.md#by-the-approval-mode))",
	"security.enablePermanentToolApproval":          "shows the rule before it is stored ([policies](policies.md))",
	"telemetry":                                     "`true` stands for `{\"enabled\": true}` ([telemetry](telemetry.md))",

	"$GOOGLE_GEMINI_BASE_URL": "with a key, it needs no settings ([authentication](authentication.md))",
}
