package hooks

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/guard/hook"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

// Trial is the result of the test of a hook.
type Trial struct {
	Hook
	Input    json.RawMessage `json:"input"`
	ExitCode int             `json:"exit_code"`
	Signal   string          `json:"signal,omitempty"`
	Error    string          `json:"error,omitempty"`
	Duration int64           `json:"duration_ms"`
	Stdout   string          `json:"stdout"`
	Stderr   string          `json:"stderr"`
	ReadAs   hook.Reading    `json:"read_as"`
	Output   json.RawMessage `json:"output,omitempty"`
	Effects  []string        `json:"effects"`
}

// test runs the hooks with a name, or all hooks of an event.
func test(ctx context.Context, c *manage.Call, there opened) (o outcome.Outcome, err error) {
	name, set := c.Name(), there.set
	defer set.Close()
	changes, err := readChanges(c.Value("input"))
	if err != nil {
		return o, err
	}
	hooks := slices.DeleteFunc(set.Hooks(), func(h hook.Hook) bool { return h.ID() != name && string(h.Event) != name })
	switch {
	case len(hooks) == 0 && slices.Contains(hook.Events(), hook.Event(name)):
		return o, exit.Errorf(exit.Input, "There are no hooks for %s. To list hooks, run: pollux hooks list", name)
	case len(hooks) == 0:
		return o, exit.Errorf(exit.Input, "There is no hook and no event %q. To list hooks, run: pollux hooks list", terminal.Cut(terminal.Visible(name), 60))
	}
	var trials []Trial
	for i := range hooks {
		r := set.Try(ctx, hooks[i], changes)
		if ctx.Err() != nil {
			return o, context.Cause(ctx)
		}
		trials = append(trials, newTrial(&r))
		if i > 0 {
			o.Parts = append(o.Parts, outcome.Lines(""))
		}
		o.Parts = append(o.Parts, outcome.Lines(describe(&r)))
	}
	return o.WithValue(trials), nil
}

// readChanges reads the file with the fields of an input. Its name may be "".
func readChanges(file string) (changes map[string]json.RawMessage, err error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &changes)
	}
	if err != nil {
		return nil, exit.Errorf(exit.Input, "Cannot read the input in %s: %w.", file, err)
	}
	return changes, nil
}

func newTrial(r *hook.Trial) Trial {
	j := Trial{
		Hook: newHook(r.Hook), Input: r.Input, ExitCode: r.Code, Signal: r.Status.SignalName(),
		Duration: r.Duration.Milliseconds(), Stdout: r.Stdout, Stderr: r.Stderr, ReadAs: r.Reading, Effects: r.Effects,
	}
	if r.Err != nil {
		j.Error = r.Err.Error()
	}
	if r.Output != nil {
		j.Output = r.Output.JSON()
	}
	return j
}

// describe returns the result of a test in lines.
func describe(r *hook.Trial) string {
	result := fmt.Sprintf("exit code %d", r.Code)
	switch {
	case r.Err != nil:
		result = r.Err.Error()
	case r.Status.Signal != 0:
		result = "ended by " + r.Status.SignalName()
	}
	rows := [][2]string{
		{"Hook", r.Hook.ID()},
		{"Event", string(r.Hook.Event)},
		{"From", r.Hook.Source.String()},
		{"Form", r.Hook.Dialect.String()},
		{"Command", r.Hook.CommandLine()},
		{"Input", string(r.Input)},
		{"Result", fmt.Sprintf("%s, after %d ms", result, r.Duration.Milliseconds())},
		{"stdout", r.Stdout},
		{"stderr", r.Stderr},
		{"Read as", string(r.Reading)},
		{"Effect", strings.Join(r.Effects, "\n")},
	}
	var lines []string
	for _, row := range rows {
		text := cutLines(cmp.Or(strings.TrimRight(terminal.Visible(row[1]), " \n"), "-"), 20)
		indented := strings.ReplaceAll(text, "\n", "\n         ")
		lines = append(lines, fmt.Sprintf("%-8s %s", row[0]+":", indented))
	}
	return strings.Join(lines, "\n")
}

func cutLines(text string, most int) string {
	lines := strings.SplitN(text, "\n", most+1)
	if len(lines) <= most {
		return terminal.Cut(text, 4000)
	}
	return terminal.Cut(strings.Join(lines[:most], "\n"), 4000) + "\n..."
}
