//go:build unix

package gemini

// table lists the differences with their reasons. docs/differences.md is made of it.
var table = []allowed{
	{
		kind: better, scenes: "*",
		paths: []string{`requests[*].headers.User-Agent`, `requests[*].headers.X-Goog-Api-Client`},
		what:  "Request headers name Pollux, not the provider's library, which it does not use.",
	},
	{
		kind: better, scenes: "*",
		paths: []string{`**.cost`},
		what:  "`stats` of `json` and `stream-json` have one more key, `cost`: the price of the tokens in US dollars.",
	},
	{
		kind: better, scenes: "*", sometimes: true,
		paths: []string{
			`runs[*].stdout[*].changed`, `runs[*].stdout.stats.files.totalCreated`, `runs[*].stdout.stats.files.totalChanged`,
			`runs[*].stdout.stats.files.totalDeleted`, `runs[*].stdout.stats.files.totalLinesAdded`, `runs[*].stdout.stats.files.totalLinesRemoved`, `runs[*].stdout.stats.files.paths`,
		},
		what: "The files that calls have changed are in the output, commands included: `changed` in `tool_result` of `stream-json`, more counts and `paths` in `stats.files` of `json`, whose lines are those of commands, too.",
	},
	{
		kind: better, scenes: "*", sometimes: true,
		paths: []string{`home.".gemini/history/*/.project_root"`},
		what:  "The directory of a project in `~/.gemini/history` is made with the first change of a file, not at the start.",
	},
	{
		kind: better, scenes: "*", sometimes: true,
		paths: []string{
			`runs[*].stderr.lines."[STARTUP] *"`, `runs[*].stderr.lines."(node:*"`, `runs[*].stderr.lines."(Use *"`,
			`runs[*].stderr.lines."missing background pid output"`,
		},
		what: "Gemini CLI prints notes of its profiler, of Node.js and of its shell tool on standard error.",
	},
	{
		kind: better, scenes: "*", sometimes: true,
		paths: []string{`home.".gemini/projects.json.…uuid.tmp"`},
		what:  "Gemini CLI leaves temporary files in `~/.gemini` when it ends early.",
	},
	{
		kind: better, scenes: "*", sometimes: true,
		paths: []string{`home.".gemini/tmp/*/logs/session-*.jsonl"`},
		what:  "A run that fails leaves its last events in a log, without their content, for `pollux logs`.",
	},
	{
		kind: better, scenes: "loop empty_answer_json safety stats_errors",
		paths: []string{
			`runs[0].stdout.reason`, `runs[0].stdout.status`, `runs[0].stdout[*].reason`, `runs[0].stderr.lines."[ERROR] The model returned an empty response *"`,
			`runs[0].stderr.lines."[WARNING] Loop detected, stopping execution"`,
		},
		what: "A run that has not done its work says so: `reason` in `json` and `stream-json`, `status` where there is none, and a line on standard error.",
	},
	{
		kind: better, scenes: "write_file list_directory glob",
		paths: []string{
			`requests[*].body.contents.new[1].parts[*].functionResponse.response.error`,
			`runs[0].stderr.lines."Error executing tool *: Path not in workspace: *"`,
		},
		what: "A path outside the workspace is refused with the option that adds directories, where it would help.",
	},
	{
		kind: better, scenes: "api_400 api_500",
		paths: []string{`runs[*].exit`},
		what:  "A failed request ends with code 1 in every format. Gemini CLI exits with the HTTP status modulo 256 in `json` and `stream-json`, such as 144 for 400.",
	},
	{
		kind: better, scenes: "api_400",
		paths: []string{`runs[*].stderr.lines."An unexpected critical error occurred:[object Object]"`, `runs[*].stderr.lines."Request contains an invalid argument*"`},
		what:  "An API error is printed as text, with the next step, instead of `[object Object]`.",
	},
	{
		kind: better, scenes: "api_400 api_404 api_500",
		paths: []string{`runs[*].stderr.lines."Error when talking to Gemini API Full report available at: *"`},
		what:  "Pollux writes no report with the whole conversation into the directory for temporary files, where others can read it.",
	},
	{
		kind: better, scenes: "api_400 api_404 api_500 exit_41 exit_41_type exit_42 exit_52 exit_52_yolo exit_53 exit_55 slash_ui commands",
		paths: []string{`runs[*].stdout`},
		what:  "In `json` and `stream-json`, standard output ends with an object with the error. Gemini CLI writes it to standard error, in `json` only.",
	},
	{
		kind: better, scenes: "exit_41",
		paths: []string{
			`runs[0].stderr.objects[0].error.message`, `runs[1].stderr.lines."Please set an Auth method *"`, `runs[1].stderr.lines."No model is set up*"`,
			`runs[1].stderr.lines."export *"`, `runs[1].stderr.lines."pollux *"`, `runs[1].stderr.lines."ollama *"`, `runs[1].stderr.lines."none answered *"`,
			`runs[1].stderr.lines."30000, 1337"`,
		},
		what: "Without a model, the message lists the keys to set with the page of each, `pollux auth set`, local servers and the ports that Pollux has asked, and `pollux doctor`. Gemini CLI names three variables of Google, of which Pollux supports two.",
	},
	{
		kind: better, scenes: "exit_41_type",
		paths: []string{`runs[0].stderr.objects[0].error.message`},
		what:  "An unknown value of `security.auth.selectedType` is named in the message, with the command that lists the valid ones.",
	},
	{
		kind: better, scenes: "exit_41_vertex",
		paths: []string{
			`runs[0].stderr.lines."Update your environment *"`, `runs[0].stderr.lines."Vertex AI needs *"`, `runs[0].stderr.lines."When using Vertex AI*"`,
			`runs[0].stderr.lines."• *"`,
		},
		what: "What an account lacks is one line.",
	},
	{
		kind: better, scenes: "api_400 api_404 api_500",
		paths: []string{`runs[*].stderr.objects[0].error.details`, `runs[*].stdout[*].error.details`},
		what:  "The error object of `json` and `stream-json` has one key more, `details`: the provider's response as it came, at most 64 KiB, without keys.",
	},
	{
		kind: better, scenes: "api_400 api_500",
		paths: []string{`runs[*].stderr.objects[0].error.message`},
		what:  "`message` in `json` is the provider's sentence. Gemini CLI's is sometimes the sentence and sometimes the response as JSON in a string.",
	},
	{
		kind: better, scenes: "exit_53",
		paths: []string{`runs[0].stderr.objects[1]`},
		what:  "An error is printed once. Gemini CLI prints that of `model.maxSessionTurns` twice.",
	},
	{
		kind: better, scenes: "exit_42",
		paths: []string{`runs[1].stderr.objects`, `runs[1].stderr.lines."No input*"`},
		what:  "A missing prompt is reported as JSON in `json`, like all other errors.",
	},
	{
		kind: better, scenes: "api_404",
		paths: []string{`runs[0].stderr.objects[0].error.code`},
		what:  "A model that does not exist is reported like other API errors: with the HTTP status in `code`.",
	},
	{
		kind: better, scenes: "api_400",
		paths: []string{`runs[2].stdout[2].error.message`},
		what:  "The `message` of a `result` event is text, not JSON in a text.",
	},
	{
		kind: better, scenes: "api_500 api_429_then_ok",
		paths: []string{
			`runs[0].stderr.lines."Attempt 1 failed: *"`, `runs[0].stderr.lines."Suggested retry after *"`, `runs[0].stderr.lines."Too many requests. *"`,
		},
		what: "A failed attempt is one line, and only if the next one does not follow soon.",
	},
	{
		kind: better, scenes: "api_429_then_ok",
		paths: []string{`runs[0].stdout.stats.models."gemini-2.5-flash".api.errorsByType.*`},
		what:  "`errorsByType` has the kind, such as `QUOTA_EXCEEDED`; in Gemini CLI it is always `ApiError`.",
	},
	{
		kind: better, scenes: "safety",
		paths: []string{`runs[0].stdout[3].error`},
		what:  "A `result` event with the `status` `error` contains the error.",
	},
	{
		kind: better, scenes: "settings_migrated",
		paths: []string{`home.".gemini/settings.json"`},
		what:  "Settings of older releases work, and the file stays unchanged. Gemini CLI rewrites it.",
	},
	{
		kind: better, scenes: "settings_wrong",
		paths: []string{
			`runs[0].stderr.lines."Unknown setting *"`, `runs[0].stderr.lines."Invalid enum value. *"`,
			`runs[0].stderr.lines."Run 'pollux config explain KEY' *"`, `runs[0].stderr.lines."See: *"`, `runs[0].stderr.lines."Expected: *"`,
		},
		what: "Unknown settings cause a warning, `output.format` may be `stream-json`, and the warning names the command that explains a setting instead of a web page. What was expected is said once for each setting.",
	},
	{
		kind: better, scenes: "commands",
		paths: []string{`files.ran`, `requests[8].body.contents.new[0].parts[1].text`},
		what:  "Text that `@{...}` brings into a custom command is text. Gemini CLI runs the shell commands in it, and replaces `{{args}}`.",
	},
	{
		kind: better, scenes: "commands",
		paths: []string{`requests[4].body.contents.new[0].parts[1].text`},
		what:  "The output of a shell command in a custom command has a line about a signal only if a signal has ended it.",
	},
	{
		kind: better, scenes: "commands",
		paths: []string{
			`runs[*].stderr.lines."Warning: Skipping the command file *"`, `runs[*].stderr.lines."*[FileCommandLoader] *"`,
			`runs[3].stderr.lines."*Failed to inject content*"`, `runs[3].stderr.lines."Warning: File *"`,
		},
		what: "A command file that is left out and a file that a command cannot bring in are one line each, on standard error. Gemini CLI prints some of them on standard output, before the JSON.",
	},
	{
		kind: better, scenes: "commands",
		paths: []string{`runs[5].stderr.objects[0].error.message`},
		what:  "If a shell command of a custom command is denied, the message names the rule or the mode, and what allows it.",
	},
	{
		kind: better, scenes: "commands",
		paths: []string{`runs[*].stderr.lines."Warning: * is the name of several commands. *"`},
		what:  "A name that two command files have is sent to the model with a warning that has their new names.",
	},
	{
		kind: better, scenes: "slash_unknown",
		paths: []string{`runs[0].stderr.lines."Warning: * is not a command. *"`},
		what:  "A prompt that begins like a / command and is none is sent to the model with a warning.",
	},
	{
		kind: better, scenes: "slash_ui",
		paths: []string{`runs[0].stderr.objects[0].error.message`},
		what:  "The error of a / command that needs a session names a way that works without one.",
	},
	{
		kind: better, scenes: "exit_52",
		paths: []string{`runs[*].stderr.lines."Error in $HOME/.gemini/settings.json: *"`},
		what:  "An error in a settings file has the line and column.",
	},
	{
		kind: better, scenes: "model_3 model_retired",
		paths: []string{`runs[*].stderr.lines."Warning: Using * instead of *"`},
		what:  "If a newer model replaces the named one, such as `gemini-3.1-pro-preview` for `gemini-3-pro-preview`, a notice on standard error says so.",
	},
	{
		kind: better, scenes: "at_file",
		paths: []string{`requests[0].body.contents.new[0].parts[1].text`},
		what:  "Mail addresses in a prompt stay as they are. Gemini CLI puts a space before the `@`.",
	},
	{
		kind: better, scenes: "at_file",
		paths: []string{`runs[0].stderr.lines."Warning: No file *"`},
		what:  "If a prompt names a file that does not exist with `@`, a warning on standard error says so.",
	},
	{
		kind: better, scenes: "tools_core tools_allowed",
		paths: []string{
			`requests[*].body.contents.new[1].parts[0].functionResponse.response.error`,
			`runs[*].stderr.lines."Error executing tool *"`,
		},
		what: "If a tool is denied, the model and the user learn which setting, mode or policy file denies it, and what allows it.",
	},
	{
		kind: better, scenes: "mcp_settings ext_remote",
		paths: []string{`runs[0].stderr.lines."MCP issues detected. *"`, `runs[0].stderr.lines."Warning: MCP server *"`},
		what:  "An MCP server that cannot be used is named, with the reason.",
	},
	{
		kind: better, scenes: "glob_link",
		paths: []string{`requests[4].body.contents.new[0].parts[3].text`},
		what:  "A file attached with a glob has its own name in the message, not the glob.",
	},
	{
		kind: better, scenes: "at_directory",
		paths: []string{`requests[0].body.contents.new[0].parts[7].text`},
		what:  "The content of a file found by a pattern has the file's name as its heading, not the pattern.",
	},
	{
		kind: better, scenes: "memory_agents",
		paths: []string{`requests[0].body.contents.new[0].parts[0].text`},
		what:  "`AGENTS.md` is a memory file without a setting, and `CLAUDE.md` is one in directories without `AGENTS.md` and `GEMINI.md`. Memory with the same content is sent once.",
	},
	{
		kind: better, scenes: "memory_file_name",
		paths: []string{`requests[0].body.contents.new[0].parts[0].text`},
		what:  "Memory files of one directory come in the order of `context.fileName`, not in alphabetical order.",
	},
	{
		kind: better, scenes: "bad_arguments",
		paths: []string{`requests[1].body.contents.new[*]**`, `runs[0].stderr.lines."Error executing tool *"`, `runs[0].stdout[*].parameters.*`, `runs[0].stdout[*].error.*`, `runs[0].stdout[*].output`},
		what:  "Wrong names of arguments with a clear meaning are accepted, such as `path` for `file_path`, and so are values such as `\"5\"` for a number. One error lists all missing and unknown names. The result lists the names that were ignored.",
	},
	{
		kind: better, scenes: "read_file",
		paths: []string{
			`requests[1].body.contents.new[1].parts[11].functionResponse.response.error`,
			`runs[0].stdout.stats.tools.byName.read_file.decisions.accept`, `runs[0].stdout.stats.tools.totalDecisions.accept`,
		},
		what: "A number is accepted as text, such as `7` for `file_path`.",
	},
	{
		kind: better, scenes: "unknown_tool",
		paths: []string{
			`requests[1].body.contents.new[1].parts[1].functionResponse.response.error`,
			`runs[0].stdout[5].error.message`, `runs[0].stdout[5].output`, `runs[0].stderr.lines."Error executing tool read_files: *"`,
		},
		what: "If a tool does not exist, the error suggests tools that do the same or have the same words in their names. Gemini CLI suggests the three with the most similar letters. A call of another program's tool, such as `bash` or `Edit`, runs as the tool that does the same if its arguments are clear.",
	},
	{
		kind: better, scenes: "mode_default mode_auto_edit tools_exclude ext_exclude",
		paths: []string{
			`requests[1].body.contents.new[1].parts[*].functionResponse.response.error`,
			`runs[0].stdout[*].error.message`, `runs[0].stdout[*].output`, `runs[0].stderr.lines."Error executing tool *"`,
		},
		what: "If a policy denies a tool, the error gives the reason. Gemini CLI reports that the tool is not found and suggests others.",
	},
	{
		kind: better, scenes: "grep_search tool_results",
		paths: []string{`requests[*].body.contents.new[0].parts[*].functionCall.args.context`},
		what:  "A call is sent back as the model made it. Gemini CLI adds an argument `context` to searches with few hits.",
	},
	{
		kind: better, scenes: "*",
		paths: []string{`requests[*].body.tools.functions.update_topic`, `requests[*].body.tools.functions.enter_plan_mode`},
		what:  "An unattended run does not declare `update_topic`, because no person sees the topic, and has no `enter_plan_mode`, because no person can approve the plan. `tools.allowed` brings them back.",
	},
	{
		kind: better, scenes: "grep_search",
		paths: []string{`requests[2].body.contents.new[1].parts[*].functionResponse.response.output`},
		what:  "The lines around a match are complete. By default, one to three matches come with five lines before and five lines after. There are no more matches than `max_matches_per_file` allows.",
	},
	{
		kind: better, scenes: "glob glob_link include_directories tool_results",
		paths: []string{`requests[*].body.contents.new[1].parts[*].functionResponse.response.output`},
		what:  "`glob` returns paths relative to the working directory, which are shorter. Files in other directories keep their absolute paths.",
	},
	{
		kind: better, scenes: "*",
		paths: []string{`requests[*].body.tools.functions.read_file.parametersJsonSchema.properties.outline`},
		what:  "`read_file` has a parameter `outline`, for the declarations of a file with their lines. If a source file is too large for the result, the outline of the lines that are left out follows the text.",
	},
	{
		kind: better, scenes: "*",
		paths: []string{
			`requests[*].body.tools.functions.run_shell_command.parametersJsonSchema.properties.timeout_seconds`,
			`requests[*].body.tools.functions.read_background_output.parametersJsonSchema.properties.*`,
			`requests[*].body.tools.functions.stop_background_process`,
		},
		what: "A command can have a time limit (`timeout_seconds`), `read_background_output` waits for a line or for the end, and `stop_background_process` ends what runs in the background.",
	},
	{
		kind: better, scenes: "read_file",
		paths: []string{`requests[1].body.contents.new[1].parts[*].functionResponse.response.error`, `runs[0].stdout.stats.tools.**`},
		what:  "Reading from a line past the end of a file is an error with the number of lines.",
	},
	{
		kind: better, scenes: "grep_search",
		paths: []string{`requests[2].body.contents.new[1].parts[*].functionResponse.response.output`},
		what:  "`grep_search` returns paths relative to the working directory, whatever `dir_path` is. If there are too many matches, each file has a share, the result counts all, and names the omitted files; `names_only` counts files. Hidden files are searched, except those that often contain credentials.",
	},
	{
		kind: better, scenes: "grep_search",
		paths: []string{
			`requests[2].body.contents.new[1].parts[6].functionResponse.response.*`, `runs[0].stderr.lines."Error executing tool grep_search: *"`,
			`runs[0].stdout.stats.tools.**`,
		},
		what: "A pattern that is not a regular expression, or has no matches as one, is searched as literal text.",
	},
	{
		kind: better, scenes: "tool_results",
		paths: []string{`requests[1].body.contents.new[1].parts[6].functionResponse.response.output`},
		what:  "A search without matches names what it did not search, such as ignored files.",
	},
	{
		kind: better, scenes: "replace",
		paths: []string{`files."code.go"`, `requests[3].body.contents.new[1].parts[0].functionResponse.response.output`},
		what:  "An edit whose texts are indented with spaces leaves no spaces in a file that is indented with tabs.",
	},
	{
		kind: better, scenes: "*",
		paths: []string{`requests[*].body.tools.functions.replace.parametersJsonSchema.required[*]`},
		what:  "`replace` needs no `instruction`.",
	},
	{
		kind: better, scenes: "replace write_file tool_results mode_auto_edit mode_setting parallel tools_allowed hooks_outputs hooks_tool_input",
		paths: []string{`requests[*].body.contents.new[1].parts[*].functionResponse.response.output`},
		what:  "The result of writing a file is the number of lines, not the content. The result of an edit has the first two places with three lines around them and line numbers, or only the line numbers if `new_string` has these lines. Edits notice what has changed in a file since the model has read it, and only a second call overwrites a file that the model has not read; the result names syntax errors that an edit has made. Gemini CLI overwrites both, and checks nothing.",
	},
	{
		kind: better, scenes: "replace_fails",
		paths: []string{`runs[0].stdout.warnings`},
		what:  "A run warns if the last edit of a file has failed and was not repeated.",
	},
	{
		kind: better, scenes: "hooks_outputs hooks_tool_deny",
		paths: []string{
			`runs[*].stderr.lines."Hook execution for *"`, `runs[*].stderr.lines."Hook(s) [*"`, `runs[*].stderr.lines."[WARNING] Hook(s) [*"`,
		},
		what: "If a hook fails, one line says so and names the command that shows why, `pollux hooks test`. Gemini CLI prints three lines. A hook that blocks with exit code 2, as it should, has not failed.",
	},
	{
		kind: better, scenes: "hooks_broken",
		paths: []string{
			`home.".gemini/trusted_hooks.json"`, `runs[0].stderr.lines."- *"`, `runs[0].stderr.lines."Command hook *"`, `runs[0].stderr.lines."Discarding *"`,
			`runs[0].stderr.lines."Invalid *"`, `runs[0].stderr.lines."Warning: *"`, `runs[0].stderr.lines."Error in: *"`, `runs[0].stderr.lines."Expected*"`,
			`runs[0].stderr.lines."Please fix *"`, `runs[0].stderr.lines."See: *"`,
		},
		what: "Each mistake in the configuration of hooks is one line, with the cause. A hook that cannot run is not in the list of the project's hooks.",
	},
	{
		kind: better, scenes: "hooks_lost policies_lost settings_twice",
		paths: []string{
			`requests[0]`, `runs[0].exit`, `runs[0].stdout`, `runs[0].stderr.lines."*"`, `home.".gemini/trusted_hooks.json"`,
			`home.".gemini/projects.json"`, `home.".gemini/tmp/project/.project_root"`,
		},
		what: "A script ends with exit code 52 if a hook that may refuse something, or a policy that may deny or ask, cannot be read, or if a value that restricts is hidden by another one in the same settings file. Gemini CLI goes on without them.",
	},
	{
		kind: better, scenes: "hooks_model_stop",
		paths: []string{`runs[1].stdout.stats.models."gemini-2.5-flash"`},
		what:  "The tokens of a response that a hook stopped are counted, because they cost.",
	},
	{
		kind: better, scenes: "hooks_tail",
		paths: []string{`runs[*].stdout[*].executions`},
		what:  "A `tool_result` of `stream-json` has one key more, `executions`, if what ran is not what `tool_use` has: a hook changed the call or continued it with another one.",
	},
	{
		kind: better, scenes: "hooks_outputs",
		paths: []string{
			`files."h.txt"`, `files."k.txt"`, `requests[1].body.contents.new[1].parts[*].functionResponse.response.error`,
			`runs[0].stderr.lines."Error executing tool write_file: Tool execution blocked: *"`, `runs[0].stderr.lines."Hook system message: note"`,
			`runs[0].stderr.lines."{\"decision\": \"deny\"}"`, `runs[0].stdout[21].**`, `runs[0].stdout[24].**`,
		},
		what: "Exit code 2 of a hook blocks unless its JSON has a decision, and a denial in JSON behind other text, or in the words of another agent, is a denial. Gemini CLI runs the call.",
	},
	{
		kind: better, scenes: "dotenv ext_settings",
		paths: []string{
			`requests[0].headers.X-Team`, `requests[0].headers.X-Trace`, `requests[1].body.contents.new[1].parts[0].functionResponse.response.output`,
			`runs[0].stdout.warnings`, `runs[0].stderr.lines."- .env sets *"`,
			`runs[0].stderr.lines."To look at it and use it, start pollux here in a terminal."`,
			`runs[0].stderr.lines."Warning: Ignoring what you have not seen of this folder:"`,
		},
		what: "In a folder that a variable or a flag trusts, no one has seen its `.env` file: it sets variables that describe the project's own work, its own key and the model, not headers for requests or settings of extensions.",
	},
	{
		kind: better, scenes: "hooks_session",
		paths: []string{`runs[0].stderr.lines."Warning: The matcher *"`},
		what:  "A warning names a hook's matcher that can match nothing.",
	},
	{
		kind: words, scenes: "hooks_payload_agent",
		paths: []string{`home.".gemini/trusted_hooks.json"`},
		what:  "The order of the hooks in `~/.gemini/trusted_hooks.json`.",
	},
	{
		kind: better, scenes: "replace",
		paths: []string{`runs[0].stdout.stats.files.totalLinesAdded`},
		what:  "The lines of a file that `replace` makes count as added.",
	},
	{
		kind: better, scenes: "stream_json parallel read_file",
		paths: []string{`runs[0].stderr.lines."Error executing tool read_file: *"`, `runs[0].stdout[*].output`},
		what:  "The message to the user about a missing file, or a directory, names it.",
	},
	{
		kind: better, scenes: "shell_git",
		paths: []string{`requests[*].body.contents.new[1].parts[0].functionResponse.response.output`},
		what:  "In a trusted folder the model's `git` has the user's configuration, identity, hooks and credential helpers, and `git diff` works. Gemini CLI hides the configuration and sets `diff.external` to nothing, with which git 2.39 fails.",
	},
	{
		kind: better, scenes: "*",
		paths: []string{`requests[*].body.tools.functions.*.parametersJsonSchema.properties.wait_for_previous`},
		what:  "Calls that can change something run one after the other, in the order of the response; calls that only read, commands included, and edits of different files run in parallel (`pollux.parallel`). After a failed edit, later commands of the same response do not run. Every call accepts `wait_for_previous`, and no tool declares it. A `tool_result` of `stream-json` comes when its call and all before it have ended, not when all have.",
	},
	{
		kind: better, scenes: "shell_text shell_long tools_core tools_allowed parallel tool_results glob_link",
		paths: []string{`requests[*].body.contents.new[1].parts[*].functionResponse.response.output`},
		what:  "The result of a command contains the process group only if processes still run, the name of a signal, the exit codes of a pipe that hides a failure, the indentation of the first line, the last state of a progress bar, and advice after a timeout.",
	},
	{
		kind: better, scenes: "tool_results",
		paths: []string{`runs[0].stdout[*].output`},
		what:  "The output of a failed command that a person sees always ends with the exit code. A timeout below one minute is in seconds.",
	},
	{
		kind: better, scenes: "shell",
		paths: []string{`requests[8].body.contents.new[1].parts[0].functionResponse.response.*`},
		what:  "A command with a substitution runs if each of its commands is allowed, and asks for approval otherwise. `pollux.shell.substitution` set to `refuse` refuses it. Gemini CLI asks for approval, does not run the command, and counts the call as a success.",
	},
	{
		kind: better, scenes: "shell_long",
		paths: []string{`home.".gemini/tmp/*/tool-outputs/session-…uuid/*.txt"`},
		what:  "The file with the complete output has a short name, the tool and a number, because the ids of some providers are long. Of output above 16 MiB it has the first 14 and the last 2 MiB; Gemini CLI keeps the last 16.",
	},
	{
		kind: better, scenes: "loop",
		paths: []string{
			`requests[*].body.contents.*`, `requests[*].body.contents.new**`, `runs[0].stdout[*]`, `runs[0].stdout[*].*`,
			`runs[0].stderr.lines."Error executing tool list_directory: Not run: *"`,
		},
		what: "The fifth identical call does not run: its result is a warning to the model, and the next such call ends the run. Earlier messages stay unchanged, so that the prompt cache works; Gemini CLI replaces the prompt.",
	},
	{
		kind: better, scenes: "loop_text",
		paths: []string{`requests[*].body.contents.*`, `requests[*].body.contents.new**`, `runs[0].stderr.lines."[WARNING] Loop detected, stopping execution"`, `runs[0].stderr.lines."Error executing tool list_directory: Not run: *"`},
		what:  "The text format, too, reports on standard error that a call in a loop was not run, and that a loop ended the run.",
	},
	{
		kind: better, scenes: "model_auto",
		paths: []string{`requests[*]`, `requests[0].**`, `runs[0].stdout[3].stats.models."*"`, `runs[0].stderr.lines."*"`},
		what:  "If no model is named, the large one answers without a routing request. With `pollux.routing` set to `always`, or the model `auto`, a small model decides first, as in Gemini CLI.",
	},
	{
		kind: words, scenes: "directory_file",
		paths: []string{
			`requests[*].body.contents.new[1].parts[0].functionResponse.response.error`,
			`runs[0].stdout[*].error.message`, `runs[0].stdout[*].output`, `runs[0].stderr.lines."Error executing tool replace: *"`,
		},
		what: "The error if the file to edit is a directory.",
	},
	{
		kind: words, scenes: "usage_conflict usage_unknown_flag",
		paths: []string{`runs[0].stderr.lines."*"`, `runs[1].stderr.lines."*"`, `runs[2].stderr.lines."*"`, `runs[3].stderr.lines."*"`},
		what:  "A usage error is one line: the message, a hint, and how to get help.",
	},
	{
		kind: words, scenes: "exit_42",
		paths: []string{`runs[0].stderr.lines."No input*"`, `runs[2].stderr.lines."No input*"`},
		what:  "The message about a missing prompt names Pollux.",
	},
	{
		kind: better, scenes: "tools_allowed tools_exclude",
		paths: []string{`runs[*].stderr.lines."Warning: *"`},
		what:  "No warning at each start that `tools.allowed` and `tools.exclude` are deprecated: `pollux doctor` says so.",
	},
	{
		kind: better, scenes: "ext_exclude",
		paths: []string{`requests[2].body.contents.new[1].parts[0].functionResponse.response.*`, `runs[0].stdout.stats.tools.**`},
		what:  "`excludeTools` of an extension may name commands, such as `run_shell_command(rm -rf)`, as Gemini CLI's documentation says. Gemini CLI ignores these entries.",
	},
	{
		kind: better, scenes: "ext_policies",
		paths: []string{
			`requests[3].body.contents.new[1].parts[0].functionResponse.response.error`, `runs[1].stderr.lines."Error executing tool *"`,
			`runs[*].stderr.lines."[EXTENSION] Policy file *"`, `runs[*].stderr.lines."Rule ignored"`, `runs[*].stderr.lines."rule #*"`,
			`runs[*].stderr.lines."Suggestion: copy the rule *"`, `runs[*].stderr.lines."[PolicyConfig] Extension *"`,
		},
		what: "A warning about a policy of an extension names the file and the line, and a refusal has the rule's message.",
	},
	{
		kind: better, scenes: "ext_only",
		paths: []string{`runs[2].stderr.lines."Extension not found: gone"`},
		what:  "`--extensions` with an extension that does not exist is reported.",
	},
	{
		kind: better, scenes: "ext_commands",
		paths: []string{`runs[2].stderr.lines."Warning: /dup is *"`},
		what:  "A name that several commands have, one of an extension among them, is reported.",
	},
	{
		kind: better, scenes: "commands ext_commands", sometimes: true,
		paths: []string{`runs[*].stderr.lines."*Conflicts detected for command *"`, `runs[*].stderr.lines."- * command * was renamed to *"`},
		what:  "Commands with the same name are reported when the name is used, not at each start that takes long enough.",
	},
	{
		kind: better, scenes: "ext_all ext_settings ext_stdio hooks_payload_mcp",
		paths: []string{`home.".gemini/pollux/mcp-offers/*.json"`},
		what:  "What an MCP server offers is kept, so that the next session need not start it before its tools are used.",
	},
	{
		kind: better, scenes: "ext_broken",
		paths: []string{`runs[0].stderr.lines."Warning: Extension linked: *"`, `runs[0].stderr.lines."Warning: Ignoring MCP server *"`},
		what:  "Parts of a manifest that are left out are named.",
	},
	{
		kind: words, scenes: "ext_broken ext_contexts",
		paths: []string{
			`runs[0].stderr.lines."Warning: Skipping extension in *"`, `runs[0].stderr.lines."Warning: Extension many: *"`,
			`runs[0].stderr.lines."[ExtensionManager] Invalid contextFileName*"`,
		},
		what: "Why an extension or a part of it is skipped.",
	},
	{
		kind: words, scenes: "exit_55",
		paths: []string{`runs[*].stderr.lines."* is not running in a trusted directory. *"`},
		what:  "The error for an untrusted folder.",
	},
	{
		kind: words, scenes: "exit_52_yolo",
		paths: []string{`runs[*].stderr.lines."Cannot start in YOLO mode *"`, `runs[*].stderr.lines."YOLO mode is disabled *"`},
		what:  "The error if `--yolo` is disabled.",
	},
	{
		kind: words, scenes: "system_md_missing",
		paths: []string{`runs[0].stderr.lines."An unexpected critical error occurred:*"`, `runs[0].stderr.lines."Error initializing Gemini chat session. *"`},
		what:  "The error if the file of `GEMINI_SYSTEM_MD` is missing.",
	},
	{
		kind: words, scenes: "read_file",
		paths: []string{`requests[1].body.contents.new[1].parts[*].functionResponse.response.output`},
		what:  "The line before a part of a file has its line numbers and how to read on. It is also there if the model asked for the part. An empty file is called empty.",
	},
	{
		kind: words, scenes: "list_directory",
		paths: []string{`requests[1].body.contents.new[1].parts[2].functionResponse.response.error`},
		what:  "The error if a directory does not exist.",
	},
	{
		kind: words, scenes: "replace_fails",
		paths: []string{`requests[*].body.contents.new[1].parts[0].functionResponse.response.error`, `runs[0].stderr.lines."Error executing tool replace: *"`},
		what:  "The reason why an edit failed.",
	},
	{
		kind: words, scenes: "shell",
		paths: []string{`requests[*].body.contents.new[1].parts[0].functionResponse.response.*`, `runs[0].stderr.lines."Error executing tool run_shell_command: *"`},
		what:  "The result of a command with a substitution, the error for a missing directory, and line numbers in bash's own messages.",
	},
	{
		kind: better, scenes: "mode_plan",
		paths: []string{`requests[*].body.tools.functions.run_shell_command`},
		what:  "In plan mode commands that only read run, and tools of servers that do not say whether they change something are asked for.",
	},
	{
		kind: words, scenes: "mode_plan",
		paths: []string{`requests[1].body.contents.new[1].parts[0].functionResponse.response.error`, `runs[0].stderr.lines."Error executing tool write_file: *"`, `runs[0].stdout[3].error.message`, `runs[0].stdout[3].output`},
		what:  "The error for edits in plan mode.",
	},
	{
		kind: words, scenes: "empty_answer_text empty_answer_json safety stats_errors",
		paths: []string{`requests[*].body.contents.new[0].parts[2].text`},
		what:  "The request that follows an empty answer.",
	},
	{
		kind: words, scenes: "memory ext_context",
		paths: []string{`requests[0].body.systemInstruction.memory`},
		what:  "The tag around the user's memory in the system instruction is always `<global_context>`.",
	},
	{
		kind: words, scenes: "todos",
		paths: []string{`runs[0].stdout[4].output`},
		what:  "The display of a new topic.",
	},
	{
		kind: better, scenes: "*",
		paths: []string{`home.".gemini/tmp/*/chats/*"`},
		what:  "Session files are only appended to: a response is recorded once, with its calls, and their results as the next message. The names end with the last characters of the id: after a resume, Gemini CLI deletes all files that end with the first eight.",
	},
	{
		kind: better, scenes: "api_500", sometimes: true, // both have a file
		paths: []string{`home.".gemini/tmp/*/chats/*"`},
		what:  "The prompt of a failed request stays in the session, so that `--resume` goes on with it, unless the provider refused what it says. Gemini CLI removes it.",
	},
	{
		kind: better, scenes: "*",
		paths: []string{
			`requests[*].body.tools.functions.activate_skill.parametersJsonSchema."$schema"`,
			`requests[*].body.tools.functions.activate_skill.parametersJsonSchema.properties.name.enum[*]`,
		},
		what: "Pollux has no skill `antigravity-support`, which is about another product of Google.",
	},
	{
		kind: better, scenes: "skills_off",
		paths: []string{`requests[*].body.tools.functions.activate_skill`},
		what:  "Without skills, there is no tool `activate_skill`.",
	},
	{
		kind: better, scenes: "skills_default",
		paths: []string{`runs[0].stderr.lines."Warning: /tidy is not a command here. *"`},
		what:  "A script with `/` and the name of a skill gets a warning that the text goes to the model.",
	},
	{
		kind: better, scenes: "skills_default ext_all",
		paths: []string{`requests[*].body.systemInstruction.skills`, `requests[2].body.systemInstruction`},
		what:  "Where no skill can be activated, the system instruction does not list skills.",
	},
	{
		kind: words, scenes: "skills",
		paths: []string{
			`requests[1].body.contents.new[1].parts[0].functionResponse.response.output`, `runs[0].stdout[3].output`,
			`runs[0].stderr.lines."Skill conflict detected: *"`, `runs[0].stderr.lines."Warning: Skill conflict detected: *"`,
		},
		what: "The files of an activated skill, as a tree, and the warning about two skills with the same name.",
	},
	{
		kind: better, scenes: "agents",
		paths: []string{`requests[6].body.contents.new[1].parts[0].functionResponse.response.error`},
		what:  "The error about a tool that a subagent does not have names those that it has.",
	},
	{
		kind: better, scenes: "agents",
		paths: []string{`requests[1].body.tools.functions.complete_task.parametersJsonSchema.properties.report.properties.RelevantLocations.items.required[2]`},
		what:  "`codebase_investigator` may leave out the symbols of a file that matters.",
	},
	{
		kind: better, scenes: "agents",
		paths: []string{
			`requests[4].body.contents.new[1].parts[0].functionResponse.response.error`, `requests[8].body.contents.new[4].parts[0].functionResponse.response.error`,
			`runs[0].stderr.lines."Error executing tool invoke_agent: Subagent * not found.*"`, `runs[0].stdout[5].error.message`, `runs[0].stdout[5].output`,
		},
		what: "The error about an unknown subagent names those that there are.",
	},
	{
		kind: better, scenes: "agents",
		paths: []string{`requests[1].body.contents.new[0].parts[0].text`, `requests[11].body.contents.new[1].parts[0].text`},
		what:  "The instructions of the built-in subagents, and the message to a subagent that has used up its turns or its time.",
	},
	{
		kind: better, scenes: "agents",
		paths: []string{`requests[12].body.contents.new[2].parts[0].functionResponse.response.output`, `requests[15].body.contents.new[2].parts[0].functionResponse.response.output`},
		what:  "Of a subagent that ends without a result, the model gets the last text.",
	},
	{
		kind: better, scenes: "agents",
		paths: []string{`runs[0].stdout[9].stats.tool_calls`, `runs[0].stderr.lines."[LocalAgentExecutor] Blocked call: *"`},
		what:  "A call of a tool that a subagent does not have counts as a call, and prints nothing on standard error.",
	},
	{
		kind: better, scenes: "agents_wrong",
		paths: []string{
			`runs[0].stderr.lines."[AgentRegistry] Error loading user agent: *"`, `runs[0].stderr.lines."Used: *"`,
			`runs[0].stderr.lines."tools.0: Invalid tool name"`, `runs[0].stderr.lines."tools.0: Invalid tool name *"`,
		},
		what: "A message about a definition of a subagent is printed once, and names the wrong tool and the file that counts.",
	},
	{
		kind: better, scenes: "system_md",
		paths: []string{`requests[0].body.systemInstruction.text`},
		what:  "`${AvailableTools}` lists the tools that the request declares: a run without a person leaves out `update_topic` and `enter_plan_mode`.",
	},
}
