package gemini

// table lists what is not the same, and why. docs/differences.md is made of it.
var table = []allowed{
	{
		kind: better, scenes: "*",
		paths: []string{`requests[*].headers.User-Agent`, `requests[*].headers.X-Goog-Api-Client`},
		what:  "Requests name Pollux as the one who asks, and not the vendor's library, which it does not use.",
	},
	{
		kind: better, scenes: "*",
		paths: []string{`**.cost`},
		what:  "`stats` of `json` and `stream-json` have one key more, `cost`: what the tokens cost, in dollars.",
	},
	{
		kind: better, scenes: "*", sometimes: true,
		paths: []string{
			`runs[*].stderr.lines."[STARTUP] *"`, `runs[*].stderr.lines."(node:*"`, `runs[*].stderr.lines."(Use *"`,
			`runs[*].stderr.lines."missing background pid output"`,
		},
		what: "Gemini CLI's standard error has notes of its profiler, of Node.js and of its shell tool, which tell the user nothing.",
	},
	{
		kind: better, scenes: "*",
		paths: []string{`home.".gemini/projects.json"`, `home.".gemini/tmp/*/.project_root"`, `home.".gemini/history/*/.project_root"`},
		what:  "A project is entered in `~/.gemini/projects.json` when there is something to keep for it, and not at every start.",
	},
	{
		kind: better, scenes: "*", sometimes: true,
		paths: []string{`home.".gemini/projects.json.…uuid.tmp"`},
		what:  "Gemini CLI leaves temporary files in `~/.gemini` when it ends early.",
	},
	{
		kind: better, scenes: "api_400 api_500",
		paths: []string{`runs[*].exit`},
		what:  "What the model's server refuses ends with code 1 in every format. Gemini CLI exits with what is left of the HTTP status after a division by 256, such as 144 for 400, in `json` and `stream-json`.",
	},
	{
		kind: better, scenes: "api_400",
		paths: []string{`runs[*].stderr.lines."An unexpected critical error occurred:[object Object]"`, `runs[*].stderr.lines."Request contains an invalid argument*"`},
		what:  "An error of the API is told in words, with what can be done about it, in the place of `[object Object]`.",
	},
	{
		kind: better, scenes: "api_400 api_404 api_500",
		paths: []string{`runs[*].stderr.lines."Error when talking to Gemini API Full report available at: *"`},
		what:  "No report with the whole conversation is left in the directory for temporary files, where others can read it.",
	},
	{
		kind: better, scenes: "api_400 api_404 api_500 exit_41 exit_41_type exit_42 exit_53 slash_ui",
		paths: []string{`runs[*].stdout`},
		what:  "Standard output ends with an object that has the error in `json` and `stream-json`, whatever went wrong; Gemini CLI writes it to standard error, in `json` alone.",
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
		what:  "An error is written to standard error once. Gemini CLI writes that of `model.maxSessionTurns` twice.",
	},
	{
		kind: better, scenes: "exit_42",
		paths: []string{`runs[1].stderr.objects`, `runs[1].stderr.lines."No input*"`},
		what:  "That there is no prompt is told as JSON in `json`, as all other errors are.",
	},
	{
		kind: better, scenes: "api_404",
		paths: []string{`runs[0].stderr.objects[0].error.code`, `runs[0].stderr.objects[0].error.message`},
		what:  "A model that does not exist is told like every other error of the API: with the HTTP status in `code`, and with what the server said.",
	},
	{
		kind: better, scenes: "api_400",
		paths: []string{`runs[2].stdout[2].error.message`},
		what:  "The `message` of a `result` event is for people: text, and not JSON in a text.",
	},
	{
		kind: better, scenes: "api_500 api_429_then_ok",
		paths: []string{`runs[0].stderr.lines."Attempt 1 failed: *"`, `runs[0].stderr.lines."Suggested retry after *"`},
		what:  "Attempts that fail are not written to standard error when they are soon followed by the next one.",
	},
	{
		kind: better, scenes: "api_429_then_ok",
		paths: []string{`runs[0].stdout.stats.models."gemini-2.5-flash".api.errorsByType.*`},
		what:  "`errorsByType` names the kind, such as `QUOTA_EXCEEDED`; Gemini CLI says `ApiError` of all.",
	},
	{
		kind: better, scenes: "safety",
		paths: []string{`runs[0].stdout[3].error`},
		what:  "A `result` event whose `status` is `error` says which one.",
	},
	{
		kind: better, scenes: "settings_migrated",
		paths: []string{`home.".gemini/settings.json"`},
		what:  "Settings of older releases are understood, and the file stays as it is. Gemini CLI writes it anew.",
	},
	{
		kind: better, scenes: "settings_wrong",
		paths: []string{`runs[0].stderr.lines."Unknown setting *"`, `runs[0].stderr.lines."Invalid enum value. *"`},
		what:  "A setting that nobody knows is warned about, and `output.format` may be `stream-json`.",
	},
	{
		kind: better, scenes: "exit_52",
		paths: []string{`runs[*].stderr.lines."Error in $HOME/.gemini/settings.json: *"`},
		what:  "Where a settings file is broken is told by line and column.",
	},
	{
		kind: better, scenes: "model_3 model_retired",
		paths: []string{`runs[*].stderr.lines."Warning: Using *, which replaces *"`},
		what:  "Where a newer model is asked for the one that is named, such as `gemini-3.1-pro-preview` for `gemini-3-pro-preview`, standard error says so.",
	},
	{
		kind: better, scenes: "at_file",
		paths: []string{`requests[0].body.contents.new[0].parts[1].text`},
		what:  "Mail addresses in a prompt stay as they are. Gemini CLI puts a space before the `@`.",
	},
	{
		kind: better, scenes: "glob_link",
		paths: []string{`requests[4].body.contents.new[0].parts[3].text`},
		what:  "A file that a glob after `@` brings stands under its own name in the message, and not under the glob.",
	},
	{
		kind: better, scenes: "at_directory",
		paths: []string{`requests[0].body.contents.new[0].parts[7].text`},
		what:  "The content of a file that a pattern after `@` has found is headed by the file's name, and not by the pattern.",
	},
	{
		kind: better, scenes: "memory_file_name",
		paths: []string{`requests[0].body.contents.new[0].parts[0].text`},
		what:  "Memory files of one directory are told in the order of `context.fileName`, and not of the alphabet.",
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
		what: "If a tool does not exist, the error suggests tools that do the same or have the same words in their names. Gemini CLI suggests the three with the most similar letters.",
	},
	{
		kind: better, scenes: "mode_default mode_auto_edit tools_exclude",
		paths: []string{
			`requests[1].body.contents.new[1].parts[*].functionResponse.response.error`,
			`runs[0].stdout[*].error.message`, `runs[0].stdout[*].output`, `runs[0].stderr.lines."Error executing tool *"`,
		},
		what: "If a policy denies a tool, the error gives the reason. Gemini CLI reports that the tool is not found and suggests others.",
	},
	{
		kind: better, scenes: "grep_search tool_results",
		paths: []string{`requests[*].body.contents.new[0].parts[*].functionCall.args.context`},
		what:  "The call of a model is sent back as the model made it. Gemini CLI adds an argument `context` to searches with few hits.",
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
		kind: better, scenes: "read_file",
		paths: []string{`requests[1].body.contents.new[1].parts[*].functionResponse.response.error`, `runs[0].stdout.stats.tools.**`},
		what:  "To read from a line past the end of a file is an error that names the number of lines.",
	},
	{
		kind: better, scenes: "grep_search",
		paths: []string{`requests[2].body.contents.new[1].parts[*].functionResponse.response.output`},
		what:  "`grep_search` tells the model paths that begin in the working directory, whatever `dir_path` is. A search with more matches than it may tell shares them among the files, counts all, and names the files that are left out; `names_only` counts files. Hidden files are searched, but for those that often hold credentials.",
	},
	{
		kind: better, scenes: "grep_search",
		paths: []string{
			`requests[2].body.contents.new[1].parts[6].functionResponse.response.*`, `runs[0].stderr.lines."Error executing tool grep_search: *"`,
			`runs[0].stdout.stats.tools.**`,
		},
		what: "What is no regular expression is searched as literal text, and so is an expression without matches.",
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
		kind: better, scenes: "replace write_file tool_results mode_auto_edit mode_setting parallel tools_allowed",
		paths: []string{`requests[*].body.contents.new[1].parts[*].functionResponse.response.output`},
		what:  "A file that the model wrote itself comes back as a number of lines, and not as its content. Of an edit, the first two places come back with three lines around them and their line numbers.",
	},
	{
		kind: better, scenes: "replace",
		paths: []string{`runs[0].stdout.stats.files.totalLinesAdded`},
		what:  "The lines of a file that `replace` makes count as added.",
	},
	{
		kind: better, scenes: "stream_json parallel read_file",
		paths: []string{`runs[0].stderr.lines."Error executing tool read_file: *"`, `runs[0].stdout[*].output`},
		what:  "What a person reads of a file that is not there, or is a directory, names the file.",
	},
	{
		kind: better, scenes: "shell_git",
		paths: []string{`requests[*].body.contents.new[1].parts[0].functionResponse.response.output`},
		what:  "In a trusted folder the model's `git` has the user's configuration, identity, hooks and credential helpers, and `git diff` works. Gemini CLI hides the configuration and sets `diff.external` to nothing, with which git 2.39 fails.",
	},
	{
		kind: better, scenes: "*",
		paths: []string{`requests[*].body.tools.functions.*.parametersJsonSchema.properties.wait_for_previous`},
		what:  "Calls that can change something run one after the other, in the order of the response; calls that only read run in parallel. After a failed edit, later commands of the same response do not run. Every call accepts `wait_for_previous`, and no tool declares it.",
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
		paths: []string{`runs[0].stdout.stats.tools.**`},
		what:  "A call with a command substitution fails without a question. Gemini CLI asks for approval, does not run the command, and counts the call as a success.",
	},
	{
		kind: better, scenes: "shell_long",
		paths: []string{`home.".gemini/tmp/*/tool-outputs/session-…uuid/*.txt"`},
		what:  "The file with the complete output has a short name, the tool and a number, because the ids of some providers are long.",
	},
	{
		kind: better, scenes: "loop",
		paths: []string{
			`requests[*].body.contents.*`, `requests[*].body.contents.new**`, `runs[0].stdout[*]`, `runs[0].stdout[*].*`,
			`runs[0].stderr.lines."Error executing tool list_directory: Not run: *"`,
		},
		what: "The fifth identical call does not run: its result is a warning to the model, and the next such call ends the run. Messages stay as they were, which costs less than to send them anew; Gemini CLI replaces the prompt.",
	},
	{
		kind: better, scenes: "loop_text",
		paths: []string{`requests[*].body.contents.*`, `requests[*].body.contents.new**`, `runs[0].stderr.lines."[WARNING] Loop detected, stopping execution"`, `runs[0].stderr.lines."Error executing tool list_directory: Not run: *"`},
		what:  "The text format, too, says on standard error that a call in a loop was not run, and that a loop ended the run.",
	},
	{
		kind: better, scenes: "model_auto",
		paths: []string{`requests[*]`, `requests[0].**`, `runs[0].stdout[3].stats.models."*"`, `runs[0].stderr.lines."*"`},
		what:  "Without a model, the large one is asked at once: to ask a small one first how hard the request is, as Gemini CLI does, costs each prompt the time of a request. With `pollux.routing` as `always` in the settings it is asked; where the model is named `auto`, it is in any case.",
	},
	{
		kind: words, scenes: "directory_file",
		paths: []string{
			`requests[*].body.contents.new[1].parts[0].functionResponse.response.error`,
			`runs[0].stdout[*].error.message`, `runs[0].stdout[*].output`, `runs[0].stderr.lines."Error executing tool replace: *"`,
		},
		what: "That what is to be edited is a directory.",
	},
	{
		kind: words, scenes: "exit_55",
		paths: []string{`runs[*].stderr.lines."* is not running in a trusted directory. *"`},
		what:  "That a folder is not trusted.",
	},
	{
		kind: words, scenes: "exit_52_yolo",
		paths: []string{`runs[*].stderr.lines."Cannot start in YOLO mode *"`, `runs[*].stderr.lines."YOLO mode is disabled *"`},
		what:  "That `--yolo` is disabled.",
	},
	{
		kind: words, scenes: "system_md_missing",
		paths: []string{`runs[0].stderr.lines."An unexpected critical error occurred:*"`, `runs[0].stderr.lines."Error initializing Gemini chat session. *"`},
		what:  "That the file of `GEMINI_SYSTEM_MD` is not there.",
	},
	{
		kind: words, scenes: "read_file",
		paths: []string{`requests[1].body.contents.new[1].parts[*].functionResponse.response.output`},
		what:  "One line before a part of a file has the numbers of its lines, which a part that was asked for has too, without a word of truncation, and how to read on. An empty file is called empty.",
	},
	{
		kind: words, scenes: "list_directory",
		paths: []string{`requests[1].body.contents.new[1].parts[2].functionResponse.response.error`},
		what:  "That a directory does not exist.",
	},
	{
		kind: words, scenes: "replace_fails",
		paths: []string{`requests[*].body.contents.new[1].parts[0].functionResponse.response.error`, `runs[0].stderr.lines."Error executing tool replace: *"`},
		what:  "Why an edit failed.",
	},
	{
		kind: words, scenes: "shell",
		paths: []string{`requests[*].body.contents.new[1].parts[0].functionResponse.response.*`, `runs[0].stderr.lines."Error executing tool run_shell_command: *"`},
		what:  "That a command has a substitution in it, that its directory does not exist, and the number of the line in bash's own messages.",
	},
	{
		kind: words, scenes: "mode_plan",
		paths: []string{`requests[1].body.contents.new[1].parts[0].functionResponse.response.error`, `runs[0].stderr.lines."Error executing tool write_file: *"`, `runs[0].stdout[3].error.message`, `runs[0].stdout[3].output`},
		what:  "That plan mode writes nothing but plans.",
	},
	{
		kind: words, scenes: "empty_answer_text empty_answer_json safety stats_errors",
		paths: []string{`requests[*].body.contents.new[0].parts[2].text`},
		what:  "The request to say something, after an answer that said nothing.",
	},
	{
		kind: words, scenes: "memory",
		paths: []string{`requests[0].body.systemInstruction.memory`},
		what:  "The tag around the user's own memory in the system instruction: `<global_context>`, whatever else there is.",
	},
	{
		kind: words, scenes: "todos",
		paths: []string{`runs[0].stdout[4].output`},
		what:  "How a new topic is shown.",
	},
	{
		kind: missing, scenes: "*",
		paths: []string{`home.".gemini/tmp/*/chats/*"`},
		what:  "Sessions are not recorded.",
	},
	{
		kind: missing, scenes: "*",
		paths: []string{`requests[*].body.tools.functions.invoke_agent`},
		what:  "There are no subagents, and no tool `invoke_agent`.",
	},
	{
		kind: missing, scenes: "system_md mode_default",
		paths: []string{`requests[0].body.systemInstruction.text`, `requests[1].body.contents.new[1].parts[1].functionResponse.response.error`, `runs[0].stderr.lines."Error executing tool run_shell_command: *"`, `runs[0].stdout[5].error.message`, `runs[0].stdout[5].output`},
		what:  "Texts that list the tools, `${AvailableTools}` among them, leave out `invoke_agent`.",
	},
	{
		kind: missing, scenes: "*",
		paths: []string{`requests[*].body.tools.functions.activate_skill`},
		what:  "There are no skills, and no tool `activate_skill`.",
	},
	{
		kind: missing, scenes: "mcp_settings",
		paths: []string{`runs[0].stderr.lines."MCP issues detected. *"`, `runs[0].stderr.lines."Warning: no effect yet *"`},
		what:  "There are no MCP servers: a warning names the setting.",
	},
	{
		kind: missing, scenes: "usage_conflict",
		paths: []string{`runs[3].stderr.lines."*"`},
		what:  "There are no worktrees: the flag is refused.",
	},
}
