package agent

import (
	"slices"
	"sync/atomic"
	"time"

	"pollux/tool"
)

// job is the state of one call: prepared, executed, finished.
type job struct {
	call      *ToolCall
	tool      tool.Tool // nil if it does not exist
	admission Admission
	records   []Execution // nil if nothing ran
	result    *tool.Result
	status    Status // final; "" until it is known
	reason    string // of a cancellation, for the model
	refused   bool   // a person refused the call
	hasRun    bool   // the tool began to run
	// afterChange is set if a job before this one may have changed files.
	afterChange bool
	began       time.Time
	ended       time.Time // end of the last step
	// active is the time that the steps took, waited the part of it in which they waited for
	// a person.
	active time.Duration
	waited atomic.Int64
}

// groupSize returns the number of leading jobs that may run at the same time.
func groupSize(jobs []*job) int {
	first := jobs[0].isAgent()
	n := slices.IndexFunc(jobs, func(j *job) bool { return j.runsAlone() || j.isAgent() != first })
	if n >= 0 {
		return max(n, 1)
	}
	return len(jobs)
}

// rank returns the sort key of a job: a job with a higher rank runs earlier.
func (j *job) rank() int {
	if j.tool != nil && j.tool.Spec().First {
		return 1
	}
	return 0
}

// runsAlone reports whether no other job may run at the same time: the call may change data that
// another call of the response reads or changes, or the model asked for it.
func (j *job) runsAlone() bool {
	return j.tool != nil && !changesNothing(j.tool) && !j.isAgent() || mustWait(j.call.Args)
}

// isAgent reports whether the call runs an agent. Agents may change files, but the model that calls
// several of them in one response wants them to work at the same time.
func (j *job) isAgent() bool {
	return j.tool != nil && j.tool.Spec().Kind == tool.KindAgent && !j.tool.Spec().Serial
}

// changesNothing reports whether calls of a tool may run beside other calls. A tool that does not
// declare that it only reads, such as a tool of an MCP server without a readOnlyHint, counts as
// changing something.
func changesNothing(t tool.Tool) bool { return isReadOnly(t) && !t.Spec().Serial }

// isReadOnly reports whether a tool is known to change no files.
func isReadOnly(t tool.Tool) bool {
	switch t.Spec().Kind {
	case tool.KindRead, tool.KindSearch, tool.KindFetch, tool.KindThink, tool.KindCommunicate:
		return true
	case tool.KindOther:
		server, ok := tool.As[tool.Remote](t)
		return ok && server.Annotations()["readOnlyHint"] == true
	}
	return false
}

// isFailedEdit reports whether the call was to change files and has failed.
func (j *job) isFailedEdit() bool {
	if j.tool == nil || j.status != Failed {
		return false
	}
	switch j.tool.Spec().Kind {
	case tool.KindEdit, tool.KindDelete, tool.KindMove:
		return true
	}
	return false
}

// skipCommands cancels the commands among jobs, which the model wrote for the files as edit would
// have left them.
func skipCommands(jobs []*job, edit *job) {
	for _, j := range jobs {
		if j.status == "" && j.tool != nil && j.tool.Spec().Kind == tool.KindExecute {
			j.status, j.reason = CallCancelled, withoutEditText(edit)
		}
	}
}

// wasCutOff reports whether the end of the run has cancelled the job.
func (j *job) wasCutOff() bool {
	return j.status == CallCancelled && (j.reason == cancelledText || j.reason == stoppedText)
}

// executions returns the records of a job that has its final status.
func (j *job) executions() []Execution {
	if j.records != nil {
		last := &j.records[len(j.records)-1]
		last.Status = j.status // the call may have been cancelled while it ran
		return j.records
	}
	x := j.admission.Record
	if x.Name == "" { // it did not reach the gate
		x = Refused(j.call, nil)
	}
	x.Status, x.Result, x.HasRun = j.status, j.result, j.hasRun
	if x.Result == nil {
		x.Result = &tool.Result{}
	}
	x.Began, x.Duration, x.Active = j.began, j.ended.Sub(j.began), max(0, j.active-time.Duration(j.waited.Load()))
	return []Execution{x}
}

// kind returns the kind of the tool that is called.
func (j *job) kind() tool.Kind {
	if j.tool == nil {
		return tool.KindOther
	}
	return j.tool.Spec().Kind
}
