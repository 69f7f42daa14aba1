//go:build unix

package shell

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"pollux/internal/crash"
	"pollux/internal/process"
	"pollux/llm"
	"pollux/tool"
)

const (
	outsideLimit = 1 << 20         // bytes of output that the host keeps
	outsideLook  = 5 * time.Second // between two looks at the output of a command that may be silent for too long
	outsideGrace = 5 * time.Second // for the end of a command that is stopped
)

// runsOutside reports whether a call runs in a terminal of the host: a command that waits for its end, that the person or a rule of
// theirs has allowed, and that nothing confines here.
func (c *call) runsOutside(h tool.Host) bool {
	o := c.tool.Outside
	return o != nil && c.tool.caller == model && !c.args.Background && !h.Unasked && c.tool.MayRunOutside()
}

// outsideCall is a call whose command runs in a terminal of the host.
type outsideCall struct {
	*call
	terminal *process.HostTerminal
	text     *tool.Collector
}

// runOutside runs the command in a terminal of the host, which shows its output. The command gets the environment of the host, and
// variables that keep programs from waiting for a person, but no secrets.
func (c *call) runOutside(ctx context.Context, h tool.Host) *tool.Result {
	shell, err := c.tool.shell()
	if err != nil {
		return tool.Fail(tool.ErrShell, "The command could not be started: "+err.Error())
	}
	t, err := c.tool.Outside(ctx, process.HostCommand{
		CallID: h.CallID, Path: shell, Args: []string{"-c", c.command}, Env: childEnv(nil, true), Dir: c.dir, Limit: outsideLimit,
	})
	if err != nil {
		if ctx.Err() != nil {
			return cancelledOutside()
		}
		return tool.Fail(tool.ErrShell, "The terminal of the editor could not run the command: "+err.Error())
	}
	o := &outsideCall{call: c, terminal: t, text: tool.NewCollector(h.Limit, h.Spill)}
	return o.wait(ctx)
}

// wait waits for the end of the command.
func (c *outsideCall) wait(ctx context.Context) *tool.Result {
	type ending struct {
		process.HostExit
		err error
	}
	ended := make(chan ending, 1)
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer crash.Recover()
		exit, err := c.terminal.Wait(waiting)
		ended <- ending{exit, err}
	}()
	var limit, look <-chan time.Time
	if after := time.Duration(c.args.Timeout); after > 0 {
		limit = time.After(after)
	}
	silence := c.tool.InactivityTimeout
	if silence > 0 {
		ticker := time.NewTicker(min(outsideLook, silence))
		defer ticker.Stop()
		look = ticker.C
	}
	seen, changed := "", time.Now()
	for {
		select {
		case e := <-ended:
			if ctx.Err() != nil {
				return c.stopped(ctx, "")
			}
			if e.err != nil {
				go c.end(context.WithoutCancel(ctx))
				return tool.Fail(tool.ErrShell, "The terminal of the editor does not tell how the command ended: "+e.err.Error())
			}
			return c.result(ctx, &e.HostExit, "")
		case <-ctx.Done():
			return c.stopped(ctx, "")
		case <-limit:
			return c.stopped(ctx, "Command was automatically cancelled because it ran for longer than timeout_seconds, "+describeLimit(time.Duration(c.args.Timeout))+".")
		case <-look:
			if out, err := c.terminal.Output(ctx); err == nil && out.Text != seen {
				seen, changed = out.Text, time.Now()
			}
			if time.Since(changed) > silence {
				return c.stopped(ctx, "Command was automatically cancelled because it exceeded the timeout of "+describeLimit(silence)+" without output.")
			}
		}
	}
}

// stopped ends the command, and returns the result: why Pollux has ended it, "" for a cancelled call, which must not wait.
func (c *outsideCall) stopped(ctx context.Context, why string) *tool.Result {
	if why == "" {
		go c.end(context.WithoutCancel(ctx))
		return cancelledOutside()
	}
	c.kill(ctx)
	return c.result(ctx, nil, why)
}

// cancelledOutside is the result of a cancelled call.
func cancelledOutside() *tool.Result {
	const text = "Command was cancelled by user before it could complete."
	return &tool.Result{Content: []llm.Part{llm.Text(text)}, Display: tool.TerminalDisplay(text)}
}

// end ends the command and gives the terminal back.
func (c *outsideCall) end(ctx context.Context) {
	defer crash.Recover()
	c.kill(ctx)
	c.release(ctx)
}

func (c *outsideCall) kill(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, outsideGrace, errors.New("no answer"))
	defer cancel()
	_ = c.terminal.Kill(ctx) // the release kills it, too
}

func (c *outsideCall) release(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, outsideGrace, errors.New("no answer"))
	defer cancel()
	_ = c.terminal.Release(ctx) // a host that is gone has no terminals
}

// result returns the result of a command that has ended, or that Pollux has ended for a reason. It gives the terminal back.
func (c *outsideCall) result(ctx context.Context, exit *process.HostExit, why string) *tool.Result {
	printed, err := c.terminal.Output(ctx)
	go func() {
		defer crash.Recover()
		c.release(context.WithoutCancel(ctx))
	}()
	if err != nil {
		why = strings.TrimSpace(why + " The output is lost: " + err.Error())
	}
	out := newOutput(c.text, nil)
	_, _ = out.Write([]byte(printed.Text)) // never fails
	shown, omitted := out.finish()
	result := &tool.Result{Omitted: omitted}
	c.text.Before, c.text.After = outputBegin, untrustedEnd
	if c.text.Empty() {
		c.text.Before += "(empty)"
	}
	if printed.IsCut {
		c.text.Before = untrustedBegin + "Output (its beginning was dropped): "
	}
	ending := ""
	switch {
	case exit == nil:
	case exit.Signal != "":
		ending = "\nSignal: " + exit.Signal
		result.Data = map[string]any{"signal": exit.Signal, "isError": true}
	case exit.Code == nil:
		ending = "\nExit Code: unknown"
	case *exit.Code != 0:
		ending = fmt.Sprintf("\nExit Code: %d", *exit.Code)
		result.Data = map[string]any{"exitCode": *exit.Code, "isError": true}
	}
	c.text.After = ending + untrustedEnd
	if why != "" {
		result.Data = map[string]any{"isError": true}
		c.text.Before = why + " Below is the output before it was cancelled:\n" + c.text.Before
		ending = "\n" + why
	}
	text, file := c.text.Text()
	result.Content = []llm.Part{llm.Text(text)}
	result.Frame = tool.Frame{Before: c.text.Before, After: c.text.After}
	result.Display = tool.TerminalDisplay(strings.TrimPrefix(shown+ending, "\n"))
	result.OutputFile, result.IsOutputCut = file, c.text.IsCut()
	return result
}
