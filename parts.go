package pollux

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"pollux/agent"
	"pollux/internal/guard/hook"
	"pollux/internal/ide"
	"pollux/internal/mcp"
	"pollux/llm"
)

// Prompt is the input of a run. It needs a text or an attachment.
type Prompt struct {
	// Text may name files of the workspace, such as "@README.md", which the model then gets too.
	Text string
	// IsLiteral sends Text as it is: an "@" in it names no file. It is for texts that others have written,
	// such as a diff.
	IsLiteral bool
	// Attachments follow the text.
	Attachments []Attachment
}

// Attachment is an image, or another medium that the model accepts.
type Attachment struct {
	// MIMEType is the type of the data, such as "image/png" or "application/pdf".
	MIMEType string
	// Data is the content of the file. It must not change later.
	Data []byte
}

// agentPrompt returns the prompt in the form of the loop.
func (p Prompt) agentPrompt() (agent.Prompt, error) {
	var parts []llm.Part
	if p.Text != "" {
		parts = append(parts, llm.Text(p.Text))
	}
	for i, a := range p.Attachments {
		if a.MIMEType == "" || len(a.Data) == 0 {
			return agent.Prompt{}, fmt.Errorf("attachment %d of the prompt has no type or no data", i)
		}
		parts = append(parts, llm.Part{InlineData: &llm.Blob{MIMEType: a.MIMEType, Data: a.Data}})
	}
	if len(parts) == 0 {
		return agent.Prompt{}, errors.New("the prompt is empty")
	}
	if p.IsLiteral {
		return agent.Prompt{Parts: parts, Shown: p.Text}, nil
	}
	return agent.Prompt{Parts: parts}, nil
}

// Server is an MCP server: a program that New starts, or a service. Name, and one of Command and
// URL, must be set. It replaces a server with the same name in the user's settings.
type Server struct {
	// Name identifies the server. The name of each of its tools contains it.
	Name string

	// Command is the program, which gets Args. It runs in Dir, "" for the agent's directory, with Env added to the
	// environment. Secrets of the environment are withheld; a server gets those that Env contains.
	Command string
	Args    []string
	Env     map[string]string
	Dir     string

	// URL is the address of the service. Headers are sent with each request.
	URL     string
	Headers map[string]string

	// Tools are the names of the tools to use; nil is for all.
	Tools []string
	// Timeout limits each request; 0 is for 10 minutes.
	Timeout time.Duration
	// Trusted allows all tools of the server without a question. Otherwise they need an approval.
	Trusted bool
}

// serverConfigs returns the configurations of servers.
func serverConfigs(list []Server) ([]mcp.Config, error) {
	var configs []mcp.Config
	for i, s := range list {
		isNamed := func(c mcp.Config) bool { return c.Name == s.Name }
		switch {
		case s.Name == "":
			return nil, fmt.Errorf("server %d has no name", i)
		case slices.ContainsFunc(configs, isNamed):
			return nil, fmt.Errorf("two servers have the name %q", s.Name)
		case (s.Command == "") == (s.URL == ""):
			return nil, fmt.Errorf("server %q needs either a command or a URL", s.Name)
		}
		configs = append(configs, mcp.Config{
			Name: s.Name, Command: s.Command, Args: s.Args, Env: s.Env, Dir: s.Dir, URL: s.URL, Headers: s.Headers,
			TimeoutMS: float64(s.Timeout) / float64(time.Millisecond), Trust: s.Trusted, Include: s.Tools,
		})
	}
	return configs, nil
}

// Hook is a function or a program that runs at an event of the conversation. The input and the
// output are JSON, see docs/hooks.md. Event, and one of Run and Command, must be set.
type Hook struct {
	// Event is the name of the event, such as "BeforeTool".
	Event string
	// Matcher is a regular expression for the names of tools at the events about tool calls, and the
	// exact source or reason at the others; "" selects all.
	Matcher string
	// Name is for logs and messages.
	Name string

	// Run gets the input of the event and returns the output, nil for none. An error does not
	// stop the conversation. Run must return when ctx ends.
	Run func(ctx context.Context, input json.RawMessage) (output json.RawMessage, err error)
	// Command is a command line for bash, or a program if Args is not nil. Env is added to its environment.
	Command string
	Args    []string
	Env     map[string]string

	// Timeout limits each run; 0 is for one minute.
	Timeout time.Duration
	// Sequential makes all hooks at the same event run one after the other.
	Sequential bool
}

// runtimeHooks returns hooks in the form of the settings.
func runtimeHooks(list []Hook) ([]hook.Hook, error) {
	var hooks []hook.Hook
	for i, h := range list {
		switch {
		case !slices.Contains(hook.Events(), hook.Event(h.Event)):
			return nil, fmt.Errorf("hook %d: there is no event %q", i, h.Event)
		case (h.Run == nil) == (h.Command == ""):
			return nil, fmt.Errorf("hook %d needs either a function or a command", i)
		}
		hooks = append(hooks, hook.Hook{
			Event: hook.Event(h.Event), Matcher: h.Matcher, Name: h.Name, Run: h.Run, Command: h.Command, Args: h.Args, Env: h.Env,
			Timeout: h.Timeout, IsSequential: h.Sequential,
		})
	}
	return hooks, nil
}

// IDEState is the state of the user's IDE.
type IDEState struct {
	// Files are the open files.
	Files []IDEFile
}

// IDEFile is a file that is open in the user's IDE.
type IDEFile struct {
	// Path is absolute.
	Path string
	// Viewed is the time at which the user last looked at the file.
	Viewed time.Time
	// Active is set for the file that the user looks at. Only the file that was viewed last may be active.
	Active bool
	// Cursor is the position of the cursor in an active file, nil if it is unknown.
	Cursor *IDECursor
	// Selection is the selected text of an active file.
	Selection string
}

// IDECursor is a position in a file. Line and Character count from 1.
type IDECursor struct {
	Line, Character int
}

// ideState returns a function that returns the state in the form of IDE companions; nil for nil.
func ideState(state func() (IDEState, bool)) func() (ide.State, bool) {
	if state == nil {
		return nil
	}
	return func() (s ide.State, isConnected bool) {
		from, isConnected := state()
		for _, f := range from.Files {
			s.Files = append(s.Files, ide.File{
				Path: f.Path, Time: float64(f.Viewed.UnixMilli()), Active: f.Active, Cursor: (*ide.Cursor)(f.Cursor), Selection: f.Selection,
			})
		}
		return s, isConnected
	}
}
