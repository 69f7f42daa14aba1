package tool

import (
	"encoding/json"

	"pollux/llm"
)

// Result is what came of an invocation (spec/tools.md §1.3).
type Result struct {
	// Content is what the model gets: text, or text and media.
	Content []llm.Part
	// Display is what a person sees; nil for nothing.
	Display Display
	// Summary is Display in a few words ("12 lines", "3 added, 1 removed").
	Summary string
	// Error says that the call failed. The model then gets Error.Message in
	// place of Content.
	Error *Error
	// OutputFile is where the whole output is, if the model got a part of it.
	OutputFile string
	// Data is for hooks and machine-readable output.
	Data map[string]any
	// Lines counts what an edit changed.
	Lines LineChange
}

// LineChange counts lines that an edit added and removed.
type LineChange struct{ Added, Removed int }

// Text returns a result that is one text for the model.
func Text(s string) *Result { return &Result{Content: []llm.Part{llm.Text(s)}} }

// Fail returns a result that says what went wrong, to the model and to a person.
func Fail(t ErrorType, message string) *Result {
	return &Result{Error: &Error{Type: t, Message: message}, Display: TextDisplay(message)}
}

// Error is a failed call.
type Error struct {
	Type    ErrorType
	Message string // for the model
}

func (e *Error) Error() string { return e.Message }

// ErrorType is the kind of a failed call. The values appear in JSON output
// (spec/tools.md §1.5).
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
	ErrReadManySearch           ErrorType = "read_many_files_search_error"
	ErrShell                    ErrorType = "shell_execute_error"
	ErrDiscovered               ErrorType = "discovered_tool_execution_error"
	ErrStopExecution            ErrorType = "stop_execution"
)

// Fatal reports whether the run cannot go on after an error of this type.
func (t ErrorType) Fatal() bool { return t == ErrNoSpaceLeft }

// Display is what a person sees of a result. The kinds are the types below;
// a face renders each and switches on nothing else.
type Display interface{ display() }

// TextDisplay is text, Markdown unless the tool's Spec says Plain.
type TextDisplay string

// TerminalDisplay is the output of a command, terminal escapes removed.
type TerminalDisplay string

// DiffDisplay is a change to one file.
type DiffDisplay struct {
	Diff     string // unified, with 3 lines of context
	FileName string
	FilePath string
	Before   *string // nil for a new file
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

// TodoDisplay is the model's list of things to do. It replaces the one before.
type TodoDisplay struct{ Todos []Todo }

// Todo is one of them.
type Todo struct {
	Description string
	Status      TodoStatus
}

// TodoStatus is how far a thing to do is. The values appear in protocols.
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

// DiffStat counts what an edit changed: what the model proposed, and what the
// user changed of that before accepting. Characters are counted without the
// signs of the diff.
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

// Confirmation is what a person sees before a call runs (spec/tools.md §1.4).
// The kinds are the types below.
type Confirmation interface{ confirmation() }

// EditConfirmation shows a change to a file.
type EditConfirmation struct {
	Title string
	// Modifiable says that a person may answer with a version of their own. The
	// gate sets it, of invocations that are [Modifiable].
	Modifiable bool
	DiffDisplay
}

// ExecConfirmation shows a command.
type ExecConfirmation struct {
	Title   string
	Command string
	// Roots are the names of the programs that the command runs.
	Roots []string
	// UntrustedFlags are words of the command that come from what tools have brought
	// in, not from a person, and ModifiedBuildFiles the files that it runs and that
	// were changed in this session. The gate sets them (spec/tools.md §7).
	UntrustedFlags     []string
	ModifiedBuildFiles []string
}

// Once reports whether a person may allow the command this time only.
func (c *ExecConfirmation) Once() bool { return len(c.UntrustedFlags)+len(c.ModifiedBuildFiles) > 0 }

// InfoConfirmation shows a sentence.
type InfoConfirmation struct {
	Title  string
	Prompt string
	URLs   []string
}

func (*EditConfirmation) confirmation() {}
func (*ExecConfirmation) confirmation() {}
func (*InfoConfirmation) confirmation() {}

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
	// of what the model proposed.
	WithContent(content string) (json.RawMessage, error)
}
