package rulebook

import (
	"encoding/json"
	"errors"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/records"
)

// Methods for the state that a person can look at and change while a session runs. All may be called during a run.

// Mode returns the approval mode.
func (b *Rulebook) Mode() policy.Mode { return b.parts.Engine.Mode() }

// ModeName returns the approval mode as prompts and protocols have it.
func (b *Rulebook) ModeName() string { return b.Mode().String() }

// SetMode switches the approval mode, from the next call of a tool on. The error says why the mode cannot be switched
// to.
func (b *Rulebook) SetMode(m policy.Mode) error {
	if m == policy.Plan && !config.PlanEnabled.In(b.parts.Project.Settings()) {
		return exit.Errorf(exit.Config, "Plan mode is disabled in your settings. To enable it, set general.plan.enabled to true.")
	}
	if m == policy.Sandboxed && b.parts.Engine.IsTrusted() && errors.Is(b.parts.Engine.Unconfined(), errNoSandbox) {
		if err := b.parts.Project.Sandbox.Open(); err != nil {
			return exit.Errorf(exit.Sandbox, "Mode sandboxed is not possible here: %w.", err)
		}
	}
	return b.switchMode(m)
}

// CheckMode warns the person if the mode of the start cannot let commands run freely.
func (b *Rulebook) CheckMode() {
	if b.Mode() != policy.Sandboxed {
		return
	}
	if why := b.parts.Engine.Unconfined(); why != nil {
		b.parts.Project.Warn("Warning: Approval mode sandboxed asks about commands here as auto_edit does: " + why.Error() + ".")
	}
}

// CanSandbox reports whether the mode sandboxed can be entered without a change of the sandbox.
func (b *Rulebook) CanSandbox() bool { return b.parts.Engine.CanSandbox() }

func (b *Rulebook) switchMode(m policy.Mode) error {
	before := b.ModeName()
	if err := b.parts.Engine.SetMode(m); err != nil {
		return err
	}
	b.parts.Project.Sandbox.Renew() // its network depends on the mode
	b.parts.Changed()
	b.parts.Emit(records.ModeSwitched{From: before, To: b.ModeName()})
	return nil
}

// SetModeName switches the mode by its name, for the plan tools, which are there only if the settings allow plan mode.
func (b *Rulebook) SetModeName(name string) error {
	m, err := policy.ParseMode(name)
	if err != nil {
		return err
	}
	return b.switchMode(m)
}

// CanRemember reports whether a person's answer may hold for more than one call.
func (b *Rulebook) CanRemember() bool { return b.parts.Engine.CanRemember() }

// Allows reports whether the gate would now let a call of the main agent run without a question.
func (b *Rulebook) Allows(p *agent.PreparedCall) bool {
	return !p.Call().MustAsk && b.parts.Engine.Check(guard.PreparedPolicyCall(p)).Decision == policy.Allow
}

// DeniesWriting reports whether the rules deny writing a file, by the tool that does.
func (b *Rulebook) DeniesWriting(path string) bool {
	t, ok := b.parts.Tools.Find("write_file")
	args, err := json.Marshal(map[string]string{"file_path": path, "content": ""})
	return !ok || err != nil || b.parts.Engine.Check(guard.PolicyCall(t, args)).Decision == policy.Deny
}

// Grants returns the lasting answers that were given in this session.
func (b *Rulebook) Grants() []policy.Grant { return b.parts.Engine.Grants() }

// Revoke takes one of [Rulebook.Grants] back, by its id, and reports whether there was one. An error says that it is
// still in its file.
func (b *Rulebook) Revoke(id int) (bool, error) {
	ok, err := b.parts.Engine.Revoke(id)
	if ok {
		b.parts.Changed() // tools that only it allowed are gone
	}
	return ok, err
}
