package project

import (
	"errors"
	"strconv"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/sandbox/confine"
)

// newConfinement returns the sandbox of the project, which is off.
func newConfinement(p *Project) *confine.Confinement {
	return confine.New(confine.Options{Paths: p.Paths, Settings: p.Settings, Secrets: p.SecretVariables, Env: func(name string) string { return p.Env().User().Get(name) }})
}

// CheckSandbox opens the sandbox that settings, the environment or the approval mode ask for. Where that is not possible, it returns an
// error if the run would go on without a sandbox that restricts it: one that the environment, a .env file, the project,
// the system's settings or a flag ask for. GEMINI_SANDBOX wins over the settings; inside a sandbox there is nothing to do. The
// user's own settings only cause a warning, because policies and the user's approval still restrict the run; in YOLO
// mode nothing does.
func (p *Project) CheckSandbox() (warning string, err error) {
	if p.Options.Env.Get("SANDBOX") != "" {
		return "", nil
	}
	s := p.Settings()
	wanted, value := confine.Wanted(s), p.Env().Get("GEMINI_SANDBOX")
	if value != "" {
		wanted = confine.Name(value)
	}
	isOffByFlag := config.ToolSandbox.In(s.ForScope(config.CommandLine)) != nil
	if asked, _ := askedMode(s, p.Options.ApprovalMode); asked == policy.Sandboxed && wanted+value == "" && p.IsTrusted() && !isOffByFlag {
		wanted = "true"
	} else if wanted == "" {
		return "", nil
	}
	missing := errors.New("the sandbox " + strconv.Quote(wanted) + " is not available yet; true confines commands with the means of Linux")
	if confine.IsOwn(wanted) {
		if missing = p.Sandbox.Open(); missing == nil {
			return p.Sandbox.Warning(), nil
		}
	}
	if value != "" {
		return "", exit.Errorf(exit.Sandbox, "GEMINI_SANDBOX asks for a sandbox, but %v. Unset it to run without one.", missing)
	}
	return goOnWithoutSandbox(p, missing)
}

// goOnWithoutSandbox returns the warning about a missing sandbox that the settings ask for, or the error of a run that must not go on.
func goOnWithoutSandbox(p *Project, missing error) (warning string, err error) {
	s := p.Settings()
	for _, scope := range [...]config.Scope{config.SystemDefaults, config.Workspace, config.System, config.CommandLine} {
		if confine.Wanted(s.ForScope(scope)) != "" {
			return "", exit.Errorf(exit.Sandbox, "The settings ask for a sandbox, but %v. To run without one, use --no-sandbox.", missing)
		}
	}
	asked, err := askedMode(s, p.Options.ApprovalMode)
	if err != nil {
		return "", err
	}
	if mode, _ := policy.StartMode(asked, p.IsTrusted()); mode == policy.Yolo {
		return "", exit.Errorf(exit.Sandbox, "The settings ask for a sandbox, but %v, and in YOLO mode nothing else restricts what runs. "+
			"Use --no-sandbox to run without one, or another mode.", missing)
	}
	return "Warning: Commands run without a sandbox: " + missing.Error() + ". Policies and your approval restrict what runs. Without this warning: --no-sandbox.", nil
}
