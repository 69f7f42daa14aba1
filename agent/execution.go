package agent

import (
	"encoding/json"
	"time"

	"pollux/tool"
)

// Execution is the record of one passage of a tool call through the [Gate]: the tool and its arguments,
// even if it did not run, who changed and who allowed the call, and how it ended. A call of the model has
// one, one more for each time that it ran again with more permission, and one more for each call with
// which a hook continued it. Statistics, telemetry, session files, exports, screens and undo use
// Executions.
type Execution struct {
	Name string `json:"name"` // of the tool; if there is none, as it was written
	// Args are the arguments that ran. If they were invalid, they are as they were written. A record that was
	// read may lack them if they are those of the call.
	Args json.RawMessage `json:"args,omitempty"`
	// Requested is the name of the tool that the model called, if a hook continued that call with this
	// one; else "".
	Requested string `json:"requestedName,omitempty"`
	// ChangedBy lists who changed the arguments after they were written, in order.
	ChangedBy []Author `json:"changedBy,omitempty"`
	Decision  Decision `json:"decision,omitzero"`
	Summary   string   `json:"description,omitempty"` // describes the call in one line; "" if the arguments were invalid
	Status    Status   `json:"status,omitempty"`      // Success, Failed or CallCancelled
	HasRun    bool     `json:"hasRun,omitempty"`      // the tool began to run
	// Changes are those of files, nil if none are known.
	Changes *tool.Changes `json:"changed,omitempty"`
	// Result is the result of this execution, as hooks have changed it. It is not nil.
	Result *tool.Result `json:"-"`
	// Began is when the call reached the gate; zero if it never did. Duration is the time from then to
	// the end. Active is the part of it in which the call did not wait for a person's answer or for
	// other calls.
	Began    time.Time     `json:"-"`
	Duration time.Duration `json:"-"`
	Active   time.Duration `json:"-"`
}

// IsAsWritten reports whether the call ran, or would have, as the model wrote it.
func (x *Execution) IsAsWritten() bool { return x.Requested == "" && len(x.ChangedBy) == 0 }

// Lines returns the numbers of lines that the execution has added and removed in files, as far as they are known.
func (x *Execution) Lines() (n tool.LineChange) {
	if x.Changes != nil {
		return tool.LineChange{Added: x.Changes.Added, Removed: x.Changes.Removed}
	}
	if x.Result != nil && x.Status == Success {
		n = x.Result.Lines
	}
	return n
}

// ShownChanges returns the changes to show beside the result: those of an edit are in its display; nil for none.
func (x *Execution) ShownChanges() *tool.Changes {
	if x.Result != nil {
		if _, isEdit := x.Result.Display.(*tool.DiffDisplay); isEdit {
			return nil
		}
	}
	return x.Changes
}

// Refused returns the record of a call that does not run, as it was written. r is the answer to the model.
func Refused(call *ToolCall, r *tool.Result) Execution {
	return Execution{Name: call.Name, Args: call.Args, Requested: call.Requested, Status: Failed, Result: r}
}

// Decision is how a call was allowed or refused.
type Decision struct {
	By DecidedBy `json:"by,omitempty"`
	// Reason is a sentence about the rule, the setting or the mode that decided, "" for none.
	Reason string `json:"reason,omitempty"`
	// Outcome is the person's answer; [tool.ProceedOnce] for a call that needed none.
	Outcome tool.Outcome `json:"outcome,omitempty"`
}

// DecidedBy is who decided about a call. The values appear in JSON.
type DecidedBy string

// The deciders.
const (
	Undecided       DecidedBy = ""        // invalid arguments, or the run had ended
	DecidedByPolicy DecidedBy = "policy"  // rules, settings and the approval mode
	DecidedByUser   DecidedBy = "user"    // a person's answer to a question
	DecidedByHook   DecidedBy = "hook"    // a hook has blocked it
	DecidedByClient DecidedBy = "command" // a person's own command made the call
)
