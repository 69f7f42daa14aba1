package plugin

// form is the form of an agent's plugins.
type form struct {
	agent, title string // "claude", "Claude Code"
	// manifests are the places of the manifest.
	manifests []string
	// hooks and servers are files, skills is a directory. The manifest may name others.
	hooks, servers string
	// commands are the ends of names of files with commands.
	commands []string
	// keys are the keys of the manifest that have an effect or need none.
	keys []string
	// reasons are the reasons to leave out other keys.
	reasons map[string]string
	// others are files and directories that are not converted, each with the reason.
	others map[string]string
}

const (
	program  = "it runs a program"
	ownThing = "Pollux has no such part"
)

// forms returns the forms, the one with priority first.
func forms() []*form {
	return []*form{
		{
			agent: "claude", title: "Claude Code", manifests: []string{".claude-plugin/plugin.json"}, hooks: "hooks/hooks.json", servers: ".mcp.json", commands: []string{".md"},
			keys: []string{
				"$schema", "name", "displayName", "version", "description", "author", "homepage", "repository", "license", "keywords",
				"commands", "agents", "skills", "hooks", "mcpServers", "userConfig", "source", "strict", "category", "tags",
			},
			reasons: map[string]string{
				"lspServers": program, "monitors": program, "outputStyles": ownThing, "themes": "its themes have another form", "channels": ownThing,
				"dependencies": "install the other plugins, too", "settings": ownThing,
			},
			others: map[string]string{
				".lsp.json": program, "monitors": program, "output-styles": ownThing, "themes": "its themes have another form", "settings.json": ownThing,
				"bin": "its programs are not in PATH", "workflows": ownThing, "policies": "they are no part of a plugin of Claude Code",
			},
		},
		{
			agent: "antigravity", title: "Antigravity CLI", manifests: []string{"plugin.json", ".antigravity-plugin/plugin.json", ".gemini-plugin/plugin.json"},
			hooks: "hooks.json", servers: "mcp_config.json", commands: []string{".md", ".toml"},
			keys: []string{"$schema", "name", "version", "description", "logo", "author", "homepage", "repository", "license", "keywords"},
			reasons: map[string]string{
				"disabled": "to have the same, run: pollux extensions disable NAME",
			},
			others: map[string]string{
				"workflows": "write each as a skill or a command", "policies": "they are no part of a plugin of Antigravity CLI",
			},
		},
		{
			agent: "qwen", title: "Qwen Code", manifests: []string{"qwen-extension.json"}, hooks: "hooks/hooks.json", commands: []string{".md", ".toml"},
			keys: []string{
				"$schema", "name", "displayName", "version", "description", "author", "homepage", "repository", "license", "keywords",
				"commands", "agents", "skills", "hooks", "mcpServers", "settings", "contextFileName",
			},
			reasons: map[string]string{"channels": program, "lspServers": program, "excludeTools": "write policies, see /docs policies"},
			others:  map[string]string{"policies": "they are no part of an extension of Qwen Code"},
		},
	}
}
