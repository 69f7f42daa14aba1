package project

import (
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
)

// InitialMode returns the approval mode with this name; "" is the one of the settings. In an
// untrusted folder it is the default, with a warning.
func (p *Project) InitialMode(name string) (policy.Mode, error) {
	asked, err := askedMode(p.Settings(), name)
	if err != nil {
		return 0, err
	}
	mode, warning := policy.StartMode(asked, p.IsTrusted())
	if warning != "" {
		p.Warn(warning)
	}
	return mode, nil
}

// askedMode returns the approval mode with this name; "" is the one of the settings.
func askedMode(s *config.Settings, name string) (policy.Mode, error) {
	if name == "" {
		if name = config.DefaultApprovalMode.In(s); name == "yolo" {
			name = "default" // not something that a file may decide
		}
	}
	asked, err := policy.ParseMode(name)
	if err != nil {
		return 0, exit.Errorf(exit.General, "%w", err)
	}
	return asked, nil
}

// ChooseMode settles the approval mode to begin in.
func (p *Project) ChooseMode() error {
	asked, err := askedMode(p.Settings(), p.Options.ApprovalMode)
	if err != nil {
		return err
	}
	switch {
	case asked == policy.Yolo && config.DisableYolo.In(p.Settings()):
		return exit.Errorf(exit.Config, "Cannot start in YOLO mode since it is disabled in your settings: remove --yolo, or set security.disableYoloMode to false.")
	case asked == policy.Plan && !config.PlanEnabled.In(p.Settings()):
		p.Warn(`Approval mode "plan" is disabled in your settings. Falling back to "default".`)
		asked = policy.Default
	case asked == policy.Sandboxed && p.IsTrusted() && !p.Sandbox.IsForAll():
		p.Warn(`Approval mode "sandboxed" needs the sandbox, which is off. Falling back to "auto_edit".`)
		asked = policy.AutoEdit
	}
	mode, warning := policy.StartMode(asked, p.IsTrusted())
	if warning != "" {
		p.Warn(warning)
	}
	if mode == policy.Yolo {
		p.Warn("YOLO mode is enabled. All tool calls will be automatically approved.")
	}
	p.Mode = mode
	return p.announcePlanThen()
}

// announcePlanThen warns that no user approves the plan of this run before it is carried out.
func (p *Project) announcePlanThen() error {
	then := p.PlanThen()
	if p.Mode != policy.Plan || p.Options.Interactive || then == "" {
		return nil
	}
	if then == policy.Yolo.String() && config.DisableYolo.In(p.Settings()) {
		return exit.Errorf(exit.Config, "Cannot carry out a plan in YOLO mode since it is disabled in your settings: change pollux.planThen, or set security.disableYoloMode to false.")
	}
	p.Warn("Pollux carries out the plan without approval, in approval mode " + config.PlanThen.In(p.Settings()) + " (pollux.planThen).")
	return nil
}

// PlanThen returns the mode in which a plan is carried out that no user can approve, "" if it is
// the answer.
func (p *Project) PlanThen() string {
	m, err := policy.ParseMode(config.PlanThen.In(p.Settings()))
	if err != nil || m <= policy.Default {
		return ""
	}
	return m.String()
}
