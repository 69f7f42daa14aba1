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
	wait      waiting
	effect    tool.Effect // of the call as it will run, as far as that is known; unset if it is the only one
	admission Admission
	records   []Execution // nil if nothing ran
	result    *tool.Result
	status    Status       // final; "" until it is known
	why       cancellation // zero if the call was not cancelled
	refused   bool         // a person refused the call
	hasRun    bool         // the tool began to run
	// afterChange is set if a job before this one may have changed files.
	afterChange bool
	began       time.Time
	ended       time.Time // end of the last step
	// active is the time that the steps took, waited the part of it in which they waited for
	// a person.
	active time.Duration
	waited atomic.Int64
	// wasAsked is set if a person was asked about the job.
	wasAsked atomic.Bool
	finished *ToolFinished // nil until the end of the job was reported
}

// newJob returns the job of a call of one of these tools.
func newJob(call *ToolCall, tools *tool.Snapshot) *job {
	j := &job{call: call, wait: waitOf(call.Args)}
	j.tool, _ = tools.Lookup(call.Name)
	return j
}

// foresee sets the effect of the call: as the gate has admitted it, or else as the model wrote it.
func (j *job) foresee() {
	switch {
	case j.admission.Call != nil:
		j.effect = tool.EffectOf(j.admission.Call.Tool(), j.admission.Call.Args())
	case j.tool != nil:
		j.effect = tool.EffectOf(j.tool, j.call.Args)
	default: // it fails
		j.effect = tool.Effect{Reads: true}
	}
}

// rank returns the sort key of a job: a job with a higher rank runs earlier.
func (j *job) rank() int {
	if j.tool != nil && j.tool.Spec().First {
		return 1
	}
	return 0
}

// mayJoin reports whether another job may run at the same time at all.
func (j *job) mayJoin() bool {
	return j.wait != waitTrue && j.call.Joined == 0 && (j.tool == nil || !j.tool.Spec().Serial)
}

// isAgent reports whether the call runs an agent. Agents may change files, but the model that calls
// several of them in one response wants them to work at the same time.
func (j *job) isAgent() bool { return j.kind() == tool.KindAgent }

// isReadingTool reports whether no call of the tool changes anything. There may be no such tool.
func (j *job) isReadingTool() bool { return j.effect.Reads && j.kind() != tool.KindExecute }

// isFailedEdit reports whether the call was to change files and has failed.
func (j *job) isFailedEdit() bool {
	return j.status == Failed && slices.Contains([]tool.Kind{tool.KindEdit, tool.KindDelete, tool.KindMove}, j.kind())
}

// cancel gives the job its final status: it does not complete.
func (j *job) cancel(why cancellation) { j.status, j.why = CallCancelled, why }

// skipCommands cancels the commands among jobs, which the model wrote for the files as edit would
// have left them.
func skipCommands(jobs []*job, edit *job) {
	for _, j := range jobs {
		if j.status == "" && j.kind() == tool.KindExecute {
			j.cancel(afterFailedEdit(edit))
		}
	}
}

// wasCutOff reports whether the end of the run has cancelled the job.
func (j *job) wasCutOff() bool {
	return j.status == CallCancelled && slices.Contains([]cancellation{beforeBegin, inQuestion, whileRunning}, j.why)
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
		if j.tool != nil {
			if p, err := Prepare(j.call, j.tool, j.call.Args); err == nil {
				x.Summary = p.Summary()
			}
		}
	}
	x.Status, x.Result, x.HasRun = j.status, j.result, j.hasRun
	if x.Result == nil {
		x.Result = &tool.Result{}
	}
	x.Began, x.Duration, x.Active = j.began, j.ended.Sub(j.began), max(0, j.active-time.Duration(j.waited.Load()))
	return []Execution{x}
}

func (j *job) kind() tool.Kind {
	if j.tool == nil {
		return tool.KindOther
	}
	return j.tool.Spec().Kind
}
