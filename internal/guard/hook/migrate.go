package hook

// claudeEvents are Claude Code's names of events.
var claudeEvents = map[string]Event{
	"PreToolUse": BeforeTool, "PostToolUse": AfterTool, "UserPromptSubmit": BeforeAgent,
	"Stop": AfterAgent, "SubAgentStop": AfterAgent, "SubagentStop": AfterAgent, "PreCompact": PreCompress,
}
