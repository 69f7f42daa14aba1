package policy

import (
	"context"
	"errors"
	"fmt"
	"strings"

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

// check checks policy files for mistakes.
func check(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	set, err := open(ctx, c)
	if err != nil {
		return o, err
	}
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

// failedTest is a test that failed.
type failedTest struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Call    string `json:"call"`
	Message string `json:"message"`
}

// test compares decisions with those that test files expect.
func test(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	p, err := open(ctx, c)
	if err != nil {
		return o, err
	}
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
