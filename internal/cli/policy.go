package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/project"
	"pollux/internal/rulebook"
	"pollux/internal/servers"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// policyCommand returns the subcommand policy, which shows, checks and tests policy rules.
func policyCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	p := &policyActions{term: t, env: env}
	cmd := &cobra.Command{
		Use: "policy", Short: "Show, check and test policy rules", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	list := &cobra.Command{Use: "list", Short: "List the rules in force, by approval mode", Args: cobra.NoArgs, RunE: p.list}
	check := &cobra.Command{Use: "check [file...]", Short: "Check policy files for mistakes", Args: cobra.ArbitraryArgs, RunE: p.check}
	explain := &cobra.Command{Use: "explain -- <tool> [arguments]", Short: "Explain what Pollux decides about a tool call", Args: cobra.MinimumNArgs(1), RunE: p.explain}
	choice(explain.Flags(), &p.mode, "mode", "", "`mode` Approval mode, instead of the one in settings", "default", "auto_edit", "yolo", "plan")
	test := &cobra.Command{Use: "test <file...>", Short: "Compare decisions with the expected ones", Args: cobra.MinimumNArgs(1), RunE: p.test}
	for _, sub := range []*cobra.Command{list, check, explain, test} {
		sub.Flags().BoolVar(&p.json, "json", false, "Print JSON")
		if sub != check {
			sub.Flags().Var(&p.paths, "policy", "`path,...` Policy files or directories, instead of those in settings")
		}
		cmd.AddCommand(sub)
	}
	return cmd
}

// policyActions holds the flags that the subcommands of policy share.
type policyActions struct {
	term  *terminal.Terminal
	env   *config.Env
	json  bool
	mode  string
	paths list
}

// open reads the rules in force.
func (p *policyActions) open(cmd *cobra.Command) (*project.Project, *rulebook.Rulebook, error) {
	set, err := p.setup(cmd)
	if err != nil {
		return nil, nil, err
	}
	book, err := rulebook.Open(cmd.Context(), set, nil)
	return set, book, err
}

// setup reads the settings.
func (p *policyActions) setup(cmd *cobra.Command) (*project.Project, error) {
	dir, err := config.WorkingDir()
	if err != nil {
		return nil, err
	}
	o := project.Options{Dir: dir, Env: p.env, Version: version(p.env), Warn: warnTo(p.term), DebugLog: p.term.Err, Loaded: wrapsFor(p.term)}
	if f := cmd.Flags().Lookup("policy"); f != nil && f.Changed {
		o.Flags = map[string]any{string(config.PolicyPaths): p.paths.any()}
	}
	set := project.New(o)
	if err := set.Load(cmd.Context()); err != nil {
		return nil, err
	}
	set.ReadEnv()
	return set, nil
}

func (p *policyActions) list(cmd *cobra.Command, _ []string) error {
	_, book, err := p.open(cmd)
	if err != nil {
		return err
	}
	rules := book.Rules()
	if !p.json {
		return printText(p.term, policy.FormatRules(rules))
	}
	list := make([]*policy.RuleJSON, len(rules))
	for i := range rules {
		list[i] = rules[i].JSON()
	}
	return printJSON(p.term, list)
}

func (p *policyActions) explain(cmd *cobra.Command, words []string) error {
	if err := checkChoices(cmd.Flags()); err != nil {
		return &usageError{message: err.Error(), cmd: cmd}
	}
	set, book, err := p.open(cmd)
	if err != nil {
		return err
	}
	mode, err := set.InitialMode(p.mode)
	if err != nil {
		return err
	}
	call, err := book.ParseWords(words)
	if err != nil {
		return err
	}
	list := book.Explain(call, mode)
	if !p.json {
		return printText(p.term, policy.FormatExplanations(list, set.DisplayFile))
	}
	return printJSON(p.term, struct {
		Sessions policy.ExplanationJSON `json:"sessions"`
		Scripts  policy.ExplanationJSON `json:"scripts"`
	}{list[0].JSON(), list[1].JSON()})
}

func (p *policyActions) check(cmd *cobra.Command, paths []string) error {
	set, err := p.setup(cmd)
	if err != nil {
		return err
	}
	var files []policy.File
	for _, path := range paths {
		files = append(files, policy.UserFile(set.Paths.Absolute(path)))
	}
	if len(paths) == 0 {
		if files, err = set.PolicyFiles(); err != nil {
			return err
		}
	}
	r := policy.CheckFiles(files, configuredServers(set))
	if p.json {
		err = printJSON(p.term, struct {
			Files    []string         `json:"files"`
			Rules    int              `json:"rules"`
			Problems []policy.Problem `json:"problems"`
		}{append([]string{}, r.Files...), r.Rules, append([]policy.Problem{}, r.Problems...)})
	} else {
		var b strings.Builder
		for _, problem := range r.Problems {
			b.WriteString(terminal.Brief(terminal.Line(problem.String(set.DisplayFile))) + "\n")
		}
		fmt.Fprintf(&b, "%s, %s, %s", wording.Count(len(r.Files), "file"), wording.Count(r.Rules, "rule"), wording.Count(len(r.Problems), "problem"))
		err = printText(p.term, b.String())
	}
	if err == nil && r.Failed() {
		err = &exit.Shown{Err: exit.Errorf(exit.Config, "Policy files have errors.")}
	}
	return err
}

// configuredServers returns the names of the MCP servers of the settings and of extensions.
func configuredServers(set *project.Project) []string {
	names := []string{}
	for _, c := range servers.Configs(set, set.Settings()) {
		names = append(names, c.Name)
	}
	return names
}

// failedTest is a failed test in JSON output.
type failedTest struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Call    string `json:"call"`
	Message string `json:"message"`
}

func (p *policyActions) test(cmd *cobra.Command, paths []string) error {
	set, err := p.setup(cmd)
	if err != nil {
		return err
	}
	count, failed := 0, []failedTest{}
	for _, path := range paths {
		n, list, err := runTests(cmd, set, path)
		if err != nil {
			return err
		}
		count, failed = count+n, append(failed, list...)
	}
	if p.json {
		err = printJSON(p.term, struct {
			Tests  int          `json:"tests"`
			Failed []failedTest `json:"failed"`
		}{count, failed})
	} else {
		var b strings.Builder
		for _, f := range failed {
			place := set.DisplayFile(f.File)
			if f.Line > 0 {
				place += fmt.Sprintf(":%d", f.Line)
			}
			b.WriteString(terminal.Line(place+": "+f.Call+": "+f.Message) + "\n")
		}
		result := "all passed"
		if len(failed) > 0 {
			result = fmt.Sprintf("%d failed", len(failed))
		}
		fmt.Fprintf(&b, "%s, %s", wording.Count(count, "test"), result)
		err = printText(p.term, b.String())
	}
	if err == nil && len(failed) > 0 {
		err = &exit.Shown{Err: errors.New("policy tests failed")}
	}
	return err
}

// runTests runs the tests of a file, and returns their number and those that failed.
func runTests(cmd *cobra.Command, set *project.Project, path string) (n int, failed []failedTest, err error) {
	path = set.Paths.Absolute(path)
	file, err := policy.ReadTests(path)
	if err != nil {
		return 0, nil, exit.Errorf(exit.Config, "Cannot read %s: %w", set.DisplayFile(path), durable.Cause(err))
	}
	book, err := rulebook.Open(cmd.Context(), set, file.Policies)
	if err != nil {
		return 0, nil, err
	}
	for i := range file.Tests {
		t := &file.Tests[i]
		if message := book.Test(t); message != "" {
			failed = append(failed, failedTest{path, t.Line, terminal.Cut(t.Call(), 200), message})
		}
	}
	return len(file.Tests), failed, nil
}
