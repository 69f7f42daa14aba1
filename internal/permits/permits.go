// Package permits lets the commands of a session have permissions that the sandbox of their project refuses, as far as a person grants them:
//
//	step := permits.Open(p, engine, processes, id)
//	log, err := permits.Log(p)
package permits

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard"
	"pollux/internal/guard/permit"
	"pollux/internal/guard/policy"
	"pollux/internal/project"
	"pollux/internal/sandbox/confine"
	"pollux/internal/sandbox/refusals"
	"pollux/internal/tools/shell"
	"pollux/tool"
)

// Programs are the commands of a session that go on in the background.
type Programs interface {
	// Inspect sets the function that is called with each of them when its output is complete.
	Inspect(func(shell.Process))
}

// Open returns the step of the gate that asks for such permissions. session returns the id of the conversation.
func Open(p *project.Project, rules *policy.Engine, programs Programs, session func() string) guard.Step {
	l := &lazy{open: func() *permit.Permits { return open(p, rules, session) }, isOn: p.Sandbox.IsOn}
	programs.Inspect(l.ended)
	return guard.Step{Before: l.before, After: l.after, Foresee: l.foresee, Retry: l.retry}
}

// lazy is a step that is opened before the first call while the sandbox is on.
type lazy struct {
	open func() *permit.Permits
	isOn func() bool

	once    sync.Once
	permits atomic.Pointer[permit.Permits] // nil before it is open
	step    guard.Step
}

// begin opens the step if the sandbox is on, and returns it; nil if it is not open.
func (l *lazy) begin() *guard.Step {
	if l.isOn() {
		l.once.Do(func() {
			permits := l.open()
			l.step = permits.Step()
			l.permits.Store(permits)
		})
	}
	return l.opened()
}

// opened returns the step, nil if it is not open.
func (l *lazy) opened() *guard.Step {
	if l.permits.Load() == nil {
		return nil
	}
	return &l.step
}

func (l *lazy) before(context.Context, *agent.PreparedCall) error {
	l.begin()
	return nil
}

func (l *lazy) foresee(call *agent.PreparedCall, r *tool.Reach) *guard.Permission {
	if step := l.begin(); step != nil {
		return step.Foresee(call, r)
	}
	return nil
}

func (l *lazy) after(ctx context.Context, call *agent.PreparedCall, x *agent.Execution) {
	if step := l.opened(); step != nil {
		step.After(ctx, call, x)
	}
}

func (l *lazy) retry(ctx context.Context, call *agent.PreparedCall, x *agent.Execution) *guard.Retry {
	if step := l.opened(); step != nil {
		return step.Retry(ctx, call, x)
	}
	return nil
}

// ended logs the refusals of a command in the background.
func (l *lazy) ended(c shell.Process) {
	permits := l.permits.Load()
	if permits == nil {
		return
	}
	const most = 50 // lines
	lines, err := c.LastLines(most)
	if err == nil {
		permits.Ended(c.Context(), strings.Join(lines, "\n"), c.HasFailed())
	}
}

func open(p *project.Project, rules *policy.Engine, session func() string) *permit.Permits {
	permits := permit.New(permit.Options{
		Sandbox: p.Sandbox, Tool: "run_shell_command", Warn: p.Warn, SavedIn: p.Paths.Display(p.Paths.UserSettings()),
		CanRemember: rules.CanRemember, Name: p.Paths.Display,
		CanSave: func() bool { return config.PermanentApproval.In(p.Settings()) },
		Save:    func(program string, g confine.Grant) error { return allow(p, program, g) },
		Log:     Logger(p, session),
		RunsPrograms: func(dir string) bool {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(p.Paths.Dir(), dir)
			}
			return !rules.GitRunsNothing(dir)
		},
	})
	p.Sandbox.Ask(permits.Granted)
	return permits
}

// logName is the name of the log in the project's directory of data.
const logName = "sandbox.jsonl"

// Logger returns a function that adds a refusal to the log of a project: a command, the reason, and whether a person has allowed it.
func Logger(p *project.Project, session func() string) func(command, reason string, isGranted bool) {
	return func(command, reason string, isGranted bool) {
		dir, err := p.Paths.ProjectTemp()
		if err == nil {
			err = refusals.Append(filepath.Join(dir, logName), refusals.Refusal{
				Time: time.Now().UTC(), Session: session(), Command: p.LogMasker().Text(command), Reason: reason, IsGranted: isGranted,
			})
		}
		if err != nil {
			p.Log.Debug("the log of the sandbox is not written", "error", err)
		}
	}
}

// Log returns the permissions that the sandbox has refused the commands of a project, and the changes that Pollux has taken back after them, the
// oldest first.
func Log(p *project.Project) ([]refusals.Refusal, error) {
	return refusals.Read(filepath.Join(p.Paths.ProjectTempPath(), logName))
}

// allow adds a permission to the user's settings, and makes the sandbox follow: to those of a program in pollux.sandboxCommands, or the paths to
// tools.sandboxAllowedPaths for all of them.
func allow(p *project.Project, program string, g confine.Grant) error {
	user := p.Settings().ForScope(config.User)
	paths := make([]string, len(g.Paths))
	for i, path := range g.Paths {
		paths[i] = p.Paths.Display(path)
	}
	key, value := string(config.SandboxCommands), withProgram(user, program, paths, g.Hosts)
	if program == "" {
		list := []any{}
		for _, path := range joined(config.SandboxAllowedPaths.In(user), paths) {
			list = append(list, path)
		}
		key, value = string(config.SandboxAllowedPaths), list
	}
	if err := p.Paths.Set(config.User, key, value); err != nil {
		return err
	}
	if err := p.Reload(); err != nil {
		return err
	}
	p.Sandbox.Renew()
	return nil
}

// withProgram returns the value of pollux.sandboxCommands in settings, with paths and hosts for a program.
func withProgram(s *config.Settings, program string, paths, hosts []string) any {
	list := config.SandboxPermissions(s)
	if list == nil {
		list = map[string]config.CommandPermissions{}
	}
	had := list[program]
	list[program] = config.CommandPermissions{Paths: joined(had.Paths, paths), Hosts: joined(had.Hosts, hosts)}
	var value any // as a file of settings has it
	if data, err := json.Marshal(list); err == nil {
		_ = json.Unmarshal(data, &value)
	}
	return value
}

// joined returns the texts of both lists, each once.
func joined(list, others []string) []string {
	for _, text := range others {
		if !slices.Contains(list, text) {
			list = append(slices.Clip(list), text)
		}
	}
	return list
}
