package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// Context is what a model should know of the place it works in (spec/agent.md
// §21). It is looked at once, when a conversation begins: everything that
// follows it stays in the vendor's cache only as long as its bytes stay the same.
type Context struct {
	Now     time.Time
	OS      string   // "linux", "darwin" or "win32"
	TempDir string   // the project's own place for temporary files
	Dirs    []string // workspace directories
	Tree    string   // their structure; "" to leave it out, and Dirs with it

	// What is remembered of the project (spec/agent.md §23, tier 2).
	Extensions string // what extensions have to say
	Project    string // the project's own context files
	Servers    string // instructions of MCP servers
}

// Message returns the message that opens every conversation. Its tag and its
// id are how Pollux and Gemini CLI know it again when a session is listed or
// resumed.
func (c Context) Message() agent.Message {
	sum := sha256.Sum256([]byte("environment-context"))
	return agent.Message{
		ID:      hex.EncodeToString(sum[:16]),
		Content: llm.User(llm.Text(c.Text())),
	}
}

// Text returns what the message says, which is told to subagents as well.
func (c Context) Text() string {
	var b strings.Builder
	b.WriteString("You are working in a terminal through Pollux. What follows describes the place you work in; it is not a request.\n")
	b.WriteString("Today's date is " + c.Now.Format("Monday, January 2, 2006") + ".\n")
	b.WriteString("The operating system is: " + c.OS + "\n")
	b.WriteString("The project's temporary directory is: " + oneLine(c.TempDir) + "\n")
	if c.Tree != "" {
		b.WriteString("- **Workspace Directories:**\n")
		for _, d := range c.Dirs {
			b.WriteString("  - " + oneLine(d) + "\n")
		}
		b.WriteString("- **Directory Structure:**\n\n" + strings.TrimRight(c.Tree, "\n") + "\n")
	}
	place := inside(b.String(), "session_context")
	project := strings.TrimSpace(strings.TrimSpace(c.Project) + "\n\n" + strings.TrimSpace(c.Servers))
	if memory := elements(tier{"extension_context", c.Extensions}, tier{"project_context", project}); memory != "" {
		place += "\n" + memory + "\n"
	}
	return element("session_context", strings.TrimRight(place, "\n"))
}

// Joined returns what the model is told of a directory that has become a part of
// the workspace; tree is its structure, "" to leave that out.
func Joined(dir, tree string) string {
	text := "The user has made another directory part of the workspace: " + oneLine(dir) + "\n"
	if tree != "" {
		text += "- **Directory Structure:**\n\n" + strings.TrimRight(tree, "\n") + "\n"
	}
	return element("session_context", strings.TrimRight(inside(text, "session_context"), "\n"))
}
