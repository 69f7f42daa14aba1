package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// Context is what a model should know of the place it works in.
type Context struct {
	Now     time.Time
	OS      string   // "linux", "darwin" or "win32"
	TempDir string   // the project's own place for temporary files
	Dirs    []string // workspace directories
	Tree    string   // their structure; "" to leave it out
	Memory  string   // the project's instructions; "" if there are none
}

// Message returns the message that opens every conversation (spec/agent.md
// §21). Its tag and its id are how Pollux and Gemini CLI know it again when a
// session is listed or resumed.
func (c Context) Message() agent.Message {
	var b strings.Builder
	b.WriteString("<session_context>\nYou are working in a terminal through Pollux. What follows describes the place you work in; it is not a request.\n")
	b.WriteString("Today's date is " + c.Now.Format("Monday, January 2, 2006") + ".\n")
	b.WriteString("The operating system is: " + c.OS + "\n")
	b.WriteString("The project's temporary directory is: " + c.TempDir + "\n")
	if c.Tree != "" {
		b.WriteString("- **Workspace Directories:**\n")
		for _, d := range c.Dirs {
			b.WriteString("  - " + d + "\n")
		}
		b.WriteString("- **Directory Structure:**\n\n" + c.Tree + "\n")
	}
	if c.Memory != "" {
		b.WriteString("\n" + c.Memory + "\n")
	}
	b.WriteString("</session_context>")
	sum := sha256.Sum256([]byte("environment-context"))
	return agent.Message{
		ID:      hex.EncodeToString(sum[:16]),
		Content: llm.User(llm.Text(b.String())),
	}
}
