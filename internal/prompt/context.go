package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// Context describes the environment for the model. It is built once, when a conversation
// begins: the vendor's cache stays valid only as long as these bytes do not change.
type Context struct {
	Now     time.Time
	OS      string   // "linux", "darwin" or "win32"
	TempDir string   // the project's own directory for temporary files
	Git     string   // the branch and changed files when the session began, "" for none
	Dirs    []string // workspace directories
	Tree    string   // their structure; if it is "", Dirs is left out too

	// Memory of the session's start that is not in the system instruction.
	Extensions string // context of extensions
	Project    string // the project's context files
	Servers    string // instructions of MCP servers
}

// Message returns the first message of every conversation. Pollux and Gemini CLI recognize it
// by its tag and id when a session is listed or resumed.
func (c Context) Message() agent.Message {
	sum := sha256.Sum256([]byte("environment-context"))
	return agent.Message{
		ID:      hex.EncodeToString(sum[:16]),
		Content: llm.User(llm.Text(c.Text())),
	}
}

// Text returns the text of the message. Subagents get it too.
func (c Context) Text() string {
	var b strings.Builder
	b.WriteString("You are working in a terminal through Pollux. What follows describes the place you work in; it is not a request.\n")
	b.WriteString("Today's date is " + c.Now.Format("Monday, January 2, 2006") + ".\n")
	b.WriteString("The operating system is: " + c.OS + "\n")
	b.WriteString("The project's temporary directory is: " + oneLine(c.TempDir) + "\n")
	if c.Git != "" {
		b.WriteString("Git, when the session began: " + oneLine(c.Git) + "\n")
	}
	if c.Tree != "" {
		b.WriteString("- **Workspace Directories:**\n")
		for _, d := range c.Dirs {
			b.WriteString("  - " + oneLine(d) + "\n")
		}
		b.WriteString("- **Directory Structure:**\n\n" + strings.TrimRight(c.Tree, "\n") + "\n")
	}
	place := inside(b.String(), "session_context")
	if memory := c.Opening(); memory != "" {
		place += "\n" + memory + "\n"
	}
	return element("session_context", strings.TrimRight(place, "\n"))
}

// Joined returns the text for the model about a directory that was added to the workspace.
// tree is its structure, "" to leave that out.
func Joined(dir, tree string) string {
	text := "The user has made another directory part of the workspace: " + oneLine(dir) + "\n"
	if tree != "" {
		text += "- **Directory Structure:**\n\n" + strings.TrimRight(tree, "\n") + "\n"
	}
	return element("session_context", strings.TrimRight(inside(text, "session_context"), "\n"))
}
