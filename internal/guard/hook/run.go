package hook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"pollux/internal/process"
)

const (
	// grace is the time between SIGTERM and SIGKILL for a hook whose time is over.
	grace = 5 * time.Second
	// linger is how long the output of processes counts that a hook has left running.
	linger = 100 * time.Millisecond
	// maxStream is how much of each output stream is kept, in bytes.
	maxStream = 8 << 20
)

// Result is the outcome of one run of a hook.
type Result struct {
	Hook     *Hook
	Stdout   string
	Stderr   string
	Code     int // exit code, 0 if a signal ended the program
	Status   process.Status
	Duration time.Duration
	Output   Output  // nil for none
	Reading  Reading // how Output was read
	// Refusal is the reason why the output cannot be applied; "" if it can. The step that the hook
	// wanted to change is then refused. Notes are sentences about parts of the output that have no
	// effect.
	Refusal string
	Notes   []string
	// Err is the reason why there is no output: the hook did not start, ran too long or returned
	// an error. It is nil for an exit code other than 0.
	Err error
}

// Failed reports whether the hook failed. A failed hook may have an output.
func (r *Result) Failed() bool { return r.Err != nil || r.Status != process.Status{} }

// run runs a hook with this input, which is in the form of its dialect.
func (s *Set) run(ctx context.Context, p planned, input []byte) *Result {
	began := time.Now()
	h := p.Hook
	r := &Result{Hook: h, Reading: ReadNothing}
	switch {
	case h.Source.isSettings() && !s.o.Allowed(h.Source):
		r.Err = errors.New("security: blocked execution of project hook in untrusted folder")
		r.Duration = time.Since(began)
		return r
	case h.Run != nil:
		s.runFunction(ctx, r, input)
	default:
		s.runCommand(ctx, r, p, input)
	}
	if isBroken := r.Err != nil || r.Status != (process.Status{}) && r.Code != 2; isBroken && h.BlocksOnFailure && h.Event.isBlockable() && !r.Output.isBlocking() && ctx.Err() == nil {
		reason := "The hook has failed"
		if r.Err != nil {
			reason += ": " + r.Err.Error()
		}
		r.Output, r.Reading = message("deny", "reason", reason), ReadFailure
	}
	r.Duration = time.Since(began)
	return r
}

func timedOut(d time.Duration) error {
	return fmt.Errorf("Hook timed out after %dms", d.Milliseconds())
}

// runFunction runs a Go function. If it does not return in time, it is left running.
func (s *Set) runFunction(ctx context.Context, r *Result, input []byte) {
	limited, cancel := context.WithTimeoutCause(ctx, r.Hook.Timeout, timedOut(r.Hook.Timeout))
	defer cancel()
	type returned struct {
		output json.RawMessage
		err    error
	}
	done := make(chan returned, 1)
	go func() {
		var got returned
		defer func() {
			if v := recover(); v != nil {
				got.err = fmt.Errorf("the hook panicked: %v", v)
			}
			done <- got
		}()
		got.output, got.err = r.Hook.Run(limited, input)
	}()
	select {
	case got := <-done:
		r.Err = got.err
		if r.Err == nil && len(got.output) > 0 {
			text := trim(string(got.output))
			r.Output, _ = parseJSON(text)
			r.Output = restrict(r.Hook.Event, r.Output, text, answer{})
			r.Reading = ReadFunction
			r.Refusal, r.Notes = checkShape(r.Hook.Event, r.Output, answer{stdout: text})
		}
	case <-limited.Done():
		r.Err = context.Cause(limited)
	}
}

// runCommand runs a program and reads its output.
func (s *Set) runCommand(ctx context.Context, r *Result, p planned, input []byte) {
	if r.Hook.Timeout <= 0 {
		r.Err = timedOut(r.Hook.Timeout)
		return
	}
	c, err := s.command(r.Hook)
	if err != nil {
		r.Err = err
		return
	}
	stdout, stderr := &capture{}, &capture{}
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(input), stdout, stderr
	defer s.around(ctx, r.Hook)()
	program, err := s.o.Launcher.Start(context.WithoutCancel(ctx), c) // it may leave processes running
	if err != nil {
		r.Err = err
		return
	}
	r.Err = s.wait(ctx, program, r.Hook)
	var a answer
	a.stdout, a.isCut = stdout.take()
	a.stderr, _ = stderr.take()
	r.Stdout, r.Stderr = a.stdout, a.stderr
	if r.Err != nil {
		if denial := restrictionOf([]byte(trim(a.stdout))).or(restrictionIn(a.stdout)); denial.decision == "deny" && r.Hook.Event.isBlockable() {
			r.Output, r.Reading = message("deny", "reason", cmp.Or(denial.reason, "No reason provided")), ReadEmbedded
		}
		return
	}
	r.Status = program.Status()
	r.Code = max(0, r.Status.Code)
	a.code = r.Code
	var notes []string
	switch r.Hook.Dialect {
	case Claude, Qwen:
		r.Output, r.Reading = readClaude(r.Hook, p.name, a)
	case Antigravity:
		r.Output, r.Reading, notes = readAntigravity(p, a)
	default:
		r.Output, r.Reading = parseOutput(r.Hook.Event, a)
	}
	r.Refusal, r.Notes = checkShape(r.Hook.Event, r.Output, a)
	r.Notes = append(r.Notes, notes...)
}

// wait waits until the program has ended and its output was read. It does not wait for processes
// that the program has left running, which end with the session. If the program runs for too long or
// ctx ends, wait ends the program and returns why; then it waits for the end of the program only
// as long as ctx lasts.
func (s *Set) wait(ctx context.Context, p *process.Process, h *Hook) error {
	defer s.leave(p, h)
	limit := time.NewTimer(h.Timeout)
	defer limit.Stop()
	var err error
	select {
	case <-p.Exited():
		limit.Reset(time.Second) // for systems that cannot drain a pipe
		wait(p.Drained(), limit)
		limit.Reset(linger)
		wait(p.Closed(), limit)
		return nil
	case <-limit.C:
		err = timedOut(h.Timeout)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	p.Terminate()
	select {
	case <-p.Gone():
		limit.Reset(time.Second) // for a program that the kernel does not end
		wait(p.Exited(), limit)
	case <-ctx.Done():
	}
	return err
}

func wait(done <-chan struct{}, limit *time.Timer) {
	select {
	case <-done:
	case <-limit.C:
	}
}

// leave releases the program of a hook, or keeps it for [Set.Close] if it has left processes running.
func (s *Set) leave(p *process.Process, h *Hook) {
	select {
	case <-p.Stopped():
		p.Release()
		return
	case <-p.Closed():
		if !p.GroupRuns() {
			_, _ = p.Wait() // its status is known
			return
		}
	default:
	}
	s.leftovers.Add(p, h.ID())
	if apart := p.Apart(); len(apart) > 0 {
		s.o.Log.Debug("a hook left processes running that outlive the session", "hook", h.ID(), "pids", apart)
	}
}

// Close ends the processes that hooks have left running, except those with a session of their own,
// such as daemons.
func (s *Set) Close() { s.leftovers.Terminate() }

// command returns the command of a hook, without its streams.
func (s *Set) command(h *Hook) (*process.Command, error) {
	vars := s.variables()
	env := s.o.Environ(h.Source.origin())
	env = env[:len(env):len(env)]
	for _, v := range vars {
		env = append(env, v.name+"="+v.value)
	}
	dir := s.dirOf(h, env)
	env = append(env, "PWD="+dir)
	switch h.Dialect {
	case Antigravity:
		env = append(env, "ANTIGRAVITY_CONVERSATION_ID="+s.o.SessionID())
	case Qwen:
		env = append(env, "QWEN_PROJECT_DIR="+s.o.Dir)
	}
	for name, value := range h.Env {
		env = append(env, name+"="+strings.ReplaceAll(value, "\x00", ""))
	}
	c := &process.Command{
		For:  process.Purpose{Kind: process.KindHook, Origin: h.Source.origin(), Name: h.ID()},
		Name: "hook " + h.ID(), Env: env, Dir: dir, Grace: grace,
	}
	path := process.Getenv(env, "PATH")
	switch {
	case h.Args != nil:
		return direct(c, h, vars, path)
	case runtime.GOOS == "windows" || h.IsPowerShell:
		return powershell(c, h.Command, vars, path)
	}
	shell, err := process.LookPath(path, "bash")
	if err != nil {
		return nil, errors.New("bash is not in PATH. Hooks are commands for bash")
	}
	c.Path, c.Args = shell, []string{"-c", expand(h.Command, vars)}
	return c, nil
}

// dirOf returns the working directory of a hook with these variables.
func (s *Set) dirOf(h *Hook, env []string) string {
	below, isHome := strings.CutPrefix(h.Dir, "~/")
	switch {
	case h.Dir == "":
		return s.o.Dir
	case isHome:
		return filepath.Join(process.Getenv(env, "HOME"), below)
	case filepath.IsAbs(h.Dir):
		return h.Dir
	}
	return filepath.Join(s.o.Dir, h.Dir)
}

// direct sets the program of a hook that runs without a shell.
func direct(c *process.Command, h *Hook, vars []variable, path string) (*process.Command, error) {
	words := append([]string{h.Command}, h.Args...)
	for i, word := range words {
		for _, v := range vars {
			word = strings.NewReplacer("${"+v.name+"}", v.value, "$"+v.name, v.value).Replace(word)
		}
		words[i] = word
	}
	program := words[0]
	if !strings.ContainsAny(program, `/\\`) {
		found, err := process.LookPath(path, program)
		if err != nil {
			return nil, fmt.Errorf("%s is not in PATH", program)
		}
		program = found
	}
	c.Path, c.Args = program, words[1:]
	return c, nil
}

// powershell sets the program of a hook on Windows: the user's PowerShell.
func powershell(c *process.Command, command string, vars []variable, path string) (*process.Command, error) {
	for _, v := range vars {
		command = strings.ReplaceAll(command, "$"+v.name, "'"+strings.ReplaceAll(v.value, "'", "''")+"'")
	}
	command += "; if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }"
	for _, name := range []string{"pwsh.exe", "powershell.exe", "pwsh"} {
		if found, err := process.LookPath(path, name); err == nil {
			c.Path, c.Args = found, []string{"-NoProfile", "-NonInteractive", "-Command", command}
			return c, nil
		}
	}
	return nil, errors.New("PowerShell is not in PATH. Hooks are commands for PowerShell")
}
