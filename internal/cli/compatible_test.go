package cli

// better is what is better in Pollux than in Gemini CLI 0.61, by the name of the thing
// in docs/compatibility.md. Each row links to where it is told.
var better = map[string]string{
	"--prompt":              "given twice the last counts ([how options are read](command-line.md))",
	"--include-directories": "a directory that is missing is a warning, not a crash ([how options are read](command-line.md))",
	"--ignore-env":          "Gemini CLI's own parser does not know it ([how options are read](command-line.md))",
	"--version":             "reads no file and leaves none ([how options are read](command-line.md))",
	"--help":                "by topic; reads no file and leaves none ([how options are read](command-line.md))",
	"--model":               "also `provider/model`, of any vendor ([models](models.md))",
	"--output-format":       "ends with a result, errors and signals included ([scripts](headless.md))",
	"--policy":              "a path that is missing is told ([policies](policies.md))",
	"--screen-reader":       "a face of lines, for good ([plain](plain.md))",

	"/auth":        "also keys of other providers ([authentication](authentication.md))",
	"/compress":    "takes what to keep in mind ([commands](commands.md))",
	"/help":        "answers scripts, too ([commands](commands.md))",
	"/memory":      "`add` is still there ([commands](commands.md))",
	"/model":       "also `provider/model`, in mid-session ([models](models.md))",
	"/permissions": "lists what was allowed in the session ([commands](commands.md))",
	"/stats":       "with prices, also for scripts ([commands](commands.md))",
	"/tools":       "answers scripts, too ([commands](commands.md))",

	"grep_search":       "the same hits with `rg` and without ([tools](tools.md))",
	"run_shell_command": "output of any size in bounded memory ([tools](tools.md))",
	"web_fetch":         "looks at the address that is really dialled ([tools](tools.md))",
	"write_todos":       "for every model ([tools](tools.md))",

	"exit 1":   "errors of the API in every format; Gemini CLI exits with the HTTP status modulo 256 in two of them ([scripts](headless.md))",
	"exit 41":  "also where the machine's own credentials do not work ([authentication](authentication.md))",
	"exit 130": "also for a signal that comes from no keyboard ([scripts](headless.md))",

	"output.format":                        "may be `stream-json` ([scripts](headless.md))",
	"security.auth.selectedType":           "also other providers ([authentication](authentication.md))",
	"security.enablePermanentToolApproval": "shows the rule before it is kept ([policies](policies.md))",
	"telemetry":                            "`true` stands for `{\"enabled\": true}` ([telemetry](telemetry.md))",

	"$GOOGLE_GEMINI_BASE_URL": "beside a key it needs no settings ([authentication](authentication.md))",
}
