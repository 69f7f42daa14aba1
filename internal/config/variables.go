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
	{"GEMINI_API_KEY", live, !ambient, "API key of Google AI Studio, or of a gateway with the same protocol."},
	{"GOOGLE_API_KEY", live, !ambient, "API key of Vertex AI in express mode."},
	{"GOOGLE_GENAI_USE_VERTEXAI", live, !ambient, "true: use Vertex AI."},
	{"GOOGLE_GENAI_USE_GCA", live, !ambient, "true: sign in with Google. Not supported: Pollux reports an error."},
	{"GEMINI_CLI_USE_COMPUTE_ADC", live, !ambient, "true: use the credentials of the Google Cloud machine."},
	{"GOOGLE_CLOUD_PROJECT", live, !ambient, "Google Cloud project for Vertex AI."},
	{"GOOGLE_CLOUD_PROJECT_ID", live, !ambient, "Google Cloud project if GOOGLE_CLOUD_PROJECT is not set."},
	{"GOOGLE_CLOUD_LOCATION", live, !ambient, "Google Cloud region for Vertex AI."},
	{"GOOGLE_APPLICATION_CREDENTIALS", live, !ambient, "Credentials file for Vertex AI."},
	{"GOOGLE_GEMINI_BASE_URL", live, !ambient, "Base URL of the Gemini API."},
	{"GOOGLE_VERTEX_BASE_URL", live, !ambient, "Base URL of Vertex AI."},
	{"GOOGLE_GENAI_API_VERSION", live, !ambient, "API version of the Gemini API and Vertex AI."},
	{"GEMINI_API_KEY_AUTH_MECHANISM", live, !ambient, "bearer: send the key in the Authorization header."},
	{"GEMINI_CLI_CUSTOM_HEADERS", live, !ambient, "Additional request headers: Name: value, Name: value."},
	{"GEMINI_MODEL", live, !ambient, "Model to use. --model takes precedence."},
	{"GEMINI_DEFAULT_AUTH_TYPE", live, !ambient, "Provider that pollux auth set stores a key for if you name none, such as gemini-api-key."},
	{"GEMINI_FORCE_FILE_STORAGE", live, !ambient, "true: store keys in an encrypted file instead of the system keychain."},
	{"GEMINI_FORCE_ENCRYPTED_FILE_STORAGE", live, ambient, "true: neither read nor write sign-ins to MCP servers in the file that is not encrypted."},
	{"GOOGLE_CLOUD_QUOTA_PROJECT", inert, ambient, "Part of the sign-in with Google."},
	{"GOOGLE_CLOUD_ACCESS_TOKEN", inert, ambient, "Part of the sign-in with Google."},
	{"CODE_ASSIST_ENDPOINT", inert, ambient, "Part of the sign-in with Google."},
	{"CODE_ASSIST_API_VERSION", inert, ambient, "Part of the sign-in with Google."},
	{"CLOUD_SHELL", live, ambient, "true: use the credentials of Google Cloud Shell."},
	{"EDITOR_IN_CLOUD_SHELL", inert, ambient, "Set in Google Cloud Shell."},
	{"WEB_HOST", inert, ambient, "Host of web previews in Google Cloud Shell."},

	// System prompt.
	{"GEMINI_SYSTEM_MD", live, !ambient, "File with a system prompt to use instead of the built-in one. true or 1: .gemini/system.md."},
	{"GEMINI_WRITE_SYSTEM_MD", live, !ambient, "File to write the system prompt to. true or 1: .gemini/system.md."},
	{"GEMINI_PROMPT_*", live, !ambient, "0 or false: omit the section with this name from the system prompt."},

	// Locations of files.
	{"GEMINI_CLI_HOME", live, !ambient, "Directory to use as the home directory."},
	{"HOME", live, ambient, "Home directory."},
	{"TMPDIR", live, ambient, "Directory for temporary files."},
	{"GEMINI_CLI_SYSTEM_SETTINGS_PATH", live, !ambient, "System settings file."},
	{"GEMINI_CLI_SYSTEM_DEFAULTS_PATH", live, !ambient, "System defaults file."},
	{"GEMINI_CLI_TRUSTED_FOLDERS_PATH", live, !ambient, "File with the trusted folders."},
	{"GEMINI_CLI_EXTENSION_REGISTRY_URI", later, !ambient, "URL or path of the extension catalog."},

	// Trust and sandbox.
	{"GEMINI_CLI_TRUST_WORKSPACE", live, !ambient, "true or false: trust the folder or not. Takes precedence over the file."},
	{"GEMINI_RESTRICTED_MODE", live, !ambient, "true: do not trust the folder."},
	{"GEMINI_SANDBOX", live, !ambient, "Sandbox to run in. Not available yet: Pollux refuses to run."},
	{"SANDBOX", live, ambient, "Set if Pollux already runs in a sandbox."},
	{"GEMINI_SANDBOX_IMAGE", later, ambient, "Sandbox image."},
	{"GEMINI_SANDBOX_IMAGE_DEFAULT", later, ambient, "Default sandbox image."},
	{"GEMINI_SANDBOX_PROXY_COMMAND", later, ambient, "Command that runs a proxy for the sandbox."},
	{"SANDBOX_FLAGS", later, ambient, "Additional flags for the container program."},
	{"SANDBOX_MOUNTS", later, ambient, "Additional directories inside the sandbox."},
	{"SANDBOX_PORTS", later, ambient, "Ports of the sandbox to open."},
	{"SANDBOX_ENV", later, ambient, "Additional variables inside the sandbox."},
	{"SANDBOX_SET_UID_GID", later, ambient, "Use your user ID inside the sandbox."},
	{"SEATBELT_PROFILE", live, ambient, "macOS sandbox profile that Pollux runs in."},
	{"BUILD_SANDBOX", inert, ambient, "Build Gemini CLI's sandbox image."},

	// Scripts and CI.
	{"CI", live, ambient, "true: run headless."},
	{"GITHUB_ACTIONS", live, ambient, "true: run headless."},
	{"GEMINI_CLI_INTEGRATION_TEST", live, !ambient, "true: run interactively even if CI is set."},
	{"GEMINI_CLI_SURFACE", live, !ambient, "Name of the environment in the User-Agent header."},
	{"SURFACE", live, ambient, "Name of the environment if GEMINI_CLI_SURFACE is not set."},
	{"GITHUB_SHA", live, ambient, "Set in GitHub Actions. Adds GitHub to the User-Agent header."},
	{"GITHUB_TOKEN", live, ambient, "Token to download extensions from GitHub."},
	{"GITHUB_REPOSITORY", inert, ambient, "Part of Google's usage statistics, which Pollux does not send."},
	{"GITHUB_EVENT_NAME", inert, ambient, "Part of Google's usage statistics."},
	{"GH_PR_NUMBER", inert, ambient, "Part of Google's usage statistics."},
	{"GH_ISSUE_NUMBER", inert, ambient, "Part of Google's usage statistics."},
	{"GH_WORKFLOW_NAME", inert, ambient, "Part of Google's usage statistics."},
	{"GH_CUSTOM_TRACKING_ID", inert, ambient, "Part of Google's usage statistics."},
	{"GEMINI_CLI_NO_RELAUNCH", inert, ambient, "Prevents a restart with more memory. Pollux never restarts itself."},
	{"GEMINI_CLI_WORKTREE_HANDLED", inert, ambient, "Internal to Gemini CLI."},
	{"GEMINI_CLI_EXP_AGENT", inert, ambient, "Selects an alternative agent loop. Pollux has one loop."},
	{"CLI_VERSION", live, !ambient, "Version that --version prints."},

	// Network.
	{"HTTPS_PROXY", live, ambient, "Proxy for HTTPS and HTTP. Pollux also reads https_proxy, HTTP_PROXY and http_proxy, in this order."},
	{"https_proxy", live, ambient, "See HTTPS_PROXY."},
	{"HTTP_PROXY", live, ambient, "See HTTPS_PROXY."},
	{"http_proxy", live, ambient, "See HTTPS_PROXY."},
	{"NO_PROXY", live, ambient, "Hosts to connect to without the proxy."},
	{"no_proxy", live, ambient, "See NO_PROXY."},
	{"NODE_EXTRA_CA_CERTS", live, ambient, "File with additional CA certificates."},
	{"SSL_CERT_FILE", live, ambient, "File with the CA certificates to trust."},
	{"NO_BROWSER", live, ambient, "Do not open a browser."},
	{"BROWSER", live, ambient, "Program that opens web pages. Not on macOS and Windows."},
	{"OAUTH_CALLBACK_PORT", live, ambient, "Port for the OAuth callback of MCP servers."},
	{"OAUTH_CALLBACK_HOST", live, ambient, "Address for the OAuth callback of MCP servers."},

	// Diagnosis.
	{"DEBUG", live, ambient, "1 or true: print debug output to standard error."},
	{"DEBUG_MODE", live, ambient, "1 or true: print debug output to standard error."},
	{"DEBUG_PORT", inert, ambient, "Port of the Node.js debugger."},
	{"GEMINI_DEBUG_LOG_FILE", live, !ambient, "File to write debug output to."},
	{"GEMINI_CLI_ACTIVITY_LOG_TARGET", live, !ambient, "File to write network activity to."},
	{"GEMINI_TELEMETRY_ENABLED", live, !ambient, "true or 1: enable telemetry."},
	{"GEMINI_TELEMETRY_TRACES_ENABLED", live, !ambient, "true or 1: include detailed traces."},
	{"GEMINI_TELEMETRY_TARGET", live, !ambient, "Telemetry target: local or gcp."},
	{"GEMINI_TELEMETRY_OTLP_ENDPOINT", live, !ambient, "URL of the OpenTelemetry collector."},
	{"GEMINI_TELEMETRY_OTLP_PROTOCOL", live, !ambient, "Protocol of the collector: grpc or http."},
	{"GEMINI_TELEMETRY_LOG_PROMPTS", live, !ambient, "true or 1: include prompts in telemetry."},
	{"GEMINI_TELEMETRY_OUTFILE", live, !ambient, "File to write telemetry to."},
	{"GEMINI_TELEMETRY_USE_COLLECTOR", live, !ambient, "true or 1: send telemetry for Google Cloud to a local collector."},
	{"GEMINI_TELEMETRY_USE_CLI_AUTH", live, !ambient, "true or 1: send telemetry with the sign-in with Google. Not supported: turns telemetry off."},
	{"OTEL_EXPORTER_OTLP_ENDPOINT", live, ambient, "URL of the collector if GEMINI_TELEMETRY_OTLP_ENDPOINT is not set."},
	{"OTLP_GOOGLE_CLOUD_PROJECT", inert, ambient, "Project of Google's exporters, which Pollux does not have."},
	{"GEMINI_MEMORY_MONITOR_INTERVAL", live, !ambient, "Milliseconds between memory measurements in telemetry."},
	{"GEMINI_EVENT_LOOP_MONITOR_ENABLED", inert, ambient, "Measures the Node.js event loop."},
	{"GEMINI_STRICT_TELEMETRY_LIMITS", inert, ambient, "Checks name lengths in Gemini CLI's tests."},
	{"GEMINI_CONTEXT_TRACE_DIR", inert, ambient, "Part of an experiment that Pollux does not have."},
	{"GEMINI_CONTEXT_CALIBRATE_TOKEN_CALCULATIONS", inert, ambient, "Part of an experiment that Pollux does not have."},
	{"GEMINI_EXP", inert, ambient, "Selects experiments of Gemini CLI."},

	// The terminal and the editor.
	{"NO_COLOR", live, ambient, "Any value: no colors."},
	{"FORCE_COLOR", live, ambient, "Color depth, from 0 to 3."},
	{"COLORTERM", live, ambient, "truecolor or 24bit: the terminal supports 24-bit colors."},
	{"TERM", live, ambient, "Terminal type. dumb: no colors and no cursor movement."},
	{"TERM_PROGRAM", live, ambient, "Terminal program."},
	{"TERM_PROGRAM_VERSION", live, ambient, "Version of the terminal program."},
	{"TMUX", live, ambient, "Set inside tmux."},
	{"STY", live, ambient, "Set inside GNU screen."},
	{"WT_SESSION", live, ambient, "Set inside Windows Terminal."},
	{"TERMINAL_EMULATOR", live, ambient, "Set inside JetBrains IDEs."},
	{"JETBRAINS_IDE", live, ambient, "Set inside JetBrains IDEs."},
	{"SSH_CONNECTION", live, ambient, "Set in SSH sessions."},
	{"SSH_TTY", live, ambient, "Set in SSH sessions."},
	{"SSH_CLIENT", live, ambient, "Set in SSH sessions."},
	{"XDG_SESSION_TYPE", live, ambient, "Window system, which determines the clipboard program."},
	{"WSL_DISTRO_NAME", live, ambient, "Set inside the Windows Subsystem for Linux."},
	{"WSL_INTEROP", live, ambient, "Set inside the Windows Subsystem for Linux."},
	{"WSLENV", inert, ambient, "Variables shared between Windows and Linux. Not needed."},
	{"VISUAL", live, ambient, "Editor for prompts and proposed changes."},
	{"EDITOR", live, ambient, "Editor if VISUAL is not set."},
	{"CLI_TITLE", screen, ambient, "Window title."},
	{"GEMINI_PTY_INFO", inert, ambient, "child_process: run commands without a terminal, which Pollux always does."},
	{"GEMINI_CLI_IDE_SERVER_PORT", later, ambient, "Port of the IDE companion."},
	{"GEMINI_CLI_IDE_SERVER_STDIO_COMMAND", later, ambient, "Command that starts the IDE companion."},
	{"GEMINI_CLI_IDE_SERVER_STDIO_ARGS", later, ambient, "Arguments of that command."},
	{"GEMINI_CLI_IDE_AUTH_TOKEN", later, ambient, "Token of the IDE companion."},
	{"GEMINI_CLI_IDE_PID", later, ambient, "Process ID of the IDE."},
	{"GEMINI_CLI_IDE_WORKSPACE_PATH", later, ambient, "Folders that are open in the IDE."},
	{"VSCODE_*", later, ambient, "Set inside VS Code."},
	{"CURSOR_TRACE_ID", later, ambient, "Set inside Cursor."},
	{"ZED_SESSION_ID", later, ambient, "Set inside Zed."},
	{"XCODE_VERSION_ACTUAL", later, ambient, "Set inside Xcode."},
	{"REPLIT_USER", later, ambient, "Set inside Replit."},
	{"CODESPACES", later, ambient, "Set inside GitHub Codespaces."},
	{"MONOSPACE_ENV", later, ambient, "Set inside Firebase Studio."},
	{"POSITRON", later, ambient, "Set inside Positron."},
	{"ANTIGRAVITY_CLI_ALIAS", later, ambient, "Set inside Antigravity."},
	{"TERM_PRODUCT", later, ambient, "Set inside Trae."},
	{"GOOGLE_CLOUD_WORKSTATIONS", later, ambient, "Set inside Google Cloud Workstations."},
	{"REMOTE_CONTAINERS", later, ambient, "Set inside development containers."},

	// Development of Gemini CLI.
	{"DEV", inert, ambient, "Part of Gemini CLI's build."},
	{"NODE_ENV", inert, ambient, "Part of Gemini CLI's build."},
	{"VITEST", inert, ambient, "Part of Gemini CLI's tests."},
	{"IS_BINARY", inert, ambient, "Part of Gemini CLI's build."},
}
