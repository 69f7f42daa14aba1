package headless

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/exit"
	"pollux/internal/records"
	"pollux/internal/stats"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/tool"
)

var update = flag.Bool("update", false, "write the golden files")

var formats = []Format{Text, JSON, StreamJSON}

const sessionID = "7d4f6e0a-52a5-4c77-9b0e-0d6f1c9c2f11"

// source returns an iterator over events that ends with err if err is not nil.
func source(err error, events ...agent.Event) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func call(name, id, args string) *agent.ToolCall {
	return &agent.ToolCall{ID: name + "__" + id, Name: name, Args: json.RawMessage(args)}
}

func done(c *agent.ToolCall, status agent.Status, r *tool.Result) agent.ToolFinished {
	return agenttest.FinishedAfter(12*time.Millisecond, c, status, r)
}

func shown(s string) *tool.Result { return &tool.Result{Display: tool.TextDisplay(s)} }

// turn returns the events of a turn with this text.
func turn(n int, text ...string) []agent.Event {
	events := []agent.Event{agent.TurnStarted{Turn: n}}
	for _, s := range text {
		events = append(events, agent.Text{Text: s})
	}
	return append(events, agent.Finished{Reason: llm.FinishStop, Usage: &llm.Usage{Total: 1}})
}

func join(parts ...[]agent.Event) []agent.Event {
	var all []agent.Event
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func events(e ...agent.Event) []agent.Event { return e }

// scenario is a run: its events and its end.
type scenario struct {
	name    string
	stats   bool // is in the golden file
	options Options
	events  []agent.Event
	err     error
	cause   error // the run's context is cancelled with it
}

func scenarios() []scenario {
	read := call("read_file", "a1", `{ "file_path": "go.mod",
		"limit": 12345678901234567890 }`)
	grep := call("grep_search", "a2", `{"pattern":"<TODO> & \u00fc"}`)
	shell := call("run_shell_command", "a3", `{"command":"make"}`)
	write := call("write_file", "a4", `{"file_path":"/mnt/full/x","content":"hi"}`)
	sibling := call("list_directory", "a5", `{"dir_path":"."}`)

	rateLimit := &llm.Error{
		Kind: llm.KindRateLimit, Status: 429, Code: "RESOURCE_EXHAUSTED", Message: "You exceeded your current quota.",
		Body: `{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED"}}`,
	}
	return []scenario{
		{
			name: "text_answer",
			events: join(events(agent.ModelInfo{Model: "gemini-2.5-flash"}),
				turn(1, "Pollux is the brighter", " of the two.\n", "It is \x1b[1", "mone\x1b[0m of \"Gemini\" <&> é.")),
		},
		{
			name: "switched",
			events: join(events(
				agent.TurnStarted{Turn: 1},
				agent.Switched{Switch: llm.Switch{From: "gpt-5", To: "anthropic/claude-sonnet-5", Err: rateLimit}},
				agent.Text{Text: "Still here."}, agent.Finished{Reason: llm.FinishStop},
			)),
		},
		{
			name: "tool_call",
			events: join(
				events(
					agent.TurnStarted{Turn: 1}, agent.Thought{Subject: "Reading", Description: "first"},
					agent.Text{Text: "I look at go.mod."}, agent.ToolRequested{Call: read}, agent.Finished{Reason: llm.FinishStop},
					agent.ToolUpdated{Call: read, Status: agent.Executing},
					done(read, agent.Success, shown("Read all 3 lines")),
				),
				turn(2, "The module is called pollux.\n")),
		},
		{
			name: "tool_error",
			events: join(
				events(
					agent.TurnStarted{Turn: 1}, agent.ToolRequested{Call: shell}, agent.Finished{Reason: llm.FinishStop},
					done(shell, agent.Failed, &tool.Result{
						Error:   &tool.Error{Type: tool.ErrShell, Message: "make: command not found"},
						Display: &tool.DiffDisplay{},
					}),
				),
				turn(2, "There is no make here.")),
		},
		{
			name:  "parallel_tools",
			stats: true,
			events: join(
				events(
					agent.TurnStarted{Turn: 1}, agent.ToolRequested{Call: read}, agent.ToolRequested{Call: grep},
					agent.ToolRequested{Call: shell}, agent.Finished{Reason: llm.FinishStop},
					done(shell, agent.CallCancelled, &tool.Result{}),
					done(grep, agent.Success, &tool.Result{Display: &tool.MatchDisplay{Summary: "Found 2 matches"}}),
					done(read, agent.Success, shown("Read all 3 lines")),
				),
				turn(2, "Both done.")),
		},
		{
			name:    "api_error_429",
			options: Options{Place: func(string) wording.Place { return wording.Place{Provider: "Gemini", ProviderID: "gemini"} }},
			events:  events(agent.TurnStarted{Turn: 1}, agent.Waiting{Retry: llm.Retry{Attempt: 1, MaxAttempts: 10, Delay: 5170 * time.Millisecond, Err: rateLimit}}),
			err:     rateLimit,
		},
		{
			name:   "api_error_500",
			events: events(agent.TurnStarted{Turn: 1}, agent.Text{Text: "The answer is"}),
			err:    &llm.Error{Kind: llm.KindServer, Status: 500, Message: "Internal error encountered."},
		},
		{
			name: "api_error_offline",
			err:  &llm.Error{Kind: llm.KindNetwork, Code: "ENOTFOUND", Message: "Cannot reach generativelanguage.googleapis.com (no such host)"},
		},
		{
			name: "invalid_stream",
			events: events(agent.TurnStarted{Turn: 1}, agent.Retried{Cause: agent.InvalidStream{Type: "NO_RESPONSE_TEXT"}},
				agent.InvalidStream{Type: "NO_RESPONSE_TEXT", Message: "Model stream ended with empty response text."}),
		},
		{
			name:   "max_turns",
			events: join(turn(1, "So far so good."), events(agent.MaxTurns{Limit: 1})),
		},
		{
			name:   "loop",
			events: join(turn(1, "again and again and"), events(agent.LoopDetected{Kind: "chanting"})),
		},
		{
			name:   "exhausted",
			events: join(turn(1, "I go on."), events(agent.Exhausted{Requests: 100})),
		},
		{
			name:    "unfinished",
			options: Options{Unfinished: 9},
			events:  join(turn(1, "again and again and"), events(agent.LoopDetected{Kind: "chanting"})),
		},
		{
			name:    "finished_after_all",
			options: Options{Unfinished: 9},
			events:  join(events(agent.InvalidStream{Type: "SAFETY_BLOCKED", Message: "no"}), turn(1, "The answer.")),
		},
		{
			name:   "refused",
			events: join(events(agent.TurnStarted{Turn: 1}, agent.Text{Text: "To make it, take"}, agent.Finished{Reason: llm.FinishProhibitedContent})),
		},
		{
			name:    "citations",
			options: Options{ShowCitations: true},
			events: events(agent.TurnStarted{Turn: 1}, agent.Text{Text: "As they say."},
				agent.Citations{Text: "Citations:\n(A \x1b[31mbook) https://example.org/a\nhttps://example.org/b"}, agent.Finished{Reason: llm.FinishStop}),
		},
		{
			name: "citations_unshown",
			events: events(agent.TurnStarted{Turn: 1}, agent.Text{Text: "As they say."},
				agent.Citations{Text: "Citations:\nhttps://example.org/b"}, agent.Finished{Reason: llm.FinishStop}),
		},
		{
			name:   "stopped",
			events: join(turn(1, "Half of it."), events(agent.Stopped{Reason: "budget used up"})),
		},
		{
			name: "blocked",
			events: join(turn(1, "A secret. "), events(agent.Blocked{Reason: "r", SystemMessage: " no secrets, please "}),
				turn(2, "Nothing to see.")),
		},
		{
			name:   "cancelled",
			events: events(agent.TurnStarted{Turn: 1}, agent.Text{Text: "Let me think"}, agent.Cancelled{}),
			err:    context.Canceled,
			cause:  context.Canceled,
		},
		{
			name:   "terminated",
			events: events(agent.TurnStarted{Turn: 1}, agent.ToolRequested{Call: shell}, agent.Cancelled{}),
			err:    context.Canceled,
			cause:  &exit.Error{Code: exit.Terminated, Message: "Terminated by a signal."},
		},
		{
			name: "retried",
			events: join(events(agent.TurnStarted{Turn: 1}, agent.Text{Text: "A broken \x1b]0;ti"},
				agent.Retried{Cause: agent.InvalidStream{Type: "INCOMPLETE_STREAM"}, Attempt: 2, MaxAttempts: 4}),
				[]agent.Event{agent.Text{Text: "A whole answer."}, agent.Finished{Reason: llm.FinishStop}}),
		},
		{
			name:   "overflow",
			events: events(agent.Overflow{Estimate: 1200000, Remaining: 1048576}),
		},
		{
			name: "overflow_refused",
			events: events(agent.TurnStarted{Turn: 1}, agent.Overflow{Estimate: 210000, Remaining: 200000, Err: &llm.Error{
				Kind: llm.KindContextWindow, Status: 400, Size: llm.RequestSize{Prompt: 210000, Window: 200000}, Message: "prompt is too long: 210000 tokens > 200000 maximum",
				Body: `{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}`,
			}}),
		},
		{
			name: "disk_full",
			events: events(
				agent.TurnStarted{Turn: 1}, agent.ToolRequested{Call: write}, agent.ToolRequested{Call: sibling}, agent.Finished{Reason: llm.FinishStop},
				done(write, agent.Failed, tool.Fail(tool.ErrNoSpaceLeft, "No space left on device: /mnt/full/x")),
				done(sibling, agent.Success, shown("never seen")),
			),
			err: errors.New("not reached"),
		},
		{
			name:   "truncated",
			events: events(agent.TurnStarted{Turn: 1}, agent.Text{Text: "Once upon a"}, agent.Finished{Reason: llm.FinishMaxTokens}),
		},
		{
			name:    "raw_output",
			options: Options{Raw: true},
			events:  turn(1, "\x1b[31mred\x1b[0m"),
		},
		{
			name: "unexpected_error",
			err:  errors.New("journal: read-only file system"),
		},
	}
}

// play runs a scenario in one format, in a synctest bubble whose clock starts at
// 2000-01-01.
func play(t *testing.T, s scenario, format Format) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		o := s.options
		o.Format, o.Out, o.Err = format, terminal.NewWriter(&out), terminal.NewNoteWriter(&errs)
		o.SessionID, o.Model, o.Prompt = sessionID, "auto", "Who is\nPollux?"
		o.Stats = stats.New()
		o.Start = time.Now().Add(-1500 * time.Millisecond)
		stream := records.New(o.Stats)
		_, _ = stream.Observe(generator{}).Generate(ctx, &llm.Request{Model: "gemini-2.5-flash", Use: llm.UseMain})
		if s.cause != nil {
			cancel(s.cause)
		}
		err = Run(ctx, o, stream.Run(ctx, agent.Prompt{}, func(context.Context, agent.Prompt) iter.Seq2[agent.Event, error] {
			return source(s.err, s.events...)
		}))
	})
	return out.String(), errs.String(), err
}

// generator answers at once, to feed the statistics.
type generator struct{ llm.Generator }

func (generator) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return &llm.Response{Usage: &llm.Usage{Prompt: 100, Candidates: 20, CachedContent: 60, Total: 120}}, nil
}

func TestGolden(t *testing.T) {
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			var got strings.Builder
			for _, format := range formats {
				stdout, stderr, err := play(t, s, format)
				fmt.Fprintf(&got, "== %s: exit %d ==\n%s-- stderr --\n%s", format, exit.CodeOf(err), quote(stdout), quote(stderr))
				var shown *exit.Shown
				if err != nil && !errors.As(err, &shown) {
					t.Errorf("%s: Run returned %T", format, err)
				}
				if format != Text {
					wellFormed(t, format, stdout)
				}
			}
			text := got.String()
			if !s.stats {
				text = regexp.MustCompile(`(?s)("stats": \{).*?(\n  \})`).ReplaceAllString(text, "$1$2")
				text = regexp.MustCompile(`("stats":\{).*"cost":[^,}]+(\}[,}])`).ReplaceAllString(text, "$1$2")
			}
			golden(t, filepath.Join("testdata", s.name+".golden"), text)
		})
	}
}

// quote makes control characters and a missing line end visible.
func quote(s string) string {
	s = strings.ReplaceAll(s, "\x1b", "␛")
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "␄\n"
	}
	return s
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (write it with -update)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// wellFormed checks that the output is valid JSON, and that a stream has one object per
// line with a result as the last one.
func wellFormed(t *testing.T, format Format, stdout string) {
	t.Helper()
	if !strings.HasSuffix(stdout, "}\n") {
		t.Fatalf("%s does not end with an object: %q", format, stdout)
	}
	if format == JSON {
		if !json.Valid([]byte(stdout)) {
			t.Errorf("invalid JSON: %s", stdout)
		}
		return
	}
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	for i, line := range lines {
		var event struct{ Type, Timestamp string }
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("line %d: %v: %s", i+1, err, line)
		}
		if last := i == len(lines)-1; last != (event.Type == "result") {
			t.Errorf("line %d of %d is a %s", i+1, len(lines), event.Type)
		}
		if _, err := time.Parse("2006-01-02T15:04:05.000Z", event.Timestamp); err != nil {
			t.Errorf("line %d: %v", i+1, err)
		}
	}
}

// ignoredReason returns why a format does not render an event, "" if it does.
func ignoredReason(format Format, e agent.Event) (why string) {
	switch e.(type) {
	case agent.ModelInfo:
		return "init names the configured model, and the statistics those that answered"
	case agent.Thinking, agent.Thought:
		return "thoughts are not part of the answer"
	case agent.Citations:
		if format == Text {
			return "stdout holds the answer and nothing else, unless the user wants the sources"
		}
	case agent.ToolUpdated:
		return "a script waits for results"
	case agent.ToolAsked:
		return "no user can be asked: the answer is Cancel"
	case agent.Nested:
		return "what an agent inside a call does is no part of the answer; its questions come as ToolAsked"
	case agent.Compressed:
		return "the answer does not change"
	case agent.Joined:
		return "the answer is one to it as well, and a script adds no prompts"
	case agent.TurnStarted:
		if format != JSON {
			return "no format marks turns; json keeps the last answer only"
		}
	case agent.Stopped:
		if format == StreamJSON {
			return "as in Gemini CLI, the result alone ends a run that a hook stopped"
		}
	case agent.Switched:
		if format == JSON {
			return "the response is complete, and the statistics name the models"
		}
	}
	return ""
}

// Each format renders each kind of event, or ignoredReason returns the reason.
func TestEveryEvent(t *testing.T) {
	before, after := events(agent.TurnStarted{Turn: 1}, agent.Text{Text: "before"}), events(agent.Text{Text: "after"})
	c := call("read_file", "1", "{}")
	asked := 0
	samples := map[reflect.Type]agent.Event{}
	for _, e := range []agent.Event{
		agent.TurnStarted{Turn: 2},
		agent.ModelInfo{Model: "gemini-2.5-pro"},
		agent.Switched{Switch: llm.Switch{From: "gpt-5", To: "claude-sonnet-5", Err: errors.New("You exceeded your quota.\nSee the console.")}},
		agent.Text{Text: "more"},
		agent.Thinking{Subject: "s", Text: "d"},
		agent.Thought{Subject: "s", Description: "d"},
		agent.Citations{Text: "Citations:\nhttps://example.org"},
		agent.Finished{Reason: llm.FinishMaxTokens},
		agent.Retried{Cause: agent.InvalidStream{Type: "NO_FINISH_REASON"}},
		agent.Waiting{Retry: llm.Retry{Attempt: 1, MaxAttempts: 2, Delay: time.Second, Err: errors.New("busy")}},
		agent.Silent{Silence: llm.Silence{Model: "m", Host: "127.0.0.1:8080", Elapsed: 10 * time.Second}},
		agent.EditsLeft{Files: []string{"/a.go"}},
		agent.Joined{Prompt: agent.Prompt{Parts: []llm.Part{llm.Text("Mind the tests")}}},
		agent.ToolRequested{Call: c},
		agent.ToolUpdated{Call: c, Status: agent.Executing, Output: tool.TextDisplay("half")},
		agent.ToolAsked{Call: c, Question: agenttest.Question(c, &tool.InfoConfirmation{}), Answer: func(a tool.Answer) {
			asked++
			if a.Outcome != tool.Cancel {
				t.Errorf("a question was answered with %s", a.Outcome)
			}
		}},
		done(c, agent.Failed, tool.Fail(tool.ErrFileNotFound, "no such file")),
		agent.Nested{Call: c, Event: agent.Text{Text: "inside"}}, // its calls count in the statistics
		agent.Compressed{Compression: agent.Compression{Status: agent.CompressedOK, Before: 9, After: 1}},
		agent.Overflow{Estimate: 2, Remaining: 1},
		agent.InvalidStream{Type: "NO_RESPONSE_TEXT"},
		agent.LoopDetected{Kind: "tools"},
		agent.Exhausted{Requests: 100},
		agent.MaxTurns{Limit: 3},
		agent.Stopped{Reason: "enough"},
		agent.Blocked{Reason: "no"},
		agent.Cancelled{},
	} {
		samples[reflect.TypeOf(e)] = e
	}
	for _, kind := range agent.Events() {
		e, ok := samples[reflect.TypeOf(kind)]
		if !ok {
			t.Errorf("%T is new: say in headless.go what each format makes of it, and add a sample here", kind)
			continue
		}
		for _, format := range formats {
			prefix := before
			switch e.(type) {
			case agent.TurnStarted: // seen by its effect on the text before a call
				prefix = join(before, events(agent.ToolRequested{Call: c}, done(c, agent.Success, shown("ok"))))
			case agent.ToolRequested: // in json likewise
				if format == JSON {
					prefix, after = join(before), events(agent.TurnStarted{Turn: 2}, agent.Text{Text: "after"})
				}
			}
			out1, err1, _ := play(t, scenario{events: join(prefix, after)}, format)
			out2, err2, _ := play(t, scenario{events: join(prefix, events(e), after)}, format)
			rendered := out1 != out2 || err1 != err2
			why := ignoredReason(format, e)
			switch {
			case !rendered && why == "":
				t.Errorf("%s: %T leaves no trace, and ignored does not say why", format, e)
			case rendered && why != "":
				t.Errorf("%s: %T is rendered, but ignored says %q", format, e, why)
			}
		}
	}
	if asked != len(formats) {
		t.Errorf("%d questions were answered, want %d", asked, len(formats))
	}
}

// The failure of a run that cannot begin has the shape of its format.
func TestFail(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
	}{
		{"fail_auth", exit.Errorf(exit.Auth, "Please set an Auth method.")},
		{"fail_config", exit.Errorf(exit.Config, "settings.json: unexpected token")},
		{"fail_untrusted", exit.Errorf(exit.Untrusted, "This folder is not trusted.")},
		{"fail_input", &exit.Error{Code: exit.Input, Message: NoInput}},
		{"fail_interrupted", fmt.Errorf("connect: %w", context.Canceled)},
		{"fail_other", errors.New("cannot start")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got strings.Builder
			for _, format := range formats {
				var out, errs bytes.Buffer
				var err error
				synctest.Test(t, func(t *testing.T) {
					err = RenderFailure(Options{Format: format, Out: terminal.NewWriter(&out), Err: terminal.NewNoteWriter(&errs), SessionID: sessionID}, tt.err)
				})
				fmt.Fprintf(&got, "== %s: exit %d ==\n%s-- stderr --\n%s", format, exit.CodeOf(err), quote(out.String()), quote(errs.String()))
				if format != Text {
					wellFormed(t, format, out.String())
				}
			}
			golden(t, filepath.Join("testdata", tt.name+".golden"), got.String())
		})
	}
}

func TestColor(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{exit.Errorf(exit.Auth, "no key"), "\x1b[31mno key\x1b[0m\n"},
		{&llm.Error{Message: "oops\x1b[2J"}, "oops.\n"},
	} {
		var out, errs bytes.Buffer
		_ = RenderFailure(Options{Out: terminal.NewWriter(&out), Err: terminal.NewNoteWriter(&errs), Color: true}, tt.err)
		if errs.String() != tt.want || out.Len() > 0 {
			t.Errorf("%v: stderr %q, stdout %q", tt.err, errs.String(), out.String())
		}
	}
}

// failing is a writer that accepts some bytes and then fails like a closed pipe.
type failing struct {
	takes int
	err   error
	got   bytes.Buffer
}

func (f *failing) Write(p []byte) (int, error) {
	n := min(len(p), f.takes)
	f.takes -= n
	f.got.Write(p[:n])
	if n < len(p) {
		return n, f.err
	}
	return n, nil
}

func TestReaderGone(t *testing.T) {
	t.Parallel()
	for _, format := range formats {
		stopped, turns := false, 0
		endless := func(yield func(agent.Event, error) bool) {
			defer func() { stopped = true }()
			for yield(agent.Text{Text: strings.Repeat("x", 4096)}, nil) {
				if turns++; format == JSON && turns == 100 {
					return // it writes only at the end
				}
			}
		}
		out := &failing{takes: 10, err: &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}}
		var errs bytes.Buffer
		err := Run(t.Context(), Options{Format: format, Out: terminal.NewWriter(out), Err: terminal.NewNoteWriter(&errs)}, endless)
		if !errors.Is(err, ErrClosed) || !stopped || errs.Len() > 0 {
			t.Errorf("%s: Run = %v, stopped %t, stderr %q", format, err, stopped, errs.String())
		}
	}
}

func TestOutputFull(t *testing.T) {
	t.Parallel()
	for _, format := range formats {
		var errs bytes.Buffer
		err := Run(t.Context(), Options{Format: format, Out: terminal.NewWriter(&failing{err: syscall.ENOSPC}), Err: terminal.NewNoteWriter(&errs)}, source(nil, agent.Text{Text: "x"}))
		if exit.CodeOf(err) != exit.General || !strings.Contains(errs.String(), "Cannot write the answer: no space left on device") {
			t.Errorf("%s: Run = %v, stderr %q", format, err, errs.String())
		}
	}
}

// A run that its caller cancels because the output broke is not reported as cancelled.
func TestReaderGoneCancels(t *testing.T) {
	t.Parallel()
	for _, format := range formats {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			var errs bytes.Buffer
			out := writerFunc(func([]byte) (int, error) {
				cancel(errors.New("standard output is closed"))
				return 0, syscall.EPIPE
			})
			err := Run(ctx, Options{Format: format, Out: terminal.NewWriter(out), Err: terminal.NewNoteWriter(&errs)}, func(yield func(agent.Event, error) bool) {
				if !yield(agent.Text{Text: "a"}, nil) || !yield(agent.Text{Text: "b"}, nil) {
					time.Sleep(time.Second) // a slow end
					return
				}
				if ctx.Err() != nil && yield(agent.Cancelled{}, nil) {
					yield(nil, ctx.Err())
				}
			})
			if !errors.Is(err, ErrClosed) || errs.Len() > 0 {
				t.Errorf("%s: %v, stderr %q", format, err, errs.String())
			}
		})
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// The failure of the run is still returned when the pipe is closed.
func TestFailureOnBrokenPipe(t *testing.T) {
	t.Parallel()
	err := Run(t.Context(), Options{Format: JSON, Out: terminal.NewWriter(&failing{err: syscall.EPIPE}), Err: terminal.NewNoteWriter(io.Discard)}, source(&llm.Error{Status: 500}))
	if exit.CodeOf(err) != exit.General || errors.Is(err, ErrClosed) {
		t.Errorf("Run = %v", err)
	}
}

// For any text of a model, a tool or a hook, the JSON formats stay valid and Err
// contains no terminal escapes.
func TestHostileText(t *testing.T) {
	t.Parallel()
	const (
		evil   = "a\x1b]0;title\x07\x00\xff\u009b31m\u2028\"\\\n{}\r\v\f\u0085\u202e\u2066\u2029\u061c\U000e0067\x1b[2Jz"
		unseen = "\x1b\x00\x07\r\v\f\u009b\u0085\u2028\u2029\u202e\u2066\u061c\U000e0067"
	)
	c := &agent.ToolCall{ID: evil, Name: evil, Args: json.RawMessage("not\xffjson")}
	e := join(turn(1, evil), events(
		agent.ToolRequested{Call: c}, done(c, agent.Failed, tool.Fail(tool.ErrorType(evil), evil)),
		agent.Stopped{Reason: evil}, agent.Blocked{SystemMessage: evil}, agent.InvalidStream{Type: evil, Message: evil}))
	for _, format := range formats {
		for _, raw := range []bool{false, true} {
			var out, errs bytes.Buffer
			o := Options{Format: format, Out: terminal.NewWriter(&out), Err: terminal.NewNoteWriter(&errs), Raw: raw, RawAccepted: true, SessionID: evil, Model: evil, Prompt: evil}
			if err := Run(t.Context(), o, source(&llm.Error{Message: evil, Body: evil, Code: evil, Status: 500}, e...)); err == nil {
				t.Errorf("%s: no error", format)
			}
			if format != Text {
				wellFormed(t, format, out.String())
			}
			if (format != Text || !raw) && strings.ContainsAny(out.String(), unseen) {
				t.Errorf("%s: stdout: %q", format, out.String())
			}
			if strings.ContainsAny(errs.String(), unseen) {
				t.Errorf("%s: stderr: %q", format, errs.String())
			}
		}
	}
}

// Escape sequences that are split between chunks are removed.
func TestEscapesAcrossChunks(t *testing.T) {
	t.Parallel()
	const answer = "\x1b[1mbold\x1b[0m and \x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\ and \u009b3mitalic"
	var chunks []agent.Event
	for i := range len(answer) {
		chunks = append(chunks, agent.Text{Text: answer[i : i+1]})
	}
	out, _, _ := play(t, scenario{events: chunks}, Text)
	if want := "bold and link and italic\n"; out != want {
		t.Errorf("text: %q", out)
	}
	out, _, _ = play(t, scenario{events: chunks}, StreamJSON)
	if n := strings.Count(out, `"delta":true`); n != len(chunks) {
		t.Errorf("stream-json: %d deltas for %d chunks", n, len(chunks))
	}
	out, _, _ = play(t, scenario{events: chunks}, JSON)
	if !strings.Contains(out, `"response": "bold and link and italic"`) {
		t.Errorf("json: %s", out)
	}
}

// The slow end of a cancelled run is announced once, a quick end is not.
func TestCancelling(t *testing.T) {
	for takes, want := range map[time.Duration]string{
		150 * time.Millisecond: "Operation cancelled.\n",
		250 * time.Millisecond: "Cancelling...\nOperation cancelled.\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var out, errs bytes.Buffer
			err := Run(ctx, Options{Out: terminal.NewWriter(&out), Err: terminal.NewNoteWriter(&errs)}, func(yield func(agent.Event, error) bool) {
				cancel()
				time.Sleep(takes)
				if yield(agent.Cancelled{}, nil) {
					yield(nil, ctx.Err())
				}
			})
			if errs.String() != want || exit.CodeOf(err) != exit.Interrupted {
				t.Errorf("after %v: stderr %q, %v", takes, errs.String(), err)
			}
		})
	}
}

func TestDebugShowsTheAnswerOfTheVendor(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	_ = Run(t.Context(), Options{Out: terminal.NewWriter(&out), Err: terminal.NewNoteWriter(&errs), Debug: true}, source(&llm.Error{Status: 400, Message: "bad", Body: `{"error":"bad"}`}))
	if want := "bad (status 400).\n[DEBUG] {\"error\":\"bad\"}\n"; errs.String() != want {
		t.Errorf("stderr: %q", errs.String())
	}
}

// Lines of a tool's error cannot pass for lines of Pollux.
func TestErrorLines(t *testing.T) {
	t.Parallel()
	c := &agent.ToolCall{ID: "1", Name: "look", Args: json.RawMessage("{}")}
	e := join(turn(1, ""), events(agent.ToolRequested{Call: c}, done(c, agent.Failed, tool.Fail("x", "bad\nWarning: fake\nmore"))), turn(2, "ok"))
	var out, errs bytes.Buffer
	if err := Run(t.Context(), Options{Format: Text, Out: terminal.NewWriter(&out), Err: terminal.NewNoteWriter(&errs)}, source(nil, e...)); err != nil {
		t.Fatal(err)
	}
	if want := "Error executing tool look: bad\n  Warning: fake\n  more\n"; errs.String() != want {
		t.Errorf("stderr: %q, want %q", errs.String(), want)
	}
}
