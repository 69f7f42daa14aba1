// Package policy manages policy rules: it lists, checks, explains, tests and imports them.
package policy

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/rulebook"
	"pollux/internal/servers"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// Command returns the commands about policies.
func Command() *manage.Command {
	files := manage.Flag{Name: "policy", Default: manage.List{}, Usage: "`path,...` Policy files or directories, instead of those in settings"}
	return &manage.Command{
		Name: "policy", Summary: "Show, check and test policy rules", Run: manage.Help,
		Session: &manage.InSession{Name: "policies", Summary: "Show policy rules", IsGroup: true},
		Subs: []*manage.Command{
			{
				Name: "list", Summary: "List the rules in force, by approval mode", Run: manage.With(openRules, list), Flags: []manage.Flag{manage.JSON, files},
				Session: &manage.InSession{Summary: "List policy rules by approval mode"}, RunsWhileBusy: true,
			},
			{Name: "check", Args: "[file...]", Summary: "Check policy files for mistakes", Run: manage.With(open, check), Values: manage.FileNames, Flags: []manage.Flag{manage.JSON}},
			{
				Name: "explain", Args: "-- <tool> [arguments]", Summary: "Explain what Pollux decides about a tool call", Run: manage.With(open, explain), Values: callWords,
				Flags: []manage.Flag{
					{Name: "mode", Default: "", Usage: "`mode` Approval mode, instead of the one in settings", Choices: []string{"default", "auto_edit", "sandboxed", "yolo", "plan"}},
					manage.JSON, files,
				},
				Session: &manage.InSession{Args: "<tool> [arguments]", Run: explainLive}, RunsWhileBusy: true,
			},
			{Name: "test", Args: "<file...>", Summary: "Compare decisions with the expected ones", Run: manage.With(open, test), Values: manage.FileNames, Flags: []manage.Flag{manage.JSON, files}},
			importCommand(),
		},
	}
}

// open returns the project with the policy files of a flag, if it is set.
func open(ctx context.Context, c *manage.Call) (*project.Project, error) {
	if paths := c.Values("policy"); paths != nil {
		c.Options.Flags = map[string]any{string(config.PolicyPaths): paths}
	}
	return c.Open(ctx)
}

func openRules(ctx context.Context, c *manage.Call) (*rulebook.Rulebook, error) {
	if c.Live != nil {
		return c.Live.Rulebook, nil
	}
	p, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	return rulebook.Open(ctx, p, nil)
}

func list(_ context.Context, _ *manage.Call, book *rulebook.Rulebook) (outcome.Outcome, error) {
	rules := book.Rules()
	rows := make([]*policy.RuleJSON, len(rules))
	for i := range rules {
		rows[i] = rules[i].JSON()
	}
	return outcome.New(outcome.Text(policy.FormatRules(rules))).WithValue(rows), nil
}

func explain(ctx context.Context, c *manage.Call, p *project.Project) (o outcome.Outcome, err error) {
	book, err := rulebook.Open(ctx, p, nil)
	if err != nil {
		return o, err
	}
	mode, err := p.InitialMode(c.Value("mode"))
	if err != nil {
		return o, err
	}
	call, err := book.ParseWords(c.Words)
	if err != nil {
		return o, err
	}
	list := book.Explain(call, mode)
	return outcome.New(outcome.Text(policy.FormatExplanations(list, p.DisplayFile))).WithValue(struct {
		Sessions policy.ExplanationJSON `json:"sessions"`
		Scripts  policy.ExplanationJSON `json:"scripts"`
	}{list[0].JSON(), list[1].JSON()}), nil
}

// callWords completes the name of a tool, then its arguments.
func callWords(words []string, _ string) ([]string, manage.Offer) {
	if len(words) == 0 {
		return policy.ToolNames(), manage.Nothing
	}
	return nil, manage.Text
}

// explainLive explains how the policy of a session would decide.
func explainLive(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	name, rest := manage.CutWord(c.Text)
	if name == "" {
		return o, exit.Errorf(exit.Input, "Enter a tool and its arguments, such as /policies explain run_shell_command git push")
	}
	call, err := c.Live.Rulebook.ParseCall(name, rest)
	if err != nil {
		return o, err
	}
	return outcome.New(outcome.Code(policy.FormatExplanations(c.Live.Rulebook.Explain(call, c.Live.Rulebook.Mode()), c.Live.Project.DisplayFile))), nil
}

func check(_ context.Context, c *manage.Call, set *project.Project) (o outcome.Outcome, err error) {
	var files []policy.File
	for _, path := range c.Words {
		files = append(files, policy.UserFile(set.Paths.Absolute(path)))
	}
	if len(c.Words) == 0 {
		if files, err = set.PolicyFiles(); err != nil {
			return o, err
		}
	}
	r := policy.CheckFiles(files, configuredServers(set))
	var b strings.Builder
	for _, problem := range r.Problems {
		b.WriteString(terminal.Brief(terminal.Line(problem.String(set.DisplayFile))) + "\n")
	}
	fmt.Fprintf(&b, "%s, %s, %s", wording.Count(len(r.Files), "file"), wording.Count(r.Rules, "rule"), wording.Count(len(r.Problems), "problem"))
	o = outcome.New(outcome.Text(b.String())).WithValue(struct {
		Files    []string         `json:"files"`
		Rules    int              `json:"rules"`
		Problems []policy.Problem `json:"problems"`
	}{append([]string{}, r.Files...), r.Rules, append([]policy.Problem{}, r.Problems...)})
	if r.Failed() {
		return o, &exit.Shown{Err: exit.Errorf(exit.Config, "Policy files have errors.")}
	}
	return o, nil
}

// configuredServers returns the names of the MCP servers of the settings and of extensions.
func configuredServers(set *project.Project) []string {
	names := []string{}
	for _, c := range servers.Configs(set, set.Settings()) {
		names = append(names, c.Name)
	}
	return names
}

type failedTest struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Call    string `json:"call"`
	Message string `json:"message"`
}

// test compares decisions with those that test files expect.
func test(ctx context.Context, c *manage.Call, p *project.Project) (o outcome.Outcome, err error) {
	count, failed := 0, []failedTest{}
	for _, path := range c.Words {
		n, list, err := runTests(ctx, p, path)
		if err != nil {
			return o, err
		}
		count, failed = count+n, append(failed, list...)
	}
	var b strings.Builder
	for _, f := range failed {
		place := p.DisplayFile(f.File)
		if f.Line > 0 {
			place += fmt.Sprintf(":%d", f.Line)
		}
		b.WriteString(terminal.Line(place+": "+f.Call+": "+f.Message) + "\n")
	}
	result := "all passed"
	if len(failed) > 0 {
		result = fmt.Sprintf("%d failed", len(failed))
		err = &exit.Shown{Err: errors.New("policy tests failed")}
	}
	fmt.Fprintf(&b, "%s, %s", wording.Count(count, "test"), result)
	return outcome.New(outcome.Text(b.String())).WithValue(struct {
		Tests  int          `json:"tests"`
		Failed []failedTest `json:"failed"`
	}{count, failed}), err
}

// runTests runs the tests of a file, and returns their number and those that failed.
func runTests(ctx context.Context, set *project.Project, path string) (n int, failed []failedTest, err error) {
	path = set.Paths.Absolute(path)
	file, err := policy.ReadTests(path)
	if err != nil {
		return 0, nil, exit.Errorf(exit.Config, "Cannot read %s: %w", set.DisplayFile(path), durable.Cause(err))
	}
	book, err := rulebook.Open(ctx, set, file.Policies)
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
