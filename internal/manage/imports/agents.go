package imports

import (
	"path"

	"pollux/internal/transfer"
)

// agent is another agent. All its files are below the home directory or the project, with slashes.
type agent struct {
	name, title string // "claude", "Claude Code"
	// user and project have its files of the two scopes.
	user, project files
	// same are settings that mean the same in Pollux, by their paths.
	same []string
	// reasons are the reasons not to copy other settings, by their paths. Other parts report those whose reason is "".
	reasons map[string]string
	// restricting are settings, groups of settings and files that may have refused something.
	restricting []string
}

// files are the files of an agent in a scope.
type files struct {
	dir string // shows that the agent is used
	// settings are files with an object whose members are named if they are not copied.
	settings []string
	// commands and subagents are directories.
	commands, subagents []string
	// instructions is a file of the user's with instructions for the model, "" for none.
	instructions string
	// inPlace are files and directories that Pollux reads as they are.
	inPlace []string
	// contexts are files of a project with instructions for the model, each with the names for the setting that makes Pollux read it.
	contexts map[string][]any
	// others are files and directories that are not copied, each with the reason.
	others map[string]string
}

const (
	ownModel = "choose a model with --model or /model"
	ownMode  = "choose a mode with --approval-mode"
	program  = "it runs a program"
)

// agents returns the agents that Pollux imports from.
func agents() []agent {
	return []agent{
		{
			name: "claude", title: "Claude Code",
			user: files{
				dir: ".claude", settings: []string{".claude/settings.json"}, commands: []string{".claude/commands"}, subagents: []string{".claude/agents"},
				instructions: ".claude/CLAUDE.md", inPlace: []string{".claude/skills"},
				others: map[string]string{".claude/rules": "copy the instructions that you want to ~/.gemini/GEMINI.md"},
			},
			project: files{
				dir: ".claude", settings: []string{".claude/settings.json", ".claude/settings.local.json"}, commands: []string{".claude/commands"}, subagents: []string{".claude/agents"},
				inPlace: []string{".claude/skills", ".mcp.json", "CLAUDE.md"},
				others: map[string]string{
					".claude/rules": "copy the instructions that you want to GEMINI.md", ".claude/CLAUDE.md": "to have it, add the line @.claude/CLAUDE.md to CLAUDE.md or GEMINI.md",
				},
			},
			reasons: map[string]string{
				"hooks": "", "permissions": "", "sandbox": "", "disabledMcpjsonServers": "", "$schema": "",
				"apiKeyHelper": program, "statusLine": program, "awsAuthRefresh": program, "awsCredentialExport": program, "otelHeadersHelper": program,
				"env": "set the variables that you need in ~/.gemini/.env", "model": ownModel, "enabledPlugins": "to install one, run: pollux extensions install ADDRESS",
				"extraKnownMarketplaces": "to see its plugins, run: pollux extensions install ADDRESS", "enableAllProjectMcpServers": "Pollux asks about each server of a project",
				"enabledMcpjsonServers": "Pollux asks about each server of a project", "disableAllHooks": "to have the same, run: pollux config set hooksConfig.enabled false",
			},
		},
		{
			name: "antigravity", title: "Antigravity CLI",
			user: files{
				dir: ".gemini/antigravity-cli", settings: []string{".gemini/antigravity-cli/settings.json"}, subagents: []string{".gemini/config/agents"},
				others: map[string]string{
					".gemini/config/rules":     "copy the instructions that you want to ~/.gemini/GEMINI.md",
					".gemini/config/workflows": "write each as a skill or a command", ".gemini/config/plugins": "to install one, run: pollux extensions install DIRECTORY",
					".gemini/config/skills": "to use them, run: pollux skills link ~/.gemini/config/skills",
				},
			},
			project: files{
				dir: ".agents/hooks.json", subagents: []string{".agents/agents"}, inPlace: []string{".agents/skills", ".agents/mcp_config.json", "AGENTS.md"},
				others: map[string]string{
					".agents/rules":     "copy the instructions that you want to GEMINI.md",
					".agents/workflows": "write each as a skill or a command", ".agents/plugins": "to install one, run: pollux extensions install DIRECTORY",
				},
			},
			reasons: map[string]string{"permissions": "", "toolPermission": "", "model": ownModel},
		},
		{
			name: "codex", title: "Codex",
			user: files{
				dir: ".codex", settings: []string{".codex/config.toml"}, commands: []string{".codex/prompts"}, inPlace: []string{".agents/skills"},
				instructions: ".codex/AGENTS.md",
				others: map[string]string{
					".codex/skills": "to use them, run: pollux skills link ~/.codex/skills", ".codex/agents": "its agents have another form",
				},
			},
			project: files{
				dir: ".codex", settings: []string{".codex/config.toml"}, inPlace: []string{".agents/skills", "AGENTS.md"},
				others: map[string]string{
					".codex/agents": "its agents have another form",
					".codex/skills": "to use them, move them to .agents/skills",
				},
			},
			reasons: map[string]string{
				"mcp_servers": "", "hooks": "", "model": ownModel, "model_provider": ownModel, "model_providers": "",
				"approval_policy": ownMode, "sandbox_mode": "see /docs sandbox", "sandbox_workspace_write": "see /docs sandbox", "notify": program,
				"projects": "Pollux asks about the trust in each folder",
			},
			restricting: []string{"approval_policy", "sandbox_mode"},
		},
		{
			name: "opencode", title: "OpenCode",
			user: files{
				dir: ".config/opencode", settings: []string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"},
				commands: under(".config/opencode", "command", "commands"), subagents: under(".config/opencode", "agent", "agents"),
				instructions: ".config/opencode/AGENTS.md",
				others: map[string]string{
					".config/opencode/plugin": program, ".config/opencode/plugins": program,
					".config/opencode/tool": program, ".config/opencode/tools": program, ".config/opencode/skills": "to use them, run: pollux skills link ~/.config/opencode/skills",
				},
			},
			project: files{
				dir: ".opencode", settings: []string{"opencode.json", "opencode.jsonc"}, commands: under(".opencode", "command", "commands"),
				subagents: under(".opencode", "agent", "agents"), inPlace: []string{"AGENTS.md"},
				others: map[string]string{
					".opencode/plugin": program, ".opencode/plugins": program, ".opencode/tool": program, ".opencode/tools": program,
					".opencode/skills": "to use them, move them to .agents/skills",
				},
			},
			reasons: map[string]string{
				"mcp": "", "permission": "", "$schema": "", "model": ownModel, "small_model": ownModel, "provider": "",
				"agent": "write each as a file in agents", "command": "write each as a file in commands", "plugin": program, "formatter": program, "lsp": program,
				"instructions": "to have a file, add the line @FILE to AGENTS.md or GEMINI.md", "tools": "write policies, see /docs policies",
			},
			restricting: []string{"tools", ".opencode/plugin", ".opencode/plugins", ".config/opencode/plugin", ".config/opencode/plugins"},
		},
		{
			name: "cursor", title: "Cursor",
			user: files{
				dir: ".cursor", commands: []string{".cursor/commands"}, subagents: []string{".cursor/agents"},
				others: map[string]string{
					".cursor/hooks.json": "its hooks have another form: write hooks, see /docs hooks", ".cursor/cli-config.json": "its permissions have another form: write policies, see /docs policies",
					".cursor/skills": "to use them, run: pollux skills link ~/.cursor/skills",
				},
			},
			project: files{
				dir: ".cursor", commands: []string{".cursor/commands"}, subagents: []string{".cursor/agents"}, inPlace: []string{"AGENTS.md"},
				others: map[string]string{
					".cursor/hooks.json": "its hooks have another form: write hooks, see /docs hooks", ".cursor/cli.json": "its permissions have another form: write policies, see /docs policies",
					".cursor/rules": "copy the instructions that you want to GEMINI.md", ".cursorrules": "copy the instructions that you want to GEMINI.md",
					".cursor/skills": "to use them, move them to .agents/skills",
				},
			},
			restricting: []string{".cursor/hooks.json", ".cursor/cli-config.json", ".cursor/cli.json"},
		},
		{
			name: "qwen", title: "Qwen Code",
			user: files{
				dir: ".qwen", settings: []string{".qwen/settings.json"}, commands: []string{".qwen/commands"}, subagents: []string{".qwen/agents"},
				instructions: ".qwen/QWEN.md",
				others: map[string]string{
					".qwen/skills":     "to use them, run: pollux skills link ~/.qwen/skills",
					".qwen/extensions": "to install one, run: pollux extensions install ~/.qwen/extensions/NAME",
					".qwen/.env":       "copy the variables that you need to ~/.gemini/.env",
				},
			},
			project: files{
				dir: ".qwen", settings: []string{".qwen/settings.json", ".qwen/settings.local.json"}, commands: []string{".qwen/commands"}, subagents: []string{".qwen/agents"},
				inPlace: []string{"AGENTS.md"}, contexts: map[string][]any{"QWEN.md": {"AGENTS.md", "QWEN.md"}},
				others: map[string]string{
					".qwen/skills": "to use them, move them to .agents/skills", ".qwenignore": "name it in context.fileFiltering.customIgnoreFilePaths",
				},
			},
			same: []string{
				"advanced.excludedEnvVars", "context.fileFiltering.enableFuzzySearch", "context.fileFiltering.enableRecursiveFileSearch",
				"context.fileFiltering.respectGitIgnore", "context.fileName", "context.importFormat", "general.checkpointing.enabled",
				"general.preferredEditor", "general.vimMode", "mcp.allowed", "mcp.excluded", "model.maxSessionTurns", "model.skipNextSpeakerCheck",
				"output.format", "tools.core", "tools.exclude", "tools.shell.enableInteractiveShell", "tools.shell.showColor",
				"tools.truncateToolOutputLines", "tools.truncateToolOutputThreshold", "tools.useRipgrep", "ui.accessibility.enableLoadingPhrases",
				"ui.accessibility.screenReader", "ui.customThemes", "ui.customWittyPhrases", "ui.hideBanner", "ui.hideTips", "ui.hideWindowTitle",
				"ui.showCitations", "ui.showLineNumbers", "ui.showStatusInTitle",
			},
			reasons: map[string]string{
				"$schema": "", "$version": "", "hooks": "", "mcpServers": "", "modelProviders": "", "permissions": "",
				"context.includeDirectories": "see context.includeDirectories", "disableAllHooks": "to have the same, run: pollux config set hooksConfig.enabled false",
				"env": "set the variables that you need in ~/.gemini/.env", "fastModel": ownModel, "mcp.serverCommand": program, "model.name": ownModel,
				"model.generationConfig": "write modelConfigs, see /docs models", "privacy.usageStatisticsEnabled": "Pollux collects none", "proxy": "set HTTPS_PROXY",
				"security.auth": "sign in with pollux auth", "security.folderTrust": "Pollux always asks about the trust in a folder", "slashCommands": "Pollux turns no / commands off", "telemetry": "it sends data: see /docs telemetry",
				"tools.allowed": "tools that run without a question are not copied", "tools.approvalMode": ownMode, "tools.autoAccept": ownMode,
				"tools.callCommand": program, "tools.discoveryCommand": program, "tools.sandbox": "see /docs sandbox", "tools.sandboxImage": "see /docs sandbox",
				"tools.shell.pager": program, "ui.statusLine": program, "ui.theme": "choose one with /theme",
			},
			restricting: []string{
				"advanced.excludedEnvVars", "context.fileFiltering", "disableAllHooks", "mcp.allowed", "mcp.excluded", "security.allowedHttpHookUrls",
				"slashCommands", "tools.approvalMode", "tools.core", "tools.exclude", "tools.sandbox", ".qwenignore",
			},
		},
		{
			name: "crush", title: "Crush",
			user: files{
				dir: ".config/crush", settings: []string{".config/crush/crush.json"},
				instructions: ".config/crush/CRUSH.md",
				others:       map[string]string{".config/crush/skills": "to use them, run: pollux skills link ~/.config/crush/skills"},
			},
			project: files{
				dir: ".crush", settings: []string{"crush.json", ".crush.json"}, inPlace: []string{"AGENTS.md"},
				contexts: map[string][]any{"CRUSH.md": {"AGENTS.md", "CLAUDE.md", "CRUSH.md"}},
			},
			reasons: map[string]string{
				"mcp": "", "$schema": "", "models": ownModel, "providers": "", "lsp": program,
				"permissions": "tools that run without a question are not copied", "hooks": "",
			},
		},
	}
}

// under returns the paths of names in a directory.
func under(dir string, names ...string) (paths []string) {
	for _, name := range names {
		paths = append(paths, path.Join(dir, name))
	}
	return paths
}

// first returns the first of the agent's files that the place has, "" if the agent is not used there.
func (f *files) first(p transfer.Place) string {
	for _, name := range append([]string{f.dir}, f.settings...) {
		if p.Has(name) {
			return name
		}
	}
	return ""
}
