package plain

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/slash"
)

// table is the list of / commands of the test: quit and stats may run while the model
// works.
func table(o backend, do func(ctx context.Context, line string) (slash.Result, error)) backend {
	o.LookupCommand = func(line string) (known, busy bool) {
		switch name, _, _ := strings.Cut(line, " "); name {
		case "/quit", "/stats":
			return true, true
		case "/clear", "/plan", "/slow":
			return true, false
		}
		return false, false
	}
	o.RunCommand = do
	o.UnknownCommand = func(line string) string {
		return map[string]string{
			"/statz": "/statz is not a command. Did you mean /stats?", "/deploy it": "/deploy is not a command. /help lists the commands.",
		}[line]
	}
	return o
}

func TestCommands(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := sit(t, table(backend{}, func(ctx context.Context, line string) (slash.Result, error) {
			switch line {
			case "/stats":
				return slash.Result{Outcome: outcome.Textf("Tools: \x1b[1mnone\n")}, nil
			case "/stats all":
				return slash.Failure(errors.New("There is no /stats all.")), nil
			case "/clear":
				return slash.Result{Next: manage.Next{Clear: true}}, nil
			case "/plan x":
				return slash.Result{Next: manage.Next{Prompt: new(agent.TextPrompt("Plan x"))}}, nil
			case "/slow":
				<-ctx.Done()
				return slash.Result{}, ctx.Err()
			case "/quit":
				return slash.Result{Next: manage.Next{Quit: true}}, nil
			}
			return slash.Result{}, errors.New("broken")
		}))
		p.types("/stats")
		p.sees("> /stats\nTools: none\n> ")
		p.types("/stats all")
		p.sees("/stats all\nError: There is no /stats all.\n> ")
		p.types("/clear")
		p.sees("/clear\nStarting a new conversation.\n> ")
		p.types("/clear x")
		p.sees("/clear x\nError: broken\n> ")
		p.types("/plan x")
		p.sees("/plan x\nUser: Plan x\nModel: You said: Plan x\n> ")
		p.types("/slow")
		p.ctrlC()
		p.sees("/slow\n\nRequest cancelled. Press Ctrl+C again to exit.\n> ")
		// Other lines with a slash are prompts, a path for instance.
		p.types("/home/ada is full")
		p.sees("/home/ada is full\nModel: You said: /home/ada is full\n> ")
		p.types("//x")
		p.sees("//x\nModel: You said: //x\n> ")
		p.types("/statz")
		p.sees("/statz\n/statz is not a command. Did you mean /stats? To send \"/statz\" to the model, press Enter alone.\n> ")
		p.types("")
		p.sees("\nModel: You said: /statz\n> ")
		p.types("/deploy it")
		p.sees("/deploy it\n/deploy is not a command. /help lists the commands. To send \"/deploy it\" to the model, press Enter alone.\n> ")
		p.types(" /deploy it")
		p.sees(" /deploy it\nModel: You said:  /deploy it\n> ")
		p.types("/statz")
		p.types("no")
		p.skips()
		p.types("")
		p.sees("\n> ")
		p.types("?")
		if s := p.skips(); !strings.HasPrefix(s, "?\nType a prompt and press Enter.") {
			t.Errorf("sees %q", s)
		}
		// Of lines that come together, a command is on its own.
		p.types("/stats", "what is that?")
		if s := p.skips(); !strings.Contains(s, "Tools: none\n") || !strings.Contains(s, "Model: You said: what is that?\n") {
			t.Errorf("sees %q", s)
		}
		p.types("/quit")
		if err := <-p.done; err != nil {
			t.Error(err)
		}
		p.sees("/quit\nAgent powering down. Goodbye!\n")
	})
}

func TestCommandsWhileBusy(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := sit(t, table(backend{Run: runs(func(ctx context.Context, prompt string, emit func(agent.Event)) error {
			emit(agent.Text{Text: "Working\n"})
			<-ctx.Done()
			return nil
		})}, func(_ context.Context, line string) (slash.Result, error) {
			return slash.Result{Outcome: outcome.Textf("Ran %s", line), Next: manage.Next{Quit: line == "/quit"}}, nil
		}))
		p.types("go")
		p.types("/stats")
		p.types("/clear")
		p.types("/home/ada")
		p.types("/statz")
		p.types("?")
		p.types("x" + editKey)
		p.sees("> go\nModel: Working\nRan /stats\n/clear cannot run while the model works. Wait, or press Ctrl+C to stop the model. /help, /stats and /mode run at any time.\nQueued: /home/ada\n/statz is not a command. Did you mean /stats? To send \"/statz\" to the model, press Enter alone.\n" + Shortcuts +
			"\nThe editor opens only while nothing is under way.\n")
		p.types("/quit")
		if err := <-p.done; err != nil {
			t.Error(err)
		}
		p.sees("Ran /quit\nRequest cancelled.\nNot sent: /home/ada\nAgent powering down. Goodbye!\n")
	})
}

func TestShell(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := sit(t, backend{RunShell: func(ctx context.Context, command string) (string, error) {
			switch command {
			case "wait":
				<-ctx.Done()
				return "Command was cancelled.", nil
			case "broken":
				return "", errors.New("no shell")
			}
			return "ran\x1b[2J " + command + "\n", nil
		}})
		p.types("! ls  -l")
		p.sees("> ! ls  -l\n  ran  ls  -l\n> ")
		p.types("!broken")
		p.sees("!broken\nError: no shell\n> ")
		p.types("!")
		p.sees("!\nType a command behind the exclamation mark.\n> ")
		p.types(" !ls")
		p.sees(" !ls\nModel: You said:  !ls\n> ")
		p.types("![a](b)", "![c](d)") // pasted text is no command
		p.sees("![a](b)\nModel: You said: ![a](b)|![c](d)\n> ")
		p.types("!wait")
		p.types("!ls")
		p.sees("!wait\nQueued: !ls\n")
		p.ctrlC()
		if s := p.skips(); !strings.Contains(s, "Command was cancelled.\nNot sent: !ls\n") {
			t.Errorf("sees %q", s)
		}
		p.leaves()
	})
}
