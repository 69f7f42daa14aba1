package project

import (
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
)

// RefuseSandbox returns an error where settings, the environment or a .env file ask for a sandbox.
// GEMINI_SANDBOX wins over the settings; inside a sandbox there is nothing to refuse.
func (p *Project) RefuseSandbox() error {
	switch value := p.Env().Get("GEMINI_SANDBOX"); {
	case p.Options.Env.Get("SANDBOX") != "":
		return nil
	case value != "":
		return refuseVariable(value)
	}
	asked := false
	switch v := config.ToolSandbox.In(p.Settings()).(type) {
	case bool:
		asked = v
	case string:
		asked = namesSandbox(v)
	case map[string]any:
		asked, _ = v["enabled"].(bool)
	}
	if asked {
		return exit.Errorf(exit.Sandbox, "Sandboxes are not available yet, but tools.sandbox is set: "+
			"use --no-sandbox to run without one.")
	}
	return nil
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
