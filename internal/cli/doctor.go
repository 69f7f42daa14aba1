package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"pollux/internal/app"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/sandbox"
	"pollux/internal/guard/trust"
	userprogram "pollux/internal/program"
	"pollux/internal/terminal"
)

// Doctor is the subcommand that says what Pollux would use, from where, and what is
// wrong or missing.
func Doctor(t *terminal.Terminal, env *config.Env) *cobra.Command {
	var asJSON, offline bool
	var o doctorOptions
	cmd := &cobra.Command{
		Use: "doctor",
		Short: "Say what is set and from where, what is missing, and try the model, " +
			"with a few hundred tokens; its exit code is 0 where a run could work, else the run's",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if offline {
				o.unasked = "because of --offline"
			}
			if t.ErrTTY && !asJSON {
				o.asking = func(model string) {
					fmt.Fprintf(t.Err, "Asking %s, which costs a few hundred tokens ...\n", clean(model))
				}
			}
			d, err := examine(cmd.Context(), t, env, o)
			if err != nil {
				return err
			}
			if asJSON {
				e := json.NewEncoder(t.Out)
				e.SetIndent("", "  ")
				e.SetEscapeHTML(false)
				err = e.Encode(d)
			} else {
				err = d.write(t.Out, t.OutColor())
			}
			if err == nil && d.failure != nil {
				err = told{d.failure}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print a JSON object")
	cmd.Flags().BoolVar(&offline, "offline", false, "Do not ask the model anything")
	cmd.Flags().StringVarP(&o.model, "model", "m", "", "The model, as for a run")
	return cmd
}

// doctorOptions say what a diagnosis is about.
type doctorOptions struct {
	model   string // as for --model, "" for what a run would use
	unasked string // why nothing is asked of a model, "" to ask it
	// asking, where set, is told before a model is asked.
	asking func(model string)
}

// diagnose returns what pollux doctor prints, of a model as --model has it, which is
// not asked. An error is the end of ctx; what is wrong with the set-up is in the text.
func diagnose(ctx context.Context, t *terminal.Terminal, env *config.Env, model string) (string, error) {
	d, err := examine(ctx, t, env, doctorOptions{model: model, unasked: "which pollux doctor on the command line does"})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = d.write(&text, false)
	return text.String(), err
}

// told is an error that the diagnosis has shown: only its exit code counts.
type told struct{ error }

func (t told) Unwrap() error { return t.error }

// Reported reports that it need not be printed.
func (told) Reported() bool { return true }

// diagnosis is what the doctor has found. Its JSON is for programs: members are
// added and not taken away (docs/doctor.md).
type diagnosis struct {
	Version  string `json:"version"`
	Settings string `json:"settings"` // the user's file
	// Default is the provider that a run uses, Why what speaks for it.
	Default string `json:"default"`
	Why     string `json:"why"`
	// Model is what a run would ask, Asked how the user named it, and Named where.
	Model string `json:"model"`
	Asked string `json:"asked"`
	Named string `json:"named"`
	// Problem is why a run cannot start.
	Problem string `json:"problem,omitempty"`

	Window int    `json:"contextWindow,omitempty"`
	Proxy  string `json:"proxy,omitempty"`
	// Fallback is what is asked where the model cannot answer, LeftOut what of the
	// settings does not count, and why.
	Fallback  []string         `json:"fallback"`
	LeftOut   []string         `json:"leftOut"`
	Providers []providerReport `json:"providers"`

	Platform string `json:"platform"`
	// Verdict is that on all of it, ExitCode the one that a run would end with.
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
}

// fail takes note of what a run would end with; the first such thing counts.
func (d *diagnosis) fail(err error) {
	if d.failure == nil {
		d.failure, d.Problem, d.ExitCode = err, text(err), exit.CodeOf(err)
	}
}

// examination is a diagnosis in the making.
type examination struct {
	*session
	*diagnosis
	term  *terminal.Terminal
	state trust.State
	// unread says that a settings file cannot be used: what a run would do with
	// what it says, nobody knows.
	unread     bool
	distrust   error           // why it is not known whether the folder is trusted
	unconfined error           // why a run is refused that asks for a sandbox
	envFile    *config.EnvFile // that counts, nil if there is none
	accounts   *auth.Accounts
	programs   userprogram.Finder
}

// examine finds out what a run would do, and what stands in its way. Whatever is
// broken, the rest is looked at all the same. An error is the end of ctx.
func examine(ctx context.Context, t *terminal.Terminal, env *config.Env, o doctorOptions) (*diagnosis, error) {
	x := &examination{
		term: t,
		diagnosis: &diagnosis{
			Version: version(env), Platform: runtime.GOOS + "/" + runtime.GOARCH, Fallback: []string{}, LeftOut: []string{},
		},
	}
	general := x.begin(env, o.model)
	defer x.close()
	x.programs = userprogram.Finder{Path: env.Get("PATH"), Outside: x.foreign()}
	abilities := make(chan sandbox.Abilities, 1)
	go func() { abilities <- sandbox.Probe(ctx, sandbox.Options{Programs: x.programs, Env: few(env)}) }()

	x.Sections = append(x.Sections, general, x.lookAtSettings(), x.lookAtEnv(), x.lookAtTrust())
	// In the order in which a run would be refused.
	x.lookAtSandboxWish()
	telemetry := x.lookAtTelemetry()
	rules, behindModel := x.lookAtRules()
	model, chosen := x.lookAtModel(ctx)
	if behindModel != nil {
		x.fail(behindModel)
	}
	x.Sections = append(x.Sections, model, x.tryModel(ctx, o, chosen), rules, x.lookAtMemory(), x.lookAtTools(ctx), x.lookAtSetups(),
		x.lookAtSandbox(<-abilities), x.lookAtTerminal(ctx), x.lookAtFiles(), x.lookAtNetwork(), telemetry)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	x.conclude()
	return x.diagnosis, nil
}

// begin finds out where this is, and for whom.
func (x *examination) begin(env *config.Env, model string) sectionReport {
	s := sectionReport{ID: "general", Title: "General"}
	s.ok("version", "Pollux "+x.Version+" on "+x.Platform)
	dir, err := workingDir()
	if err != nil {
		s.broken("directory", err.Error(), "cd to a directory that exists; the rest of this is about your home directory")
		dir = config.NewPaths(env, string(filepath.Separator)).Home()
		x.fail(err)
	} else {
		s.ok("directory", dir)
	}
	x.session = &session{
		req: Request{Terminal: x.term, Env: env, Flags: Flags{Model: model}, Version: func() string { return x.Version }},
		env: env, paths: config.NewPaths(env, dir),
	}
	home := x.paths.Home()
	switch {
	case env.Get("GEMINI_CLI_HOME") != "":
		s.ok("home", home+", by GEMINI_CLI_HOME")
	case env.First("HOME", "USERPROFILE") == "":
		s.warn("home", "HOME is not set: your files are looked for in "+home, "set HOME, or GEMINI_CLI_HOME")
	default:
		s.ok("home", home)
	}
	return s
}

// foreign are the directories whose programs are not run: what the folder brings
// along. Home and the root of all are nobody's folder, programs are below them.
func (x *examination) foreign() []string {
	dir := x.paths.Dir()
	if rel, err := filepath.Rel(dir, x.paths.Home()); err == nil && filepath.IsLocal(rel) {
		return nil
	}
	return []string{dir}
}

// few is the environment for programs that are asked who they are: where they find
// what is theirs, and nothing that is secret.
func few(env *config.Env) []string {
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

// options returns what a run here would be made of. What it warns about goes to warn.
func (x *examination) options(warn func(string)) app.Options {
	o := x.app()
	o.Trusted, o.Warn = x.state == trust.Trusted, warn
	return o
}

// verdict is what is to be thought of a thing.
type verdict string

const (
	isOK      verdict = "ok"
	isWarning verdict = "warning" // it works, and is not as it should be
	isMissing verdict = "missing" // it is not there; often it need not be
	isBroken  verdict = "broken"  // it is there, and does not work
)

// sectionReport is what was found about one thing.
type sectionReport struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Optional says that nothing in it keeps a run from working.
	Optional bool    `json:"optional,omitempty"`
	Checks   []check `json:"checks"`
}

// check is one statement. Subject is the same at every diagnosis; there may be
// several about one.
type check struct {
	Subject string  `json:"subject"`
	Verdict verdict `json:"verdict"`
	Text    string  `json:"text"`
	// Next is what to do about what is not ok.
	Next string `json:"next,omitempty"`
}

func (s *sectionReport) ok(subject, text string) {
	s.Checks = append(s.Checks, check{subject, isOK, text, ""})
}

func (s *sectionReport) warn(subject, text, next string) {
	s.Checks = append(s.Checks, check{subject, isWarning, text, next})
}

func (s *sectionReport) missing(subject, text, next string) {
	s.Checks = append(s.Checks, check{subject, isMissing, text, next})
}

func (s *sectionReport) broken(subject, text, next string) {
	s.Checks = append(s.Checks, check{subject, isBroken, text, next})
}

// conclude puts all of it into one verdict and one line.
func (x *examination) conclude() {
	var subjects []string
	problems := 0
	for i := range x.Sections {
		for _, c := range x.Sections[i].Checks {
			if x.Sections[i].Optional || c.Verdict != isWarning && c.Verdict != isBroken {
				continue
			}
			if problems++; len(subjects) == 0 || subjects[len(subjects)-1] != c.Subject {
				subjects = append(subjects, c.Subject)
			}
		}
	}
	const most = 6
	if len(subjects) > most {
		subjects = append(subjects[:most], "...")
	}
	about := fmt.Sprintf("%s to look at: %s.", count(problems, "thing"), strings.Join(subjects, ", "))
	switch {
	case x.failure != nil:
		x.Verdict = isBroken
		first, _, _ := strings.Cut(x.Problem, "\n")
		x.Summary = fmt.Sprintf("A run would end with exit code %d: %s", x.ExitCode, strings.TrimSuffix(cut(first, 300), "."))
		if x.Summary += "."; problems > 1 {
			x.Summary += " " + about
		}
	case problems > 0:
		x.Verdict, x.Summary = isWarning, "A run can work. "+about
	default:
		x.Verdict, x.Summary = isOK, "A run can work, and nothing is wrong."
	}
}

// write prints the diagnosis for people, its verdicts coloured or not.
func (d *diagnosis) write(w io.Writer, color bool) error {
	colors := map[verdict]string{isOK: "\x1b[32m", isWarning: "\x1b[33m", isMissing: "\x1b[90m", isBroken: "\x1b[31m"}
	var b strings.Builder
	for i := range d.Sections {
		s := &d.Sections[i]
		if len(s.Checks) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s\n", s.Title)
		for _, c := range s.Checks {
			mark := fmt.Sprintf("%-8s", c.Verdict)
			if color {
				mark = colors[c.Verdict] + mark + "\x1b[0m"
			}
			fmt.Fprintf(&b, "  %s %s: %s\n", mark, clean(c.Subject), indented(c.Text))
			if c.Next != "" {
				fmt.Fprintf(&b, "           next: %s\n", indented(c.Next))
			}
		}
		if s.ID == "model" {
			d.tables(&b)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "Summary: %s\n", clean(d.Summary))
	_, err := io.WriteString(w, b.String())
	return err
}

// indented returns a text whose further lines stand below its first.
func indented(text string) string {
	return strings.ReplaceAll(terminal.Text(strings.TrimSpace(text)), "\n", "\n           ")
}
