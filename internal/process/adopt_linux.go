package process

import (
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"pollux/internal/crash"
)

// adoption has this process adopt the daemons of its programs.
type adoption struct {
	once  sync.Once
	start sync.RWMutex // held for reading while a program is started, which is not in own yet

	mu  sync.Mutex // guards the following
	own map[int]bool
}

// adopted is the adoption of this process, of which all threads have the same.
var adopted adoption

// Adopt makes this process the parent of its programs' descendants whose own parents end, as daemons do. It waits for their end,
// so that none stays as a zombie. Where a process may look into its descendants only, it then sees into daemons, too. Only the first call has an effect, and
// only if isNeeded returns true.
func Adopt(isNeeded func() bool) {
	adopted.once.Do(func() {
		if !isNeeded() || unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil {
			return // it goes on without
		}
		ends := make(chan os.Signal, 1)
		signal.Notify(ends, syscall.SIGCHLD)
		go func() {
			defer crash.Recover()
			for range ends {
				adopted.reap()
			}
		}()
	})
}

// starting calls a function that starts a program, and notes the program as one that a [Process] waits for.
func (a *adoption) starting(start func() (*os.Process, error)) (*os.Process, error) {
	a.start.RLock()
	defer a.start.RUnlock()
	proc, err := start()
	if err == nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.own == nil {
			a.own = map[int]bool{}
		}
		a.own[proc.Pid] = true
	}
	return proc, err
}

// ended notes that a [Process] has waited for a program.
func (a *adoption) ended(pid int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.own, pid)
}

// reap waits for adopted processes that have ended. The kernel gives them to the first thread. The programs of the launcher have sessions of their own,
// or are noted; processes in the session of this one belong to others who wait for them.
func (a *adoption) reap() {
	a.start.Lock()
	defer a.start.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	self := os.Getpid()
	list, _ := os.ReadFile("/proc/self/task/" + strconv.Itoa(self) + "/children") // none on kernels that do not list them
	session, err := unix.Getsid(0)
	if err != nil {
		return
	}
	for _, word := range strings.Fields(string(list)) {
		pid, err := strconv.Atoi(word)
		if err != nil || a.own[pid] {
			continue
		}
		if of, err := unix.Getsid(pid); err == nil && of != session {
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // it may run
		}
	}
}
