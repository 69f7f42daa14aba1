// Package doctor checks a setup: where each setting comes from, which parts are missing, and whether
// the model responds. It does not change the setup.
//
// [Examine] calls one check function per section of the [Report]. probe.go contains the test
// request to the model.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/guard/isolation"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/sandbox/container"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// Options configure a diagnosis.
type Options struct {
	// Session contains the options of a run. If Dir is empty, the working directory of the
	// process is used.
	Session  project.Options
	Terminal *terminal.Terminal
	// Unasked is the reason not to send a test request to the model. If it is empty, Examine
	// sends one, which costs a few hundred tokens.
	Unasked string
	// IsOffline forbids connections, also to model servers and containers of this machine.
	IsOffline bool
	// Asking, if not nil, is called before the test request is sent.
	Asking func(model string)
}

// Text returns the output of [Report.Write] without colors, at the width of the terminal. It
// returns an error only if ctx ends; the text describes problems of the setup.
func Text(ctx context.Context, o Options) (string, error) {
	r, err := Examine(ctx, o)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = r.Write(&out, Layout{Width: o.Terminal.OutWidth()})
	return out.String(), err
}

// Report is the result of a diagnosis. Programs read its JSON form: fields may be added, but
// not removed (docs/doctor.md).
type Report struct {
	Version  string `json:"version"`
	Settings string `json:"settings"` // path of the user's settings file
	// Default is the provider that a run uses, and Why the reason for it.
	Default string `json:"default"`
	Why     string `json:"why"`
	// Model is the model that a run uses, Asked the name that the user gave for it, and Named
	// the place where the user gave that name.
	Model string `json:"model"`
	Asked string `json:"asked"`
	Named string `json:"named"`
	// Problem is the error that prevents a run from starting.
	Problem string `json:"problem,omitempty"`

	Window int    `json:"contextWindow,omitempty"`
	Proxy  string `json:"proxy,omitempty"`
	// Fallback lists the models that Pollux tries if the model fails. LeftOut lists settings
	// and parts of the folder that have no effect, with the reasons.
	Fallback  []string         `json:"fallback"`
	LeftOut   []string         `json:"leftOut"`
	Providers []providerReport `json:"providers"`

	Platform string `json:"platform"`
	// Verdict summarizes all checks. ExitCode is the exit code of a run.
	Verdict  verdict         `json:"verdict"`
	ExitCode exit.Code       `json:"exitCode"`
	Summary  string          `json:"summary"`
	Layers   []layerReport   `json:"layers"`
	EnvFiles []envReport     `json:"envFiles"`
	Trust    string          `json:"trust"`
	Live     liveReport      `json:"live"`
	Memory   memoryReport    `json:"memory"`
	Sandbox  sandboxReport   `json:"sandbox"`
	Terminal terminalReport  `json:"terminal"`
	Sections []sectionReport `json:"sections"`

	failure error
	paths   *config.Paths
}

// Failure returns the error that a run would end with, or nil if a run could work.
func (r *Report) Failure() error { return r.failure }

// fail records the error that a run would end with. It keeps only the first one.
func (r *Report) fail(err error) {
	if r.failure == nil {
		r.failure, r.Problem, r.ExitCode = err, problemText(err), exit.CodeOf(err)
	}
}

// problemText returns the message of an error in one line, without the advice to run the
// doctor.
func problemText(err error) string {
	return strings.TrimSuffix(wording.Summary(err), " 'pollux doctor' checks everything.")
}

// examination holds the state of a diagnosis in progress.
type examination struct {
	*Report
	set  *project.Project
	term *terminal.Terminal
	// hasBrokenSettings reports whether a settings file cannot be used. The settings of a run
	// are then unknown.
	hasBrokenSettings bool
	trustErr          error           // from reading the trust decision
	sandboxWarning    string          // if the user's settings request a sandbox
	sandboxErr        error           // if the run must have a sandbox
	envFile           *config.EnvFile // that is used, nil if there is none
	accounts          *auth.Accounts
	programs          process.Finder
}

// Examine checks how a run would work and which problems it would have. It continues after a
// failed check. It returns an error only if ctx ends.
func Examine(ctx context.Context, o Options) (*Report, error) {
	x := &examination{
		term: o.Terminal,
		Report: &Report{
			Version: o.Session.Version, Platform: runtime.GOOS + "/" + runtime.GOARCH, Fallback: []string{}, LeftOut: []string{},
		},
	}
	vars := o.Session.Env
	general := x.checkGeneral(o.Session)
	defer x.set.Close()
	x.programs = process.Finder{Path: vars.Get("PATH"), Outside: x.workspaceDirs()}
	abilities := make(chan isolation.Abilities, 1)
	go func() {
		defer crash.Recover()
		abilities <- isolation.Probe(ctx, isolation.Options{Launcher: x.set.Launcher, Programs: x.programs, Env: minimalEnv(vars), IsOffline: o.IsOffline})
	}()

	settings, env, folder := x.checkSettings(ctx), x.checkEnv(), x.checkTrust()
	x.checkLost(&settings, "restrictions", x.set.Settings().Lost())
	// The checks run in the order in which a run reports their errors, as fail keeps the
	// first one.
	x.sandboxWarning, x.sandboxErr = x.set.CheckSandbox()
	if _, ok := errors.AsType[*container.Needed](x.sandboxErr); !ok && x.sandboxErr != nil {
		x.fail(x.sandboxErr)
	}
	telemetry := x.checkTelemetry()
	extensions, skills := x.checkExtensions(ctx), x.checkSkills()
	rules, deferredErr := x.checkRules()
	model, chosen := x.checkModel(ctx, o.IsOffline)
	if deferredErr != nil {
		x.fail(deferredErr)
	}
	servers := x.checkServers()
	x.Sections = append(x.Sections, model, x.checkRoundTrip(ctx, o, chosen), folder, settings, env, extensions, skills)
	if len(servers.Checks) > 0 {
		x.Sections = append(x.Sections, servers)
	}
	x.Sections = append(x.Sections, rules, x.checkMemory(), x.checkTools(ctx), x.checkUnusedFeatures(), x.checkNetwork(),
		telemetry, x.checkFiles(), x.checkTerminal(ctx), x.checkSandbox(<-abilities), general)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	x.summarize()
	return x.Report, nil
}

// checkGeneral creates the setup and reports the version, the working directory and the home
// directory.
func (x *examination) checkGeneral(o project.Options) sectionReport {
	s := sectionReport{ID: "general", Title: "Version and directories"}
	s.ok("version", "Pollux "+x.Version+" on "+x.Platform)
	env, err := o.Env, error(nil)
	if o.Dir == "" {
		o.Dir, err = config.WorkingDir()
	}
	if err != nil {
		s.broken("directory", err.Error(), "cd to a directory that exists. The other checks are about your home directory")
		o.Dir = config.NewPaths(env, string(filepath.Separator)).Home()
		x.fail(err)
	} else {
		s.ok("directory", o.Dir)
	}
	x.set = project.New(o)
	x.paths = x.set.Paths
	home := x.set.Paths.Home()
	switch {
	case env.Get("GEMINI_CLI_HOME") != "":
		s.ok("home", home+" (GEMINI_CLI_HOME)")
	case env.First("HOME", "USERPROFILE") == "":
		s.warn("home", "HOME is not set. Pollux uses "+home, "set HOME or GEMINI_CLI_HOME")
	default:
		s.ok("home", home)
	}
	return s
}

// workspaceDirs returns the directories whose programs must not be run: the workspace. It
// returns nil if the workspace contains the home directory, because the user's own programs
// may be in there.
func (x *examination) workspaceDirs() []string {
	dir := x.set.Paths.Dir()
	if rel, err := filepath.Rel(dir, x.set.Paths.Home()); err == nil && filepath.IsLocal(rel) {
		return nil
	}
	return []string{dir}
}

// minimalEnv returns the environment for programs that the diagnosis runs: the variables that
// they need to find their files, without secrets.
func minimalEnv(env *config.Env) []string {
	var vars []string
	for _, name := range [...]string{
		"PATH", "HOME", "USER", "TMPDIR", "TMUX", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "SystemRoot",
		"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "CONTAINER_HOST",
	} {
		if value, set := env.Lookup(name); set {
			vars = append(vars, name+"="+value)
		}
	}
	return append(vars, "LC_ALL=C")
}

// verdict is the outcome of a check.
type verdict string

const (
	verdictOK      verdict = "ok"
	verdictWarning verdict = "warning" // it works, but not as it should
	verdictNote    verdict = "note"    // something optional is not there, or is not used
	verdictBroken  verdict = "broken"  // it exists, but does not work
)

// sectionReport contains the checks of one topic.
type sectionReport struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Optional reports whether a run works despite problems in this section.
	Optional bool    `json:"optional,omitempty"`
	Checks   []check `json:"checks"`
}

// check is the outcome of one check. Subject is the same in every diagnosis; several checks
// may share one.
type check struct {
	Subject string  `json:"subject"`
	Verdict verdict `json:"verdict"`
	Text    string  `json:"text"`
	// Next is the next step for the user if the verdict is not ok.
	Next string `json:"next,omitempty"`
}

func (s *sectionReport) ok(subject, text string) {
	s.Checks = append(s.Checks, check{subject, verdictOK, text, ""})
}

func (s *sectionReport) warn(subject, text, next string) {
	s.Checks = append(s.Checks, check{subject, verdictWarning, text, next})
}

func (s *sectionReport) note(subject, text, next string) {
	s.Checks = append(s.Checks, check{subject, verdictNote, text, next})
}

func (s *sectionReport) broken(subject, text, next string) {
	s.Checks = append(s.Checks, check{subject, verdictBroken, text, next})
}

// summarize sets the verdict and the summary line of the report.
func (x *examination) summarize() {
	var subjects []string
	problems := 0
	for _, v := range [...]verdict{verdictBroken, verdictWarning} { // errors first
		for i := range x.Sections {
			for _, c := range x.Sections[i].Checks {
				if x.Sections[i].Optional || c.Verdict != v {
					continue
				}
				if problems++; !slices.Contains(subjects, c.Subject) {
					subjects = append(subjects, c.Subject)
				}
			}
		}
	}
	const limit = 6
	if len(subjects) > limit {
		subjects = append(subjects[:limit], "...")
	}
	about := fmt.Sprintf("%s to check: %s.", wording.Count(problems, "thing"), strings.Join(subjects, ", "))
	switch {
	case x.failure != nil:
		x.Verdict = verdictBroken
		first, _, _ := strings.Cut(x.Problem, "\n")
		first, _, _ = strings.Cut(first, ". ")
		x.Summary = fmt.Sprintf("Pollux cannot run here (exit code %d): %s", x.ExitCode, strings.TrimSuffix(truncate(first, 300), "."))
		if x.Summary += "."; problems > 1 {
			x.Summary += " " + about
		}
	case problems > 0:
		x.Verdict, x.Summary = verdictWarning, "Pollux can run. "+about
	default:
		x.Verdict, x.Summary = verdictOK, "Pollux can run. No problems found."
		if n := x.countNotes(); n > 0 {
			x.Summary = "Pollux can run. No problems found, " + wording.Count(n, "note") + "."
		}
	}
}

func (x *examination) countNotes() int {
	n := 0
	for i := range x.Sections {
		for _, c := range x.Sections[i].Checks {
			if c.Verdict == verdictNote {
				n++
			}
		}
	}
	return n
}

// Layout configures [Report.Write].
type Layout struct {
	Width int  // columns at which lines are broken, 0 for none
	Color bool // whether the verdicts are colored
	All   bool // whether to list all providers that are not set up
}

// Write prints the report as text. It breaks no lines if the settings are those for a screen
// reader.
func (r *Report) Write(w io.Writer, layout Layout) error {
	if r.Terminal.ScreenReader {
		layout.Width = 0
	}
	colors := map[verdict]string{verdictOK: terminal.Green, verdictWarning: terminal.Yellow, verdictNote: terminal.Gray, verdictBroken: terminal.Red}
	var b strings.Builder
	for i := range r.Sections {
		s := &r.Sections[i]
		if len(s.Checks) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s\n", s.Title)
		for _, c := range s.Checks {
			mark := fmt.Sprintf("  %-8s ", cmp.Or(shownVerdicts[c.Verdict], string(c.Verdict)))
			line := terminal.Hang(mark, terminal.Line(c.Subject)+": "+r.text(c.Text), layout.Width)
			if layout.Color && strings.HasPrefix(line, mark) {
				line = "  " + terminal.Style(colors[c.Verdict], mark[2:len(mark)-1]) + line[len(mark)-1:]
			}
			b.WriteString(line + "\n")
			if c.Next != "" {
				b.WriteString(terminal.Hang("           ", "next: "+r.text(c.Next), layout.Width) + "\n")
			}
		}
		if s.ID == "model" {
			r.writeProviders(&b, layout)
		}
		b.WriteByte('\n')
	}
	b.WriteString(terminal.Wrap("Summary: "+r.text(r.Summary), layout.Width) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// text returns a text in the form in which it is printed: without control characters, and with
// short paths.
func (r *Report) text(s string) string {
	if s = terminal.Text(strings.TrimSpace(s)); r.paths != nil {
		s = r.paths.DisplayText(s)
	}
	return s
}

// shownVerdicts are the words for verdicts in text, where they differ from those for programs.
var shownVerdicts = map[verdict]string{verdictBroken: "error"}
