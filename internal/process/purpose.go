package process

// Purpose is the purpose of a command: its kind, and the origin of its program and arguments.
// Middleware decides by it, so that it need not recognize commands by their paths. Purposes can be
// compared.
//
// A sandbox that confines everything that the model, a project or an extension causes, and neither
// Pollux's own git nor the user's editor, begins with
//
//	if c.For.Origin.IsTrusted() {
//		return next(ctx, c)
//	}
type Purpose struct {
	Kind   Kind
	Origin Origin
	// Name is the name of the hook, MCP server, tool or custom command; "" if there is none.
	Name string
}

// Kind is the kind of a command.
type Kind string

// The kinds.
const (
	KindShell      Kind = "shell"       // a command line for a shell
	KindHook       Kind = "hook"        // a hook
	KindServer     Kind = "server"      // an MCP server
	KindTool       Kind = "tool"        // the listing or a call of tools that are programs
	KindCredential Kind = "credential"  // a program that stores or prints a credential
	KindGit        Kind = "git"         // Pollux's own use of git
	KindSearch     Kind = "search"      // ripgrep, for a search in the workspace
	KindEditor     Kind = "editor"      // the user's editor
	KindBrowser    Kind = "browser"     // the user's browser
	KindClipboard  Kind = "clipboard"   // a program that reads or sets the clipboard
	KindStatusLine Kind = "status-line" // the user's program for the footer of the terminal
	KindCheck      Kind = "check"       // a check of a changed file
	KindProbe      Kind = "probe"       // a program that is asked for its version or its abilities
	KindContainer  Kind = "container"   // the container that Pollux itself runs in
	KindProxy      Kind = "proxy"       // the proxy by which confined programs reach the network
	KindDemo       Kind = "demo"        // the tests of the demo's project
)

// Origin is the source of a command's program and arguments. The zero Origin is unknown.
type Origin string

// The origins.
const (
	OriginPollux    Origin = "pollux"    // Pollux itself, with arguments that cannot change the effect of the program
	OriginUser      Origin = "user"      // the user: typed, or in their settings
	OriginSystem    Origin = "system"    // the administrator's settings
	OriginProject   Origin = "project"   // a file of the project
	OriginExtension Origin = "extension" // a file of an extension
	OriginModel     Origin = "model"     // a model, in a tool call
)

// IsTrusted reports whether the user, the administrator or Pollux itself has chosen the command. It is
// false for the zero Origin.
func (o Origin) IsTrusted() bool {
	return o == OriginPollux || o == OriginUser || o == OriginSystem
}
