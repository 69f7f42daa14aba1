//go:build unix

package shell

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
)

// Processes knows the commands of a session that run, and those that ran in
// the background. Its methods may be called from several goroutines at once.
type Processes struct {
	dir string

	starting sync.RWMutex // held while a process starts: Close misses none
	closed   bool         // guarded by starting

	mu      sync.Mutex
	running map[*process]bool
	history []*Process // oldest first
}

// maxHistory is how many background commands are remembered.
const maxHistory = 100

// Process is a command in the background.
type Process struct {
	PID     int
	Command string
	Log     string // path of the file that has its output
	Exited  bool
	Code    int            // the exit code, once it has exited by itself
	Signal  syscall.Signal // else what ended it

	process *process
	file    *logFile
}

// NewProcesses returns a table that keeps the output of background commands
// in dir, which is made when it is needed.
func NewProcesses(dir string) *Processes {
	return &Processes{dir: dir, running: map[*process]bool{}}
}

// List returns the background commands of the session, oldest first.
func (ps *Processes) List() []Process {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	list := make([]Process, len(ps.history))
	for i, p := range ps.history {
		list[i] = *p
	}
	return list
}

// Background moves a running command into the background, as a person may
// want it; its call then returns. It reports whether there is such a command.
func (ps *Processes) Background(pid int) bool {
	p := ps.find(pid)
	if p != nil {
		p.move.Do(func() { close(p.background) })
	}
	return p != nil
}

// Kill ends a running command, in the background or not. It reports whether
// there is such a command.
func (ps *Processes) Kill(pid int) bool {
	p := ps.find(pid)
	if p != nil {
		p.terminate()
	}
	return p != nil
}

// Close ends all commands that run; none can be started from here on. It
// takes as long as they need to, at most a quarter of a second.
func (ps *Processes) Close() {
	ps.starting.Lock()
	ps.closed = true
	ps.starting.Unlock()

	ps.mu.Lock()
	running := slices.Collect(maps.Keys(ps.running))
	ps.mu.Unlock()
	for _, p := range running {
		p.terminate()
	}
	for _, p := range running {
		<-p.gone
	}
}

func (ps *Processes) find(pid int) *process {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for p := range ps.running {
		if p.pid == pid {
			return p
		}
	}
	return nil
}

// start starts a process, unless Close has been called.
func (ps *Processes) start(j job, out *output) (*process, error) {
	ps.starting.RLock()
	defer ps.starting.RUnlock()
	if ps.closed {
		return nil, errors.New("the session is over")
	}
	p, err := start(j, out)
	if err != nil {
		return nil, err
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.running[p] = true
	return p, nil
}

// ended forgets a process. One that was killed is known until it is gone.
func (ps *Processes) ended(p *process) {
	end := func() {
		ps.mu.Lock()
		delete(ps.running, p)
		ps.mu.Unlock()
		p.finish()
	}
	if !p.killed.Load() {
		end()
		return
	}
	go func() {
		<-p.gone
		end()
	}()
}

// remember adds a process to the history and makes its log.
func (ps *Processes) remember(p *process, command string) *Process {
	file := newLogFile(filepath.Join(ps.dir, "background-"+strconv.Itoa(p.pid)+".log"))
	rec := &Process{PID: p.pid, Command: command, Log: file.path, process: p, file: file}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if len(ps.history) >= maxHistory { // what is over is forgotten first
		oldest := max(0, slices.IndexFunc(ps.history, func(r *Process) bool { return r.Exited }))
		ps.history = slices.Delete(ps.history, oldest, oldest+1)
	}
	ps.history = append(ps.history, rec)
	return rec
}

// watch notes the end of a background command.
func (ps *Processes) watch(rec *Process) {
	p := rec.process
	<-p.exited
	ps.mu.Lock()
	rec.Exited = true
	rec.Code, rec.Signal = p.status()
	ps.mu.Unlock()
	<-p.closed // what it has started may print still
	p.out.endLog()
	rec.file.close()
	ps.ended(p)
}

// byPID returns the latest command that had this number.
func (ps *Processes) byPID(pid int) (Process, bool) {
	list := ps.List()
	for _, p := range slices.Backward(list) {
		if p.PID == pid {
			return p, true
		}
	}
	return Process{}, false
}

// logFile is the output of a background command. A file that grows beyond
// its bound starts anew: the latest output is what matters. A log that can't
// be written is given up; the command is not disturbed.
type logFile struct {
	path string
	f    *os.File // nil if there is none
	size int64
}

const maxLog = 64 << 20

// newLogFile makes the file, which must be new: another process of this
// number may have left one, and who knows what else is there.
func newLogFile(path string) *logFile {
	l := &logFile{path: path}
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.Chmod(filepath.Dir(path), 0o700) != nil {
		return l
	}
	_ = os.Remove(path) // creating it says whether that was enough
	l.f, _ = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
	return l
}

func (l *logFile) Write(p []byte) (int, error) {
	if l.f == nil {
		return len(p), nil
	}
	if l.size+int64(len(p)) > maxLog {
		note := fmt.Sprintf("[earlier output is gone: this log is limited to %d MiB]\n", maxLog>>20)
		if err := l.f.Truncate(0); err != nil {
			l.close()
			return len(p), nil
		}
		_, _ = l.f.Seek(0, io.SeekStart) // of a regular file
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
		_ = l.f.Close() // nothing more can be done for it
		l.f = nil
	}
}
