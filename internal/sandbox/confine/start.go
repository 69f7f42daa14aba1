package confine

import (
	"errors"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/container"
	"pollux/internal/sandbox/proxy"
)

// Request is the facts besides settings that decide about the sandbox of a session.
type Request struct {
	Variable  string // the value of GEMINI_SANDBOX, which wins over the settings, and of flags over --no-sandbox; "" for none
	IsForMode bool   // the approval mode needs the sandbox of Pollux, unless a flag or a setting switches it off
	IsYolo    bool   // nothing but a sandbox restricts the session
	// IsInside reports whether Pollux is in a container of its own, which the settings have asked for.
	IsInside bool
	// Containers returns the name of a program for containers on this machine, "" if there is none.
	Containers func() string
}

// Start turns on the sandbox that settings, the variable or the approval mode ask for. Where they say nothing, it is Pollux's own for the programs of
// the model, if this machine has it and it suits the workspace. Where a sandbox that was asked for is not possible, Start returns an error if the session
// would go on without one that restricts it: one that the environment, a .env file, the project, the system's settings or a flag ask for. The user's own
// settings only cause a warning, because policies and the user's approval still restrict it; in YOLO mode nothing does. For a container, the error
// is a [*container.Needed].
func (c *Confinement) Start(r Request) (warning string, err error) {
	if warning, err = c.choose(r); err == nil && !r.IsInside {
		err = c.checkRequired()
	}
	return warning, err
}

// checkRequired returns an error if the settings require the sandbox, and commands run without it or in one with a gap.
func (c *Confinement) checkRequired() error {
	if !config.SandboxRequired.In(c.options.Settings()) {
		return nil
	}
	reason := ""
	switch missing := sandbox.Available(); {
	case c.IsOn():
		if reason = sandbox.Gap(); reason == "" {
			return nil
		}
	case missing != nil:
		reason = "This machine has no sandbox: " + missing.Error() + "."
	case !c.SuitsWorkspace():
		reason = "It is off because your home directory is in the workspace. Use --sandbox, or start Pollux in another directory."
	default:
		reason = "It is switched off (tools.sandbox, --no-sandbox or GEMINI_SANDBOX)."
	}
	return exit.Errorf(exit.Sandbox, "The settings require the sandbox (pollux.sandboxRequired). %s", reason)
}

// choose is Start without that check.
func (c *Confinement) choose(r Request) (warning string, err error) {
	s := c.options.Settings()
	if r.IsInside {
		return c.startInside(r.IsForMode)
	}
	c.useProxy()
	byFlag, isFlagSet := wanted(s.ForScope(config.CommandLine))
	if byFlag != "" && nameOf(r.Variable) == "" {
		r.Variable = "" // a sandbox that a flag asks for has an effect
	}
	wanted, isSet := wanted(s)
	from := string(config.ToolSandbox)
	if r.Variable != "" {
		wanted, isSet, from = nameOf(r.Variable), true, "GEMINI_SANDBOX"
	}
	if container.Has(wanted) {
		return "", container.Need(wanted, from)
	}
	switch {
	case wanted != "":
	case r.IsForMode && r.Variable == "" && !isFlagSet:
		wanted = sandbox.Name
	case !isSet && c.SuitsWorkspace():
		if c.OpenForModel() == nil { // else the faces say that there is none
			return c.settingsWarning(), nil
		}
		return c.warningWithout(), nil
	default:
		return c.warningWithout(), nil
	}
	missing := errors.New("the sandbox " + strconv.Quote(wanted) + " is not available here; true confines commands with the means of this system")
	if isOwn(wanted) {
		if err := c.Restrict(); err != nil {
			return "", err
		}
		if missing = c.Open(); missing == nil {
			return c.Warning(), nil
		}
		if c.base != nil {
			return "", exit.Errorf(exit.Sandbox, "Programs do not start with the profile that SEATBELT_PROFILE names: %v.", missing)
		}
		if wanted != sandbox.Name {
			if name := r.Containers(); name != "" {
				return "", container.Need(name, from)
			}
		}
	}
	if r.Variable != "" {
		return "", exit.Errorf(exit.Sandbox, "GEMINI_SANDBOX asks for a sandbox, but %v. Unset it to run without one.", missing)
	}
	return c.goOnWithout(missing, r.IsYolo)
}

// warningWithout returns a warning about settings that do not hold without the sandbox, "" for none.
func (c *Confinement) warningWithout() string {
	var list []string
	if len(config.SandboxCredentials.In(c.options.Settings())) > 0 {
		list = append(list, "Commands have the credentials in pollux.sandboxCredentials themselves, as far as they can read them: they run without the sandbox of Pollux.")
	}
	if c.proxied != nil {
		list = append(list, proxy.Variable+" has no effect: commands run without the sandbox of Pollux.")
	}
	return strings.Join(list, "\n")
}

// startInside turns the sandbox on in a container: it keeps commands away from Pollux's own files, which the container has, and from the network if
// the settings want that, while Pollux itself has to reach a model. For the mode that needs the sandbox, it confines all programs.
func (c *Confinement) startInside(isForMode bool) (warning string, err error) {
	open := c.OpenForModel
	if isForMode {
		open = c.Open
	}
	if c.Profile().Network.Off {
		if err := c.Open(); err != nil {
			return "", exit.Errorf(exit.Sandbox, "The settings take the network from commands, but in this container %w. Allow the network, or use another image.", err)
		}
		return c.settingsWarning(), nil
	}
	if err := open(); err != nil {
		return "Warning: Commands can change the settings of Pollux, which also count outside of the container: " + err.Error() + ".", nil
	}
	return c.settingsWarning(), nil
}

// goOnWithout returns the warning about a missing sandbox that the settings ask for, or the error of a session that must not go on. Where the user
// asks for another sandbox than Pollux's own, it opens that one.
func (c *Confinement) goOnWithout(missing error, isYolo bool) (warning string, err error) {
	s := c.options.Settings()
	for _, scope := range [...]config.Scope{config.SystemDefaults, config.Workspace, config.System, config.CommandLine} {
		if name, _ := wanted(s.ForScope(scope)); name != "" {
			return "", exit.Errorf(exit.Sandbox, "The settings ask for a sandbox, but %v. To run without one, use --no-sandbox.", missing)
		}
	}
	switch {
	case c.Open() == nil:
		return strings.TrimSpace("Warning: Commands run in the sandbox of Pollux: " + missing.Error() + ". Without this warning: set tools.sandbox to true.\n" + c.Warning()), nil
	case isYolo:
		return "", exit.Errorf(exit.Sandbox, "The settings ask for a sandbox, but %v, and in YOLO mode nothing else restricts what runs. "+
			"Use --no-sandbox to run without one, or another mode.", missing)
	}
	return "Warning: Commands run without a sandbox: " + missing.Error() + ". Policies and your approval restrict what runs. Without this warning: --no-sandbox.", nil
}
