package config

// Kind is a kind of thing that a project brings and that Pollux reads without being asked, beside the keys of
// its settings.
type Kind struct {
	// Name is a pattern of files, or describes variables of .env.
	Name  string
	Class Class
	// Untrusted, Unseen and Seen describe its effects: in a folder that is not trusted, in a trusted one if
	// the user has not seen it as it is, and after they have seen it.
	Untrusted, Unseen, Seen string
	// Fields are the keys that files of this kind have, for files with keys.
	Fields []Field
}

// ProjectKinds returns the kinds of things that a project brings. The caller must not change them.
func ProjectKinds() []Kind { return projectKinds[:] }

const (
	none      = "nothing"
	same      = "the same"
	askedThen = "a session asks first; a script leaves it out, with a warning that the JSON formats carry"
	guarded   = "a session asks first; a script ends with exit code 55"
)

var projectKinds = [...]Kind{
	{"hooks at events at which they can refuse", Acts | Tightens, none, guarded, "they run", hookFields},
	{"other hooks", Acts, none, askedThen, "they run", nil},
	{"programs and files that hooks, servers and discovery commands name", Acts, none, "a change makes what names them unseen", "they run as they were seen", nil},
	{".env: keys of providers, project and region of Google Cloud", Describes, "the keys of Gemini, the project and the region are used, with plain characters only", "used", "used", nil},
	{".env: an address for a key of yours", Acts, none, askedThen + ", also with --skip-trust", "requests go there", nil},
	{".env: variables that load code or redirect programs", Acts, none, none, none, nil},
	{".env: variables that describe the project's own work, such as PORT", Describes, none, askedThen + "; with --skip-trust they are set", "they are set", nil},
	{".env: other variables", Acts, none, askedThen + ", also with --skip-trust", "they are set", nil},
	{"AGENTS.md, GEMINI.md and other context files", Describes, none, "instructions for the model; every call passes the gate", same, nil},
	{".gemini/commands/*.toml", Describes, none, "you can type the command; its shell commands pass the gate", same, []Field{{"prompt description", free}}},
	{".gemini/skills, .agents/skills, .claude/skills", Describes, none, "the model can ask to read them; their scripts pass the gate", same, []Field{{"name description", free}, {"disable-model-invocation", tightens}}},
	{".mcp.json, .agents/mcp_config.json", Acts, none, askedThen, "their servers start", otherServerFields},
	{".gemini/agents/*.md", Acts, none, askedThen, "the model can ask to call them; their servers start then", []Field{
		{"tools model agent_card_url agent_card_json auth", acts},
		{"mcp_servers mcpServers", servers},
		{"kind name description display_name temperature max_turns timeout_mins", free},
	}},
	{".gemini/policies/*.toml, if your settings allow any", Loosens | Tightens, none, "they only restrict; a session asks for more", "they count", nil},
	{"policy files that policyPaths names", Tightens, none, "they only restrict", same, nil},
	{".gitignore, .geminiignore", Tightens, "hide files from tools", "hide files from tools", same, nil},
	{"the git directory and .gitattributes", Acts, "git asks each time", "git asks if they name programs", same, nil},
	{"extensions that you have linked to the project", Acts, "all that the extension does: you have installed it", same, same, extensionFields},
}

var hookFields = []Field{
	{"hooks", hookEvents},
	{"command args env shell dialect event cwd", acts},
	{"if onFailure", loosens},
	{"matcher", tightens},
	{"sequential type name description timeout", free},
}

var otherServerFields = []Field{
	{"type command args env cwd url serverUrl headers oauth authProviderType", acts},
	{"disabled disabledTools", tightens},
}

var extensionFields = []Field{
	{"mcpServers", servers},
	{"settings migratedTo", acts},
	{"excludeTools", tightens},
	{"name version description contextFileName themes plan plugin notCopied", free},
}
