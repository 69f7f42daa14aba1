package cost

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// trace counts the system calls of a run.
type trace struct {
	calls     float64 // without those of scheduled and timed
	files     float64 // opened, or not found
	processes float64 // started
	written   float64 // bytes, to files of the place
	made      float64 // files and directories, those for a moment too
}

// scheduled are the system calls with which Go manages threads, memory and waiting, and seeds the random numbers of each
// thread. Their number depends on how busy the machine is.
const scheduled = "futex,nanosleep,clock_nanosleep,restart_syscall,epoll_create1,epoll_ctl,epoll_pwait,epoll_wait,eventfd2," +
	"mmap,munmap,mprotect,madvise,mincore,brk,rt_sigaction,rt_sigprocmask,rt_sigreturn,sigaltstack,tgkill,gettid,getpid," +
	"sched_yield,sched_getaffinity,arch_prctl,prctl,prlimit64,getrandom,rseq,set_robust_list,set_tid_address,timer_create,timer_settime,timer_delete,exit"

// strace is the path of a working strace, or the reason why there is none.
var strace = sync.OnceValues(func() (path, missing string) {
	path, err := exec.LookPath("strace")
	if err != nil {
		return "", "strace is missing"
	}
	if out, err := exec.Command(path, "-f", "--seccomp-bpf", "-o", os.DevNull, "-e", "trace=execve", path, "-V").CombinedOutput(); err != nil {
		return "", "strace does not work here: " + err.Error() + "\n" + string(out)
	}
	return path, ""
})

// trace runs a program once, so that its directories exist, and then counts the system calls of a second run. It
// skips the test if it cannot.
func (p *place) trace(t *testing.T, command ...string) trace {
	t.Helper()
	if _, missing := strace(); missing == "" { // else traceFirst skips the test
		p.run(t, "", command...)
		p.TakeRequests()
	}
	return p.traceFirst(t, command...)
}

// traceFirst counts the system calls of the first run of a program. It skips the test if it cannot.
func (p *place) traceFirst(t *testing.T, command ...string) trace {
	t.Helper()
	path, missing := strace()
	if missing != "" {
		t.Skip("NOT CHECKED: " + missing)
	}
	dir := t.TempDir()
	p.run(t, "", append([]string{
		path, "-ff", "--seccomp-bpf", "-qq", "-y", "-s", "0", "-e", "signal=none",
		"-e", "trace=!" + scheduled, "-o", filepath.Join(dir, "thread"),
	}, command...)...)
	threads, err := filepath.Glob(filepath.Join(dir, "thread.*"))
	if err != nil || len(threads) == 0 {
		t.Fatal("no trace", err)
	}
	var sum trace
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			sum.add(line, p.root)
		}
	}
	return sum
}

// callLine matches a system call: its name, its arguments, its result and its error.
var callLine = regexp.MustCompile(`^(\w+)\((.*)\) += (-?\w+)(?:<.*>)?(?: (E\w+))?`)

// fileArgument matches the first argument of a call if it is an open file.
var fileArgument = regexp.MustCompile(`^\d+<(/[^>]*)>`)

// timed matches calls whose number depends on how long a run takes: about files of the kernel, which Go's runtime and the statistics of
// memory read, the wakes of the runtime, and the syncs of a session's file, at most five a second.
var timed = regexp.MustCompile(`[<"]/(proc|sys)/|<anon_inode:\[eventfd\]>|^fsync\([0-9]+<[^>]*\.jsonl>`)

// add counts a line of strace.
func (s *trace) add(line, root string) {
	m := callLine.FindStringSubmatch(line)
	if m == nil || timed.MatchString(line) {
		return // the others never returned, such as exit_group
	}
	name, args, result, failure := m[1], m[2], m[3], m[4]
	if !strings.HasPrefix(result, "-") && (strings.HasPrefix(name, "mkdir") || strings.Contains(args, "O_CREAT")) {
		s.made++
	}
	switch name {
	case "clone", "clone3", "fork", "vfork":
		if !strings.Contains(args, "CLONE_THREAD") {
			s.processes++
		}
		return
	case "open", "openat", "openat2":
		if strings.Contains(line, "O_PATH") { // only looks for links
			break
		}
		s.files++
	case "write", "pwrite64", "writev", "pwritev", "pwritev2":
		if file := fileArgument.FindStringSubmatch(args); file != nil && strings.HasPrefix(file[1], root+"/") {
			n, _ := strconv.ParseFloat(result, 64) // -1 if it failed
			s.written += max(0, n)
		}
	}
	if failure != "EAGAIN" && failure != "EINTR" { // else it was too early
		s.calls++
	}
}

func TestTraceAdd(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]trace{
		`openat(AT_FDCWD</p/dir>, "/p/dir/.env", O_RDONLY|O_CLOEXEC) = -1 ENOENT (No such file or directory)`:             {calls: 1, files: 1},
		`openat2(AT_FDCWD</p/dir>, "/p/a", {flags=O_RDONLY|O_CLOEXEC|O_PATH, resolve=RESOLVE_NO_SYMLINKS}, 24) = 7</p/a>`: {calls: 1},
		`openat(AT_FDCWD</p/dir>, "/p/a", O_RDONLY|O_CLOEXEC) = 7</p/a>`:                                                  {calls: 1, files: 1},
		`openat(AT_FDCWD</p/dir>, "/proc/self/statm", O_RDONLY|O_CLOEXEC) = 7</proc/5/statm>`:                             {},
		`read(7</proc/5/statm>, ""..., 512)      = 40`:                                                                    {},
		`write(6<anon_inode:[eventfd]>, ""..., 8) = 8`:                                                                    {},
		`fsync(7</p/home/s.jsonl>)               = 0`:                                                                     {},
		`fsync(7</p/home>)                       = 0`:                                                                     {calls: 1},
		`read(7<socket:[5]>, 0xc000, 4096)       = -1 EAGAIN (Resource temporarily unavailable)`:                          {},
		`read(7<socket:[5]>, ""..., 4096)        = 40`:                                                                    {calls: 1},
		`write(7</p/home/s.jsonl>, ""..., 300)   = 300`:                                                                   {calls: 1, written: 300},
		`write(7</p/home/s.jsonl>, ""..., 300)   = -1 ENOSPC (No space left on device)`:                                   {calls: 1},
		`write(7</place/s.jsonl>, ""..., 300)    = 300`:                                                                   {calls: 1},
		`pwrite64(7</p/a>, ""..., 300, 0)        = 20`:                                                                    {calls: 1, written: 20},
		`write(1</dev/null>, ""..., 300)         = 300`:                                                                   {calls: 1},
		`clone(child_stack=0x1, flags=CLONE_VM|CLONE_THREAD|CLONE_SYSVSEM) = 12`:                                          {},
		`clone(child_stack=NULL, flags=CLONE_VM|CLONE_VFORK|SIGCHLD) = 12`:                                                {processes: 1},
		`mkdirat(AT_FDCWD</p>, "/p/a", 0700)     = 0`:                                                                     {calls: 1, made: 1},
		`mkdirat(AT_FDCWD</p>, "/p/a", 0700)     = -1 EEXIST (File exists)`:                                               {calls: 1},
		`openat(AT_FDCWD</p>, "/p/b", O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC, 0600) = 7</p/b>`:                                   {calls: 1, files: 1, made: 1},
		`openat(AT_FDCWD</p>, "/p/b", O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC, 0600) = -1 EEXIST (File exists)`:                   {calls: 1, files: 1},
		`exit_group(0)                           = ?`:                                                                     {},
	} {
		var got trace
		if got.add(line+"\n", "/p"); got != want {
			t.Errorf("%s: %+v, want %+v", line, got, want)
		}
	}
}
