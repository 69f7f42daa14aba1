package config

import (
	"slices"
	"strings"
)

// Variable is a row of the table of environment variables. Variables of single providers, such
// as OPENAI_API_KEY, are in the table of llm/provider instead.
type Variable struct {
	// Name may end in *, which stands for all variables with this prefix.
	Name string
	// Support is the effect of the variable in this version.
	Support Support
	// Ambient reports whether editors or systems set the variable, or it is only an addition
	// to something else: then there is no warning if it has no effect.
	Ambient bool
	// Doc is a one-line description for users.
	Doc string
}

// Variables returns the table, by topic. The caller must not change it.
func Variables() []Variable { return envTable[:] }

// IneffectiveVariables returns the names of variables that are set and need something Pollux does
// not support yet, sorted.
func IneffectiveVariables(env *Env) []string {
	var names []string
	for _, v := range envTable {
		prefix, all := strings.CutSuffix(v.Name, "*")
		switch {
		case v.Support != Later || v.Ambient:
		case !all && isOn(env.Get(v.Name)):
			names = append(names, v.Name)
		case all:
			for name, value := range env.vars {
				if strings.HasPrefix(name, prefix) && isOn(value) {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

// isOn reports whether the value of a variable switches something on.
func isOn(value string) bool { return value != "" && value != "0" && value != "false" }

// ambient is a short name for the table.
const ambient = true

var envTable = [...]Variable{
	// Providers and authentication.
	{"GEMINI_API_KEY", live, !ambient, "A key of Google AI Studio, or of a gateway that speaks its protocol."},
	{"GOOGLE_API_KEY", live, !ambient, "A key for Vertex AI in express mode."},
	{"GOOGLE_GENAI_USE_VERTEXAI", live, !ambient, "true: ask Vertex AI."},
	{"GOOGLE_GENAI_USE_GCA", live, !ambient, "true asks for the login with Google, which Pollux leaves to Google's own programs: it says so."},
	{"GEMINI_CLI_USE_COMPUTE_ADC", live, !ambient, "true: use the credentials of the machine in Google's cloud."},
	{"GOOGLE_CLOUD_PROJECT", live, !ambient, "The project for Vertex AI."},
	{"GOOGLE_CLOUD_PROJECT_ID", live, !ambient, "The same, where GOOGLE_CLOUD_PROJECT is not set."},
	{"GOOGLE_CLOUD_LOCATION", live, !ambient, "The region for Vertex AI."},
	{"GOOGLE_APPLICATION_CREDENTIALS", live, !ambient, "A file with credentials for Vertex AI."},
	{"GOOGLE_GEMINI_BASE_URL", live, !ambient, "Another server for the Gemini API."},
	{"GOOGLE_VERTEX_BASE_URL", live, !ambient, "Another server for Vertex AI."},
	{"GOOGLE_GENAI_API_VERSION", live, !ambient, "The version of either protocol."},
	{"GEMINI_API_KEY_AUTH_MECHANISM", live, !ambient, "bearer: send the key as Authorization."},
	{"GEMINI_CLI_CUSTOM_HEADERS", live, !ambient, "More headers for each request: Name: value, Name: value."},
	{"GEMINI_MODEL", live, !ambient, "The model, if no flag says another."},
	{"GEMINI_DEFAULT_AUTH_TYPE", live, !ambient, "Whose key pollux auth set stores, where it names nobody: gemini-api-key for one."},
	{"GEMINI_FORCE_FILE_STORAGE", live, !ambient, "true: keep keys in an encrypted file, not in the system's keychain."},
	{"GEMINI_FORCE_ENCRYPTED_FILE_STORAGE", inert, ambient, "Pollux encrypts what it keeps in any case."},
	{"GOOGLE_CLOUD_QUOTA_PROJECT", inert, ambient, "Belongs to the login with Google."},
	{"GOOGLE_CLOUD_ACCESS_TOKEN", inert, ambient, "Belongs to the login with Google."},
	{"CODE_ASSIST_ENDPOINT", inert, ambient, "Belongs to the login with Google."},
	{"CODE_ASSIST_API_VERSION", inert, ambient, "Belongs to the login with Google."},
	{"CLOUD_SHELL", live, ambient, "true: use the credentials of Google's Cloud Shell."},
	{"EDITOR_IN_CLOUD_SHELL", inert, ambient, "Another sign of the Cloud Shell."},
	{"WEB_HOST", inert, ambient, "Where the Cloud Shell's pages are."},

	// System prompt.
	{"GEMINI_SYSTEM_MD", live, !ambient, "A file with a system prompt of your own; true or 1 is .gemini/system.md."},
	{"GEMINI_WRITE_SYSTEM_MD", live, !ambient, "Write the system prompt to this file; true or 1 is .gemini/system.md."},
	{"GEMINI_PROMPT_*", live, !ambient, "0 or false leaves the section of this name out of the system prompt."},

	// Locations of files.
	{"GEMINI_CLI_HOME", live, !ambient, "Stands in for the home directory."},
	{"HOME", live, ambient, "The home directory."},
	{"TMPDIR", live, ambient, "Where files go that are not kept."},
	{"GEMINI_CLI_SYSTEM_SETTINGS_PATH", live, !ambient, "The file of the system's settings."},
	{"GEMINI_CLI_SYSTEM_DEFAULTS_PATH", live, !ambient, "The file of the system's defaults."},
	{"GEMINI_CLI_TRUSTED_FOLDERS_PATH", live, !ambient, "The file of trusted folders."},
	{"GEMINI_CLI_EXTENSION_REGISTRY_URI", later, !ambient, "Where extensions are listed."},

	// Trust and sandbox.
	{"GEMINI_CLI_TRUST_WORKSPACE", live, !ambient, "true or false: the folder is trusted, or not, whatever the file says."},
	{"GEMINI_RESTRICTED_MODE", live, !ambient, "true: the folder is not trusted."},
	{"GEMINI_SANDBOX", live, !ambient, "Which sandbox to run in; as there is none yet, do not run."},
	{"SANDBOX", live, ambient, "Pollux runs inside a sandbox already."},
	{"GEMINI_SANDBOX_IMAGE", later, ambient, "The sandbox's image."},
	{"GEMINI_SANDBOX_IMAGE_DEFAULT", later, ambient, "The image, if nothing else says one."},
	{"GEMINI_SANDBOX_PROXY_COMMAND", later, ambient, "A proxy for the sandbox, as a command."},
	{"SANDBOX_FLAGS", later, ambient, "More flags for the program that makes the sandbox."},
	{"SANDBOX_MOUNTS", later, ambient, "More directories inside the sandbox."},
	{"SANDBOX_PORTS", later, ambient, "Ports of the sandbox to open."},
	{"SANDBOX_ENV", later, ambient, "More variables inside the sandbox."},
	{"SANDBOX_SET_UID_GID", later, ambient, "Whether to be the same user inside the sandbox."},
	{"SEATBELT_PROFILE", live, ambient, "The profile of the sandbox of macOS that Pollux runs in."},
	{"BUILD_SANDBOX", inert, ambient, "Builds Gemini CLI's own image."},

	// Scripts and CI.
	{"CI", live, ambient, "true: nobody is at the terminal."},
	{"GITHUB_ACTIONS", live, ambient, "true: the same."},
	{"GEMINI_CLI_INTEGRATION_TEST", live, !ambient, "true: somebody may be, even so."},
	{"GEMINI_CLI_SURFACE", live, !ambient, "What requests name as the place they come from."},
	{"SURFACE", live, ambient, "The same, where GEMINI_CLI_SURFACE is not set."},
	{"GITHUB_SHA", live, ambient, "Set where requests come from GitHub."},
	{"GITHUB_TOKEN", later, ambient, "For extensions that are fetched from GitHub."},
	{"GITHUB_REPOSITORY", inert, ambient, "Belongs to Google's statistics, which Pollux does not send."},
	{"GITHUB_EVENT_NAME", inert, ambient, "Belongs to Google's statistics."},
	{"GH_PR_NUMBER", inert, ambient, "Belongs to Google's statistics."},
	{"GH_ISSUE_NUMBER", inert, ambient, "Belongs to Google's statistics."},
	{"GH_WORKFLOW_NAME", inert, ambient, "Belongs to Google's statistics."},
	{"GH_CUSTOM_TRACKING_ID", inert, ambient, "Belongs to Google's statistics."},
	{"GEMINI_CLI_NO_RELAUNCH", inert, ambient, "Pollux is one process in any case."},
	{"GEMINI_CLI_WORKTREE_HANDLED", inert, ambient, "Gemini CLI talks to itself with it."},
	{"GEMINI_CLI_EXP_AGENT", inert, ambient, "Chose another loop with the same results."},
	{"CLI_VERSION", live, !ambient, "What --version says."},

	// Network.
	{"HTTPS_PROXY", live, ambient, "The proxy; https_proxy, HTTP_PROXY and http_proxy come after it."},
	{"https_proxy", live, ambient, "See HTTPS_PROXY."},
	{"HTTP_PROXY", live, ambient, "See HTTPS_PROXY."},
	{"http_proxy", live, ambient, "See HTTPS_PROXY."},
	{"NO_PROXY", live, ambient, "What is reached without the proxy."},
	{"no_proxy", live, ambient, "The same, where NO_PROXY is not set."},
	{"NODE_EXTRA_CA_CERTS", live, ambient, "A file with more certificates to believe."},
	{"SSL_CERT_FILE", live, ambient, "A file with the certificates to believe."},
	{"NO_BROWSER", later, ambient, "Never open a browser."},
	{"BROWSER", later, ambient, "The browser to open."},
	{"OAUTH_CALLBACK_PORT", later, ambient, "Where a login to an MCP server comes back."},
	{"OAUTH_CALLBACK_HOST", later, ambient, "The same, on which address."},

	// Diagnosis.
	{"DEBUG", live, ambient, "1 or true: show what goes on, on stderr."},
	{"DEBUG_MODE", live, ambient, "The same."},
	{"DEBUG_PORT", inert, ambient, "Belongs to Node's inspector."},
	{"GEMINI_DEBUG_LOG_FILE", live, !ambient, "Write what goes on to this file."},
	{"GEMINI_CLI_ACTIVITY_LOG_TARGET", live, !ambient, "Write what goes over the network to this file."},
	{"GEMINI_TELEMETRY_ENABLED", live, !ambient, "true or 1: record traces and metrics."},
	{"GEMINI_TELEMETRY_TRACES_ENABLED", live, !ambient, "true or 1: the large parts of traces too."},
	{"GEMINI_TELEMETRY_TARGET", live, !ambient, "local or gcp."},
	{"GEMINI_TELEMETRY_OTLP_ENDPOINT", live, !ambient, "The collector."},
	{"GEMINI_TELEMETRY_OTLP_PROTOCOL", live, !ambient, "grpc or http."},
	{"GEMINI_TELEMETRY_LOG_PROMPTS", live, !ambient, "true or 1: prompts are part of the records."},
	{"GEMINI_TELEMETRY_OUTFILE", live, !ambient, "Write the records to this file."},
	{"GEMINI_TELEMETRY_USE_COLLECTOR", live, !ambient, "Whether a collector stands before Google's cloud."},
	{"GEMINI_TELEMETRY_USE_CLI_AUTH", live, !ambient, "true or 1: send with the login with Google, which Pollux does not have; telemetry is then off."},
	{"OTEL_EXPORTER_OTLP_ENDPOINT", live, ambient, "The collector, where GEMINI_TELEMETRY_OTLP_ENDPOINT is not set."},
	{"OTLP_GOOGLE_CLOUD_PROJECT", inert, ambient, "Belongs to Google's exporters, which Pollux does not have."},
	{"GEMINI_MEMORY_MONITOR_INTERVAL", live, !ambient, "How often telemetry measures memory, in milliseconds."},
	{"GEMINI_EVENT_LOOP_MONITOR_ENABLED", inert, ambient, "Measures Node's event loop."},
	{"GEMINI_STRICT_TELEMETRY_LIMITS", inert, ambient, "Checks the lengths of names in Gemini CLI's own tests."},
	{"GEMINI_CONTEXT_TRACE_DIR", inert, ambient, "Traces an experiment that Pollux does not have."},
	{"GEMINI_CONTEXT_CALIBRATE_TOKEN_CALCULATIONS", inert, ambient, "Belongs to an experiment that Pollux does not have."},
	{"GEMINI_EXP", inert, ambient, "Switches Google's experiments."},

	// The terminal and the editor.
	{"NO_COLOR", live, ambient, "Anything: no colours."},
	{"FORCE_COLOR", live, ambient, "How many colours there are: 0 to 3."},
	{"COLORTERM", live, ambient, "truecolor or 24bit: all colours."},
	{"TERM", live, ambient, "The kind of the terminal; dumb has neither colours nor a cursor to move."},
	{"TERM_PROGRAM", live, ambient, "The program that draws the terminal."},
	{"TERM_PROGRAM_VERSION", live, ambient, "Its version."},
	{"TMUX", live, ambient, "Set inside tmux."},
	{"STY", live, ambient, "Set inside GNU screen."},
	{"WT_SESSION", live, ambient, "Set inside Windows Terminal."},
	{"TERMINAL_EMULATOR", live, ambient, "Set inside JetBrains' editors."},
	{"JETBRAINS_IDE", live, ambient, "The same."},
	{"SSH_CONNECTION", live, ambient, "Set where the terminal is far away."},
	{"SSH_TTY", live, ambient, "The same."},
	{"SSH_CLIENT", live, ambient, "The same."},
	{"XDG_SESSION_TYPE", live, ambient, "Which clipboard there is."},
	{"WSL_DISTRO_NAME", live, ambient, "Set inside Windows' Linux."},
	{"WSL_INTEROP", live, ambient, "The same."},
	{"WSLENV", inert, ambient, "What Windows and its Linux share; not needed."},
	{"VISUAL", live, ambient, "Your editor."},
	{"EDITOR", live, ambient, "Your editor, where VISUAL is not set."},
	{"CLI_TITLE", screen, ambient, "The title of the window."},
	{"GEMINI_PTY_INFO", inert, ambient, "child_process: commands get no terminal, which no command gets in Pollux."},
	{"GEMINI_CLI_IDE_SERVER_PORT", later, ambient, "Where the editor's companion listens."},
	{"GEMINI_CLI_IDE_SERVER_STDIO_COMMAND", later, ambient, "The companion, as a command."},
	{"GEMINI_CLI_IDE_SERVER_STDIO_ARGS", later, ambient, "Its arguments."},
	{"GEMINI_CLI_IDE_AUTH_TOKEN", later, ambient, "What the companion wants to hear."},
	{"GEMINI_CLI_IDE_PID", later, ambient, "The editor's process."},
	{"GEMINI_CLI_IDE_WORKSPACE_PATH", later, ambient, "The folders that the editor has open."},
	{"VSCODE_*", later, ambient, "Set inside VS Code."},
	{"CURSOR_TRACE_ID", later, ambient, "Set inside Cursor."},
	{"ZED_SESSION_ID", later, ambient, "Set inside Zed."},
	{"XCODE_VERSION_ACTUAL", later, ambient, "Set inside Xcode."},
	{"REPLIT_USER", later, ambient, "Set inside Replit."},
	{"CODESPACES", later, ambient, "Set inside GitHub's Codespaces."},
	{"MONOSPACE_ENV", later, ambient, "Set inside Firebase Studio."},
	{"POSITRON", later, ambient, "Set inside Positron."},
	{"ANTIGRAVITY_CLI_ALIAS", later, ambient, "Set inside Antigravity."},
	{"TERM_PRODUCT", later, ambient, "Set inside Trae."},
	{"GOOGLE_CLOUD_WORKSTATIONS", later, ambient, "Set inside Google's workstations."},
	{"REMOTE_CONTAINERS", later, ambient, "Set inside development containers."},

	// Development of Gemini CLI.
	{"DEV", inert, ambient, "Belongs to Gemini CLI's build."},
	{"NODE_ENV", inert, ambient, "Belongs to Gemini CLI's build."},
	{"VITEST", inert, ambient, "Belongs to Gemini CLI's tests."},
	{"IS_BINARY", inert, ambient, "Belongs to Gemini CLI's build."},
}
