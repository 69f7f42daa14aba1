//go:build linux

package killed

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"syscall"
	"time"
)

// instant is when and how a run ends. One of bytes, after and call counts.
type instant struct {
	signal syscall.Signal
	bytes  int           // of the model's answers that were sent
	after  time.Duration // since the start
	call   string        // at the nth call of the system in one thread
	nth    int
}

func (i instant) String() string {
	switch {
	case i.call != "":
		return fmt.Sprintf("%v at %s %d", i.signal, i.call, i.nth)
	case i.after > 0:
		return fmt.Sprintf("%v after %v", i.signal, i.after)
	}
	return fmt.Sprintf("%v at byte %d", i.signal, i.bytes)
}

// newInstant returns a random instant within a session. Half of the ends are those that the program
// cannot see.
func newInstant(random *rand.Rand, whole *session) instant {
	i := instant{signal: []syscall.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT}[random.IntN(4)]}
	_, err := exec.LookPath("strace")
	switch kind := random.IntN(3); {
	case kind == 0 && err == nil:
		many := []string{"write", "openat", "flock,close,unlinkat", "futex"}
		few := []string{"fsync", "renameat,renameat2,linkat", "clone,clone3,vfork"}
		if i.nth = 1 + random.IntN(30); random.IntN(2) == 0 {
			i.call = many[random.IntN(len(many))]
		} else {
			i.call, i.nth = few[random.IntN(len(few))], 1+random.IntN(5)
		}
	case kind == 1:
		i.after = time.Duration(1 + random.Int64N(int64(whole.took)))
	default:
		i.bytes = random.IntN(whole.bytes)
	}
	return i
}

// start starts a run that ends at an instant, if it lasts so long. The model reports the number of bytes
// by calling the function that is returned.
func (i instant) start(cmd *exec.Cmd, start func() error) (sent func(bytes int), stop func(), err error) {
	if i.call != "" {
		args := []string{
			"strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + i.call, "-e",
			fmt.Sprintf("inject=%s:signal=%d:when=%d", i.call, int(i.signal), i.nth),
		}
		if cmd.Path, err = exec.LookPath("strace"); err != nil {
			return nil, nil, err
		}
		cmd.Args = append(args, cmd.Args...)
	}
	if err := start(); err != nil {
		return nil, nil, err
	}
	kill := func() { _ = cmd.Process.Signal(i.signal) } // it may have ended
	sent, stop = func(int) {}, func() {}
	switch {
	case i.call != "":
	case i.after > 0:
		timer := time.AfterFunc(i.after, kill)
		stop = func() { timer.Stop() }
	default:
		sent = func(bytes int) {
			if bytes >= i.bytes {
				kill()
			}
		}
	}
	return sent, stop, nil
}
