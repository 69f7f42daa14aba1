package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/exit"
	"pollux/internal/face/kit"
	"pollux/internal/guard/reach"
	"pollux/internal/outcome"
	"pollux/internal/slash"
	"pollux/tool"
)

// asks returns a model that asks these questions at once, each from its own call, and
// answers with the outcomes.
func asks(got *[]tool.Answer, questions ...tool.Confirmation) func(context.Context, agent.Prompt) iter.Seq2[agent.Event, error] {
	return runs(func(ctx context.Context, _ string, emit func(agent.Event)) error {
		answers := make([]chan tool.Answer, len(questions))
		var calls []*agent.ToolCall
		for i := range questions {
			calls = append(calls, callOf("run_shell_command", fmt.Sprint(i)))
			emit(agent.ToolRequested{Call: calls[i]})
		}
		for i := len(questions) - 1; i >= 0; i-- { // in any order
			answers[i] = make(chan tool.Answer, 1)
			emit(agent.ToolAsked{Call: calls[i], Question: agenttest.Question(calls[i], questions[i]), Answer: func(a tool.Answer) {
				select {
				case answers[i] <- a:
				default:
				}
			}})
		}
		for i := range answers {
			select {
			case a := <-answers[i]:
				*got = append(*got, a)
				emit(agent.Text{Text: string(a.Outcome) + "\n"})
			case <-ctx.Done():
				return nil
			}
		}
		return nil
	})
}

// replied returns the answer with a reply.
func replied(r tool.Reply) tool.Answer { return tool.Answer{Outcome: tool.ProceedOnce, Reply: &r} }

func offers(outcomes ...tool.Outcome) []tool.Offer {
	var list []tool.Offer
	for _, o := range outcomes {
		list = append(list, tool.Offer{Outcome: o, Rule: "git\x1b[1m *"})
	}
	return list
}

// lasting returns the question with the lasting answers that it offers.
func lasting(q tool.Confirmation) tool.Confirmation {
	list := offers(tool.ProceedAlways, tool.ProceedAlwaysAndSave)
	list[1].SavedIn = "/home/me/auto-saved.toml"
	switch q := q.(type) {
	case *tool.EditConfirmation:
		q.Offers = list
	case *tool.ExecConfirmation:
		q.Offers = list
	case *tool.InfoConfirmation:
		q.Offers = list
	}
	return q
}

var titled = backend{
	ToolTitle: func(name string) string {
		if name == "run_shell_command" {
			return "Shell"
		}
		return ""
	},
}

func edit() *tool.EditConfirmation {
	before := "package shop\n\nvar price = 1\n"
	return &tool.EditConfirmation{Title: "Confirm Edit: shop.go", Modifiable: true, DiffDisplay: tool.DiffDisplay{
		FileName: "shop.go", FilePath: "/src/shop.go", Before: &before, After: "package shop\n\nvar price = 2\n",
		Diff: "Index: shop.go\n===================================================================\n--- shop.go\tCurrent\n+++ shop.go\tProposed\n" +
			"@@ -1,3 +1,3 @@\n package shop\n \n-var price = 1\n+var price = 2\n",
	}}
}

func shellQuestion() *tool.ExecConfirmation {
	return &tool.ExecConfirmation{Title: "Confirm Shell Command", Command: "git status", Roots: []string{"git"}}
}

const consentsTo = "1 or y: Allow once\n2 or a: Allow for this session\n"

func TestConfirmEdit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := titled
		var got []tool.Answer
		o.Run = asks(&got, lasting(edit()))
		p := sit(t, o)
		p.types("go")
		p.sees("> go\n" + `Question: Confirm Edit: shop.go
File: /src/shop.go, 1 line added, 1 line removed
  @@ -1,3 +1,3 @@
   package shop
   
  -var price = 1
  +var price = 2
Apply this change?
1 or y: Allow once
2 or a: Allow for this session
3 or s: Allow for this file in all future sessions, rule: git *, saved in /home/me/auto-saved.toml
4 or e: Modify with external editor
5 or n: No, tell the model what to do differently
Answer, 1 to 5, or ? for help: `)
		p.answers("?")
		p.sees(`?
1 or y: Allow once. Pollux asks again the next time.
2 or a: Allow for this session. Until you quit, Pollux does not ask about: git *.
3 or s: Allow for this file in all future sessions, rule: git *, saved in /home/me/auto-saved.toml. Pollux does not ask about this again, in later sessions too.
4 or e: Modify with external editor. Pollux then asks about your version.
5 or n: No, tell the model what to do differently. You can then type what to do instead.
/cancel: refuse. Ctrl+C: refuse and stop the model.
Answer, 1 to 5, or ? for help: `)
		p.answers("7")
		p.sees("7\nType a number from 1 to 5, or ? for help.\nAnswer, 1 to 5, or ? for help: ")
		p.answers("")
		p.skips()
		p.answers("4")
		p.sees("4\nNo editor is available. Choose one with /editor.\nApply this change?\n1 or y: Allow once\n2 or a: Allow for this session\n" +
			"3 or s: Allow for this file in all future sessions, rule: git *, saved in /home/me/auto-saved.toml\n4 or e: Modify with external editor\n" +
			"5 or n: No, tell the model what to do differently\nAnswer, 1 to 5, or ? for help: ")
		p.answers("allow ONCE.")
		p.sees("allow ONCE.\nModel: proceed_once\n> ")
		p.leaves()
	})
}

// Each way to answer gives its outcome.
func TestOutcomes(t *testing.T) {
	for _, tt := range []struct {
		name     string
		question tool.Confirmation
		answers  []string
		want     tool.Answer
	}{
		{"once", shellQuestion(), []string{"1"}, tool.Answer{Outcome: tool.ProceedOnce}},
		{"once by letter", shellQuestion(), []string{"Y"}, tool.Answer{Outcome: tool.ProceedOnce}},
		{"session", shellQuestion(), []string{"a"}, tool.Answer{Outcome: tool.ProceedAlways}},
		{"forever", shellQuestion(), []string{"s"}, tool.Answer{Outcome: tool.ProceedAlwaysAndSave}},
		{"no", shellQuestion(), []string{"n", ""}, tool.Answer{Outcome: tool.Cancel}},
		{"cancel", shellQuestion(), []string{"/cancel"}, tool.Answer{Outcome: tool.Cancel}},
		{"no, but", shellQuestion(), []string{"4", "use git\\", "diff"}, tool.Answer{Outcome: tool.Cancel, Feedback: "use git\ndiff"}},
		{"web, session", &tool.InfoConfirmation{Title: "Confirm Web Fetch", Prompt: "x"}, []string{"2"}, tool.Answer{Outcome: tool.ProceedAlways}},
		{"edit, session", edit(), []string{"2"}, tool.Answer{Outcome: tool.ProceedAlways}},
		{"edit, forever", edit(), []string{"3"}, tool.Answer{Outcome: tool.ProceedAlwaysAndSave}},
		{"plan, edits too", &tool.PlanConfirmation{Plan: "x"}, []string{"1"}, replied(tool.Reply{Approved: true, Mode: "auto_edit"})},
		{"plan", &tool.PlanConfirmation{Plan: "x"}, []string{"y"}, replied(tool.Reply{Approved: true})},
		{"plan, other", &tool.PlanConfirmation{Plan: "x"}, []string{"3", "", "f", "smaller steps"}, replied(tool.Reply{Feedback: "smaller steps"})},
		{"no plan", &tool.PlanConfirmation{Plan: "x"}, []string{"n"}, tool.Answer{Outcome: tool.Cancel}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				o := titled
				var got []tool.Answer
				o.Run = asks(&got, lasting(tt.question))
				p := sit(t, o)
				p.types("go")
				for _, a := range tt.answers {
					p.answers(a)
				}
				p.leaves()
				if !cmp.Equal(got, []tool.Answer{tt.want}) {
					t.Errorf("answered %+v", got)
				}
			})
		})
	}
}

// Only the lasting answers of the policy are offered.
func TestConsents(t *testing.T) {
	for _, tt := range []struct {
		name   string
		offers []tool.Offer
		want   string
	}{
		{"no offers", nil, "1 or y: Allow once\n2 or n: No, tell the model what to do differently\n"},
		{"nothing", offers(), "1 or y: Allow once\n2 or n: No, tell the model what to do differently\n"},
		{"session", offers(tool.ProceedAlways), consentsTo + "3 or n: No, tell the model what to do differently\n"},
		{"forever", offers(tool.ProceedAlways, tool.ProceedAlwaysAndSave), consentsTo +
			"3 or s: Allow this command for all future sessions, rule: git *\n4 or n: No, tell the model what to do differently\n"},
		{"server", offers(tool.ProceedAlwaysTool, tool.ProceedAlwaysServer), "1 or y: Allow once\n2 or t: Allow this tool for this session\n" +
			"3 or l: Allow all tools of this server for this session\n4 or n: No, tell the model what to do differently\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var got []tool.Answer
				p := sit(t, backend{Run: asks(&got, &tool.ExecConfirmation{
					Title: "Confirm Shell Command", Command: "git log | tee x > y", Roots: []string{"git", "tee", "redirection (>)"},
					Approval: tool.Approval{Offers: tt.offers, Reach: reach.Of(reach.Call{Command: "git log | tee x > y"})},
				})})
				p.types("go")
				p.sees("> go\nQuestion: Confirm Shell Command\n  git log | tee x > y\nThe line runs 2 commands:\nCommand 1: git log\nCommand 2: tee x\n" +
					"The command redirects its input or output. Mode auto_edit does not ask about that: see /help mode.\nRun this command?\n" + tt.want + fmt.Sprintf("Answer, 1 to %d, or ? for help: ", strings.Count(tt.want, "\n")))
				p.leaves()
			})
		})
	}
}

// Enter alone is an answer only if the settings make it one.
func TestPreselected(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []tool.Answer
		q := edit()
		q.Offers = []tool.Offer{{Outcome: tool.ProceedAlways}, {Outcome: tool.ProceedAlwaysAndSave, IsFirst: true}}
		p := sit(t, backend{Run: asks(&got, q)})
		p.types("go")
		if s := p.skips(); !strings.HasSuffix(s, "Answer, 1 to 5, Enter for 3, or ? for help: ") {
			t.Errorf("sees %q", s)
		}
		p.answers("")
		p.leaves()
		if !cmp.Equal(got, []tool.Answer{{Outcome: tool.ProceedAlwaysAndSave}}) {
			t.Errorf("answered %+v", got)
		}
	})
}

// Several questions are asked in the order of the calls. A question that an earlier
// answer has settled is not asked.
func TestSeveralQuestions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := titled
		allowed := map[string]bool{}
		o.IsAllowed = func(c *agent.PreparedCall) bool { return allowed[c.Call().ID] }
		var got []tool.Answer
		one, two, three := shellQuestion(), shellQuestion(), shellQuestion()
		one.Command, two.Command, three.Command = "one", "two", "three"
		o.Run = asks(&got, one, two, three)
		p := sit(t, o)
		p.types("go")
		if s := p.skips(); !strings.Contains(s, "Question 1 of 3: Confirm Shell Command\n  one\n") {
			t.Errorf("sees %q", s)
		}
		allowed["run_shell_command__1"] = true
		p.answers("1")
		if s := p.skips(); !strings.Contains(s, "Allowed without asking: Shell.\n") || !strings.Contains(s, "Question 2 of 2: Confirm Shell Command\n  three\n") {
			t.Errorf("sees %q", s)
		}
		p.answers("n")
		p.answers("no")
		p.leaves()
		want := []tool.Answer{{Outcome: tool.ProceedOnce}, {Outcome: tool.ProceedOnce, ByRules: true}, {Outcome: tool.Cancel, Feedback: "no"}}
		if !cmp.Equal(got, want) {
			t.Errorf("answered %+v", got)
		}
	})
}

// A line typed before the question was readable does not answer it.
func TestAnswerTooEarly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []tool.Answer
		p := sit(t, backend{Run: asks(&got, shellQuestion())})
		p.types("go")
		p.skips()
		p.types("1")
		p.sees("1\nQueued: 1\nAnswer, 1 to 2, or ? for help: ")
		p.answers("2")
		p.answers("")
		p.leaves()
		if len(got) == 0 || got[0].Outcome != tool.Cancel {
			t.Errorf("answered %+v", got)
		}
	})
}

// A secret typed too early does not become a prompt, which would be shown and sent to
// the model.
func TestSecretTooEarly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var p *person
		p = sit(t, table(backend{}, func(ctx context.Context, _ string) (slash.Result, error) {
			a, err := p.face.driver.Ask(ctx, &tool.QuestionConfirmation{Title: "Sign in", Questions: []tool.Question{{Text: "Key", Kind: tool.SecretQuestion}}})
			if err != nil {
				return slash.Result{}, err
			}
			return slash.Result{Outcome: outcome.Textf("%s", strings.Repeat("*", len(a.Reply.Answers["0"])))}, nil
		}))
		p.types("/slow")
		p.sees("> /slow\nQuestion: Sign in\n  Key\nAnswer (not shown), or ? for help: ")
		p.types("hunter2")
		p.sees("\nIgnored what you typed before the question. Type the answer again.\nAnswer (not shown), or ? for help: ")
		p.answers("hunter2")
		p.sees("\n*******\n> ")
		p.leaves()
	})
}

// A question interrupts a prompt of several lines, which then continues.
func TestQuestionInPrompt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []tool.Answer
		p := sit(t, backend{Run: func(ctx context.Context, prompt agent.Prompt) iter.Seq2[agent.Event, error] {
			if prompt.Text() != "go" {
				return echo(ctx, prompt)
			}
			time.Sleep(time.Second)
			return asks(&got, shellQuestion())(ctx, prompt)
		}})
		p.types("go")
		p.types(`one\`)
		time.Sleep(time.Second)
		p.skips()
		p.types("two") // too early to be an answer
		p.types(`three\`)
		p.skips()
		p.answers("1")
		if s := p.skips(); !strings.Contains(s, "Model: proceed_once\n") || !strings.HasSuffix(s, "Model: You said: one|two\nmore> ") {
			t.Errorf("sees %q", s)
		}
		p.answers("four")
		p.sees("four\nModel: You said: three|four\n> ")
		p.leaves()
	})
}

func TestCtrlCInQuestion(t *testing.T) {
	for name, typed := range map[string][]string{"menu": nil, "feedback": {"2"}, "question in words": nil} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var question tool.Confirmation = shellQuestion()
				if name == "question in words" {
					question = &tool.QuestionConfirmation{Title: "Ask User", Questions: []tool.Question{{Text: "Why?", Kind: tool.TextQuestion}}}
				}
				var got []tool.Answer
				p := sit(t, backend{Run: asks(&got, question, shellQuestion())})
				p.types("go")
				for _, line := range typed {
					p.answers(line)
				}
				p.skips()
				p.ctrlC()
				p.sees("\nRequest cancelled. Press Ctrl+C again to exit.\n> ")
				p.leaves()
			})
		})
	}
}

// The end of input refuses the open question.
func TestInputEndsInQuestion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []tool.Answer
		p := sit(t, backend{Run: asks(&got, shellQuestion(), shellQuestion())})
		p.types("go")
		p.leaves()
		if !cmp.Equal(got, []tool.Answer{{Outcome: tool.Cancel, Unattended: true}, {Outcome: tool.Cancel, Unattended: true}}) {
			t.Errorf("answered %+v", got)
		}
	})
}

// A change of the mode settles pending questions without an answer.
func TestAllowedMeanwhile(t *testing.T) {
	bubble(t, func(t *testing.T) {
		mode := "default"
		var got []tool.Answer
		p := sit(t, backend{
			Run: asks(&got, edit()), Mode: func() string { return mode }, IsAllowed: func(*agent.PreparedCall) bool { return mode == "auto_edit" },
			LookupCommand: func(line string) (bool, bool) { return strings.HasPrefix(line, "/mode"), true },
			RunCommand: func(context.Context, string) (slash.Result, error) {
				mode = "auto_edit"
				return slash.Result{Outcome: outcome.Textf("Mode: auto_edit")}, nil
			},
		})
		p.types("go")
		p.skips()
		p.answers("/mode auto_edit")
		p.sees("/mode auto_edit\nMode: auto_edit\nAllowed without asking: run_shell_command.\nModel: proceed_once\n[auto_edit] > ")
		p.leaves()
		if !cmp.Equal(got, []tool.Answer{{Outcome: tool.ProceedOnce, ByRules: true}}) {
			t.Errorf("answered %+v", got)
		}
	})
}

// Pollux itself asks a question.
func TestAsk(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var p *person
		o := backend{
			LookupCommand: func(line string) (bool, bool) { return strings.HasPrefix(line, "/"), false },
			RunCommand: func(ctx context.Context, _ string) (slash.Result, error) {
				a, err := p.face.driver.Ask(ctx, &tool.QuestionConfirmation{Title: "Sign in", Questions: []tool.Question{{Text: "API key", Header: "Key", Kind: tool.SecretQuestion}}})
				if err != nil {
					return slash.Result{}, err
				}
				if a.Outcome == tool.Cancel {
					return slash.Failure(errors.New("No key.")), nil
				}
				return slash.Result{Outcome: outcome.Textf("A key of %d characters.", len(a.Reply.Answers["0"]))}, nil
			},
		}
		p = sit(t, o)
		p.types("/auth")
		p.sees("> /auth\nQuestion: Sign in\n  API key\nKey (not shown), or ? for help: ")
		p.answers("hunter2")
		p.sees("\nA key of 7 characters.\n> ")
		p.types("/auth")
		p.skips()
		p.answers("/cancel")
		p.sees("\nError: No key.\n> ")
		p.types("/auth")
		p.skips()
		p.ctrlC()
		p.skips()
		p.leaves()
		if _, err := p.face.driver.Ask(t.Context(), &tool.InfoConfirmation{}); !errors.Is(err, kit.ErrOver) {
			t.Errorf("after the session: %v", err)
		}
	})
}

// pen is a scripted editor.
type pen struct {
	write  func(text string) (string, error)
	seen   []string
	closed atomic.Bool // some time after it should
}

func (e *pen) Open(_ context.Context, path string) error {
	e.seen = append(e.seen, "open "+path)
	_, err := e.write("")
	return err
}

func (e *pen) Compose(ctx context.Context, text string) (string, error) {
	e.seen = append(e.seen, "text "+text)
	if text == "forever" {
		return e.forever(ctx)
	}
	return e.write(text)
}

func (e *pen) Leaving() string { return "Save the file and close the editor to continue." }

func (e *pen) Change(ctx context.Context, name, before, after string) (string, error) {
	e.seen = append(e.seen, "change "+name+": "+before+" to "+after)
	if e.write == nil {
		return e.forever(ctx)
	}
	return e.write(after)
}

func (e *pen) forever(ctx context.Context) (string, error) {
	<-ctx.Done()
	time.Sleep(time.Second)
	e.closed.Store(true)
	return "", ctx.Err()
}

func TestModify(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := &pen{write: func(s string) (string, error) { return "", errors.New("External editor exited with status 3") }}
		var got []tool.Answer
		p := sit(t, backend{Run: asks(&got, edit()), Editor: e})
		p.types("go")
		p.skips()
		p.answers("e")
		if s := p.skips(); !strings.HasPrefix(s, "e\nSave the file and close the editor to continue.\nExternal editor exited with status 3\nApply this change?\n") {
			t.Errorf("sees %q", s)
		}
		e.write = func(s string) (string, error) { return s, nil }
		p.answers("e")
		if s := p.skips(); !strings.Contains(s, "The text is unchanged.\nApply this change?\n") {
			t.Errorf("sees %q", s)
		}
		e.write = func(s string) (string, error) { return s + "// mine\n", nil }
		p.answers("e")
		p.leaves()
		if len(got) != 1 || got[0].Outcome != tool.ModifyWithEditor || got[0].Content == nil || *got[0].Content != "package shop\n\nvar price = 2\n// mine\n" {
			t.Errorf("answered %+v", got)
		}
		if e.seen[0] != "change shop.go: package shop\n\nvar price = 1\n to package shop\n\nvar price = 2\n" {
			t.Errorf("the editor is given %q", e.seen[0])
		}
	})
}

func TestPlanInEditor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := &pen{write: func(string) (string, error) { return "", nil }}
		var got []tool.Answer
		p := sit(t, backend{Run: asks(&got, &tool.PlanConfirmation{Title: "Plan Approval", Path: "/plans/a.md", Plan: "# Steps\n\n1. Go"}), Editor: e})
		p.types("go")
		p.sees("> go\nQuestion: Plan Approval\nPlan in /plans/a.md:\n  # Steps\n  \n  1. Go\nReady to start implementation?\n" +
			"1 or a: Yes, automatically accept edits\n2 or y: Yes, manually accept edits\n3 or f: Request changes\n4 or e: Edit the plan in your editor\n5 or n: No\nAnswer, 1 to 5, or ? for help: ")
		p.answers("e")
		p.leaves()
		if !(len(got) == 1 && strings.HasPrefix(got[0].Reply.Feedback, "I have changed the plan file by hand.")) || !cmp.Equal(e.seen, []string{"open /plans/a.md"}) {
			t.Errorf("answered %+v after %q", got, e.seen)
		}
	})
}

func TestPromptInEditor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := &pen{write: func(s string) (string, error) { return s + " all\n", nil }}
		p := sit(t, backend{Editor: e})
		p.types("explain" + editKey)
		p.sees("> explain\nUser: explain all\nModel: You said: explain all|\n> ")
		e.write = func(string) (string, error) { return " \n", nil }
		p.types(editKey)
		p.sees("\nThe editor left nothing: there is nothing to send.\n> ")
		e.write = func(string) (string, error) { return "", errors.New("Editor command 'x' was not found") }
		p.types("explain this" + editKey)
		p.sees("explain this\nEditor command 'x' was not found\n> ")
		e.write = func(s string) (string, error) { return s + " now", nil }
		p.types(editKey) // the text that was not sent is there again
		p.sees("\nUser: explain this now\nModel: You said: explain this now\n> ")
		p.types(editKey) // and no longer when it was sent
		p.sees("\nUser:  now\nModel: You said:  now\n> ")
		p.leaves()
	})
}

// While the editor has the terminal, only the third Ctrl+C reaches Pollux.
func TestCtrlCInEditor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := &pen{}
		p := sit(t, backend{Editor: e})
		p.types("forever" + editKey)
		p.skips()
		p.ctrlC()
		p.ctrlC()
		p.sees("")
		p.ctrlC()
		if err := <-p.done; exit.CodeOf(err) != exit.Interrupted || !e.closed.Load() {
			t.Errorf("left with %v, the editor closed: %v", err, e.closed.Load())
		}
	})
}

// While the editor has the terminal, events wait.
func TestFloodInEditor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sent := 0
		var got []tool.Answer
		ask := asks(&got, edit())
		p := sit(t, backend{Editor: &pen{}, Run: func(ctx context.Context, prompt agent.Prompt) iter.Seq2[agent.Event, error] {
			return func(yield func(agent.Event, error) bool) {
				for e := range ask(ctx, prompt) {
					if !yield(e, nil) {
						return
					}
					if _, ok := e.(agent.ToolAsked); !ok {
						continue
					}
					time.Sleep(10 * time.Second) // until the editor is open
					for ; sent < 10_000 && yield(agent.Text{Text: "more "}, nil); sent++ {
					}
					return
				}
			}
		}})
		p.types("go")
		p.answers("e")
		time.Sleep(time.Minute)
		p.settle()
		if sent > 1000 {
			t.Errorf("%d events were taken", sent)
		}
		p.end(errors.New("ended"))
		<-p.done
	})
}

// The editor no longer has the terminal after the session has ended for any reason.
func TestEndInEditor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := &pen{}
		var got []tool.Answer
		p := sit(t, backend{Run: asks(&got, edit()), Editor: e})
		p.types("go")
		p.answers("e")
		_ = p.in.CloseWithError(io.ErrUnexpectedEOF)
		p.end(errors.New("ended"))
		if err := <-p.done; err == nil || err.Error() != "ended" || !e.closed.Load() {
			t.Errorf("left with %v, the editor closed: %v", err, e.closed.Load())
		}
	})
}

// A long text is cut, and shown whole on request.
func TestLongQuestion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []tool.Answer
		q := shellQuestion()
		q.Command = strings.Repeat("echo x\n", 300) + "rm -rf /"
		q.Reach = reach.Of(reach.Call{Command: q.Command})
		p := sit(t, backend{Run: asks(&got, q)})
		p.types("go")
		if s := p.skips(); strings.Contains(s, "  rm -rf /\n") || !strings.Contains(s, "  (101 more lines)\nThe line runs 301 commands:\n") || !strings.Contains(s, "2 or v: Show all (101 more lines)\n") {
			t.Errorf("sees %q", s)
		}
		p.answers("v")
		if s := p.skips(); !strings.Contains(s, "  echo x\n  rm -rf /\nRun this command?\n1 or y: Allow once\n2 or n: No, ") {
			t.Errorf("sees %q", s)
		}
		p.leaves()
	})
}

// The option that shows the rest of a plan is the last one.
func TestLongPlan(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []tool.Answer
		p := sit(t, backend{Run: asks(&got, &tool.PlanConfirmation{Title: "Plan", Path: "/w/plan.md", Plan: strings.Repeat("x\n", 401) + "end"})})
		p.types("go")
		if s := p.skips(); !strings.HasPrefix(s, "> go\nQuestion: Plan\nPlan in /w/plan.md:\n  x\n") || !strings.HasSuffix(s, "5 or n: No\n6 or v: Show all (2 more lines)\nAnswer, 1 to 6, or ? for help: ") {
			t.Errorf("sees %q", s)
		}
		p.answers("v")
		if s := p.skips(); !strings.HasPrefix(s, "v\n  x\n") || !strings.Contains(s, "  end\nReady to start implementation?\n") || strings.Contains(s, "Show all") {
			t.Errorf("sees %q", s)
		}
		p.leaves()
	})
}

func TestAddresses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []tool.Answer
		p := sit(t, backend{Run: asks(&got, &tool.InfoConfirmation{Title: "Confirm Web Fetch", Prompt: "Read them", Approval: tool.Approval{
			Reach: reach.Of(reach.Call{URLs: []string{
				"https://example.org/a?b=c", "https://xn--pple-43d.com/login", "https://gооgle.com/", "https://google.com@evil.example/", "https://a\x1b[2J.org",
			}}),
		}})})
		p.types("go")
		p.sees("> go\nQuestion: Confirm Web Fetch\n  Read them\nURLs to fetch:\nhttps://example.org/a?b=c\n" +
			"https://аpple.com/login\nWarning: this host name can deceive: аpple.com is xn--pple-43d.com\n" +
			"https://gооgle.com/\nWarning: this host name can deceive: gооgle.com is xn--ggle-55da.com\n" +
			"https://google.com@evil.example/\nWarning: the text before the @ is not the host. The host is evil.example\n" +
			"https://a.org\nDo you want to proceed?\n1 or y: Allow once\n2 or n: No, tell the model what to do differently\nAnswer, 1 to 2, or ? for help: ")
		p.leaves()
	})
}

func TestHostileQuestions(t *testing.T) {
	evil := "a\x1b[2J\x1b]52;c;eA==\x07b\u202ecod\u200b\rAllow everything?\n1. Allow once"
	list := []string{evil, evil}
	evilApproval := tool.Approval{
		Hooked: tool.Hooked{IsChanged: true}, Reason: evil, Offers: []tool.Offer{{Outcome: tool.ProceedAlwaysAndSave, Rule: evil, Runners: list, SavedIn: evil}},
		Reach: tool.Reach{
			Commands: []tool.ShellCommand{{Program: evil, Text: evil}, {Program: evil, Text: evil}}, Total: 2, Writes: list, Outside: list,
			Servers: []tool.Server{{URL: evil, Host: evil, Readable: evil, IsLookalike: true, HasUser: true}},
		},
	}
	for name, q := range map[string]tool.Confirmation{
		"command": &tool.ExecConfirmation{Title: evil, Command: evil, Roots: []string{evil}, Approval: evilApproval},
		"edit":    &tool.EditConfirmation{Title: evil, Approval: evilApproval, DiffDisplay: tool.DiffDisplay{FileName: evil, FilePath: evil, After: evil, Diff: "@@ -0,0 +1 @@\n+" + evil}},
		"info":    &tool.InfoConfirmation{Title: evil, Prompt: evil, Approval: evilApproval},
		"plan":    &tool.PlanConfirmation{Title: evil, Path: evil, Plan: evil},
		"questions": &tool.QuestionConfirmation{Title: evil, Questions: []tool.Question{
			{Text: evil, Header: evil, Kind: tool.ChoiceQuestion, Options: []tool.Option{{Label: evil, Description: evil}}},
			{Text: evil, Header: evil, Kind: tool.TextQuestion, Placeholder: evil},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var got []tool.Answer
				p := sit(t, backend{Run: asks(&got, q)})
				p.types("go")
				p.leaves()
				all := p.paper.String()
				if strings.ContainsAny(all, "\x1b\x07\r\u202e\u200b") {
					t.Errorf("sees %q", all)
				}
				for line := range strings.Lines(all) {
					if line == "Allow everything?\n" {
						t.Errorf("a question passes for another one: %q", all)
					}
				}
				if name != "questions" && !strings.Contains(all, "Warning: the text above has characters that cannot be shown.") {
					t.Errorf("nothing is said of what was left out: %q", all)
				}
			})
		})
	}
}
