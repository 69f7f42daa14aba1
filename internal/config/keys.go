package config

import (
	"sort"
	"strings"
)

// Key is one row of the settings table.
type Key struct {
	// Path is the key's name with its groups, separated by dots.
	Path string
	// Type is the type of the value:
	//
	//	bool, number, string, array, object
	//	strings          a list of strings
	//	string|strings   a string or a list of strings
	//	any              one of several types, which the reader distinguishes
	//	enum a b c       one of the listed strings
	//	record a b c     an object with only these fields
	//	map a b c        an object of such records
	Type string
	// Default is the value if no layer has one: bool, float64, string, []any, or nil for
	// unset.
	Default any
	// Flags are the merge rule, and whether a change needs a restart.
	Flags Flag
	// Support is the effect of the key in this version.
	Support Support
	// Effect classifies the values that a project gives the key.
	Effect *Effect
	// Doc is a one-line description for users.
	Doc string
}

// Flag is a property of a [Key]. Without a merge rule, a value replaces the one of the layer
// below, and objects are merged deeply.
type Flag uint8

// The flags.
const (
	Union     Flag = 1 << iota // lists are joined, without duplicates
	Concat                     // lists are joined
	Shallow                    // entries of an object replace each other as a whole
	Intersect                  // the intersection of all lists
	Restart                    // a change takes effect at the next start
	Negative                   // for a bool: false enables something
)

// Support is the effect of a key or variable in this version of Pollux.
type Support uint8

// The degrees of support.
const (
	Live   Support = iota // it has the effect that its Doc describes
	Later                 // no effect yet; a value other than the default causes a warning
	Screen                // no effect without the full-screen interface, which does not exist yet
	Inert                 // no effect by design; accepted because existing files have it
)

// Short names, so that each row of the table fits on a line.
const (
	live, later, screen, inert = Live, Later, Screen, Inert
	union, concat, shallow     = Union, Concat, Shallow
	meet, restart, negative    = Intersect, Restart, Negative
)

// Keys returns the table, sorted by path. The caller must not change it.
func Keys() []Key { return table[:] }

// KeyOf returns the key with this path.
func KeyOf(path string) (*Key, bool) {
	i := search(path)
	if i < len(table) && table[i].Path == path {
		return &table[i], true
	}
	return nil, false
}

// isGroup reports whether there are keys below path.
func isGroup(path string) bool {
	i := search(path + ".")
	return i < len(table) && strings.HasPrefix(table[i].Path, path+".")
}

func search(path string) int {
	return sort.Search(len(table), func(i int) bool { return table[i].Path >= path })
}

// The typed keys that Pollux reads. Tests check that each is a row of the table with this
// type, that its support is live, and that a package reads it.
const (
	DefaultApprovalMode = String("general.defaultApprovalMode")
	MaxAttempts         = Int("general.maxAttempts")
	PlanModelRouting    = Bool("general.plan.modelRouting")
	RetryFetchErrors    = Bool("general.retryFetchErrors")
	PlanEnabled         = Bool("general.plan.enabled")
	PlanDirectory       = String("general.plan.directory")
	PlanThen            = String("pollux.planThen")
	TopicUpdates        = Bool("general.topicUpdateNarration")
	WriteTodos          = Bool("useWriteTodos")
	OutputFormat        = String("output.format")
	PreferredEditor     = String("general.preferredEditor")
	EditorInNewWindow   = Bool("general.openEditorInNewWindow")
	InlineThinking      = String("ui.inlineThinkingMode")
	ScreenReader        = Bool("ui.accessibility.screenReader")
	BugCommand          = Object("advanced.bugCommand")
	HomeWarning         = Bool("ui.showHomeDirectoryWarning")
	SessionRetention    = Bool("general.sessionRetention.enabled")
	SessionMaxAge       = String("general.sessionRetention.maxAge")
	SessionMaxCount     = Float("general.sessionRetention.maxCount")
	SessionMinAge       = String("general.sessionRetention.minRetention")
	Worktrees           = Bool("experimental.worktrees")

	Agents         = Bool("experimental.enableAgents")
	AgentOverrides = Object("agents.overrides")

	MCPServers   = Servers("mcpServers")
	MCPAllowed   = Strings("mcp.allowed")
	MCPExcluded  = Strings("mcp.excluded")
	MCPCommand   = String("mcp.serverCommand")
	MCPStartWait = Float("pollux.mcpWait")
	MCPLazy      = Bool("pollux.mcpLazy")
	MCPSampling  = String("pollux.mcpSampling")

	ModelName       = String("model.name")
	MaxSessionTurns = Int("model.maxSessionTurns")

	ModelAliases         = Object("modelConfigs.aliases")
	ModelCustomAliases   = Object("modelConfigs.customAliases")
	CompressionThreshold = Float("model.compressionThreshold")
	DisableLoopDetection = Bool("model.disableLoopDetection")
	SkipNextSpeaker      = Bool("model.skipNextSpeakerCheck")
	ModelOverrides       = Object("modelConfigs.overrides")
	ModelCustomOverrides = Object("modelConfigs.customOverrides")
	ModelChains          = Object("modelConfigs.modelChains")

	MemoryNames            = Strings("context.fileName")
	MemoryImportFormat     = String("context.importFormat")
	MemoryMarkers          = Strings("context.memoryBoundaryMarkers")
	MemoryMaxDirs          = Int("context.discoveryMaxDirs")
	IncludeDirectoryTree   = Bool("context.includeDirectoryTree")
	IncludeDirectories     = Strings("context.includeDirectories")
	RespectGitIgnore       = Bool("context.fileFiltering.respectGitIgnore")
	RespectGeminiIgnore    = Bool("context.fileFiltering.respectGeminiIgnore")
	CustomIgnoreFilePaths  = Strings("context.fileFiltering.customIgnoreFilePaths")
	ShellInactivityTimeout = Float("tools.shell.inactivityTimeout")
	ToolSandbox            = Any("tools.sandbox")
	ToolsCore              = Strings("tools.core")
	ToolsAllowed           = Strings("tools.allowed")
	ToolsConfirm           = Strings("tools.confirmationRequired")
	ToolsExclude           = Strings("tools.exclude")
	PolicyPaths            = Strings("policyPaths")
	AdminPolicyPaths       = Strings("adminPolicyPaths")
	WorkspacePolicies      = Bool("pollux.workspacePolicies")
	BuildFiles             = String("pollux.buildFiles")
	ChildSecrets           = String("pollux.childSecrets")
	TrustProjectSafety     = Bool("pollux.trustProjectSafety")
	UserHooksUntrusted     = Bool("pollux.userHooksInUntrustedFolders")
	PermanentApproval      = Bool("security.enablePermanentToolApproval")
	SaveApprovalFirst      = Bool("security.autoAddToPolicyByDefault")
	ToolsDiscovery         = String("tools.discoveryCommand")
	ToolsCall              = String("tools.callCommand")
	UseRipgrep             = Bool("tools.useRipgrep")
	DirectWebFetch         = Bool("experimental.directWebFetch")
	TruncateToolOutput     = Int("tools.truncateToolOutputThreshold")
	SummarizeToolOutput    = Object("model.summarizeToolOutput")
	DisableLLMCorrection   = Bool("tools.disableLLMCorrection")

	ExtensionsDisabled = Strings("extensions.disabled")
	ExtensionSettings  = Bool("experimental.extensionConfig")
	ExtensionSources   = Strings("security.allowedExtensions")
	BlockGitExtensions = Bool("security.blockGitExtensions")

	HookDefinitions = Object("hooks")
	HooksEnabled    = Bool("hooksConfig.enabled")
	HooksDisabled   = Strings("hooksConfig.disabled")
	SkillsEnabled   = Bool("skills.enabled")
	SkillsDisabled  = Strings("skills.disabled")

	// Pollux's own settings, for behavior that differs from Gemini CLI.
	HistoryDropInvalid    = Bool("pollux.history.dropInvalidPrompts")
	HistoryForget         = Bool("pollux.history.forgetCancelled")
	InvalidAnswerContinue = Bool("pollux.invalidAnswer.continue")
	InvalidAnswerDelay    = Float("pollux.invalidAnswer.delay")
	InvalidAnswerLinear   = Bool("pollux.invalidAnswer.linear")
	InvalidAnswerAttempts = Int("pollux.invalidAnswer.maxAttempts")

	ResponseIdleTimeout  = Float("pollux.response.idleTimeout")
	ResponseStartTimeout = Float("pollux.response.startTimeout")
	RetryDelay           = Float("pollux.retryDelay")
	Nudge                = Bool("pollux.nudge")

	MemoryEager = Bool("pollux.memory.eager")
	SaveMemory  = Bool("pollux.memory.saveTool")

	ModelProviders     = Object("modelProviders")
	Fallback           = Strings("pollux.fallback")
	LocalServers       = Bool("pollux.localServers")
	LocalServerTimeout = Float("pollux.localPatience")

	Routing          = String("pollux.routing")
	RoutingBinary    = Bool("pollux.routingBinary")
	RoutingThreshold = Int("pollux.routingThreshold")

	SessionTitles = Bool("pollux.sessionTitles")
	KeepSecrets   = Bool("pollux.sessions.keepSecrets")

	StdinWait = Float("pollux.stdinWait")

	CompressionPreserve  = Float("pollux.compression.preserve")
	CompressionOneCall   = Bool("pollux.compression.oneCall")
	CompressionFiveParts = Bool("pollux.compression.fiveParts")

	Instructions    = String("pollux.instructions")
	MaskToolOutputs = Bool("pollux.maskToolOutputs")

	LoopInterval = Int("pollux.loops.interval")
	LoopMaxCycle = Int("pollux.loops.maxCycle")
	LoopSingle   = Bool("pollux.loops.single")

	Telemetry = Object("telemetry")

	ToolCalling  = String("pollux.toolCalling")
	ToolMappings = Object("pollux.toolMappings")

	DisableYolo       = Bool("security.disableYoloMode")
	DisableAlways     = Bool("security.disableAlwaysAllow")
	FolderTrust       = Bool("security.folderTrust.enabled")
	RedactionEnabled  = Bool("security.environmentVariableRedaction.enabled")
	RedactionAllowed  = Strings("security.environmentVariableRedaction.allowed")
	RedactionBlocked  = Strings("security.environmentVariableRedaction.blocked")
	AuthSelectedType  = String("security.auth.selectedType")
	AuthEnforcedType  = String("security.auth.enforcedType")
	AuthUseExternal   = Bool("security.auth.useExternal")
	ExcludedEnvVars   = Strings("advanced.excludedEnvVars")
	IgnoreLocalEnv    = Bool("advanced.ignoreLocalEnv")
	VertexRequestType = String("billing.vertexAi.requestType")
	VertexSharedType  = String("billing.vertexAi.sharedRequestType")
)

const mcpServerFields = "map command args env cwd url type httpUrl headers tcp timeout trust description includeTools " +
	"excludeTools oauth authProviderType targetAudience targetServiceAccount extension"

// table contains all keys, sorted by path. It is pure data: nothing is computed at start.
var table = [...]Key{
	{"$schema", "string", nil, 0, inert, free, "URL of the JSON schema that editors validate this file with."},

	{"admin.extensions.enabled", "bool", true, 0, inert, unread, "Set by an organization's admin server. Pollux ignores it in settings files."},
	{"admin.mcp.config", "object", nil, 0, inert, unread, "Set by an organization's admin server. Pollux ignores it in settings files."},
	{"admin.mcp.enabled", "bool", true, 0, inert, unread, "Set by an organization's admin server. Pollux ignores it in settings files."},
	{"admin.mcp.requiredConfig", "object", nil, 0, inert, unread, "Set by an organization's admin server. Pollux ignores it in settings files."},
	{"admin.secureModeEnabled", "bool", false, 0, inert, unread, "Set by an organization's admin server. Pollux ignores it in settings files."},
	{"admin.skills.enabled", "bool", true, 0, inert, unread, "Set by an organization's admin server. Pollux ignores it in settings files."},
	{"adminPolicyPaths", "strings", list{}, restart | union, live, unread, "Additional policy files or directories for the admin tier."},

	{"advanced.autoConfigureMemory", "bool", true, restart, inert, free, "Node.js heap size. Pollux does not run on Node.js."},
	{"advanced.bugCommand", "record urlTemplate", nil, 0, live, bugReport, "URL that /bug prints. It can contain {title}, {info} and {problem}."},
	{"advanced.dnsResolutionOrder", "string", nil, restart, inert, free, "IPv4 or IPv6 first. Pollux tries both at the same time."},
	{"advanced.excludedEnvVars", "strings", list{"DEBUG", "DEBUG_MODE"}, union, live, tightens, "Variables that a project's .env file cannot set."},
	{"advanced.ignoreLocalEnv", "bool", false, restart, live, onlyOn, "Ignore .env files outside the home directory. .gemini/.env files still apply."},

	{"agents.browser.allowedDomains", "strings", list{"github.com", "*.google.com", "localhost"}, restart, later, loosensItems, "Domains that the browser agent can open."},
	{"agents.browser.blockFileUploads", "bool", false, restart, later, onlyOn, "Block file uploads by the browser agent."},
	{"agents.browser.confirmSensitiveActions", "bool", false, restart, later, onlyOn, "Ask for approval before sensitive actions of the browser agent."},
	{"agents.browser.disableUserInput", "bool", true, restart, later, ifFalse, "Block user input in the browser window while the browser agent works."},
	{"agents.browser.headless", "bool", false, restart, later, free, "Run the browser without a window."},
	{"agents.browser.maxActionsPerTask", "number", 100.0, restart, later, free, "Maximum number of browser actions per task."},
	{"agents.browser.profilePath", "string", nil, restart, later, loosens, "Directory of the browser profile."},
	{"agents.browser.sessionMode", "enum persistent isolated existing", "persistent", restart, later, loosens, "Browser session to use: a persistent profile, an isolated one, or a running browser."},
	{"agents.browser.visualModel", "string", nil, restart, later, acts, "Model that analyzes screenshots."},
	{"agents.overrides", "map enabled modelConfig runConfig tools mcpServers", nil, restart, live, overrides, "Settings of single subagents, by name."},

	{"billing.overageStrategy", "enum ask always never", "ask", 0, inert, free, "Use of Google AI credits. Pollux does not use them."},
	{"billing.vertexAi.requestType", "enum dedicated shared", nil, restart, live, free, "Vertex AI capacity: dedicated or shared."},
	{"billing.vertexAi.sharedRequestType", "enum priority flex", nil, restart, live, free, "Class of shared Vertex AI capacity: priority or flex."},

	{"context.discoveryMaxDirs", "number", 200.0, 0, live, free, "Maximum number of directories to search when pollux.memory.eager is on."},
	{"context.fileFiltering.customIgnoreFilePaths", "strings", list{}, restart | union, live, tightens, "Additional ignore files. Earlier files take precedence."},
	{"context.fileFiltering.enableFileWatcher", "bool", false, restart, screen, free, "Update @ completion when files change."},
	{"context.fileFiltering.enableFuzzySearch", "bool", true, restart, screen, free, "Use fuzzy matching in @ completion."},
	{"context.fileFiltering.enableRecursiveFileSearch", "bool", true, restart, screen, free, "Search subdirectories in @ completion."},
	{"context.fileFiltering.respectGeminiIgnore", "bool", true, restart, live, ifFalse, "Skip files that .geminiignore lists."},
	{"context.fileFiltering.respectGitIgnore", "bool", true, restart, live, ifFalse, "Skip files that .gitignore lists."},
	{"context.fileName", "string|strings", nil, 0, live, loosensItems, "Names of context files in addition to GEMINI.md, such as AGENTS.md. New entries go into the first one."},
	{"context.importFormat", "string", nil, 0, live, free, "Layout of imported context files: tree or flat."},
	{"context.includeDirectories", "strings", list{}, concat, live, loosensItems, "Additional workspace directories."},
	{"context.includeDirectoryTree", "bool", true, 0, live, free, "Include a directory tree in the first message to the model."},
	{"context.loadMemoryFromIncludeDirectories", "bool", false, 0, screen, ifTrue, "Reload context files when you add a directory during a session."},
	{"context.memoryBoundaryMarkers", "strings", list{".git"}, restart, live, loosens, "Files or directories that mark a project's root, where the search for context files stops."},

	{"contextManagement.historyWindow.maxTokens", "number", 150000.0, restart, inert, free, "Has no effect in Gemini CLI either."},
	{"contextManagement.historyWindow.retainedTokens", "number", 40000.0, restart, inert, free, "Has no effect in Gemini CLI either."},
	{"contextManagement.messageLimits.normalMaxTokens", "number", 2500.0, restart, inert, free, "Has no effect in Gemini CLI either."},
	{"contextManagement.messageLimits.normalizationHeadRatio", "number", 0.25, restart, inert, free, "Has no effect in Gemini CLI either."},
	{"contextManagement.messageLimits.retainedMaxTokens", "number", 12000.0, restart, inert, free, "Has no effect in Gemini CLI either."},
	{"contextManagement.tools.distillation.maxOutputTokens", "number", 10000.0, restart, inert, free, "Has no effect in Gemini CLI either."},
	{"contextManagement.tools.distillation.summarizationThresholdTokens", "number", 20000.0, restart, inert, free, "Has no effect in Gemini CLI either."},
	{"contextManagement.tools.outputMasking.minPrunableThresholdTokens", "number", 30000.0, restart, inert, free, "Has no effect in Gemini CLI either."},
	{"contextManagement.tools.outputMasking.protectLatestTurn", "bool", true, restart, inert, free, "Has no effect in Gemini CLI either."},
	{"contextManagement.tools.outputMasking.protectionThresholdTokens", "number", 50000.0, restart, inert, free, "Has no effect in Gemini CLI either."},

	{"experimental.adk.agentSessionInteractiveEnabled", "bool", false, restart, inert, free, "Selects an alternative agent loop. Pollux has one loop."},
	{"experimental.adk.agentSessionNoninteractiveEnabled", "bool", false, restart, inert, free, "Selects an alternative agent loop. Pollux has one loop."},
	{"experimental.adk.agentSessionSubagentEnabled", "bool", false, restart, inert, free, "Selects an alternative agent loop. Pollux has one loop."},
	{"experimental.autoMemory", "bool", false, restart, later, acts, "Extract memories from past sessions in the background."},
	{"experimental.contextManagement", "bool", false, restart, later, free, "Manage the context with the generalist profile."},
	{"experimental.directWebFetch", "bool", false, restart, live, ifTrue, "Let web_fetch download pages itself, without the Gemini API."},
	{"experimental.dynamicModelConfiguration", "bool", false, restart, later, acts, "Read models and model chains from modelConfigs."},
	{"experimental.enableAgents", "bool", true, restart, live, ifTrue, "Enable subagents."},
	{"experimental.extensionConfig", "bool", true, restart, live, ifFalse, "Let extensions define settings."},
	{"experimental.extensionManagement", "bool", true, restart, inert, free, "Has no effect in Gemini CLI either."},
	{"experimental.extensionRegistry", "bool", false, restart, screen, free, "Show a catalog of extensions."},
	{"experimental.extensionRegistryURI", "string", "https://geminicli.com/extensions.json", restart, screen, acts, "URL or path of the extension catalog."},
	{"experimental.extensionReloading", "bool", false, restart, later, free, "Load and unload extensions during a session."},
	{"experimental.gemma", "bool", true, restart, screen, free, "Include Gemma models in the model list."},
	{"experimental.gemmaModelRouter.autoStartServer", "bool", false, restart, later, unread, "Start the local routing model. Read from your user settings only."},
	{"experimental.gemmaModelRouter.binaryPath", "string", "", restart, later, unread, "Program that runs the local routing model. Read from your user settings only."},
	{"experimental.gemmaModelRouter.classifier.host", "string", "http://localhost:9379", restart, later, acts, "URL of the local routing model."},
	{"experimental.gemmaModelRouter.classifier.model", "string", "gemma3-1b-gpu-custom", restart, later, acts, "Name of the local routing model."},
	{"experimental.gemmaModelRouter.enabled", "bool", false, restart, later, acts, "Let a local model choose the model for each prompt."},
	{"experimental.generalistProfile", "bool", false, restart, later, free, "Context profile: generalist."},
	{"experimental.modelSteering", "bool", false, 0, later, free, "Send hints to the model while it works."},
	{"experimental.powerUserProfile", "bool", false, restart, later, free, "Context profile: power user."},
	{"experimental.stressTestProfile", "bool", false, restart, later, free, "Context profile for stress tests."},
	{"experimental.taskTracker", "bool", false, restart, later, free, "Enable the task tracker tools."},
	{"experimental.topicUpdateNarration", "bool", false, 0, inert, free, "Former name of general.topicUpdateNarration."},
	{"experimental.useOSC52Copy", "bool", false, 0, screen, free, "Copy to the clipboard through the terminal (OSC 52)."},
	{"experimental.useOSC52Paste", "bool", false, 0, screen, ifTrue, "Paste from the clipboard through the terminal (OSC 52)."},
	{"experimental.voice.activationMode", "enum push-to-talk toggle", "push-to-talk", 0, screen, free, "How to start dictation: hold a key or toggle."},
	{"experimental.voice.backend", "enum gemini-live whisper", "gemini-live", 0, screen, acts, "Speech recognition service."},
	{"experimental.voice.stopGracePeriodMs", "number", 4000.0, 0, screen, free, "Silence that ends dictation, in milliseconds."},
	{"experimental.voice.whisperModel", "enum ggml-tiny.en.bin ggml-base.en.bin ggml-large-v3-turbo-q5_0.bin ggml-large-v3-turbo-q8_0.bin", "ggml-base.en.bin", 0, screen, free, "Whisper model for speech recognition."},
	{"experimental.voiceMode", "bool", false, 0, screen, ifTrue, "Enable dictation."},
	{"experimental.worktrees", "bool", false, restart, live, free, "Enable --worktree."},

	{"extensions.disabled", "strings", list{}, restart | union, live, unread, "Extensions that are not used, by name. Ignored in workspace settings."},
	{"extensions.workspacesWithMigrationNudge", "strings", list{}, union, inert, free, "Workspaces where a migration hint was shown."},

	{"general.checkpointing.enabled", "bool", false, restart, later, free, "Save a snapshot of the project's files before tools change them."},
	{"general.debugKeystrokeLogging", "bool", false, 0, screen, ifTrue, "Log keystrokes."},
	{"general.defaultApprovalMode", "enum default auto_edit plan", "default", 0, live, byMode, "Approval mode at start. Use the --yolo flag for yolo mode."},
	{"general.devtools", "bool", false, 0, inert, free, "Opens a debug viewer that Pollux does not have."},
	{"general.enableAutoUpdate", "bool", true, 0, screen, free, "Offer updates. Pollux never updates itself."},
	{"general.enableAutoUpdateNotification", "bool", true, 0, screen, free, "Notify you about new versions."},
	{"general.enableNotifications", "bool", false, 0, screen, free, "Notify you through the terminal when Pollux needs your attention."},
	{"general.logRagSnippets", "bool", false, 0, inert, acts, "Debug logs of a Google service that Pollux does not use."},
	{"general.maxAttempts", "number", 10.0, 0, live, free, "Maximum number of attempts per request, up to 10."},
	{"general.notificationMethod", "enum auto osc9 osc777 bell", "auto", 0, screen, free, "How to send notifications to the terminal."},
	{"general.openEditorInNewWindow", "bool", false, 0, live, free, "Open the editor in a new window."},
	{"general.plan.directory", "string", nil, restart, live, loosens, "Directory for plans, inside the project."},
	{"general.plan.enabled", "bool", true, restart, live, ifFalse, "Enable plan mode."},
	{"general.plan.modelRouting", "bool", true, 0, live, free, "Use a larger model to plan and a faster one to implement."},
	{"general.preferredEditor", "enum vscode vscodium windsurf cursor zed antigravity sublimetext lapce nova bbedit vim neovim emacs hx emacsclient micro", nil, 0, live, free, "Editor for prompts and proposed changes. Default: $VISUAL, $EDITOR or vi."},
	{"general.retryFetchErrors", "bool", true, 0, live, free, "Retry requests after network errors."},
	{"general.sessionRetention.enabled", "bool", true, 0, live, onlyOff, "Delete old sessions automatically."},
	{"general.sessionRetention.maxAge", "string", "30d", 0, live, never, "Maximum age of a session, such as 24h, 30d, 4w or 6m."},
	{"general.sessionRetention.maxCount", "number", nil, 0, live, never, "Maximum number of sessions."},
	{"general.sessionRetention.minRetention", "string", "1d", 0, live, never, "Minimum age before a session can be deleted."},
	{"general.topicUpdateNarration", "bool", true, 0, live, free, "Let the model report which topic it is working on."},
	{"general.vimMode", "bool", false, 0, screen, free, "Use vi keys in the input box."},

	{"hooks", "object", nil, concat, live, hookEvents, "Hooks, by event."},
	{"hooksConfig.disabled", "strings", list{}, union, live, loosensItems, "Disabled hooks, by name or command. A project disables only its own hooks and those of extensions."},
	{"hooksConfig.enabled", "bool", true, restart, live, ifFalse, "Enable hooks. A project disables only its own hooks and those of extensions."},
	{"hooksConfig.notifications", "bool", true, 0, screen, free, "Show when a hook runs."},

	{"ide.enabled", "bool", false, restart, later, acts, "Connect to the editor whose terminal Pollux runs in."},
	{"ide.hasSeenNudge", "bool", false, 0, inert, free, "Records that a hint was shown."},

	{"mcp.allowed", "strings", nil, restart | meet, live, narrowsItems, "MCP servers that can be used. If several settings files set it, servers must be in all lists."},
	{"mcp.excluded", "strings", nil, restart | concat, live, tightens, "MCP servers that cannot be used."},
	{"mcp.serverCommand", "string", nil, restart, live, starts, "Command that starts an MCP server, which gets the name mcp."},
	{"mcpServers", mcpServerFields, nil, restart | shallow, live, servers, "MCP servers, by name."},

	{"model.compressionThreshold", "number", 0.5, restart, live, free, "Fraction of the context window at which Pollux compresses the history."},
	{"model.disableLoopDetection", "bool", false, restart, live, ifTrue, "Disable loop detection."},
	{"model.maxSessionTurns", "number", -1.0, 0, live, ifMore, "Maximum number of requests per session, or -1 for no limit."},
	{"model.name", "string", nil, 0, live, acts, "Default model. --model and GEMINI_MODEL take precedence."},
	{"model.skipNextSpeakerCheck", "bool", true, negative, live, free, "Skip the check whether the model intended to continue."},
	{"model.summarizeToolOutput", "map tokenBudget", nil, 0, live, outputBudget, "Summarize output of run_shell_command that is longer than tokenBudget tokens. Default budget: 2000."},
	{"modelConfigs.aliases", "object", nil, 0, live, actsEach, "Named model configurations, which can extend each other. Replaces the built-in ones."},
	{"modelConfigs.classifierIdResolutions", "object", nil, restart, later, actsEach, "Model for each class of the routing classifier."},
	{"modelConfigs.customAliases", "object", nil, 0, live, actsEach, "Additional named model configurations. They take precedence over built-in ones."},
	{"modelConfigs.customOverrides", "array", list{}, 0, live, actsItems, "Additional overrides."},
	{"modelConfigs.modelChains", "object", nil, restart, live, actsEach, "Fallback models, by model."},
	{"modelConfigs.modelDefinitions", "object", nil, restart, later, actsEach, "Properties of models."},
	{"modelConfigs.modelIdResolutions", "object", nil, restart, later, actsEach, "Model for each model name."},
	{"modelConfigs.overrides", "array", list{}, 0, live, actsItems, "Changes to model configurations, by model, alias, subagent or retry. Replaces the built-in ones."},
	{"modelProviders", "object", nil, restart, live, unread, "Additional model providers, and changes to built-in ones. Not read from workspace settings."},

	{"output.format", "enum text json stream-json", "text", 0, live, free, "Output format of headless runs."},
	{"policyPaths", "strings", list{}, restart | union, live, tightens, "Policy files or directories to use instead of ~/.gemini/policies."},
	{"pollux.buildFiles", "enum unlessYolo always never", "unlessYolo", restart, live, buildRising, "When changes to build files need your approval even if rules allow them: unlessYolo, always or never."},
	{"pollux.childSecrets", "enum allowed none", "allowed", restart, live, childRising, "Which commands get the variables that hold secrets: those that you, a rule or the mode have allowed, or none. Commands that run unasked never get them. Discovery commands and hooks of projects never get the keys of model providers."},
	{"pollux.compression.fiveParts", "bool", false, 0, live, free, "Request summaries with five sections instead of seven."},
	{"pollux.compression.oneCall", "bool", false, 0, live, free, "Do not verify summaries with a second request."},
	{"pollux.compression.preserve", "number", 0.3, 0, live, free, "Fraction of the history that compression keeps unchanged."},
	{"pollux.fallback", "strings", nil, 0, live, acts, "Models to try in this order when a model fails."},
	{"pollux.history.dropInvalidPrompts", "bool", false, 0, live, free, "In a loaded history, also drop the prompt of each invalid response."},
	{"pollux.history.forgetCancelled", "bool", false, 0, live, free, "Remove a cancelled prompt and its tool results from the history, as Gemini CLI does."},
	{"pollux.instructions", "enum auto full compact", "auto", restart, live, free, "Length of the instructions for the model. The compact form has fewer rules and tools and a short directory tree. auto uses it for context windows up to 32k tokens and for models that call tools in text."},
	{"pollux.invalidAnswer.continue", "bool", false, 0, live, free, "After an invalid response, ask the model once to continue."},
	{"pollux.invalidAnswer.delay", "number", 1.0, 0, live, free, "Seconds to wait before retrying an invalid or incomplete response."},
	{"pollux.invalidAnswer.linear", "bool", false, 0, live, free, "Keep the retry delay constant instead of doubling it."},
	{"pollux.invalidAnswer.maxAttempts", "number", 4.0, 0, live, free, "Maximum number of attempts for an invalid or incomplete response."},
	{"pollux.localPatience", "number", 50.0, 0, live, free, "Milliseconds to wait for a local model server to accept a connection."},
	{"pollux.localServers", "bool", true, 0, live, ifTrue, "If no provider is set up, look for a local model server."},
	{"pollux.loops.interval", "number", 10.0, 0, live, free, "Number of turns between loop checks by a model, if the last check had no result."},
	{"pollux.loops.maxCycle", "number", 5.0, 0, live, free, "Maximum number of calls in a repeated sequence that counts as a loop. 1 detects repetitions of one call only."},
	{"pollux.loops.single", "bool", false, 0, live, free, "Stop a loop when one model confirms it, instead of two."},
	{"pollux.maskToolOutputs", "bool", true, 0, live, free, "Replace old tool outputs in the history with references to files."},
	{"pollux.mcpLazy", "bool", true, 0, live, free, "Start an MCP server when it is first used, if its tools are known from an earlier session."},
	{"pollux.mcpSampling", "enum deny ask", "deny", restart, live, ifAsks, "Requests of MCP servers to the model (sampling): refuse them (deny), or ask you about each (ask)."},
	{"pollux.mcpWait", "number", 60.0, 0, live, free, "Seconds to wait for MCP servers: in a headless run before its first request, and in /mcp reload, /mcp enable and pollux mcp test."},
	{"pollux.memory.eager", "bool", false, restart, live, free, "Load context files from all subdirectories at start, as part of the system prompt."},
	{"pollux.memory.saveTool", "bool", false, restart, live, ifTrue, "Give the model the save_memory tool instead of letting it edit context files."},
	{"pollux.nudge", "bool", true, 0, live, free, "Ask the model to continue if its response ends with an announcement, a tool call written as text, or no comment on tool results. At most twice per prompt. No effect if model.skipNextSpeakerCheck is false."},
	{"pollux.planThen", "enum auto_edit yolo", nil, restart, live, never, "Approval mode in which a script that starts in plan mode carries out its plan. By default the plan is the answer. Not read from workspace settings."},
	{"pollux.response.idleTimeout", "number", 300.0, 0, live, free, "Seconds without data after which a response counts as cut off and Pollux retries. A provider's own idleTimeout takes precedence."},
	{"pollux.response.startTimeout", "number", 0.0, 0, live, free, "Seconds to wait for the first byte of a response. 0 means 120, 300 without streaming, or 1800 for Ollama and addresses in private networks. A provider's own startTimeout takes precedence."},
	{"pollux.retryDelay", "number", 5.0, 0, live, free, "Seconds to wait before the first retry of a failed request. The delay doubles with each retry up to 30 seconds, unless the provider requests a longer one."},
	{"pollux.routing", "enum named always never", "named", 0, live, free, "When a small model chooses between Google's models: if the model is auto (named), also if no model is set (always), or never."},
	{"pollux.routingBinary", "bool", false, 0, live, free, "Route with a yes or no answer instead of a score."},
	{"pollux.routingThreshold", "number", 90.0, 0, live, free, "Minimum score, of 100, to route a prompt to the Pro model."},
	{"pollux.sessionTitles", "bool", true, 0, live, free, "In an interactive session, let a small model write a title for the last session that has none."},
	{"pollux.sessions.keepSecrets", "bool", false, restart, live, onlyOff, "Keep secrets in session files, exports and the history of prompts, instead of [REDACTED]."},
	{"pollux.stdinWait", "number", 2.0, 0, live, free, "Seconds that a run with --prompt waits for piped input. 0 waits without limit."},
	{"pollux.toolCalling", "enum auto native text", "auto", 0, live, ifText, "How models call tools: native, in text, or auto, which uses text if the server does not support tools."},
	{"pollux.toolMappings", "array", list{}, 0, live, loosensItems, "Argument names that models use in tool calls, by model and endpoint."},
	{"pollux.trustProjectSafety", "bool", false, restart, live, never, "Let trusted projects loosen settings that protect you, such as security.disableYoloMode, as Gemini CLI does. Not read from workspace settings."},
	{"pollux.userHooksInUntrustedFolders", "bool", false, restart, live, unread, "Run your own hooks in untrusted folders, too. Hooks of these folders never run. Not read from workspace settings."},
	{"pollux.workspacePolicies", "bool", false, restart, live, unread, "Use policy files in a trusted project's .gemini/policies. Not read from workspace settings."},
	{"privacy.usageStatisticsEnabled", "bool", true, restart, inert, free, "Usage statistics. Pollux collects none."},

	{"security.allowedExtensions", "strings", list{}, restart, live, onlyWithin, "Regular expressions for allowed extension sources. If there are any, they replace security.blockGitExtensions."},
	{"security.auth.enforcedType", "string", nil, restart, live, onlyOnce, "Only allowed authentication method."},
	{"security.auth.selectedType", "string", nil, restart, live, acts, "Authentication method."},
	{"security.auth.useExternal", "bool", nil, restart, live, ifTrue, "Skip credential checks, because the environment provides the credentials."},
	{"security.autoAddToPolicyByDefault", "bool", false, 0, live, onlyOff, "In approvals, list the answer for all future sessions first."},
	{"security.blockGitExtensions", "bool", false, restart, live, onlyOn, "Block extensions from Git repositories."},
	{"security.disableAlwaysAllow", "bool", false, restart, live, onlyOn, "Remove answers such as \"always allow\" from approvals."},
	{"security.disableYoloMode", "bool", false, restart, live, onlyOn, "Block yolo mode."},
	{"security.enableConseca", "bool", false, restart, later, onlyOn, "Check tool calls against a policy that a model generates for the task."},
	{"security.enablePermanentToolApproval", "bool", false, 0, live, onlyOff, "Offer approvals for all future sessions."},
	{"security.environmentVariableRedaction.allowed", "strings", list{}, restart, live, onlyFewer, "Variables that commands always receive."},
	{"security.environmentVariableRedaction.blocked", "strings", list{}, restart, live, onlyMore, "Variables that commands never receive."},
	{"security.environmentVariableRedaction.enabled", "bool", false, restart, live, onlyOn, "Remove secrets from the environment of commands."},
	{"security.folderTrust.enabled", "bool", true, restart, live, onlyOn, "Ask whether to trust a folder before using its settings and running commands in it."},
	{"security.toolSandboxing", "bool", false, restart, later, onlyOn, "Run each tool in a sandbox."},

	{"skills.disabled", "strings", list{}, restart | union, live, loosensItems, "Disabled skills, by name. See /docs skills."},
	{"skills.enabled", "bool", true, restart, live, loosens, "Enable skills."},

	{"telemetry", "record enabled target otlpEndpoint otlpProtocol logPrompts traces outfile useCollector useCliAuth", nil, restart, live, telemetryFields, "Telemetry, written to a file or sent to a collector of your choice. Off by default."},

	{"tools.allowed", "strings", nil, restart, live, loosensItems, "Tools that run without approval. Use policies instead."},
	{"tools.callCommand", "string", nil, restart, live, starts, "Command that runs a discovered tool."},
	{"tools.confirmationRequired", "strings", nil, restart, live, onlyMore, "Tools that always need approval."},
	{"tools.core", "strings", nil, restart, live, coreItems, "Built-in tools to enable. Default: all."},
	{"tools.disableLLMCorrection", "bool", true, restart, live, free, "Report an edit that does not match as failed, instead of asking a model to correct it."},
	{"tools.discoveryCommand", "string", nil, restart, live, starts, "Command that lists additional tools. Requires tools.callCommand."},
	{"tools.exclude", "strings", nil, restart | union, live, tightens, "Tools to hide from the model. Use policies instead."},
	{"tools.sandbox", "any", nil, restart, live, onlyOnce, "Run in a sandbox: true, a command, a profile or an object. Not available yet: Pollux refuses to run."},
	{"tools.sandboxAllowedPaths", "strings", list{}, restart, later, onlyFewer, "Additional paths inside the sandbox."},
	{"tools.sandboxNetworkAccess", "bool", false, restart, later, onlyOff, "Allow network access inside the sandbox."},
	{"tools.shell.backgroundCompletionBehavior", "enum silent inject notify", "silent", 0, later, free, "What to do when a background command ends."},
	{"tools.shell.enableInteractiveShell", "bool", true, restart, screen, free, "Run commands in a terminal that you can type into."},
	{"tools.shell.enableShellOutputEfficiency", "bool", true, 0, later, free, "Ask the model to use commands with little output."},
	{"tools.shell.inactivityTimeout", "number", 300.0, 0, live, free, "Seconds without output after which Pollux stops a command."},
	{"tools.shell.pager", "string", "cat", 0, later, starts, "Value of PAGER and GIT_PAGER for commands."},
	{"tools.shell.showColor", "bool", true, 0, screen, free, "Show colors in command output."},
	{"tools.truncateToolOutputThreshold", "number", 40000.0, restart, live, free, "Maximum number of characters in a tool result, or 0 for no limit."},
	{"tools.useRipgrep", "bool", true, 0, live, free, "Search with ripgrep if it is installed."},

	{"ui.accessibility.enableLoadingPhrases", "bool", true, restart, screen, free, "Former way to turn off loading phrases."},
	{"ui.accessibility.screenReader", "bool", false, restart, live, free, "Use plain output for screen readers."},
	{"ui.autoThemeSwitching", "bool", true, 0, screen, free, "Switch between light and dark theme with the terminal background."},
	{"ui.collapseDrawerDuringApproval", "bool", true, 0, screen, free, "Collapse the input area while an approval is open."},
	{"ui.compactToolOutput", "bool", true, 0, screen, free, "Show results of read-only tools in one line."},
	{"ui.customThemes", "map type name text background border ui status Background Foreground LightBlue AccentBlue AccentPurple AccentCyan AccentGreen AccentYellow AccentRed DiffAdded DiffRemoved Comment Gray DarkGray GradientColors", nil, 0, screen, themes, "Custom themes, by name."},
	{"ui.customWittyPhrases", "strings", list{}, 0, screen, free, "Custom loading phrases."},
	{"ui.debugRainbow", "bool", false, restart, inert, free, "Debug option of another renderer."},
	{"ui.dynamicWindowTitle", "bool", true, 0, screen, free, "Show the status in the window title."},
	{"ui.errorVerbosity", "enum low full", "low", 0, screen, free, "Show recovered errors (full) or hide them (low)."},
	{"ui.escapePastedAtSymbols", "bool", false, 0, screen, free, "Treat @ in pasted text as a plain character."},
	{"ui.footer.hideCWD", "bool", false, negative, screen, free, "Hide the directory in the footer."},
	{"ui.footer.hideContextPercentage", "bool", true, negative, screen, free, "Hide context usage in the footer."},
	{"ui.footer.hideModelInfo", "bool", false, negative, screen, free, "Hide the model in the footer."},
	{"ui.footer.hideSandboxStatus", "bool", false, negative, screen, free, "Hide the sandbox status in the footer."},
	{"ui.footer.items", "strings", nil, 0, screen, free, "Footer items, in order."},
	{"ui.footer.showLabels", "bool", true, 0, screen, free, "Show labels above footer items."},
	{"ui.hideBanner", "bool", false, negative, screen, free, "Hide the banner at start."},
	{"ui.hideContextSummary", "bool", false, negative, screen, free, "Hide the summary of loaded context files."},
	{"ui.hideFooter", "bool", false, negative, screen, free, "Hide the footer."},
	{"ui.hideTips", "bool", false, negative, screen, free, "Hide tips at start."},
	{"ui.hideWindowTitle", "bool", false, restart | negative, screen, free, "Do not change the window title."},
	{"ui.incrementalRendering", "bool", true, restart, inert, free, "Option of another renderer."},
	{"ui.inlineThinkingMode", "enum off full", "off", 0, live, free, "Show the model's thoughts (full) or hide them (off)."},
	{"ui.loadingPhrases", "enum tips witty all off", "off", 0, screen, free, "Phrases to show next to the spinner."},
	{"ui.renderProcess", "bool", true, restart, inert, free, "Option of another renderer."},
	{"ui.showCitations", "bool", false, 0, screen, free, "Show citations after a response."},
	{"ui.showCompatibilityWarnings", "bool", true, restart, screen, free, "Warn about missing terminal features."},
	{"ui.showHomeDirectoryWarning", "bool", true, restart, live, free, "Warn when started in the home directory."},
	{"ui.showLineNumbers", "bool", true, 0, screen, free, "Show line numbers in code blocks."},
	{"ui.showMemoryUsage", "bool", false, 0, screen, free, "Show the memory usage of Pollux."},
	{"ui.showModelInfoInChat", "bool", false, 0, screen, free, "Show the model name for each turn."},
	{"ui.showShortcutsHint", "bool", true, 0, screen, free, "Show a hint about keyboard shortcuts."},
	{"ui.showSpinner", "bool", true, 0, screen, free, "Show a spinner while working."},
	{"ui.showStatusInTitle", "bool", false, 0, screen, free, "Show the model's current thought in the window title."},
	{"ui.showUserIdentity", "bool", true, 0, screen, free, "Show the signed-in account."},
	{"ui.terminalBackgroundPollingInterval", "number", 60.0, 0, screen, free, "Seconds between checks of the terminal background color."},
	{"ui.terminalBuffer", "bool", false, restart, inert, free, "Option of another renderer."},
	{"ui.theme", "string", nil, 0, screen, free, "Name of a theme, or path of a theme file."},
	{"ui.useAlternateBuffer", "bool", false, restart, screen, free, "Use the full screen of the terminal."},
	{"ui.useBackgroundColor", "bool", true, 0, screen, free, "Use background colors for the input box and your messages."},

	{"useWriteTodos", "bool", true, 0, live, free, "Let the model keep a to-do list."},
}

// list is the type of a list in JSON; a literal of it costs nothing at start.
type list = []any
