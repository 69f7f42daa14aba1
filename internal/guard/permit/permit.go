// Package permit lets a command of the model run again with a permission that the sandbox has refused it, if a person grants that:
//
//	p := permit.New(permit.Options{Sandbox: confinement, …})
//	confinement.Ask(p.Granted)
//	gate.Around = append(gate.Around, p.Step())
//
// The answer may be for this run or, unless the permission leads to secrets or out of the sandbox, for the same command until the session
// ends, or for all commands.
package permit

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/confine"
	"pollux/internal/sandbox/limits"
	"pollux/internal/sandbox/network"
	"pollux/internal/shellcmd"
	"pollux/tool"
)

// Options configure [Permits]. All must be set.
type Options struct {
	Sandbox *confine.Confinement
	// Tool is the name of the tool that runs commands.
	Tool string
	// CanRemember reports whether the user may allow more than one run, and CanSave whether Pollux may save that for later sessions.
	CanRemember, CanSave func() bool
	// Save adds paths and hosts to those that all commands of a program may use, in this session and later ones; "" is any program, for which there
	// are only paths. SavedIn is the file that they are saved in, as people read it.
	Save    func(program string, g confine.Grant) error
	SavedIn string
	// RunsPrograms reports whether git runs programs that the repository names in a directory, which may be relative to that of the project.
	RunsPrograms func(dir string) bool
	// Name returns a path as people read it.
	Name func(path string) string
	// Log keeps a permission that a command lacked, and whether the command has got it.
	Log func(command, reason string, isGranted bool)
	// Warn takes a warning for the user.
	Warn func(text string)
}

// Permits are the permissions of single commands of a session. Their methods may be called from several goroutines at once.
type Permits struct {
	options Options

	mu         sync.Mutex
	runs       map[*agent.PreparedCall]confine.Grant // of calls that run again
	refused    map[*agent.PreparedCall]*network.Log  // of calls that run
	held       map[*agent.PreparedCall]*held         // of calls that have waited for a person
	commands   map[command]confine.Grant             // until the session ends
	programs   map[string]confine.Grant              // of all commands of a program, by its name, until then
	all        confine.Grant                         // of all commands until then
	unwanted   []string                              // hosts that a person has refused while a command waited, until then
	background map[*agent.PreparedCall]*background
	asking     sync.Mutex // held while a person is asked
}

// command is a command in its directory.
type command struct{ text, dir string }

// New returns permits, of which there are none yet.
func New(o Options) *Permits {
	return &Permits{
		options: o, runs: map[*agent.PreparedCall]confine.Grant{}, refused: map[*agent.PreparedCall]*network.Log{},
		held: map[*agent.PreparedCall]*held{}, commands: map[command]confine.Grant{}, programs: map[string]confine.Grant{}, background: map[*agent.PreparedCall]*background{},
	}
}

// Granted returns the run of the command that ctx is for, with its additional permissions.
func (p *Permits) Granted(ctx context.Context) confine.Run {
	call := guard.CallOf(ctx)
	if call == nil || call.Tool().Spec().Name != p.options.Tool {
		return confine.Run{}
	}
	run := p.run(call)
	if ask := guard.InterruptOf(ctx); ask != nil {
		run.Ask = func(ctx context.Context, h network.Host) sandbox.Answer { return p.hold(ctx, call, h, ask) }
	}
	return run
}

// run returns the run of a call.
func (p *Permits) run(call *agent.PreparedCall) confine.Run {
	c := commandOf(call)
	return confine.Run{Grant: p.of(call), Log: p.hosts(call), Command: c.text, Dir: c.dir}
}

// hosts returns the log of the hosts that a running call is refused.
func (p *Permits) hosts(call *agent.PreparedCall) *network.Log {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused[call] == nil {
		p.refused[call], p.held[call] = new(network.Log), &held{}
	}
	return p.refused[call]
}

// forget removes the log and the grant of a call that has ended.
func (p *Permits) forget(call *agent.PreparedCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.runs, call)
	delete(p.refused, call)
	delete(p.held, call)
	delete(p.background, call)
}

// end is called after a run. One that was cancelled or prevented does not run again.
func (p *Permits) end(ctx context.Context, call *agent.PreparedCall, x *agent.Execution) {
	if ctx.Err() != nil || !x.HasRun {
		p.forget(call)
	}
}

func (p *Permits) of(call *agent.PreparedCall) confine.Grant {
	command := commandOf(call)
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.runs[call].With(p.commands[command]).With(p.all)
	if len(p.programs) > 0 {
		g = g.With(p.programs[limits.Program(command.text)])
	}
	return g
}

// Step returns the step of the gate that lets approved commands change the files that their question shows, and has commands run again.
func (p *Permits) Step() guard.Step {
	return guard.Step{After: p.end, Foresee: p.foresee, Retry: p.retry}
}

// foresee returns the permission to change the files outside the workspace that a command names, and those that it asks for, as far as the sandbox
// refuses them.
func (p *Permits) foresee(call *agent.PreparedCall, r *tool.Reach) *guard.Permission {
	if call.Tool().Spec().Name != p.options.Tool {
		return nil
	}
	c := commandOf(call)
	run := confine.Run{Grant: p.of(call), Command: c.text, Dir: c.dir}
	var lack, requested confine.Lack
	if len(r.Outside) > 0 {
		lack = p.options.Sandbox.Foresee(r.Outside, r.WritesOutside, run)
	}
	if wanted, isSet := wantedBy(call); isSet {
		requested = p.options.Sandbox.Requested(wanted, run)
	}
	isRequested := !requested.IsZero()
	if lack.Grant, lack.IsSensitive = lack.With(requested.Grant), lack.IsSensitive || requested.IsSensitive; lack.IsZero() {
		return nil
	}
	text := strings.TrimSpace(lack.Text() + " " + requested.Text())
	return &guard.Permission{Text: text, IsRequested: isRequested, Give: func(o tool.Outcome) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.runs[call] = p.runs[call].With(lack.Grant)
		if o != tool.ProceedOnce && !lack.IsSensitive {
			key := commandOf(call)
			p.commands[key] = p.commands[key].With(lack.Grant)
		}
	}}
}

// retry returns how a command runs again that the sandbox has refused something, nil for other calls. A command that the person has typed
// runs without the sandbox.
func (p *Permits) retry(_ context.Context, call *agent.PreparedCall, x *agent.Execution) *guard.Retry {
	if call.Tool().Spec().Name != p.options.Tool || call.Call().Typed {
		return nil
	}
	run := p.run(call)
	held := p.heldOf(call)
	for _, host := range held.allowed { // which a program may have asked a resolver for once more
		if !held.isRefused(host) { // on another port
			run.Log.Remove(host)
		}
	}
	again := p.again(call, x, run, &held)
	if x.Result != nil {
		x.Result = held.notes(x.Result, run.Log.Missing())
	}
	return again
}

// again returns how a command runs again, nil if it does not.
func (p *Permits) again(call *agent.PreparedCall, x *agent.Execution, run confine.Run, held *held) *guard.Retry {
	if x.Result != nil && x.Result.Data["pid"] != nil {
		p.inBackground(call)
		defer p.settle(call, func(b *background) { b.hasResult = true })
	} else {
		p.forget(call)
	}
	if x.Result == nil {
		return nil
	}
	hasFailed := hasFailed(x.Result)
	if !hasFailed && len(run.Log.Refused()) == 0 {
		p.log(call, &run, p.options.Sandbox.Missed(tail(x.Result), run)...)
		return nil
	}
	lack := p.options.Sandbox.Lacking(tail(x.Result), hasFailed, run)
	others := append(p.options.Sandbox.Missed(tail(x.Result), run), p.options.Sandbox.LackingHosts(run).Reason)
	if !hasFailed && !slices.ContainsFunc(lack.Hosts, p.isWanted) || lack.IsZero() || lack.IsSensitive && run.IsWalk() {
		p.log(call, &run, slices.Insert(others, 0, lack.Reason)...)
		return nil
	}
	if lack.IsSensitive && slices.Contains(shellcmd.Roots(run.Command), "git") && p.options.RunsPrograms(run.Dir) {
		lack.Gain += " So could the programs that hooks or settings of this repository make git run."
	}
	again, err := call.Again()
	if err != nil {
		return nil
	}
	p.mu.Lock()
	p.runs[again] = run.Grant.With(lack.Grant)
	p.mu.Unlock()
	others = slices.DeleteFunc(others, func(reason string) bool { return reason == lack.Reason })
	return &guard.Retry{
		Call: again, Lacked: lack.Reason, Reason: lack.Text(), Offers: p.offers(&lack, run.Command), Servers: servers(lack.Hosts), IsRefused: slices.ContainsFunc(lack.Hosts, held.isRefused),
		IsExplained: lack.Advice != "" && strings.Contains(x.Result.Frame.After, lack.Advice),
		Remember:    func(o tool.Outcome) { p.remember(again, lack.Grant, o) },
		Decided: func(isGranted bool) {
			text := lack.Reason
			if isGranted {
				text = lack.Text()
			}
			p.decided(again, text, isGranted)
			if !isGranted { // else the other run is refused them again
				p.log(call, &run, others...)
			}
		},
	}
}

// background is a call whose command goes on in the background. Its result, and the end of the command, come in either order.
type background struct {
	logged              []string // the refusals that are in the log
	hasResult, hasEnded bool
}

// settle notes the result of a call, or the end of its command in the background, and forgets the call after both.
func (p *Permits) settle(call *agent.PreparedCall, note func(*background)) {
	b := p.inBackground(call)
	p.mu.Lock()
	note(b)
	isDone := b.hasResult && b.hasEnded
	p.mu.Unlock()
	if isDone {
		p.forget(call)
	}
}

func (p *Permits) inBackground(call *agent.PreparedCall) *background {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.background[call] == nil {
		p.background[call] = &background{}
	}
	return p.background[call]
}

// log keeps refusals of a command that does not run again, each once; "" is none.
func (p *Permits) log(call *agent.PreparedCall, run *confine.Run, reasons ...string) {
	p.mu.Lock()
	b := p.background[call]
	if b == nil { // it is in the foreground
		b = &background{}
	}
	var added []string
	for _, reason := range reasons {
		if reason != "" && !slices.Contains(b.logged, reason) {
			added, b.logged = append(added, reason), append(b.logged, reason)
		}
	}
	p.mu.Unlock()
	for _, reason := range added {
		p.options.Log(run.Command, reason, false)
	}
}

// Ended logs the refusals of a command in the background that has ended, or that the end of the session ends. ctx is that of its call, and output
// the end of its output.
func (p *Permits) Ended(ctx context.Context, output string, hasFailed bool) {
	call := guard.CallOf(ctx)
	if call == nil || call.Tool().Spec().Name != p.options.Tool || call.Call().Typed {
		return
	}
	run := p.run(call)
	p.inBackground(call)
	defer p.settle(call, func(b *background) { b.hasEnded = true })
	output = output[max(0, len(output)-maxTail):]
	p.options.Sandbox.Note(ctx, output, hasFailed)
	var lack confine.Lack
	if hasFailed {
		lack = p.options.Sandbox.Lacking(output, true, run)
	}
	hosts := p.options.Sandbox.LackingHosts(run)
	p.log(call, &run, slices.Concat([]string{lack.Reason}, p.options.Sandbox.Missed(output, run), []string{hosts.Reason})...)
}

// decided keeps the answer to the question about a permission.
func (p *Permits) decided(again *agent.PreparedCall, reason string, isGranted bool) {
	p.options.Log(commandOf(again).text, reason, isGranted)
	if !isGranted {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.runs, again)
	}
}

// hasFailed reports whether a command has failed, or one of its last pipe.
func hasFailed(r *tool.Result) bool {
	return r.Data["isError"] == true || strings.Contains(r.Frame.After, "\nExit Codes in the pipe: ")
}

// maxTail is the size of the end of an output in which programs say how they have failed, in bytes.
const maxTail = 4000

// tail returns the end of the output in a result.
func tail(r *tool.Result) string {
	var b strings.Builder
	for _, part := range r.Content {
		b.WriteString(part.Text)
	}
	text := r.Frame.Output(b.String())
	return text[max(0, len(text)-maxTail):]
}

// offers returns the lasting answers to the question about the permissions that a command lacked.
func (p *Permits) offers(lack *confine.Lack, command string) []tool.Offer {
	commands, program := "all commands", limits.Program(command)
	if program != "" {
		commands = "all " + program + " commands"
	}
	save := tool.Offer{Outcome: tool.ProceedAlwaysAndSave, SavedIn: p.options.SavedIn}
	switch {
	case !p.options.CanRemember():
		return nil
	case len(lack.Hosts) > 0:
		hosts := strings.Join(lack.Hosts, ", ")
		list := []tool.Offer{{Outcome: tool.ProceedAlways, Label: "Allow all commands to reach " + hosts + " in this session", Rule: "connections to " + hosts}}
		if program != "" && p.options.CanSave() {
			save.Label, save.Rule = "Allow "+commands+" to reach "+hosts, "connections of "+program+" to "+hosts
			list = append(list, save)
		}
		return list
	case lack.IsSensitive:
		return nil
	}
	list := []tool.Offer{{Outcome: tool.ProceedAlways, Label: "Allow for this command in this session", Rule: "this permission for this command"}}
	if program != "" {
		list[0].Label, list[0].Rule = "Allow for "+commands+" in this session", "this permission for "+program
	}
	if len(lack.Paths) > 0 && !lack.IsOfMode && p.options.CanSave() {
		paths := make([]string, len(lack.Paths))
		for i, path := range lack.Paths {
			paths[i] = p.options.Name(path)
		}
		save.Rule = strings.Join(paths, ", ")
		save.Label = "Allow " + commands + " to use " + save.Rule
		list = append(list, save)
	}
	return list
}

// remember applies a lasting answer.
func (p *Permits) remember(call *agent.PreparedCall, lacking confine.Grant, o tool.Outcome) {
	key := commandOf(call)
	program := limits.Program(key.text)
	if o == tool.ProceedAlwaysAndSave {
		err := p.options.Save(program, lacking)
		if err == nil {
			return
		}
		p.options.Warn("This answer counts only until the session ends: " + err.Error())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(lacking.Hosts) > 0 && o == tool.ProceedAlways {
		p.all = p.all.With(confine.Grant{Hosts: lacking.Hosts})
		return
	}
	if program != "" {
		p.programs[program] = p.programs[program].With(lacking)
		return
	}
	p.commands[key] = p.commands[key].With(lacking)
}

// wantedBy returns the permissions that a call asks for, and whether there are any.
func wantedBy(call *agent.PreparedCall) (w confine.Wanted, isSet bool) {
	if !bytes.Contains(call.Args(), []byte("additional_permissions")) {
		return w, false
	}
	var args struct {
		More struct {
			Network    bool `json:"network"`
			FileSystem struct {
				Read  []string `json:"read"`
				Write []string `json:"write"`
			} `json:"fileSystem"`
		} `json:"additional_permissions"`
	}
	if json.Unmarshal(call.Args(), &args) != nil {
		return w, false
	}
	w = confine.Wanted{Network: args.More.Network, Reads: args.More.FileSystem.Read, Writes: args.More.FileSystem.Write}
	return w, w.Network || len(w.Reads)+len(w.Writes) > 0
}

// commandOf returns the command of a call.
func commandOf(call *agent.PreparedCall) (c command) {
	var args struct {
		Command string `json:"command"`
		Dir     string `json:"dir_path"`
	}
	if json.Unmarshal(call.Args(), &args) == nil {
		c = command{args.Command, args.Dir}
	}
	return c
}
