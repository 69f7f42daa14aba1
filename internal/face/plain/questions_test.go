package plain

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/outcome"
	"pollux/internal/slash"
	"pollux/tool"
)

var (
	choiceQ = tool.Question{Text: "Which database?", Header: "Database", Kind: tool.ChoiceQuestion, Options: []tool.Option{
		{Label: "SQLite", Description: "A file"}, {Label: "Postgres", Description: "A server"},
	}}
	multiQ = tool.Question{Text: "Which ones?", Header: "Systems", Kind: tool.ChoiceQuestion, Multi: true, Options: []tool.Option{
		{Label: "Linux"}, {Label: "macOS"}, {Label: "BSD"},
	}}
	textQ  = tool.Question{Text: "Its name?", Header: "Name", Kind: tool.TextQuestion, Placeholder: "shop"}
	yesNoQ = tool.Question{Text: "Tests too?", Header: "Tests", Kind: tool.YesNoQuestion}
)

func TestOneQuestion(t *testing.T) {
	for _, tt := range []struct {
		name     string
		question tool.Question
		typed    []string
		want     string
	}{
		{"option", choiceQ, []string{"2"}, "Postgres"},
		{"own words", choiceQ, []string{"MySQL, as before"}, "MySQL, as before"},
		{"no such option", choiceQ, []string{"3", "0", "1, 2", "1"}, "SQLite"},
		{"not answered", choiceQ, []string{""}, ""},
		{"several", multiQ, []string{"1, 3"}, "Linux, BSD"},
		{"several, with spaces", multiQ, []string{"3 1"}, "BSD, Linux"},
		{"all", multiQ, []string{"4"}, "Linux, macOS, BSD"},
		{"own words for several", multiQ, []string{"1 and Plan 9"}, "1 and Plan 9"},
		{"text", textQ, []string{"/usr/local"}, "/usr/local"},
		{"text of several lines", textQ, []string{`a\`, "b"}, "a\nb"},
		{"yes", yesNoQ, []string{"y"}, "Yes"},
		{"no", yesNoQ, []string{"NO"}, "No"},
		{"perhaps", yesNoQ, []string{"only the fast ones"}, "only the fast ones"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var got []tool.Answer
				p := sit(t, backend{Run: asks(&got, &tool.QuestionConfirmation{Title: "Ask User", Questions: []tool.Question{tt.question}})})
				p.types("go")
				for _, line := range tt.typed {
					p.answers(line)
				}
				p.leaves()
				want := map[string]string{}
				if tt.want != "" {
					want["0"] = tt.want
				}
				if !cmp.Equal(got, []tool.Answer{replied(tool.Reply{Answers: want})}) {
					t.Errorf("answered %+v", got)
				}
			})
		})
	}
}

func TestSeveralAsked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []tool.Answer
		p := sit(t, backend{Run: asks(&got, &tool.QuestionConfirmation{Title: "Ask User", Questions: []tool.Question{choiceQ, textQ, yesNoQ}})})
		p.types("go")
		p.sees("> go\nQuestion: Ask User\n1 of 3, Database:\n  Which database?\n1: SQLite - A file\n2: Postgres - A server\nAnswer, 1 to 2, your own words, or ? for help: ")
		p.answers("1")
		p.sees("1\n2 of 3, Name:\n  Its name?\nAnswer, for example shop, or ? for help: ")
		p.answers("")
		p.sees("\n3 of 3, Tests:\n  Tests too?\nAnswer, y, n, your own words, or ? for help: ")
		p.answers("yes")
		p.sees("yes\nYour answers:\n1. Database: SQLite\n2. Name: no answer\n3. Tests: Yes\n1 question without an answer.\n" +
			"Enter to send, 1 to 3 to change an answer, or ? for help: ")
		p.answers("5")
		p.skips()
		p.answers("2")
		p.sees("2\n2 of 3, Name:\n  Its name?\nAnswer, for example shop, or ? for help: ")
		p.answers("kiosk")
		if s := p.skips(); !strings.Contains(s, "2. Name: kiosk\n") || strings.Contains(s, "without an answer") {
			t.Errorf("sees %q", s)
		}
		p.answers("")
		p.leaves()
		if !cmp.Equal(got, []tool.Answer{replied(tool.Reply{Answers: map[string]string{"0": "SQLite", "1": "kiosk", "2": "Yes"}})}) {
			t.Errorf("answered %+v", got)
		}
	})
}

func TestTakenBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []tool.Answer
		p := sit(t, backend{Run: asks(&got, &tool.QuestionConfirmation{Title: "Ask User", Questions: []tool.Question{choiceQ, textQ}})})
		p.types("go")
		p.answers("1")
		p.answers("x")
		p.answers("/cancel")
		p.leaves()
		if !cmp.Equal(got, []tool.Answer{{Outcome: tool.Cancel}}) {
			t.Errorf("answered %+v", got)
		}
	})
}

// An answer is not shown again to the user who gave it.
func TestAnswersAreNotRepeated(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := sit(t, backend{Run: runs(func(ctx context.Context, _ string, emit func(agent.Event)) error {
			c := callOf("ask_user", "1")
			answers := make(chan tool.Answer, 1)
			emit(agent.ToolRequested{Call: c})
			emit(agent.ToolAsked{Call: c, Question: agenttest.Question(c, &tool.QuestionConfirmation{Title: "Ask User", Questions: []tool.Question{yesNoQ}}), Answer: func(a tool.Answer) { answers <- a }})
			<-answers
			emit(agent.ToolUpdated{Call: c, Status: agent.Executing, Summary: "Asking"})
			emit(agenttest.Finished(c, agent.Success, &tool.Result{Display: tool.TextDisplay("User answered:\nyes")}))
			return nil
		})})
		p.types("go")
		p.skips()
		p.answers("y")
		p.sees("y\n> ")
		p.leaves()
	})
}

// A line that begins with a slash is never an answer, except text for the model that is no
// command.
func TestSlashInQuestion(t *testing.T) {
	lookup := func(line string) (known, busy bool) {
		return strings.HasPrefix(line, "/stats") || strings.HasPrefix(line, "/clear"), strings.HasPrefix(line, "/stats")
	}
	run := func(context.Context, string) (slash.Result, error) {
		return slash.Result{Outcome: outcome.Textf("Counts.")}, nil
	}
	for _, tt := range []struct {
		name     string
		question tool.Question
		line     string
		want     string // shown for the line
		answer   string // "" if the question stays open
	}{
		{"a command beside it", textQ, "/stats", "Counts.", ""},
		{"a command that waits", textQ, "/clear", "/clear cannot run while a question is open.", ""},
		{"a path", textQ, "/usr/local", "/usr/local is not a command. Pollux takes it as your answer.", "/usr/local"},
		{"a path for a choice", choiceQ, "/tmp/x y", "/tmp/x is not a command. Pollux takes it as your answer.", "/tmp/x y"},
		{"for yes or no", yesNoQ, "/clear", "/clear cannot run while a question is open.", ""},
		{"in a line of several", textQ, "a\\\n/clear", "", "a\n/clear"},
		{"of a closed choice", tool.Question{Text: "Which?", Kind: tool.ChoiceQuestion, Options: choiceQ.Options, Closed: true}, "/foo", "/foo is not a command.", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var got []tool.Answer
				p := sit(t, backend{
					LookupCommand: lookup, RunCommand: run,
					Run: asks(&got, &tool.QuestionConfirmation{Title: "Ask User", Questions: []tool.Question{tt.question}}),
				})
				p.types("go")
				p.skips()
				for line := range strings.SplitSeq(tt.line, "\n") {
					p.answers(line)
				}
				if s := p.skips(); !strings.Contains(s, tt.want) {
					t.Errorf("sees %q", s)
				}
				if tt.answer == "" {
					p.answers("/cancel")
				}
				p.leaves()
				want := tool.Answer{Outcome: tool.Cancel}
				if tt.answer != "" {
					want = replied(tool.Reply{Answers: map[string]string{"0": tt.answer}})
				}
				if !cmp.Equal(got, []tool.Answer{want}) {
					t.Errorf("answered %+v", got)
				}
			})
		})
	}
}
