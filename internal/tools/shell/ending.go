//go:build unix

package shell

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"pollux/internal/process"
	"pollux/internal/wording"
)

// ending returns how the command ended, as a line for people, "" if it worked, and the data of
// its result.
func (r *runningCall) ending() (line string, data map[string]any) {
	switch code, signal := r.Status().Code, r.Status().Signal; {
	case signal != 0:
		return fmt.Sprintf("\nCommand terminated by signal: %d", signal), map[string]any{"signal": int(signal), "isError": true}
	case code != 0:
		return fmt.Sprintf("\nCommand exited with code: %d", code), map[string]any{"exitCode": code, "isError": true}
	}
	return "", nil
}

// outcome returns the lines for the model after the output of a command that has ended: its
// exit, and the processes that still run.
func (r *runningCall) outcome() string {
	if r.Status().Signal != 0 {
		r.GroupStays() // else the report names processes that the same signal is about to end
	}
	left, codes := r.report()
	var b strings.Builder
	switch code, signal := r.Status().Code, r.Status().Signal; {
	case signal != 0:
		fmt.Fprintf(&b, "\nSignal: %d (%s)", signal, signalName(signal))
	case code != 0:
		fmt.Fprintf(&b, "\nExit Code: %s", describeCode(code))
	}
	return b.String() + pipeLine(codes) + r.running(left)
}

// running returns the lines about the command's leftover processes; left are the processes that
// it reported.
func (r *runningCall) running(left []int) string {
	text := ""
	r.tool.Processes.addLeft(left)
	if len(left) > 0 {
		text = "\nBackground PIDs: " + joinInts(left)
	}
	if r.leavesGroup = len(left) > 0 || r.GroupStays(); r.leavesGroup {
		r.tool.Processes.addLeft([]int{r.PID()})
		text += fmt.Sprintf("\nProcess Group PGID: %d", r.PID())
	}
	r.leaves = r.leavesGroup || r.HasDaemons()
	return text
}

// hints returns the lines of advice for the model about a command that has ended, with the end of its output. They stand behind the frame of the
// output, in which a program could print the same.
func (r *runningCall) hints(output string) string {
	text := ""
	canReadOn := r.tool.CanReadOn == nil || r.tool.CanReadOn()
	left, _ := r.report()
	isExplained := r.Status().Signal != 0 || r.log != nil || r.tool.caller != model
	if len(left) > 0 && canReadOn && !isExplained && r.tool.Processes.explainLeft() {
		text = hintLine("What these processes print is not kept, unless the command redirects it. list_background_processes has their ports. A command that is started with is_background can be read on.")
	}
	if r.leavesGroup && r.tool.EndsWithAnswer && r.tool.caller == model {
		text += hintLine("What the command left running ends with your final answer.")
	}
	return text + r.hint(output)
}

// signalName returns the name of a signal, as SIGTERM, "" for none.
func signalName(s syscall.Signal) string { return unix.SignalName(s) }

// how returns how a command has ended.
func (p *execution) how() ending {
	_, pipe := p.report()
	return ending{p.Status().Code, p.Status().Signal, pipe, p.reason()}
}

// reason returns why Pollux has ended a command, "" if it has not, or for another call.
func (p *execution) reason() string {
	switch {
	case errors.Is(p.Cause(), process.ErrIdle):
		return "it printed nothing for too long"
	case p.Status().Signal != 0 && p.isOverTime.Load():
		return "it ran for longer than timeout_seconds"
	}
	return ""
}

// pipeLine returns the line for the model about the exit codes of a pipe, "" for none.
func pipeLine(codes []string) string {
	if len(codes) == 0 {
		return ""
	}
	return "\n" + pipeText(codes)
}

// pipeCodes returns the exit codes of a pipe whose last command worked while another failed, from
// the words that the script reports. A command whose reader did not read on has not failed.
func pipeCodes(words []string) []string {
	codes := make([]string, 0, len(words))
	for _, w := range words {
		code, isCode := strings.CutPrefix(w, "p")
		if _, err := strconv.ParseUint(code, 10, 8); isCode && err == nil { // the command can write other words
			codes = append(codes, code)
		}
	}
	readerLeft := strconv.Itoa(128 + int(syscall.SIGPIPE))
	failed := func(code string) bool { return code != "0" && code != readerLeft }
	if n := len(codes); n < 2 || codes[n-1] != "0" || !slices.ContainsFunc(codes, failed) {
		return nil
	}
	return codes
}

// inactivityText returns why Pollux ended a command that printed nothing for too long, and a hint
// for the model.
func (r *runningCall) inactivityText() (why, hint string) {
	return "Command was automatically cancelled because it exceeded the timeout of " + describeLimit(r.tool.InactivityTimeout) + " without output.",
		" Commands get no input. Run one that is silent for longer, or does not end by itself, with is_background."
}

// describeTime returns a limit in words as [describeLimit] does, but 5 minutes for 5.0.
func describeTime(limit time.Duration) string {
	return strings.Replace(describeLimit(limit), ".0 ", " ", 1)
}

// describeLimit returns a limit in words: 5.0 minutes, 20 seconds.
func describeLimit(limit time.Duration) string {
	switch {
	case limit == time.Second:
		return "1 second"
	case limit < time.Minute:
		return fmt.Sprintf("%g seconds", math.Round(limit.Seconds()*1000)/1000)
	}
	return fmt.Sprintf("%.1f minutes", limit.Minutes())
}

// noteBinary writes in the place of binary output that there was some.
func (r *runningCall) noteBinary(size int64) {
	note := fmt.Sprintf("(%s of binary data, not shown)", wording.Bytes(size))
	if !r.text.Empty() {
		note = "\n" + note
	}
	_, _ = r.text.Write([]byte(note)) // never fails
}

// backgroundText returns the text about a background command for the model: its state, whether it runs or has ended, how to
// read on, and its output so far, of which soFar is the end. file is the file with all the output, "" if it is not long.
func (r *runningCall) backgroundText(soFar string, hasEnded bool) (text, file string) {
	state, readOn := "runs in the background", " To read on, call read_background_output with this pid, and with pattern to wait until it is ready; to end it, stop_background_process."
	if !r.args.Background {
		state = "still runs after " + describeTime(r.tool.BackgroundAfter) + ", now in the background"
		readOn = " To wait for it, call read_background_output with this pid and timeout_seconds; to end it, stop_background_process."
	}
	if r.isSent {
		state = "was sent to the background by the user, and still runs"
	}
	if can := r.tool.CanReadOn; can != nil && !can() {
		readOn = " What it prints goes to " + r.log.Log + ". To read on, call read_file with that path. To end it, run kill -- -" + strconv.Itoa(r.PID()) + "."
	}
	if r.tool.EndsWithAnswer {
		readOn += " It ends with your final answer."
	}
	hints := ""
	if hasEnded {
		readOn = ""
		r.tool.Processes.noteKnown(r.PID())
		r.endGroup()
		left, codes := r.report()
		state = r.how().verb()
		r.text.After, hints = pipeLine(codes)+r.running(left), r.hints(soFar)
	} else {
		hints = r.hintSoFar(soFar)
	}
	r.text.Before = fmt.Sprintf("Command %s. PID: %d.%s\n%sOutput so far:", state, r.PID(), readOn, untrustedBegin)
	if r.text.Empty() {
		r.text.Before += " (empty)"
	} else {
		r.text.Before += "\n"
	}
	r.text.After += untrustedEnd + hints
	return r.text.Text()
}
