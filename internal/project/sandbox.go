package project

import (
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
)

// CheckSandbox returns an error where the run would go on without a sandbox that restricts it: one that the
// environment, a .env file, the project, the system's settings or a flag ask for. GEMINI_SANDBOX wins over the
// settings; inside a sandbox there is nothing to refuse. The user's own settings only cause a warning, because
// policies and the user's approval still restrict the run; in YOLO mode nothing does.
func (p *Project) CheckSandbox() (warning string, err error) {
	s := p.Settings()
	switch value := p.Env().Get("GEMINI_SANDBOX"); {
	case p.Options.Env.Get("SANDBOX") != "":
		return "", nil
	case value != "":
		return "", refuseVariable(value)
	case !asksForSandbox(s):
		return "", nil
	}
	for _, scope := range [...]config.Scope{config.SystemDefaults, config.Workspace, config.System, config.CommandLine} {
		if asksForSandbox(s.ForScope(scope)) {
			return "", exit.Errorf(exit.Sandbox, "Sandboxes are not available yet, but tools.sandbox is set: "+
				"use --no-sandbox to run without one.")
		}
	}
	asked, err := askedMode(s, p.Options.ApprovalMode)
	if err != nil {
		return "", err
	}
	if mode, _ := policy.StartMode(asked, p.IsTrusted()); mode == policy.Yolo {
		return "", exit.Errorf(exit.Sandbox, "Sandboxes are not available yet, but tools.sandbox is set, and in YOLO mode nothing else restricts what runs: "+
			"use --no-sandbox to run without one, or another mode.")
	}
	return "Warning: tools.sandbox in " + p.Paths.Display(s.UserFile()) + " has no effect, because sandboxes are not available yet: " +
		"policies and your approval restrict what runs. Without this warning: --no-sandbox.", nil
}

// asksForSandbox reports whether tools.sandbox asks for a sandbox.
func asksForSandbox(s *config.Settings) bool {
	switch v := config.ToolSandbox.In(s).(type) {
	case bool:
		return v
	case string:
		return namesSandbox(v)
	case map[string]any:
		return v["enabled"] == true
	}
	return false
}

// RefuseSandboxIn returns an error where the environment asks for a sandbox.
func RefuseSandboxIn(env *config.Env) error {
	if env.Get("SANDBOX") != "" {
		return nil
	}
	return refuseVariable(env.Get("GEMINI_SANDBOX"))
}

// refuseVariable returns an error for a value of GEMINI_SANDBOX that asks for a sandbox.
func refuseVariable(value string) error {
	if namesSandbox(value) {
		return exit.Errorf(exit.Sandbox, "Sandboxes are not available yet, but GEMINI_SANDBOX is set. Unset it to run without one.")
	}
	return nil
}

// namesSandbox reports whether the value of GEMINI_SANDBOX, or of the setting, names
// a sandbox.
func namesSandbox(value string) bool {
	value = strings.ToLower(strings.TrimSpace(value))
	return value != "" && value != "0" && value != "false"
}
