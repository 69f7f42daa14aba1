package process

import (
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// prepare keeps a program from the console of Pollux, and from running before [reportPipe.arm] has put it into its job.
// It returns an error for a batch file that cannot get its arguments.
func (c *Command) prepare(sys *syscall.SysProcAttr) error {
	if !c.TTY {
		sys.CreationFlags |= windows.CREATE_NO_WINDOW
	}
	if !c.TTY && !c.Detach {
		sys.CreationFlags |= windows.CREATE_SUSPENDED
	}
	if !isBatch(c.Path) {
		return nil
	}
	dir, err := windows.GetSystemDirectory()
	if err != nil {
		return err
	}
	if sys.CmdLine, err = batchLine(c.Path, c.Args); err != nil {
		return err
	}
	c.Name, c.Path = c.String(), filepath.Join(dir, "cmd.exe")
	return nil
}

func statusOf(state *os.ProcessState) Status {
	if state == nil {
		return Status{Code: 1}
	}
	return Status{Code: state.ExitCode()}
}

// SignalName returns "": no signal ends a program on this system.
func (s Status) SignalName() string { return "" }

// terminate ends all processes of the command at once: there is no signal that asks them to end.
func (p *Process) terminate(grace time.Duration) {
	p.report.job.terminate()
	p.stopAlone(grace) // one that is in no job
}

// GroupRuns reports whether a process of the command runs, such as one that it has left.
func (p *Process) GroupRuns() bool { return p.report.job.active() > 0 }

func (p *Process) killGroup() {
	p.report.job.terminate()
	_ = p.proc.Kill() // it may have ended
}

func (p *Process) waitProgram() *os.ProcessState {
	state, _ := p.proc.Wait() // it is our child and waited for once
	if p.command.sweep {
		p.report.job.terminate()
	}
	return state
}

func (p *Process) reported() ([]int, []string) { return nil, nil }

// reportPipe ties the processes of a command to Pollux, by a job. There is no pipe: programs get three files only.
type reportPipe struct {
	write *os.File // nil
	job   job
}

func (rp *reportPipe) open() error { return rp.job.create() }

// arm has the program run, as a part of the job.
func (rp *reportPipe) arm(pid int) { rp.job.begin(uint32(pid)) }

// close lets the processes that are left outlive Pollux.
func (rp *reportPipe) close() { rp.job.release() }

// polled is used on Unix only.
type polled int

const (
	pollNone polled = iota
	pollRead
	pollWrite
)

func openPipe(polled) (read, write *os.File, err error) { return os.Pipe() }

// drain is not reached: a pipe has no deadlines here.
func drain(*os.File, []byte, func([]byte)) error { return nil }

func widen(*os.File) {}

// member stands for the job: its processes have no names.
type member struct{}

func (p *Process) keep() {
	kept := []member{}
	if p.GroupRuns() {
		kept = append(kept, member{})
	}
	p.kept.Store(&kept)
}

func (p *Process) apart() []int { return nil }

func (p *Process) hasDaemons() bool { return false }

func (p *Process) keepsRunning() bool {
	kept := p.kept.Load()
	return kept != nil && len(*kept) > 0 && p.GroupRuns()
}
