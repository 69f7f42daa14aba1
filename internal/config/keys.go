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
	//	enum a b c       one of these strings
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
	TopicUpdates        = Bool("general.topicUpdateNarration")
	WriteTodos          = Bool("useWriteTodos")
	OutputFormat        = String("output.format")
	PreferredEditor     = String("general.preferredEditor")
	EditorInNewWindow   = Bool("general.openEditorInNewWindow")
	InlineThinking      = String("ui.inlineThinkingMode")
	ScreenReader        = Bool("ui.accessibility.screenReader")
	BugCommand          = Object("advanced.bugCommand")
	HomeWarning         = Bool("ui.showHomeDirectoryWarning")

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
	PermanentApproval      = Bool("security.enablePermanentToolApproval")
	SaveApprovalFirst      = Bool("security.autoAddToPolicyByDefault")
	ToolsDiscovery         = String("tools.discoveryCommand")
	ToolsCall              = String("tools.callCommand")
	UseRipgrep             = Bool("tools.useRipgrep")
	DirectWebFetch         = Bool("experimental.directWebFetch")
	TruncateToolOutput     = Int("tools.truncateToolOutputThreshold")
	SummarizeToolOutput    = Object("model.summarizeToolOutput")
	DisableLLMCorrection   = Bool("tools.disableLLMCorrection")

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
	{"$schema", "string", nil, 0, inert, "Where an editor finds the schema of this file."},

	{"admin.extensions.enabled", "bool", true, 0, inert, "Set by an administrator's server, never by a file."},
	{"admin.mcp.config", "object", nil, 0, inert, "Set by an administrator's server, never by a file."},
	{"admin.mcp.enabled", "bool", true, 0, inert, "Set by an administrator's server, never by a file."},
	{"admin.mcp.requiredConfig", "object", nil, 0, inert, "Set by an administrator's server, never by a file."},
	{"admin.secureModeEnabled", "bool", false, 0, inert, "Set by an administrator's server, never by a file."},
	{"admin.skills.enabled", "bool", true, 0, inert, "Set by an administrator's server, never by a file."},
	{"adminPolicyPaths", "strings", list{}, restart | union, live, "More policy files or directories, of the administrator's tier."},

	{"advanced.autoConfigureMemory", "bool", true, restart, inert, "Sized the heap of Node; there is none here."},
	{"advanced.bugCommand", "record urlTemplate", nil, 0, live, "The address that /bug gives, with {title}, {info} and {problem}."},
	{"advanced.dnsResolutionOrder", "string", nil, restart, inert, "Chose between IPv4 and IPv6; both are tried at once here."},
	{"advanced.excludedEnvVars", "strings", list{"DEBUG", "DEBUG_MODE"}, union, live, "Variables that a project's .env may not set."},
	{"advanced.ignoreLocalEnv", "bool", false, restart, live, "Read no plain .env outside the home directory."},

	{"agents.browser.allowedDomains", "strings", list{"github.com", "*.google.com", "localhost"}, restart, later, "Sites the browser agent may open."},
	{"agents.browser.blockFileUploads", "bool", false, restart, later, "The browser agent may not upload files."},
	{"agents.browser.confirmSensitiveActions", "bool", false, restart, later, "Ask before the browser agent does something delicate."},
	{"agents.browser.disableUserInput", "bool", true, restart, later, "Keep hands off the page while the browser agent works."},
	{"agents.browser.headless", "bool", false, restart, later, "Run the browser without a window."},
	{"agents.browser.maxActionsPerTask", "number", 100.0, restart, later, "How many steps the browser agent may take."},
	{"agents.browser.profilePath", "string", nil, restart, later, "Directory of the browser's profile."},
	{"agents.browser.sessionMode", "enum persistent isolated existing", "persistent", restart, later, "Which browser session the browser agent uses."},
	{"agents.browser.visualModel", "string", nil, restart, later, "The model that looks at screenshots."},
	{"agents.overrides", "map enabled modelConfig runConfig tools mcpServers", nil, restart, later, "Changes to subagents, by name."},

	{"billing.overageStrategy", "enum ask always never", "ask", 0, inert, "Google's credits; Pollux has no part in them."},
	{"billing.vertexAi.requestType", "enum dedicated shared", nil, restart, live, "Which Vertex AI capacity requests ask for."},
	{"billing.vertexAi.sharedRequestType", "enum priority flex", nil, restart, live, "Which class of shared Vertex AI capacity requests ask for."},

	{"context.discoveryMaxDirs", "number", 200.0, 0, live, "How many directories pollux.memory.eager looks into."},
	{"context.fileFiltering.customIgnoreFilePaths", "strings", list{}, restart | union, live, "More ignore files, the first one strongest."},
	{"context.fileFiltering.enableFileWatcher", "bool", false, restart, screen, "Keep the completion of @ up to date while files change."},
	{"context.fileFiltering.enableFuzzySearch", "bool", true, restart, screen, "Let the completion of @ match loosely."},
	{"context.fileFiltering.enableRecursiveFileSearch", "bool", true, restart, screen, "Let the completion of @ look into subdirectories."},
	{"context.fileFiltering.respectGeminiIgnore", "bool", true, restart, live, "Leave out what .geminiignore names."},
	{"context.fileFiltering.respectGitIgnore", "bool", true, restart, live, "Leave out what .gitignore names."},
	{"context.fileName", "string|strings", nil, 0, live, "Names of memory files beside GEMINI.md: AGENTS.md, CLAUDE.md. The first one is written."},
	{"context.importFormat", "string", nil, 0, live, "How imported memory files are laid out: tree or flat."},
	{"context.includeDirectories", "strings", list{}, concat, live, "More directories that belong to the workspace."},
	{"context.includeDirectoryTree", "bool", true, 0, live, "Show the model the tree of files in its first message."},
	{"context.loadMemoryFromIncludeDirectories", "bool", false, 0, screen, "Reload memory when a directory is added during a session."},
	{"context.memoryBoundaryMarkers", "strings", list{".git"}, restart, live, "The search for memory files stops where one of these is."},

	{"contextManagement.historyWindow.maxTokens", "number", 150000.0, restart, inert, "Never had an effect."},
	{"contextManagement.historyWindow.retainedTokens", "number", 40000.0, restart, inert, "Never had an effect."},
	{"contextManagement.messageLimits.normalMaxTokens", "number", 2500.0, restart, inert, "Never had an effect."},
	{"contextManagement.messageLimits.normalizationHeadRatio", "number", 0.25, restart, inert, "Never had an effect."},
	{"contextManagement.messageLimits.retainedMaxTokens", "number", 12000.0, restart, inert, "Never had an effect."},
	{"contextManagement.tools.distillation.maxOutputTokens", "number", 10000.0, restart, inert, "Never had an effect."},
	{"contextManagement.tools.distillation.summarizationThresholdTokens", "number", 20000.0, restart, inert, "Never had an effect."},
	{"contextManagement.tools.outputMasking.minPrunableThresholdTokens", "number", 30000.0, restart, inert, "Never had an effect."},
	{"contextManagement.tools.outputMasking.protectLatestTurn", "bool", true, restart, inert, "Never had an effect."},
	{"contextManagement.tools.outputMasking.protectionThresholdTokens", "number", 50000.0, restart, inert, "Never had an effect."},

	{"experimental.adk.agentSessionInteractiveEnabled", "bool", false, restart, inert, "Chose between two loops; Pollux has one."},
	{"experimental.adk.agentSessionNoninteractiveEnabled", "bool", false, restart, inert, "Chose between two loops; Pollux has one."},
	{"experimental.adk.agentSessionSubagentEnabled", "bool", false, restart, inert, "Chose between two loops; Pollux has one."},
	{"experimental.autoMemory", "bool", false, restart, later, "Collect memories from past sessions in the background."},
	{"experimental.contextManagement", "bool", false, restart, later, "Manage the context by a profile of its own."},
	{"experimental.directWebFetch", "bool", false, restart, live, "Let web_fetch read pages itself."},
	{"experimental.dynamicModelConfiguration", "bool", false, restart, later, "Take models and chains from modelConfigs."},
	{"experimental.enableAgents", "bool", true, restart, later, "Subagents exist."},
	{"experimental.extensionConfig", "bool", true, restart, later, "Extensions may ask for settings of their own."},
	{"experimental.extensionManagement", "bool", true, restart, inert, "Never had an effect."},
	{"experimental.extensionRegistry", "bool", false, restart, screen, "A catalogue of extensions on the screen."},
	{"experimental.extensionRegistryURI", "string", "https://geminicli.com/extensions.json", restart, screen, "Where that catalogue is."},
	{"experimental.extensionReloading", "bool", false, restart, later, "Load and unload extensions during a session."},
	{"experimental.gemma", "bool", true, restart, screen, "Offer Gemma models in the list of models."},
	{"experimental.gemmaModelRouter.autoStartServer", "bool", false, restart, later, "Start the local routing model; from the user's file only."},
	{"experimental.gemmaModelRouter.binaryPath", "string", "", restart, later, "Program of the local routing model; from the user's file only."},
	{"experimental.gemmaModelRouter.classifier.host", "string", "http://localhost:9379", restart, later, "Address of the local routing model."},
	{"experimental.gemmaModelRouter.classifier.model", "string", "gemma3-1b-gpu-custom", restart, later, "Name of the local routing model."},
	{"experimental.gemmaModelRouter.enabled", "bool", false, restart, later, "Let a local model choose the model."},
	{"experimental.generalistProfile", "bool", false, restart, later, "A profile for the context."},
	{"experimental.modelSteering", "bool", false, 0, later, "Pass hints to the model while it works."},
	{"experimental.powerUserProfile", "bool", false, restart, later, "A profile for the context."},
	{"experimental.stressTestProfile", "bool", false, restart, later, "A profile for the context, for tests."},
	{"experimental.taskTracker", "bool", false, restart, later, "Tools that keep a tree of tasks."},
	{"experimental.topicUpdateNarration", "bool", false, 0, inert, "The old name of general.topicUpdateNarration."},
	{"experimental.useOSC52Copy", "bool", false, 0, screen, "Copy through the terminal."},
	{"experimental.useOSC52Paste", "bool", false, 0, screen, "Paste through the terminal."},
	{"experimental.voice.activationMode", "enum push-to-talk toggle", "push-to-talk", 0, screen, "How dictation starts."},
	{"experimental.voice.backend", "enum gemini-live whisper", "gemini-live", 0, screen, "What turns speech into text."},
	{"experimental.voice.stopGracePeriodMs", "number", 4000.0, 0, screen, "Silence that ends a dictation, in milliseconds."},
	{"experimental.voice.whisperModel", "enum ggml-tiny.en.bin ggml-base.en.bin ggml-large-v3-turbo-q5_0.bin ggml-large-v3-turbo-q8_0.bin", "ggml-base.en.bin", 0, screen, "The speech model."},
	{"experimental.voiceMode", "bool", false, 0, screen, "Dictation."},
	{"experimental.worktrees", "bool", false, restart, later, "Allow --worktree."},

	{"extensions.disabled", "strings", list{}, restart | union, later, "Extensions that are off."},
	{"extensions.workspacesWithMigrationNudge", "strings", list{}, union, inert, "Where a hint was shown."},

	{"general.checkpointing.enabled", "bool", false, restart, later, "Keep a checkpoint before files are changed."},
	{"general.debugKeystrokeLogging", "bool", false, 0, screen, "Log what is typed."},
	{"general.defaultApprovalMode", "enum default auto_edit plan", "default", 0, live, "The approval mode to start in; yolo is for the command line alone."},
	{"general.devtools", "bool", false, 0, inert, "Started a viewer that Pollux does not have."},
	{"general.enableAutoUpdate", "bool", true, 0, screen, "Pollux does not update itself; with false it does not offer to either."},
	{"general.enableAutoUpdateNotification", "bool", true, 0, screen, "Tell when there is a new version."},
	{"general.enableNotifications", "bool", false, 0, screen, "Notify through the terminal when attention is needed."},
	{"general.logRagSnippets", "bool", false, 0, inert, "Diagnosed a Google service that Pollux does not use."},
	{"general.maxAttempts", "number", 10.0, 0, live, "How often a failing request is tried, 10 at most."},
	{"general.notificationMethod", "enum auto osc9 osc777 bell", "auto", 0, screen, "How the terminal is asked to notify."},
	{"general.openEditorInNewWindow", "bool", false, 0, live, "Open the editor in a window of its own."},
	{"general.plan.directory", "string", nil, restart, live, "Where plans are written, inside the project."},
	{"general.plan.enabled", "bool", true, restart, live, "Plan mode exists."},
	{"general.plan.modelRouting", "bool", true, 0, live, "Plan with the larger model, implement with the faster one."},
	{"general.preferredEditor", "enum vscode vscodium windsurf cursor zed antigravity sublimetext lapce nova bbedit vim neovim emacs hx emacsclient micro", nil, 0, live, "The editor to open; $VISUAL or $EDITOR if unset."},
	{"general.retryFetchErrors", "bool", true, 0, live, "Try again when the connection fails."},
	{"general.sessionRetention.enabled", "bool", true, 0, later, "Delete old sessions."},
	{"general.sessionRetention.maxAge", "string", "30d", 0, later, "How old a session may become: a number and h, d, w or m."},
	{"general.sessionRetention.maxCount", "number", nil, 0, later, "How many sessions are kept."},
	{"general.sessionRetention.minRetention", "string", "1d", 0, later, "How long a session is kept in any case."},
	{"general.topicUpdateNarration", "bool", true, 0, live, "Let the model announce what it turns to."},
	{"general.vimMode", "bool", false, 0, screen, "Keys of vi in the input."},

	{"hooks", "object", nil, concat, later, "Programs to run at events, by event."},
	{"hooksConfig.disabled", "strings", list{}, union, later, "Hooks that are off, by name or command."},
	{"hooksConfig.enabled", "bool", true, restart, later, "Hooks are run."},
	{"hooksConfig.notifications", "bool", true, 0, screen, "Show when a hook runs."},

	{"ide.enabled", "bool", false, restart, later, "Connect to the editor Pollux runs in."},
	{"ide.hasSeenNudge", "bool", false, 0, inert, "Whether a hint was shown."},

	{"mcp.allowed", "strings", nil, restart | meet, later, "The only MCP servers to use; of several layers, what all allow."},
	{"mcp.excluded", "strings", nil, restart | concat, later, "MCP servers not to use."},
	{"mcp.serverCommand", "string", nil, restart, later, "The command of one MCP server without a name."},
	{"mcpServers", mcpServerFields, nil, restart | shallow, later, "MCP servers, by name."},

	{"model.compressionThreshold", "number", 0.5, restart, live, "The part of the context window that may fill before the history is compressed."},
	{"model.disableLoopDetection", "bool", false, restart, live, "Let the model go in circles."},
	{"model.maxSessionTurns", "number", -1.0, 0, live, "How many requests a session may make; -1 for no limit."},
	{"model.name", "string", nil, 0, live, "The model; --model and GEMINI_MODEL win over it."},
	{"model.skipNextSpeakerCheck", "bool", true, negative, live, "Do not ask the model whether it meant to go on."},
	{"model.summarizeToolOutput", "map tokenBudget", nil, 0, live, "For run_shell_command: have a model summarize output of more than tokenBudget tokens, in at most so many. The default of tokenBudget is 2000."},
	{"modelConfigs.aliases", "object", nil, 0, live, "How models are asked, by names that build on each other, in place of the built-in ones."},
	{"modelConfigs.classifierIdResolutions", "object", nil, restart, later, "Which model each class of task gets."},
	{"modelConfigs.customAliases", "object", nil, 0, live, "More such names; they win over the built-in ones."},
	{"modelConfigs.customOverrides", "array", list{}, 0, live, "More such changes."},
	{"modelConfigs.modelChains", "object", nil, restart, live, "Which model follows when one is not available."},
	{"modelConfigs.modelDefinitions", "object", nil, restart, later, "What is known of models."},
	{"modelConfigs.modelIdResolutions", "object", nil, restart, later, "Which model a name stands for."},
	{"modelConfigs.overrides", "array", list{}, 0, live, "Changes to how models are asked, by model, alias, subagent or retry, in place of the built-in ones."},
	{"modelProviders", "object", nil, restart, live, "Providers of models beside the built-in ones, and changes to those; not from a workspace."},

	{"output.format", "enum text json stream-json", "text", 0, live, "What a headless run prints."},
	{"policyPaths", "strings", list{}, restart | union, live, "Policy files or directories in place of ~/.gemini/policies."},
	{"pollux.buildFiles", "enum unlessYolo always never", "unlessYolo", restart, live, "When changes of files that builds run need your consent whatever rules allow: in all modes but yolo, always, never."},
	{"pollux.compression.fiveParts", "bool", false, 0, live, "Ask for summaries in five parts, not in seven."},
	{"pollux.compression.oneCall", "bool", false, 0, live, "Do not have a summary checked by a second request."},
	{"pollux.compression.preserve", "number", 0.3, 0, live, "The part of the history that a compression leaves as it is."},
	{"pollux.fallback", "strings", nil, 0, live, "Models to ask, one after the other, when a model cannot answer."},
	{"pollux.history.dropInvalidPrompts", "bool", false, 0, live, "With an unusable answer in a loaded history, leave out its prompt too."},
	{"pollux.history.forgetCancelled", "bool", false, 0, live, "Take a cancelled prompt back with all that its tools reported, as Gemini CLI does."},
	{"pollux.instructions", "enum auto full compact", "auto", restart, live, "How much a model is told: the compact form has the rules and tools of every day and a short tree. auto is compact for windows of up to 32k tokens and where tools are called in text."},
	{"pollux.invalidAnswer.continue", "bool", false, 0, live, "After an unusable answer, ask the model once more to go on."},
	{"pollux.invalidAnswer.delay", "number", 1.0, 0, live, "Seconds before an unusable answer, or one that broke off, is asked for again."},
	{"pollux.invalidAnswer.linear", "bool", false, 0, live, "Keep that delay the same, instead of doubling it each time."},
	{"pollux.invalidAnswer.maxAttempts", "number", 4.0, 0, live, "How often an answer that is unusable or breaks off is asked for, the first time included."},
	{"pollux.localPatience", "number", 50.0, 0, live, "Milliseconds that a server of models on this machine may take to say that it is there."},
	{"pollux.localServers", "bool", true, 0, live, "Where no provider is set up, look for a server of models on this machine."},
	{"pollux.loops.interval", "number", 10.0, 0, live, "How many turns after the first judgement of whether a model goes in circles the next is asked for, where that gave none."},
	{"pollux.loops.maxCycle", "number", 5.0, 0, live, "How many calls a circle of repeated calls may have; 1 for the same call only."},
	{"pollux.loops.single", "bool", false, 0, live, "Take one model's word for it that the agent goes in circles, instead of two models'."},
	{"pollux.maskToolOutputs", "bool", true, 0, live, "Put what tools said long ago into files, and show the model where they are."},
	{"pollux.memory.eager", "bool", false, restart, live, "Read the memory of all subdirectories at the start, and put everything into the system instruction."},
	{"pollux.memory.saveTool", "bool", false, restart, live, "Give the model the tool save_memory, instead of letting it edit the files."},
	{"pollux.nudge", "bool", true, 0, live, "Ask the model, at most twice for a prompt, to go on where it ends with an announcement, with a tool call written as text, or without a word about the results of its calls. Not while model.skipNextSpeakerCheck is false, which asks in such a case, too."},
	{"pollux.response.idleTimeout", "number", 300.0, 0, live, "Seconds without a byte from the model's server after which a response counts as cut off, and Pollux asks again. idleTimeout of an entry in modelProviders wins."},
	{"pollux.response.startTimeout", "number", 0.0, 0, live, "Seconds to wait for the first byte of a response before Pollux asks again; 0 for the default: 120, for answers that are not streamed 300, for Ollama and at addresses of this machine and of private networks 1800. startTimeout of an entry in modelProviders wins."},
	{"pollux.retryDelay", "number", 5.0, 0, live, "Seconds before a failing request is tried the second time. The delay doubles each time, up to 30 seconds; a longer one that the provider asks for counts."},
	{"pollux.routing", "enum named always never", "named", 0, live, "When a small model is asked which of Google's models a prompt needs: where the model was named auto, also where none was named (as Gemini CLI does), or never."},
	{"pollux.routingBinary", "bool", false, 0, live, "Ask it for one model or the other, not for a score."},
	{"pollux.routingThreshold", "number", 90.0, 0, live, "The score, of 100, from which on a prompt goes to the pro model."},
	{"pollux.stdinWait", "number", 2.0, 0, live, "Seconds that a run with --prompt waits for the first byte of piped input, 0 for no limit."},
	{"pollux.toolCalling", "enum auto native text", "auto", 0, live, "How models call tools: by themselves, in words, or in words where their server takes no tools."},
	{"pollux.toolMappings", "array", list{}, 0, live, "Names that models give to arguments of tools, by model and endpoint."},
	{"pollux.workspacePolicies", "bool", false, restart, live, "Policy files in a trusted project's .gemini/policies count; not from a workspace."},
	{"privacy.usageStatisticsEnabled", "bool", true, restart, inert, "Pollux sends no usage statistics to anyone."},

	{"security.allowedExtensions", "strings", list{}, restart, later, "Patterns of the sources extensions may come from."},
	{"security.auth.enforcedType", "string", nil, restart, live, "The only way to authenticate that is accepted."},
	{"security.auth.selectedType", "string", nil, restart, live, "How to authenticate."},
	{"security.auth.useExternal", "bool", nil, restart, live, "Credentials are the environment's business: do not check them."},
	{"security.autoAddToPolicyByDefault", "bool", false, 0, live, "Offer the answer for all future sessions first."},
	{"security.blockGitExtensions", "bool", false, restart, later, "No extensions from git."},
	{"security.disableAlwaysAllow", "bool", false, restart, live, "No answer is remembered."},
	{"security.disableYoloMode", "bool", false, restart, live, "The approval mode yolo is refused."},
	{"security.enableConseca", "bool", false, restart, later, "Check calls against a policy made for the task."},
	{"security.enablePermanentToolApproval", "bool", false, 0, live, "Offer to remember an answer for all future sessions."},
	{"security.environmentVariableRedaction.allowed", "strings", list{}, restart, live, "Variables that child processes always get."},
	{"security.environmentVariableRedaction.blocked", "strings", list{}, restart, live, "Variables that child processes never get."},
	{"security.environmentVariableRedaction.enabled", "bool", false, restart, live, "Keep secrets out of the environment of child processes."},
	{"security.folderTrust.enabled", "bool", true, restart, live, "Folders must be trusted before what they bring is used."},
	{"security.toolSandboxing", "bool", false, restart, later, "Run each tool in a sandbox."},

	{"skills.disabled", "strings", list{}, restart | union, later, "Skills that are off."},
	{"skills.enabled", "bool", true, restart, later, "Skills exist."},

	{"telemetry", "record enabled target otlpEndpoint otlpProtocol logPrompts traces outfile useCollector useCliAuth", nil, restart, live, "Records of what a session does, to a file or a collector that the user names."},

	{"tools.allowed", "strings", nil, restart, live, "Tools that run without asking; policies replace it."},
	{"tools.callCommand", "string", nil, restart, live, "The command that runs a discovered tool."},
	{"tools.confirmationRequired", "strings", nil, restart, live, "Tools that always ask."},
	{"tools.core", "strings", nil, restart, live, "The only built-in tools there are."},
	{"tools.disableLLMCorrection", "bool", true, restart, live, "An edit that does not match fails, instead of asking a model to mend it."},
	{"tools.discoveryCommand", "string", nil, restart, live, "The command that lists more tools."},
	{"tools.exclude", "strings", nil, restart | union, live, "Tools that are hidden; policies replace it."},
	{"tools.sandbox", "any", nil, restart, live, "Run Pollux in a sandbox: true, a command, a profile or an object; as there is none yet, do not run."},
	{"tools.sandboxAllowedPaths", "strings", list{}, restart, later, "More paths inside the sandbox."},
	{"tools.sandboxNetworkAccess", "bool", false, restart, later, "Network inside the sandbox."},
	{"tools.shell.backgroundCompletionBehavior", "enum silent inject notify", "silent", 0, later, "What happens when a command in the background ends."},
	{"tools.shell.enableInteractiveShell", "bool", true, restart, screen, "Commands get a terminal that one can type into."},
	{"tools.shell.enableShellOutputEfficiency", "bool", true, 0, later, "Ask the model to keep commands quiet."},
	{"tools.shell.inactivityTimeout", "number", 300.0, 0, live, "Seconds without output after which a command is stopped."},
	{"tools.shell.pager", "string", "cat", 0, later, "PAGER and GIT_PAGER of commands."},
	{"tools.shell.showColor", "bool", true, 0, screen, "Show the colours of a command's output."},
	{"tools.truncateToolOutputThreshold", "number", 40000.0, restart, live, "Characters of output a tool may return; 0 or less for no limit."},
	{"tools.useRipgrep", "bool", true, 0, live, "Search with rg where it is installed."},

	{"ui.accessibility.enableLoadingPhrases", "bool", true, restart, screen, "The old way to switch the phrases off."},
	{"ui.accessibility.screenReader", "bool", false, restart, live, "Plain output, line by line."},
	{"ui.autoThemeSwitching", "bool", true, 0, screen, "Follow the terminal's background."},
	{"ui.collapseDrawerDuringApproval", "bool", true, 0, screen, "Fold the drawer while a question is open."},
	{"ui.compactToolOutput", "bool", true, 0, screen, "Show results of reading tools in short."},
	{"ui.customThemes", "map type name text background border ui status Background Foreground LightBlue AccentBlue AccentPurple AccentCyan AccentGreen AccentYellow AccentRed DiffAdded DiffRemoved Comment Gray DarkGray GradientColors", nil, 0, screen, "Themes of one's own, by name."},
	{"ui.customWittyPhrases", "strings", list{}, 0, screen, "Phrases to show while working."},
	{"ui.debugRainbow", "bool", false, restart, inert, "Diagnosed a renderer that Pollux does not have."},
	{"ui.dynamicWindowTitle", "bool", true, 0, screen, "Show the state in the window title."},
	{"ui.errorVerbosity", "enum low full", "low", 0, screen, "Whether errors that were recovered from are shown."},
	{"ui.escapePastedAtSymbols", "bool", false, 0, screen, "A pasted @ is just a character."},
	{"ui.footer.hideCWD", "bool", false, 0, screen, "No directory in the footer."},
	{"ui.footer.hideContextPercentage", "bool", true, 0, screen, "No context use in the footer."},
	{"ui.footer.hideModelInfo", "bool", false, 0, screen, "No model in the footer."},
	{"ui.footer.hideSandboxStatus", "bool", false, 0, screen, "No sandbox in the footer."},
	{"ui.footer.items", "strings", nil, 0, screen, "What the footer shows, in order."},
	{"ui.footer.showLabels", "bool", true, 0, screen, "Headings above the footer."},
	{"ui.hideBanner", "bool", false, 0, screen, "No banner at start."},
	{"ui.hideContextSummary", "bool", false, 0, screen, "No line about the memory files in use."},
	{"ui.hideFooter", "bool", false, 0, screen, "No footer."},
	{"ui.hideTips", "bool", false, 0, screen, "No tips at start."},
	{"ui.hideWindowTitle", "bool", false, restart, screen, "Leave the window title alone."},
	{"ui.incrementalRendering", "bool", true, restart, inert, "Tuned a renderer that Pollux does not have."},
	{"ui.inlineThinkingMode", "enum off full", "off", 0, live, "Show the model's thoughts."},
	{"ui.loadingPhrases", "enum tips witty all off", "off", 0, screen, "What to show beside the spinner."},
	{"ui.renderProcess", "bool", true, restart, inert, "Tuned a renderer that Pollux does not have."},
	{"ui.showCitations", "bool", false, 0, screen, "Show sources after an answer."},
	{"ui.showCompatibilityWarnings", "bool", true, restart, screen, "Warn about what the terminal cannot do."},
	{"ui.showHomeDirectoryWarning", "bool", true, restart, live, "Warn when started in the home directory."},
	{"ui.showLineNumbers", "bool", true, 0, screen, "Number the lines of code."},
	{"ui.showMemoryUsage", "bool", false, 0, screen, "Show how much memory Pollux uses."},
	{"ui.showModelInfoInChat", "bool", false, 0, screen, "Name the model with each answer."},
	{"ui.showShortcutsHint", "bool", true, 0, screen, "A hint at the keys."},
	{"ui.showSpinner", "bool", true, 0, screen, "A spinner while working."},
	{"ui.showStatusInTitle", "bool", false, 0, screen, "The model's current thought in the window title."},
	{"ui.showUserIdentity", "bool", true, 0, screen, "Show who is signed in."},
	{"ui.terminalBackgroundPollingInterval", "number", 60.0, 0, screen, "Seconds between looks at the terminal's background."},
	{"ui.terminalBuffer", "bool", false, restart, inert, "Tuned a renderer that Pollux does not have."},
	{"ui.theme", "string", nil, 0, screen, "Name or file of the theme."},
	{"ui.useAlternateBuffer", "bool", false, restart, screen, "Use the whole screen."},
	{"ui.useBackgroundColor", "bool", true, 0, screen, "Shade the input and the user's messages."},

	{"useWriteTodos", "bool", true, 0, live, "The model may keep a list of things to do."},
}

// list is the type of a list in JSON; a literal of it costs nothing at start.
type list = []any
