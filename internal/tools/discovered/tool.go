package discovered

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pollux/internal/charset"
	"pollux/llm"
	"pollux/tool"
)

type discovered struct {
	opts Options
	name string // the name in the listing
	spec tool.Spec
}

func newTool(o Options, d declaration) *discovered {
	name := modelName(d.Name)
	return &discovered{opts: o, name: d.Name, spec: tool.Spec{
		Name:        name,
		DisplayName: name,
		Kind:        tool.KindOther,
		Plain:       true,
		Description: strings.TrimSpace(fmt.Sprintf("%s\n\nThis is a tool of the project's own, listed by its command `%s`. A call runs `%s %s` with the "+
			"arguments as JSON on standard input and returns what that prints. If it fails, or prints to standard error, you get five lines "+
			"instead: Stdout, Stderr, Error, Exit Code and Signal, with (empty) or (none) for what there was not.",
			d.Description, o.Discovery, o.Call, d.Name)),
		Schema: d.Schema,
	}}
}

func (t *discovered) Spec() *tool.Spec { return &t.spec }

func (t *discovered) Build(args json.RawMessage) (tool.Invocation, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, args); err != nil {
		return nil, fmt.Errorf("params must be valid JSON: %w", err)
	}
	return &call{discovered: t, args: compact.Bytes()}, nil
}

type call struct {
	*discovered
	args []byte
}

func (c *call) Summary() string { return tool.BriefArgs(c.args) }

func (*call) Locations() []tool.Location { return nil }

func (c *call) Confirmation(context.Context) (tool.Confirmation, error) {
	return &tool.InfoConfirmation{Title: "Confirm: " + c.spec.DisplayName, Prompt: string(c.args)}, nil
}

func (c *call) Run(ctx context.Context, host tool.Host) *tool.Result {
	const maxStderr = 10_000
	stdout, stderr := tool.NewCollector(host.Limit, host.Spill), tool.NewCollector(maxStderr, nil)
	locale := charset.Stream{Locale: charset.OfLocale(c.opts.Environ)}
	decodedOut, decodedErr := &charset.Writer{Stream: locale, To: stdout}, &charset.Writer{Stream: locale, To: stderr}
	var end ending
	argv, err := c.opts.callWords()
	if err == nil {
		end = c.opts.run(ctx, program{
			name: c.name, argv: append(argv, c.name), stdin: c.args,
			stdout: decodedOut, stderr: decodedErr, started: host.Started,
		})
	} else {
		end.err = err
	}
	_, _ = decodedOut.Close(), decodedErr.Close() // a collector never fails
	out, file := stdout.Text()
	complaint, _ := stderr.Text()
	if end == (ending{}) && complaint == "" {
		return &tool.Result{Content: []llm.Part{llm.Text(out)}, Display: tool.TextDisplay(out), OutputFile: file, IsOutputCut: stdout.IsCut()}
	}
	failed := tool.Fail(tool.ErrDiscovered, end.report(out, complaint))
	failed.OutputFile, failed.IsOutputCut = file, stdout.IsCut()
	return failed
}

// report returns the text for a failed call. Scripts depend on it.
func (e ending) report(stdout, stderr string) string {
	failure, code, signal := "(none)", strconv.Itoa(e.code), "(none)"
	switch {
	case e.err != nil:
		failure, code = e.err.Error(), "(none)"
	case e.signal != "":
		code, signal = "(none)", e.signal
	}
	or := func(text string) string {
		if text == "" {
			return "(empty)"
		}
		return text
	}
	return strings.Join([]string{
		"Stdout: " + or(stdout),
		"Stderr: " + or(stderr),
		"Error: " + failure,
		"Exit Code: " + code,
		"Signal: " + signal,
	}, "\n")
}

// callWords returns the words of the call command. If the whole command, including spaces, is
// the name of a program, it is the only word.
func (o Options) callWords() ([]string, error) {
	if _, err := o.lookPath(o.Call); err == nil {
		return []string{o.Call}, nil
	}
	argv, err := o.splitWords(o.Call)
	if err == nil && len(argv) == 0 {
		err = errors.New("it is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("tools.callCommand: %w", err)
	}
	return argv, nil
}
