package project

import (
	"pollux/internal/guard/policy"
	"pollux/internal/sandbox/confine"
	"pollux/internal/sandbox/container"
)

// newConfinement returns the sandbox of the project, which is off.
func newConfinement(p *Project) *confine.Confinement {
	return confine.New(confine.Options{
		Paths: p.Paths, Settings: p.Settings, Secrets: p.SecretVariables, Env: func(name string) string { return p.Env().User().Get(name) },
		Host: confine.Host{Launcher: &p.Launcher, Environ: func() []string { return p.Env().User().List() }, Transport: p.ServerTransport, IsTrusted: p.IsTrusted},
	})
}

// CheckSandbox starts the sandbox, see [confine.Confinement.Start]. Inside one that is not Pollux's there is nothing to do.
func (p *Project) CheckSandbox() (warning string, err error) {
	isInside := p.Options.Env.Get(container.Variable) == container.Inside
	if p.Options.Env.Get("SANDBOX") != "" && !isInside {
		return "", nil
	}
	asked, err := askedMode(p.Settings(), p.Options.ApprovalMode)
	if err != nil {
		return "", err
	}
	mode, _ := policy.StartMode(asked, p.IsTrusted())
	return p.Sandbox.Start(confine.Request{
		Variable: p.Env().Get("GEMINI_SANDBOX"), IsForMode: asked == policy.Sandboxed && p.IsTrusted(), IsYolo: mode == policy.Yolo,
		IsInside: isInside, Containers: func() string {
			return container.Installed(func(name string) bool { return p.FindProgram(NewWorkspace(p.WithWarn(nil)), name) != "" })
		},
	})
}
