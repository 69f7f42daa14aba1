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
	// Class is the class of the variable's automatic effect if a project's .env file sets it. One that loosens
	// and tightens does either by its value: false and 0 loosen.
	Class Class
	// Doc is a one-line description for users.
	Doc string
}

// Variables returns the table, by topic. The caller must not change it.
func Variables() []Variable { return envTable[:] }

// IneffectiveVariables returns the names of variables that are set and need something Pollux does
// not support yet, sorted.
func IneffectiveVariables(env *FolderEnv) []string {
	var names []string
	for _, v := range envTable {
		prefix, all := strings.CutSuffix(v.Name, "*")
		switch {
		case v.Support != Later || v.Ambient:
		case !all && isOn(env.Get(v.Name)):
			names = append(names, v.Name)
		case all:
			for name, value := range env.all() {
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
	{"GEMINI_API_KEY", live, !ambient, Describes, "API key of Google AI Studio, or of a gateway with the same protocol."},
	{"GOOGLE_API_KEY", live, !ambient, Describes, "API key of Vertex AI in express mode."},
	{"GOOGLE_GENAI_USE_VERTEXAI", live, !ambient, Acts, "true: use Vertex AI."},
	{"GOOGLE_GENAI_USE_GCA", live, !ambient, Acts, "true: sign in with Google. Not supported: Pollux reports an error."},
	{"GEMINI_CLI_USE_COMPUTE_ADC", live, !ambient, Acts, "true: use the credentials of the Google Cloud machine."},
	{"GOOGLE_CLOUD_PROJECT", live, !ambient, Describes, "Google Cloud project for Vertex AI."},
	{"GOOGLE_CLOUD_PROJECT_ID", live, !ambient, Describes, "Google Cloud project if GOOGLE_CLOUD_PROJECT is not set."},
	{"GOOGLE_CLOUD_LOCATION", live, !ambient, Describes, "Google Cloud region for Vertex AI."},
	{"GOOGLE_APPLICATION_CREDENTIALS", live, !ambient, Acts, "Credentials file for Vertex AI."},
	{"GOOGLE_GEMINI_BASE_URL", live, !ambient, Acts, "Base URL of the Gemini API."},
	{"GOOGLE_VERTEX_BASE_URL", live, !ambient, Acts, "Base URL of Vertex AI."},
	{"GOOGLE_GENAI_API_VERSION", live, !ambient, Describes, "API version of the Gemini API and Vertex AI."},
	{"GEMINI_API_KEY_AUTH_MECHANISM", live, !ambient, Describes, "bearer: send the key in the Authorization header."},
	{"GEMINI_CLI_CUSTOM_HEADERS", live, !ambient, Acts, "Additional request headers: Name: value, Name: value."},
	{"GEMINI_MODEL", live, !ambient, Describes, "Model to use. --model takes precedence."},
	{"GEMINI_DEFAULT_AUTH_TYPE", live, !ambient, Acts, "Provider that pollux auth set stores a key for if you name none, such as gemini-api-key."},
	{"GEMINI_FORCE_FILE_STORAGE", live, !ambient, Loosens, "true: store keys in an encrypted file instead of the system keychain."},
	{"GEMINI_FORCE_ENCRYPTED_FILE_STORAGE", live, ambient, Tightens, "true: neither read nor write sign-ins to MCP servers in the file that is not encrypted."},
	{"GOOGLE_CLOUD_QUOTA_PROJECT", live, ambient, Describes, "Google Cloud project that pays for requests to Vertex AI, instead of the one in the credentials file."},
	{"GOOGLE_CLOUD_ACCESS_TOKEN", inert, ambient, Acts, "Part of the sign-in with Google."},
	{"CODE_ASSIST_ENDPOINT", inert, ambient, Acts, "Part of the sign-in with Google."},
	{"CODE_ASSIST_API_VERSION", inert, ambient, Acts, "Part of the sign-in with Google."},
	{"CLOUD_SHELL", live, ambient, Acts, "true: use the credentials of Google Cloud Shell."},
	{"EDITOR_IN_CLOUD_SHELL", inert, ambient, Describes, "Set in Google Cloud Shell."},
	{"WEB_HOST", inert, ambient, Describes, "Host of web previews in Google Cloud Shell."},

	// System prompt.
	{"GEMINI_SYSTEM_MD", live, !ambient, Loosens, "File with a system prompt to use instead of the built-in one. true or 1: .gemini/system.md."},
	{"GEMINI_WRITE_SYSTEM_MD", live, !ambient, Acts, "File to write the system prompt to. true or 1: .gemini/system.md."},
	{"GEMINI_PROMPT_*", live, !ambient, Loosens, "0 or false: omit the section with this name from the system prompt."},

	// Locations of files.
	{"GEMINI_CLI_HOME", live, !ambient, Acts, "Directory to use as the home directory."},
	{"HOME", live, ambient, Acts, "Home directory."},
	{"TMPDIR", live, ambient, Acts, "Directory for temporary files."},
	{"GEMINI_CLI_SYSTEM_SETTINGS_PATH", live, !ambient, Loosens, "System settings file."},
	{"GEMINI_CLI_SYSTEM_DEFAULTS_PATH", live, !ambient, Loosens, "System defaults file."},
	{"GEMINI_CLI_TRUSTED_FOLDERS_PATH", live, !ambient, Loosens, "File with the trusted folders."},
	{"GEMINI_CLI_EXTENSION_REGISTRY_URI", later, !ambient, Acts, "URL or path of the extension catalog."},

	// Trust and sandbox.
	{"GEMINI_CLI_TRUST_WORKSPACE", live, !ambient, Loosens, "true or false: trust the folder or not. Takes precedence over the file."},
	{"GEMINI_RESTRICTED_MODE", live, !ambient, Tightens, "true: do not trust the folder."},
	{"GEMINI_SANDBOX", live, !ambient, Loosens | Tightens, "Sandbox to run commands in (Linux, macOS): true; docker, podman, runsc or lxc to run Pollux in a container. With another name, Pollux refuses to run."},
	{"SANDBOX", live, ambient, Loosens, "Set if Pollux already runs in a sandbox."},
	{"GEMINI_SANDBOX_IMAGE", live, ambient, Acts, "Image of the container that Pollux runs in; with lxc, the name of the container."},
	{"GEMINI_SANDBOX_IMAGE_DEFAULT", live, ambient, Acts, "Image if GEMINI_SANDBOX_IMAGE is not set."},
	{"GEMINI_SANDBOX_PROXY_COMMAND", live, ambient, Acts, "Command that runs the proxy by which alone commands in the sandbox, or the container, reach the network. It listens at port 8877."},
	{"SANDBOX_FLAGS", live, ambient, Acts, "Further flags of docker run or podman run, as in a shell."},
	{"SANDBOX_MOUNTS", live, ambient, Loosens, "Further files and directories of the container: from[:to[:options]], separated by commas. They can be read, or also changed with rw."},
	{"SANDBOX_PORTS", live, ambient, Loosens, "Ports of the container to open on this machine, separated by commas."},
	{"SANDBOX_ENV", live, ambient, Acts, "Further variables inside of the container: NAME=value, separated by commas."},
	{"SANDBOX_SET_UID_GID", live, ambient, Loosens, "true: be the user with your number inside of the container; false: the user of the image. Without it, the owner of ~/.gemini."},
	{"SEATBELT_PROFILE", live, ambient, Loosens, "Profile for the sandbox of macOS, beside Pollux's own: NAME for ~/.gemini/sandbox-macos-NAME.sb. Pollux's own stands for those of Gemini CLI, such as strict-proxied."},
	{"BUILD_SANDBOX", inert, ambient, Describes, "Build Gemini CLI's sandbox image."},

	// Scripts and CI.
	{"CI", live, ambient, Describes, "true: run headless."},
	{"GITHUB_ACTIONS", live, ambient, Describes, "true: run headless."},
	{"GEMINI_CLI_INTEGRATION_TEST", live, !ambient, Describes, "true: run interactively even if CI is set."},
	{"GEMINI_CLI_SURFACE", live, !ambient, Describes, "Name of the environment in the User-Agent header."},
	{"SURFACE", live, ambient, Describes, "Name of the environment if GEMINI_CLI_SURFACE is not set."},
	{"GITHUB_SHA", live, ambient, Tightens, "Set in GitHub Actions. Adds GitHub to the User-Agent header."},
	{"GITHUB_TOKEN", live, ambient, Acts, "Token to download extensions from GitHub."},
	{"GITHUB_REPOSITORY", inert, ambient, Describes, "Part of Google's usage statistics, which Pollux does not send."},
	{"GITHUB_EVENT_NAME", inert, ambient, Describes, "Part of Google's usage statistics."},
	{"GH_PR_NUMBER", inert, ambient, Describes, "Part of Google's usage statistics."},
	{"GH_ISSUE_NUMBER", inert, ambient, Describes, "Part of Google's usage statistics."},
	{"GH_WORKFLOW_NAME", inert, ambient, Describes, "Part of Google's usage statistics."},
	{"GH_CUSTOM_TRACKING_ID", inert, ambient, Describes, "Part of Google's usage statistics."},
	{"GEMINI_CLI_NO_RELAUNCH", inert, ambient, Describes, "Prevents a restart with more memory. Pollux never restarts itself."},
	{"GEMINI_CLI_WORKTREE_HANDLED", inert, ambient, Describes, "Internal to Gemini CLI."},
	{"GEMINI_CLI_EXP_AGENT", inert, ambient, Describes, "Selects an alternative agent loop. Pollux has one loop."},
	{"CLI_VERSION", live, !ambient, Describes, "Version that --version prints."},

	// Network.
	{"HTTPS_PROXY", live, ambient, Acts, "Proxy for HTTPS and HTTP. Pollux also reads https_proxy, HTTP_PROXY and http_proxy, in this order."},
	{"https_proxy", live, ambient, Acts, "See HTTPS_PROXY."},
	{"HTTP_PROXY", live, ambient, Acts, "See HTTPS_PROXY."},
	{"http_proxy", live, ambient, Acts, "See HTTPS_PROXY."},
	{"NO_PROXY", live, ambient, Acts, "Hosts to connect to without the proxy."},
	{"no_proxy", live, ambient, Acts, "See NO_PROXY."},
	{"NODE_EXTRA_CA_CERTS", live, ambient, Acts, "File with additional CA certificates."},
	{"SSL_CERT_FILE", live, ambient, Acts, "File with the CA certificates to trust."},
	{"NO_BROWSER", live, ambient, Tightens, "Do not open a browser."},
	{"BROWSER", live, ambient, Acts, "Program that opens web pages. Not on macOS and Windows."},
	{"OAUTH_CALLBACK_PORT", live, ambient, Describes, "Port for the OAuth callback of MCP servers."},
	{"OAUTH_CALLBACK_HOST", live, ambient, Acts, "Address for the OAuth callback of MCP servers."},

	// Serving other programs, see pollux a2a-server.
	{"POLLUX_A2A_TOKEN", live, !ambient, Acts, "pollux a2a-server: secret that clients send in the header Authorization: Bearer."},
	{"CODER_AGENT_PORT", live, ambient, Acts, "pollux a2a-server: port to listen on. --port takes precedence."},
	{"CODER_AGENT_WORKSPACE_PATH", live, ambient, Acts, "pollux a2a-server: directory of all tasks, whatever clients ask for."},
	{"CODER_AGENT_ALLOWED_ROOT", live, ambient, Loosens, "pollux a2a-server: directory that contains those of all tasks. By default the home directory."},
	{"GEMINI_YOLO_MODE", live, ambient, Loosens, "pollux a2a-server: true is --approval-mode yolo."},
	{"CHECKPOINTING", live, ambient, Acts, "pollux a2a-server: true or false sets general.checkpointing.enabled."},
	{"GEMINI_FOLDER_TRUST", live, ambient, Tightens, "pollux a2a-server: true trusts only folders that you have trusted, whatever security.folderTrust.enabled says."},
	{"CUSTOM_IGNORE_FILE_PATHS", live, ambient, Tightens, "pollux a2a-server: additional ignore files, separated as in PATH."},
	{"LOG_LEVEL", live, ambient, Describes, "pollux a2a-server: error, warn, info or debug."},
	{"GCS_BUCKET_NAME", inert, ambient, Describes, "pollux a2a-server: no effect, with a warning. Tasks are not kept in Google Cloud."},

	// Diagnosis.
	{"DEBUG", live, ambient, Describes, "1 or true: print debug output to standard error."},
	{"DEBUG_MODE", live, ambient, Describes, "1 or true: print debug output to standard error."},
	{"DEBUG_PORT", inert, ambient, Describes, "Port of the Node.js debugger."},
	{"GEMINI_DEBUG_LOG_FILE", live, !ambient, Acts, "File to write debug output to."},
	{"GEMINI_CLI_ACTIVITY_LOG_TARGET", live, !ambient, Acts, "File to write network activity to."},
	{"GEMINI_TELEMETRY_ENABLED", live, !ambient, Acts, "true or 1: enable telemetry."},
	{"GEMINI_TELEMETRY_TRACES_ENABLED", live, !ambient, Acts, "true or 1: include detailed traces."},
	{"GEMINI_TELEMETRY_TARGET", live, !ambient, Acts, "Telemetry target: local or gcp."},
	{"GEMINI_TELEMETRY_OTLP_ENDPOINT", live, !ambient, Acts, "URL of the OpenTelemetry collector."},
	{"GEMINI_TELEMETRY_OTLP_PROTOCOL", live, !ambient, Acts, "Protocol of the collector: grpc or http."},
	{"GEMINI_TELEMETRY_LOG_PROMPTS", live, !ambient, Acts, "true or 1: include prompts in telemetry."},
	{"GEMINI_TELEMETRY_OUTFILE", live, !ambient, Acts, "File to write telemetry to."},
	{"GEMINI_TELEMETRY_USE_COLLECTOR", live, !ambient, Acts, "true or 1: send telemetry for Google Cloud to a local collector."},
	{"GEMINI_TELEMETRY_USE_CLI_AUTH", live, !ambient, Acts, "true or 1: send telemetry with the sign-in with Google. Not supported: turns telemetry off."},
	{"OTEL_EXPORTER_OTLP_ENDPOINT", live, ambient, Acts, "URL of the collector if GEMINI_TELEMETRY_OTLP_ENDPOINT is not set."},
	{"OTLP_GOOGLE_CLOUD_PROJECT", inert, ambient, Describes, "Project of Google's exporters, which Pollux does not have."},
	{"GEMINI_MEMORY_MONITOR_INTERVAL", live, !ambient, Describes, "Milliseconds between memory measurements in telemetry."},
	{"GEMINI_EVENT_LOOP_MONITOR_ENABLED", inert, ambient, Describes, "Measures the Node.js event loop."},
	{"GEMINI_STRICT_TELEMETRY_LIMITS", inert, ambient, Describes, "Checks name lengths in Gemini CLI's tests."},
	{"GEMINI_CONTEXT_TRACE_DIR", inert, ambient, Acts, "Part of an experiment that Pollux does not have."},
	{"GEMINI_CONTEXT_CALIBRATE_TOKEN_CALCULATIONS", inert, ambient, Describes, "Part of an experiment that Pollux does not have."},
	{"GEMINI_EXP", inert, ambient, Describes, "Selects experiments of Gemini CLI."},

	// The terminal and the editor.
	{"NO_COLOR", live, ambient, Describes, "Any value: no colors."},
	{"FORCE_COLOR", live, ambient, Describes, "Color depth, from 0 to 3."},
	{"COLORTERM", live, ambient, Describes, "truecolor or 24bit: the terminal supports 24-bit colors."},
	{"TERM", live, ambient, Describes, "Terminal type. dumb: no colors and no cursor movement."},
	{"TERM_PROGRAM", live, ambient, Describes, "Terminal program."},
	{"TERM_PROGRAM_VERSION", live, ambient, Describes, "Version of the terminal program."},
	{"TMUX", live, ambient, Acts, "Set inside tmux."},
	{"STY", live, ambient, Acts, "Set inside GNU screen."},
	{"WT_SESSION", live, ambient, Describes, "Set inside Windows Terminal."},
	{"TERMINAL_EMULATOR", live, ambient, Describes, "Set inside JetBrains IDEs."},
	{"JETBRAINS_IDE", live, ambient, Describes, "Set inside JetBrains IDEs."},
	{"SSH_CONNECTION", live, ambient, Acts, "Set in SSH sessions."},
	{"SSH_TTY", live, ambient, Acts, "Set in SSH sessions."},
	{"SSH_CLIENT", live, ambient, Acts, "Set in SSH sessions."},
	{"XDG_SESSION_TYPE", live, ambient, Acts, "Window system, which determines the clipboard program."},
	{"WSL_DISTRO_NAME", live, ambient, Acts, "Set inside the Windows Subsystem for Linux."},
	{"WSL_INTEROP", live, ambient, Acts, "Set inside the Windows Subsystem for Linux."},
	{"WSLENV", inert, ambient, Acts, "Variables shared between Windows and Linux. Not needed."},
	{"VISUAL", live, ambient, Acts, "Editor for prompts and proposed changes."},
	{"EDITOR", live, ambient, Acts, "Editor if VISUAL is not set."},
	{"CLI_TITLE", live, ambient, Describes, "Window title."},
	{"GEMINI_PTY_INFO", inert, ambient, Describes, "child_process: run commands without a terminal, which Pollux always does."},
	{"GEMINI_CLI_IDE_SERVER_PORT", live, ambient, Acts, "Port of the IDE companion."},
	{"GEMINI_CLI_IDE_SERVER_STDIO_COMMAND", live, ambient, Acts, "Command that starts the IDE companion."},
	{"GEMINI_CLI_IDE_SERVER_STDIO_ARGS", live, ambient, Acts, "Arguments of that command."},
	{"GEMINI_CLI_IDE_AUTH_TOKEN", live, ambient, Acts, "Token of the IDE companion."},
	{"GEMINI_CLI_IDE_PID", live, ambient, Acts, "Process ID of the IDE."},
	{"GEMINI_CLI_IDE_WORKSPACE_PATH", live, ambient, Acts, "Folders that are open in the IDE."},
	{"VSCODE_*", later, ambient, Acts, "Set inside VS Code."},
	{"CURSOR_TRACE_ID", live, ambient, Describes, "Set inside Cursor."},
	{"ZED_SESSION_ID", live, ambient, Describes, "Set inside Zed."},
	{"XCODE_VERSION_ACTUAL", live, ambient, Describes, "Set inside Xcode."},
	{"REPLIT_USER", live, ambient, Describes, "Set inside Replit."},
	{"CODESPACES", live, ambient, Describes, "Set inside GitHub Codespaces."},
	{"MONOSPACE_ENV", live, ambient, Describes, "Set inside Firebase Studio."},
	{"POSITRON", live, ambient, Describes, "Set inside Positron."},
	{"ANTIGRAVITY_CLI_ALIAS", live, ambient, Describes, "Set inside Antigravity."},
	{"TERM_PRODUCT", live, ambient, Describes, "Set inside Trae."},
	{"GOOGLE_CLOUD_WORKSTATIONS", live, ambient, Describes, "Set inside Google Cloud Workstations."},
	{"REMOTE_CONTAINERS", later, ambient, Describes, "Set inside development containers."},

	// Development of Gemini CLI.
	{"DEV", live, ambient, Describes, "true: do not ask for newer releases."},
	{"NODE_ENV", inert, ambient, Describes, "Part of Gemini CLI's build."},
	{"VITEST", inert, ambient, Describes, "Part of Gemini CLI's tests."},
	{"IS_BINARY", inert, ambient, Describes, "Part of Gemini CLI's build."},
}
