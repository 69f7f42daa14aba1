package transcript

import (
	"errors"
	"testing"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/face/kit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/record"
	"pollux/internal/slash"
	"pollux/internal/wording"
	"pollux/llm"
)

func TestFailures(t *testing.T) {
	t.Parallel()
	place := func(string) wording.Place { return wording.Place{InSession: true, Provider: "xAI"} }
	api := &llm.Error{Kind: llm.KindServer, Status: 500, Message: "Oh\x1b[2J no", Body: "{}"}
	for _, c := range []struct {
		name    string
		err     error
		options Options
		want    string
	}{
		{"api", api, Options{Place: place}, "✕ [API Error: Oh no (status 500). Try again later, or choose another model with /model.]\n"},
		{"debug", api, Options{Place: place, IsDebug: true}, "✕ [API Error: Oh no (status 500). Try again later, or choose another model with /model.]\n  [DEBUG] {}\n"},
		{"no body", &llm.Error{Message: "No."}, Options{IsDebug: true}, "✕ [API Error: No.]\n"},
		{"no place", api, Options{}, "✕ [API Error: Oh no (status 500). Try again later, or choose another model with --model.]\n"},
		{"with a code", exit.Errorf(exit.Input, "Not that way."), Options{}, "✕ Not that way.\n"},
		{"any", errors.New("oops"), Options{}, "✕ oops\n"},
	} {
		tr := &Transcript{Look: Look{Width: 120}, Options: c.options}
		tr.run(agent.Text{Text: "so far"})
		tr.Handle(kit.Failed{Err: c.err}, start)
		check(t, c.name, joined(tr.Take()), "✦ so far\n\n"+c.want)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	table := &outcome.Table{Head: []string{"Name", "Use"}, Rows: [][]string{{"a", "first"}, {"long", "second"}}}
	for _, c := range []struct {
		name   string
		result slash.Result
		want   string
	}{
		{"markdown", slash.Result{Outcome: outcome.Textf("A **bold** word.\n\n- one\n- two")}, "A bold word.\n\n- one\n- two\n"},
		{"lines", slash.Result{Outcome: outcome.New(outcome.Field{Label: "Model: ", Text: "m"}, outcome.Field{Label: "Host: ", Text: "h"})}, "Model: m\nHost: h\n"},
		{"table", slash.Result{Outcome: outcome.New(outcome.Text("Two:"), table)}, "Two:\n\nName  Use\na     first\nlong  second\n"},
		{"code", slash.Result{Outcome: outcome.Textf("Run:\n```sh\nls\n\ncd x\n```\nand\nwait.")}, "Run:\nls\n\ncd x\nand\nwait.\n"},
		{"two fences", slash.Result{Outcome: outcome.Textf("~~~\n```\na\n~~~\nb\nc")}, "```\na\nb\nc\n"},
		{"code in code", slash.Result{Outcome: outcome.Textf("```\n~~~\na  \nb\n```")}, "~~~\na  \nb\n"},
		{"failed", slash.Failure(errors.New("Not that way.")), "✕ Not that way.\n"},
		{"clear", slash.Result{Next: manage.Next{Clear: true}}, "ℹ Starting a new conversation.\n"},
		{"nothing", slash.Result{}, ""},
		{"recap", slash.Result{Next: manage.Next{Recap: &record.Recap{Title: "Old", Prompts: 2, Prompt: "do it", Answer: "Done *so*."}}}, "ℹ Resumed after 2 prompts: Old\n\n> do it\n\n✦ Done so.\n"},
		{"hostile", slash.Result{Outcome: outcome.Textf("a\x1b[2Jb")}, "ab\n"},
	} {
		tr := newTranscript()
		tr.Options.LineNumbers = true
		tr.Handle(kit.CommandDone{Result: c.result}, start)
		check(t, c.name, joined(tr.Take()), c.want)
	}
}
