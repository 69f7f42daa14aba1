//go:build unix

package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"pollux/internal/crash"
	"pollux/internal/process"
)

// Processes is the table of a session's running commands and of its background
// commands, running or ended. Its methods may be called concurrently.
type Processes struct {
	dir string

	starting sync.RWMutex  // held while a process starts, so that Close sees every process
	closed   bool          // guarded by starting
	over     chan struct{} // closed by Close

	mu      sync.Mutex
	session string       // the id of the session, "" for none
	notes   map[int]note // on disk, by PID
	running map[*execution]bool
	console Console    // nil to run commands on pipes
	history []*Process // oldest first
	left    []int      // processes that commands started with & and left running, the latest last
	leaving []Process  // see TakeEnded: processes that commands of the model have left

	leftIsExplained bool // see explainLeft

	leftovers process.Leftovers // the commands that left something running
	isPolling bool              // see poll
	changed   []func()          // see Watch
	ended     func(Process)     // see OnEnd
	inspect   func(Process)     // see Inspect
}

// maxHistory limits the number of background commands in the history, and of processes that
// commands left running.
const maxHistory = 100

// Process is a background command.
type Process struct {
	PID     int
	Command string
	Began   time.Time // zero of an orphan
	ended   time.Time // of the command itself; zero if it runs, and of an orphan
	Log     string    // path of the file with the output
	// Exited is true if the command has ended, and so have the processes of its session.
	Exited bool
	Code   int            // the exit code, if Exited and no signal ended the command
	Signal syscall.Signal // the signal that ended the command, or 0
	pipe   []string       // the exit codes of a pipe in which a command has failed, although the last one worked
	// IsOrphan is set of a command that another process of Pollux has started before it crashed. How
	// such a command ends is not known.
	IsOrphan bool
	// IsGone is set of an orphan that had ended when this process of Pollux began: with the one that had started it.
	IsGone bool
	// IsLeft is set of processes that a command has left running with &: PID is that of their group, and neither their output nor how they
	// end is known.
	IsLeft  bool
	isApart bool // an orphan that has left the session of its command

	execution *execution // nil of an orphan, as file
	file      *logFile
	started   string        // of an orphan, see process.Started
	hasEnded  bool          // the command itself; others of its session may run
	noted     chan struct{} // closed when hasEnded is set
	isMoved   bool          // by Pollux, because it ran for long, and the model has not been reminded of it
	isKnown   bool          // to the model: that it has ended
	isSeen    bool          // see Inspect

	read mark // how far the model has read the log
}

// NewProcesses returns an empty table. The output of background commands goes to files in
// dir, which is created when the first background command starts.
func NewProcesses(dir string) *Processes {
	return &Processes{dir: dir, over: make(chan struct{}), running: map[*execution]bool{}, notes: map[int]note{}}
}

// SetConsole runs the commands of the person and the model that start from now on in pseudo-terminals, which c shows.
func (ps *Processes) SetConsole(c Console) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.console = c
}

// openScreen returns the screen of a command that is about to start, nil for none.
func (ps *Processes) openScreen(command string) Screen {
	ps.mu.Lock()
	c := ps.console
	ps.mu.Unlock()
	if c == nil {
		return nil
	}
	return c.Open(command)
}

// List returns the background commands of the session, oldest first.
func (ps *Processes) List() []Process {
	if ps == nil { // without a session
		return nil
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.noteEnds()
	list := make([]Process, len(ps.history))
	for i, p := range ps.history {
		list[i] = *p
	}
	return list
}

// Running returns the number of background commands that run.
func (ps *Processes) Running() (n int) {
	for _, p := range ps.List() {
		if !p.Exited {
			n++
		}
	}
	return n
}

// Watch makes ps call changed, too, when a background command begins or has ended, and when something has ended that a command
// had left running. It may be called on any goroutine, and must return at once.
func (ps *Processes) Watch(changed func()) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.changed = append(ps.changed, changed)
}

// report calls the functions of [Processes.Watch].
func (ps *Processes) report() {
	ps.mu.Lock()
	changed := slices.Clone(ps.changed)
	ps.mu.Unlock()
	for _, f := range changed {
		f()
	}
}

// noteEnds sets Exited of the background commands of which nothing runs any more. The caller holds ps.mu.
func (ps *Processes) noteEnds() {
	for _, p := range ps.history {
		p.Exited = p.Exited || p.IsOrphan && !p.runs() || p.hasEnded && !p.execution.Runs()
	}
}

// Reminder returns a message to the model about commands that Pollux has moved to the background and that still
// run, "" if there are none. It names each command once.
func (ps *Processes) Reminder() string {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.noteEnds()
	var names []string
	for _, p := range ps.history {
		if p.isMoved && !p.Exited {
			names = append(names, fmt.Sprintf("`%s` (PID %d)", p.Command, p.PID))
		}
		p.isMoved = false
	}
	if names == nil {
		return ""
	}
	return "[System: Still running in the background: " + strings.Join(names, ", ") + ". Your answer ends the run, and these commands with it. " +
		"To wait for one, call read_background_output with timeout_seconds. If no result is needed, give your final answer.]"
}

// Close ends all running commands, with the leftover processes of ended ones, and waits until
// they have ended, at most a quarter of a second. No command can be started after Close.
func (ps *Processes) Close() {
	ps.starting.Lock()
	if !ps.closed {
		close(ps.over)
	}
	ps.closed = true
	ps.starting.Unlock()

	ps.mu.Lock()
	running, background := slices.Collect(maps.Keys(ps.running)), slices.Clone(ps.history)
	ps.mu.Unlock()
	for _, p := range background {
		ps.inspected(p, false)
	}
	ps.closeNotes() // before the ends of these commands remove them
	for _, p := range running {
		p.Terminate()
	}
	left := ps.leftovers.Terminate()
	for _, p := range running {
		<-p.Gone()
	}
	for _, p := range left {
		<-p.Gone()
	}
}

// start starts a process and adds it to the table. It fails after Close.
func (ps *Processes) start(ctx context.Context, launcher process.Launcher, j job, out *output) (*execution, error) {
	ps.starting.RLock()
	defer ps.starting.RUnlock()
	if ps.closed {
		return nil, errors.New("the session is over")
	}
	p, err := start(ctx, launcher, j, out)
	if err != nil {
		return nil, err
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.running[p] = true
	return p, nil
}

// await records whether a call waits for a command that it can leave to the background.
func (ps *Processes) await(p *execution, isAwaited bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p.isAwaited = isAwaited
}

// MoveToBackground moves the commands to the background that calls of the model and the person wait for, and returns their
// PIDs in ascending order. Each call then ends with the output so far.
func (ps *Processes) MoveToBackground() (pids []int) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for p := range ps.running {
		if p.isAwaited {
			p.isAwaited = false
			close(p.sent)
			pids = append(pids, p.PID())
		}
	}
	slices.Sort(pids)
	return pids
}

// forget removes a process from the table of running ones. It removes a process that was
// stopped only when all of its processes are gone.
func (ps *Processes) forget(p *execution) {
	remove := func() {
		ps.mu.Lock()
		delete(ps.running, p)
		ps.mu.Unlock()
		p.Release()
	}
	select {
	case <-p.Stopped():
		go func() {
			defer crash.Recover()
			<-p.Gone()
			remove()
		}()
	default:
		remove()
	}
}

// addToHistory adds a process to the history of background commands and creates its log.
func (ps *Processes) addToHistory(p *execution, command string) *Process {
	file := newLogFile(filepath.Join(ps.dir, "background-"+strconv.Itoa(p.PID())+".log"))
	rec := &Process{PID: p.PID(), Command: command, Began: p.Began(), Log: file.path, execution: p, file: file, noted: make(chan struct{})}
	ps.note(rec.PID, command, false)
	defer ps.report()
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.noteEnds()
	if len(ps.history) >= maxHistory { // drop the oldest command that has ended, or else the oldest
		oldest := max(0, slices.IndexFunc(ps.history, func(r *Process) bool { return r.Exited }))
		ps.history = slices.Delete(ps.history, oldest, oldest+1)
	}
	ps.history = append(ps.history, rec)
	return rec
}

// noteMove records that Pollux has moved a command to the background, whose output so far, these bytes of the log, the
// model has.
func (ps *Processes) noteMove(rec *Process, logged int64) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	rec.isMoved = true
	rec.read = mark{to: logged, size: logged}
}

// watchExit waits for the end of a background command and records it in rec. Processes that the command leaves running
// end with the session.
func (ps *Processes) watchExit(rec *Process) {
	defer crash.Recover()
	p := rec.execution
	<-p.Exited()
	<-p.Drained()
	isStopped := p.isStopped()
	if !isStopped {
		p.endGroup()
		p.GroupStays()
	}
	_, pipe := p.report()
	if !isStopped {
		ps.keep(p, rec.Command)
	}
	ps.mu.Lock()
	rec.hasEnded, rec.ended = true, time.Now()
	status := p.Status()
	rec.Code, rec.Signal, rec.pipe = status.Code, status.Signal, pipe
	ps.mu.Unlock()
	close(rec.noted)
	<-p.Closed() // processes that the command started may still print
	p.out.endLog()
	p.closeScreen()
	rec.file.close()
	ps.forgetNote(rec.PID)
	if isStopped {
		ps.forget(p)
	}
	p.AwaitEnd() // the list still has it before
	ps.report()
	ps.inspected(rec, true)
	ps.reportEnd(rec)
}

// findByPID returns the latest background command with this PID.
func (ps *Processes) findByPID(pid int) (Process, bool) {
	list := ps.List()
	for _, p := range slices.Backward(list) {
		if p.PID == pid {
			return p, true
		}
	}
	return Process{}, false
}

// moveToBackground ends the output for the model and the live display, and returns the output
// so far and the size of the log. If there is no log yet, log becomes it and gets the output so far.
func (o *output) moveToBackground(log *logFile) (soFar string, size int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.endShow()
	soFar = o.live.String()
	if o.log == nil {
		if o.passed > strings.Count(soFar, "\n") {
			_, _ = fmt.Fprintf(log, "[of the output so far, only the last %d characters]\n", maxLiveUnits)
		}
		_, _ = io.WriteString(log, soFar) // a log handles its own errors
		o.log = log
	}
	o.model, o.live = nil, nil
	return trim(soFar), log.size
}

// logFile is the file with the output of a background command. A file that would grow
// beyond maxLogSize is emptied first, because the latest output matters most. After a
// failed write nothing more is written, and the command continues.
type logFile struct {
	path string
	f    *os.File // nil after an error or close
	size int64
}

const maxLogSize = 64 << 20

// newLogFile creates the log. The file must be new: an earlier process with the same PID may
// have left a log, and a link at this path could lead to any file.
func newLogFile(path string) *logFile {
	l := &logFile{path: path}
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.Chmod(filepath.Dir(path), 0o700) != nil {
		return l
	}
	_ = os.Remove(path) // if the path still exists, O_EXCL fails
	l.f, _ = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
	return l
}

func (l *logFile) Write(p []byte) (int, error) {
	if l.f == nil {
		return len(p), nil
	}
	if l.size+int64(len(p)) > maxLogSize {
		note := fmt.Sprintf("[earlier output is gone: this log is limited to %d MiB]\n", maxLogSize>>20)
		if err := l.f.Truncate(0); err != nil {
			l.close()
			return len(p), nil
		}
		_, _ = l.f.Seek(0, io.SeekStart) // cannot fail on a regular file
		n, _ := l.f.WriteString(note)
		l.size = int64(n)
	}
	n, err := l.f.Write(p)
	l.size += int64(n)
	if err != nil {
		l.close()
	}
	return len(p), nil
}

func (l *logFile) close() {
	if l.f != nil {
		_ = l.f.Close() // the log is a convenience: its errors are not reported
		l.f = nil
	}
}
