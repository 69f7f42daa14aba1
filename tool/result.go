package tool

import (
	"encoding/json"

	"pollux/llm"
)

// Result is the outcome of an [Invocation].
type Result struct {
	// Content is the result for the model: text, or text and media.
	Content []llm.Part
	// Display is the result for people; nil for none. Omitted counts the lines of an output before those in Display.
	Display Display
	Omitted int
	// Summary is Display in a few words ("12 lines", "3 added, 1 removed").
	Summary string
	// Error is set if the call failed. The model then gets Error.Message instead
	// of Content.
	Error *Error
	// Problem reports to a person that the work failed, although the call counts as a success and
	// Content reports it to the model; "" if the work did not fail.
	Problem string
	// OutputFile is the file with the complete output, if the model got only a
	// part of it.
	OutputFile string
	// IsOutputCut reports whether OutputFile has only the beginning and the end of the output.
	IsOutputCut bool
	// Frame encloses the output in Content and in OutputFile.
	Frame Frame
	// Data is the result for hooks and machine-readable output.
	Data map[string]any
	// Lines counts the lines that an edit changed.
	Lines LineChange
	// Answer, if not "", is the answer to the prompt: the run ends with it.
	Answer string
	// AgentID is the id of the subagent that did the work; "" for none.
	AgentID string
}

// LineChange counts lines that an edit added and removed.
type LineChange struct{ Added, Removed int }

// Text returns a result with s as the text for the model.
func Text(s string) *Result { return &Result{Content: []llm.Part{llm.Text(s)}} }

// Fail returns the result of a failed call. The model and the person both see
// message.
func Fail(t ErrorType, message string) *Result {
	return &Result{Error: &Error{Type: t, Message: message}, Display: TextDisplay(message)}
}

// Error is a failed call.
type Error struct {
	Type    ErrorType
	Message string // for the model
}

func (e *Error) Error() string { return e.Message }

// Message is an error for the model. Its text is in full sentences, unlike that of other Go errors.
type Message string

func (m Message) Error() string { return string(m) }

// ErrorType is the kind of a failed call. The values appear in JSON output.
type ErrorType string

// The types that the built-in tools, the scheduler and the gate use.
const (
	ErrPolicyViolation          ErrorType = "policy_violation"
	ErrInvalidParams            ErrorType = "invalid_tool_params"
	ErrUnknown                  ErrorType = "unknown"
	ErrUnhandled                ErrorType = "unhandled_exception"
	ErrNotRegistered            ErrorType = "tool_not_registered"
	ErrExecutionFailed          ErrorType = "execution_failed"
	ErrFileNotFound             ErrorType = "file_not_found"
	ErrFileWrite                ErrorType = "file_write_failure"
	ErrReadContent              ErrorType = "read_content_failure"
	ErrCreateExisting           ErrorType = "attempt_to_create_existing_file"
	ErrFileTooLarge             ErrorType = "file_too_large"
	ErrPermissionDenied         ErrorType = "permission_denied"
	ErrNoSpaceLeft              ErrorType = "no_space_left"
	ErrTargetIsDirectory        ErrorType = "target_is_directory"
	ErrPathNotInWorkspace       ErrorType = "path_not_in_workspace"
	ErrSearchPathNotFound       ErrorType = "search_path_not_found"
	ErrSearchPathNotDirectory   ErrorType = "search_path_not_a_directory"
	ErrEditPreparation          ErrorType = "edit_preparation_failure"
	ErrEditNoOccurrence         ErrorType = "edit_no_occurrence_found"
	ErrEditOccurrenceMismatch   ErrorType = "edit_expected_occurrence_mismatch"
	ErrEditNoChange             ErrorType = "edit_no_change"
	ErrEditNoChangeModelVerdict ErrorType = "edit_no_change_llm_judgement"
	ErrGlob                     ErrorType = "glob_execution_error"
	ErrGrep                     ErrorType = "grep_execution_error"
	ErrList                     ErrorType = "ls_execution_error"
	ErrPathIsNotDirectory       ErrorType = "path_is_not_a_directory"
	ErrShell                    ErrorType = "shell_execute_error"
	ErrDiscovered               ErrorType = "discovered_tool_execution_error"
	ErrMCP                      ErrorType = "mcp_tool_error"
	ErrResourceNotFound         ErrorType = "mcp_resource_not_found"
	ErrStopExecution            ErrorType = "stop_execution"
)

// Fatal reports whether the run cannot go on after an error of this type.
func (t ErrorType) Fatal() bool { return t == ErrNoSpaceLeft }

// Display is the form of a result for people. [Displays] lists the kinds.
type Display interface{ display() }

// TextDisplay is text, Markdown unless the tool's Spec sets Plain.
type TextDisplay string

// TerminalDisplay is the output of a command, terminal escapes removed.
type TerminalDisplay string

// DisplayText returns the text of a [TextDisplay], a [TerminalDisplay] or a [ProgressDisplay], false for other displays.
func DisplayText(d Display) (text string, isText bool) {
	switch d := d.(type) {
	case TextDisplay:
		return string(d), true
	case TerminalDisplay:
		return string(d), true
	case *ProgressDisplay:
		return d.String(), true
	}
	return "", false
}

// DiffDisplay is a change to one file.
type DiffDisplay struct {
	Diff     string // unified, with 3 lines of context
	FileName string
	FilePath string
	Before   *string // nil for a new file
	NewDirs  int     // number of directories that were made for a new file, which are its nearest
	After    string
	Stat     DiffStat
}

// ListDisplay is a list of files or entries.
type ListDisplay struct {
	Summary string
	Items   []string
	// Skipped are items left out, each with its reason.
	Skipped []Skipped
}

// Skipped is a file that was left out and why.
type Skipped struct{ Path, Reason string }

// MatchDisplay is the result of a text search.
type MatchDisplay struct {
	Summary string
	Matches []Match
}

// Match is one line found.
type Match struct {
	Path string
	Line int
	Text string
}

// TodoDisplay is the model's task list. It replaces any earlier one.
type TodoDisplay struct{ Todos []Todo }

// Todo is one task of a [TodoDisplay].
type Todo struct {
	Description string
	Status      TodoStatus
}

// TodoStatus is the state of a [Todo]. The values appear in protocols.
type TodoStatus string

// The statuses.
const (
	TodoPending    TodoStatus = "pending"
	TodoInProgress TodoStatus = "in_progress"
	TodoCompleted  TodoStatus = "completed"
	TodoCancelled  TodoStatus = "cancelled"
	TodoBlocked    TodoStatus = "blocked"
)

func (TextDisplay) display()     {}
func (TerminalDisplay) display() {}
func (*DiffDisplay) display()    {}
func (*ListDisplay) display()    {}
func (*MatchDisplay) display()   {}
func (*TodoDisplay) display()    {}

// DiffStat counts the changes of an edit: those that the model proposed, and those
// that the user made to the proposal before accepting it. Characters are counted
// without the signs of the diff.
type DiffStat struct {
	ModelAddedLines   int `json:"model_added_lines"`
	ModelRemovedLines int `json:"model_removed_lines"`
	ModelAddedChars   int `json:"model_added_chars"`
	ModelRemovedChars int `json:"model_removed_chars"`
	UserAddedLines    int `json:"user_added_lines"`
	UserRemovedLines  int `json:"user_removed_lines"`
	UserAddedChars    int `json:"user_added_chars"`
	UserRemovedChars  int `json:"user_removed_chars"`
}

// Confirmation is a question to a person before a call runs. [Confirmations]
// lists the kinds.
type Confirmation interface{ confirmation() }

// EditConfirmation shows a change to a file.
type EditConfirmation struct {
	Title string
	// Modifiable reports whether a person may answer with their own version. The
	// gate sets it for invocations that are [Modifiable].
	Modifiable bool
	Approval
	DiffDisplay
}

// ExecConfirmation shows a command.
type ExecConfirmation struct {
	Title   string
	Command string
	// Roots are the names of the programs that the command runs.
	Roots []string
	// UntrustedFlags are words of the command that come from tool output rather
	// than from a person. ModifiedBuildFiles are build files that changed in this
	// session and that the command runs. The gate sets both.
	UntrustedFlags     []string
	ModifiedBuildFiles []string
	Approval
}

// Once reports whether a person can approve only this call, not later ones.
func (c *ExecConfirmation) Once() bool {
	return c.Approval.Once() || len(c.UntrustedFlags)+len(c.ModifiedBuildFiles) > 0
}

// InfoConfirmation shows a sentence.
type InfoConfirmation struct {
	Title  string
	Prompt string
	// URLs are the addresses that the call fetches, or sends Prompt to if IsSent is set.
	URLs   []string
	IsSent bool
	// IsReview is true for a call that has run: the question is whether some of its changes come back.
	IsReview bool
	// IsWaiting is true for a call that runs, and waits for the answer. It goes on also if the answer is no.
	IsWaiting bool
	Approval
}

// RemoteConfirmation shows a call of a tool of an MCP server.
type RemoteConfirmation struct {
	Title string
	// Server is the name of the server, Tool that of the tool on the server, and DisplayName both
	// for people.
	Server, Tool, DisplayName string
	// Description, Args and Schema are the description of the tool, the arguments of the call, and
	// their schema.
	Description  string
	Args, Schema json.RawMessage
	Approval
}

func (*EditConfirmation) confirmation() {}
func (*ExecConfirmation) confirmation() {}
func (*InfoConfirmation) confirmation() {}

func (*RemoteConfirmation) confirmation() {}

// Outcome is a person's answer to a [Confirmation]. The values appear in
// hooks, logs and protocols.
type Outcome string

// The answers.
const (
	ProceedOnce          Outcome = "proceed_once"
	ProceedAlways        Outcome = "proceed_always"
	ProceedAlwaysAndSave Outcome = "proceed_always_and_save"
	ProceedAlwaysServer  Outcome = "proceed_always_server"
	ProceedAlwaysTool    Outcome = "proceed_always_tool"
	ModifyWithEditor     Outcome = "modify_with_editor"
	Cancel               Outcome = "cancel"
)

// Modifiable is implemented by invocations that a person may edit before they run.
type Modifiable interface {
	// WithContent returns the arguments of the same call with content in place
	// of the model's proposal.
	WithContent(content string) (json.RawMessage, error)
}
