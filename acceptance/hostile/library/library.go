// Package library is a program that embeds an agent, for the attacks of package hostile.
package library

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"

	"pollux"
	"pollux/agent"
	"pollux/tool"
)

// Main embeds an agent in the current directory, as a product would, and refuses all questions of the
// agent. It takes the approval mode as --approval-mode and prints the events. It trusts the directory
// if GEMINI_CLI_TRUST_WORKSPACE is true.
func Main() {
	mode := flag.String("approval-mode", "default", "the calls that run without a question")
	flag.Parse()
	if err := run(map[string]pollux.Approval{"default": pollux.ApproveReads, "auto_edit": pollux.ApproveEdits, "yolo": pollux.ApproveAll}[*mode]); err != nil {
		fmt.Println("Error:", err)
		os.Exit(1)
	}
}

func run(approval pollux.Approval) error {
	ctx := context.Background()
	a, err := pollux.New(ctx, pollux.Options{
		Approval: approval, Interactive: true, TrustDir: os.Getenv("GEMINI_CLI_TRUST_WORKSPACE") == "true", Log: slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	defer a.Close()
	for event, err := range a.Run(ctx, pollux.Prompt{Text: "go"}) {
		if err != nil {
			return err
		}
		switch e := event.(type) {
		case agent.Text:
			fmt.Print(e.Text)
		case agent.ToolAsked:
			fmt.Printf("asked about %s %q\n", e.Question.About()[0].Tool().Spec().Name, e.Question.About()[0].Args())
			e.Answer(tool.Answer{Outcome: tool.Cancel, Feedback: "The user refuses this."})
		case agent.ToolFinished:
			fmt.Printf("%s: %s\n", e.Call.Name, e.Status)
		}
	}
	fmt.Println()
	return nil
}
