// Command face is a chat with the agent in its smallest form. It prints the agent's actions, and
// asks before each call that changes something:
//
//	export GEMINI_API_KEY=...   # or the key of another provider
//	go run ./examples/face
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"

	"pollux"
	"pollux/agent"
	"pollux/tool"
)

func main() {
	ctx := context.Background()
	a, err := pollux.New(ctx, pollux.Options{Interactive: true}) // TrustDir would use the settings of this directory
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	f := face{in: bufio.NewScanner(os.Stdin)}
	for {
		fmt.Print("> ")
		if !f.in.Scan() {
			return
		}
		for event, err := range a.Run(ctx, pollux.Prompt{Text: f.in.Text()}) {
			if err != nil {
				fmt.Println("error:", err)
				break
			}
			f.show(event)
		}
	}
}

// face shows the events of a run, and asks the person at standard input.
type face struct{ in *bufio.Scanner }

func (f *face) show(event agent.Event) {
	switch e := event.(type) {
	case agent.Text:
		fmt.Print(e.Text)
	case agent.Retried:
		fmt.Println("\n[the response was cut off and is requested again]")
	case agent.ToolAsked:
		e.Answer(f.ask(e))
	case agent.ToolFinished:
		fmt.Printf("[%s: %s]\n", e.Call.Name, e.Status)
	case agent.Finished:
		fmt.Println()
	}
}

// ask describes a call to the person, and returns the answer.
func (f *face) ask(e agent.ToolAsked) tool.Answer {
	switch d := e.Question.Details().(type) {
	case *tool.EditConfirmation:
		fmt.Print(d.Diff, "Make this change?")
	case *tool.ExecConfirmation:
		fmt.Printf("Run %s?", d.Command)
	case *tool.InfoConfirmation:
		fmt.Print(d.Prompt)
	default: // questions and plans need more than yes or no
		return tool.Answer{Outcome: tool.Cancel, Unattended: true}
	}
	fmt.Print(" [y/n] ")
	if f.in.Scan() && f.in.Text() == "y" {
		return tool.Answer{Outcome: tool.ProceedOnce}
	}
	return tool.Answer{Outcome: tool.Cancel}
}
