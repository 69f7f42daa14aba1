// Package statusline runs the user's program for the footer: it gets a [Snapshot] of the session as JSON, and prints the line to
// show. Programs for the status line of Claude Code work.
package statusline

import "encoding/json"

// Snapshot is the state of a session. The names of its fields are those of Claude Code; unknown values are left out.
type Snapshot struct {
	Event         string    `json:"hook_event_name"` // "Status"
	SessionID     string    `json:"session_id"`
	Version       string    `json:"version"`
	Cwd           string    `json:"cwd"`
	Model         Model     `json:"model"`
	Workspace     Workspace `json:"workspace"`
	Cost          Cost      `json:"cost"`
	Context       *Context  `json:"context_window,omitempty"`
	ExceedsTokens bool      `json:"exceeds_200k_tokens"`
	ApprovalMode  string    `json:"approval_mode"`
	Branch        string    `json:"git_branch,omitempty"`
}

// Model is the model in use.
type Model struct {
	ID          string `json:"id"`
	DisplayName string `json:"display_name"`
}

// Workspace has the directories of a session.
type Workspace struct {
	CurrentDir string `json:"current_dir"`
	ProjectDir string `json:"project_dir"`
}

// Cost has the price, the time and the changed lines of a session.
type Cost struct {
	TotalCostUSD *float64 `json:"total_cost_usd,omitempty"` // unknown without the price of each model
	TotalTokens  int      `json:"total_tokens"`
	LinesAdded   int      `json:"total_lines_added"`
	LinesRemoved int      `json:"total_lines_removed"`
}

// Context is the use of the model's context window, in tokens and percent.
type Context struct {
	Size           int     `json:"context_window_size"`
	UsedPercentage float64 `json:"used_percentage"`
}

// JSON returns the snapshot in one line.
func (s Snapshot) JSON() string {
	s.Event = "Status"
	data, _ := json.Marshal(s) // cannot fail
	return string(data) + "\n"
}
