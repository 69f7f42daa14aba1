package a2a

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/face/a2a/schema"
	"pollux/internal/face/kit"
	"pollux/internal/face/kit/kittest"
	"pollux/tool"
)

// writes is a model that runs a command, and then says how that ended.
const writes = `
turn
  call run_shell_command {"command": "echo heron > word.txt"}
turn
  expect EXPECT
  text Done.
`

func scriptOf(expect string) string { return strings.Replace(writes, "EXPECT", expect, 1) }

// asksToWrite are the events of such a model until the answer.
const asksToWrite = `
task submitted
working
update run_shell_command_1 scheduled
confirmation run_shell_command_1 awaiting_approval
input-required final`

// with returns data with another member.
func with(data map[string]any, name string, value any) map[string]any {
	data[name] = value
	return data
}

// TestAnswers checks each answer to the question about a command.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer map[string]any
		expect string // of the model; "" if the turn ends without it
		ran    bool
	}{
		"once":               {answer("run_shell_command_1", "proceed_once"), "result run_shell_command_1 ", true},
		"always":             {answer("run_shell_command_1", "proceed_always"), "result run_shell_command_1 ", true},
		"cancel":             {answer("run_shell_command_1", "cancel"), "", false},
		"cancel with a text": {with(answer("run_shell_command_1", "cancel"), "feedback", "Use touch."), "error run_shell_command_1 Use touch.", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := scriptOf(tt.expect)
			if tt.expect == "" {
				script = script[:strings.Index(script, "turn\n  expect")]
			}
			a := start(t, setup{script: script})
			id, words := a.say("", "Go")
			wants(t, words, asksToWrite)
			want := `
working
update run_shell_command_1 scheduled
update run_shell_command_1 executing
update run_shell_command_1 success
text Done.
input-required final`
			if !tt.ran {
				want = strings.NewReplacer("update run_shell_command_1 scheduled\nupdate run_shell_command_1 executing\n", "", "success", "cancelled").Replace(want)
			}
			if tt.expect == "" {
				want = strings.Replace(want, "text Done.\n", "", 1)
			}
			_, words = a.say(id, tt.answer)
			wants(t, words, want)
			if ran := a.file("word.txt") == "heron\n"; ran != tt.ran {
				t.Errorf("the command ran: %v", ran)
			}
		})
	}
}

// TestWrongAnswers checks that an answer that the question does not offer, or to no question, has no effect.
func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: scriptOf("result run_shell_command_1 ")})
	id, _ := a.say("", "Go")
	const call = "run_shell_command_1"
	for _, tt := range []struct {
		data []any
		want string
	}{
		{[]any{answer("other", "proceed_once")}, "No question waits for an answer about the call other."},
		{[]any{answer(call, "proceed")}, "The outcome proceed is not offered. Send one of: proceed_always, proceed_once, cancel."},
		{[]any{answer(call, "proceed_always_server")}, "The outcome proceed_always_server is not offered."},
		{[]any{answer(call, "proceed_always_and_save")}, "The outcome proceed_always_and_save is not offered."},
		{[]any{answer(call, "modify_with_editor")}, "modify_with_editor needs newContent"},
		{[]any{with(answer(call, "proceed_once"), "newContent", "x")}, "newContent is only for changes of files"},
		{[]any{answer(call, "proceed_once"), answer(call, "cancel")}, "No question waits"},
		{[]any{answer(call, "proceed_once"), answer("other", "proceed_once")}, "No question waits"},
		{[]any{map[string]any{"callId": 7, "outcome": "proceed_once"}}, "message.parts[0] is not an answer"},
		{[]any{" "}, "The message has neither a text nor an answer."},
	} {
		if _, failure := a.rpc("message/stream", messageTo(id, tt.data...)); failure == nil || failure.Code != -32602 || !strings.HasPrefix(failure.Message, tt.want) {
			t.Errorf("%v: %+v", tt.data, failure)
		}
	}
	if got := a.file("word.txt"); got == "heron\n" {
		t.Error("the command has run")
	}
	if _, words := a.say(id, answer(call, "proceed_once")); !strings.HasSuffix(words, "text Done.\ninput-required final") {
		t.Errorf("the right answer: %s", words)
	}
	if _, failure := a.rpc("message/send", messageTo(id, answer(call, "proceed_once"))); failure == nil || failure.Code != -32602 {
		t.Errorf("the same answer again: %+v", failure)
	}
}

// TestEdit checks that a client sees a change with its whole text, and can apply another one, or propose it.
func TestEdit(t *testing.T) {
	t.Parallel()
	const script = `
turn
  call replace {"file_path": "a.txt", "old_string": "one", "new_string": "two", "instruction": "x"}
turn
  expect result replace_1 Successfully
  text Done.
`
	for outcome, want := range map[string]string{"proceed_once": "three\n", "modify_with_editor": "three\n", "": "two\n"} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			a := start(t, setup{script: "turn\n  call read_file {\"file_path\": \"a.txt\"}\n" + script})
			a.write(a.dir+"/a.txt", "one\n")
			s := a.stream("message/stream", messageTo("", "Go"))
			asked := s.until("confirmation").data()
			s.all()
			args, details := asked["request"].(map[string]any)["args"].(map[string]any), asked["confirmationDetails"].(map[string]any)
			if args["newContent"] != "two\n" || args["old_string"] != "one" || details["type"] != "edit" || details["originalContent"] != "one\n" || details["newContent"] != "two\n" || !strings.Contains(details["fileDiff"].(string), "-one\n+two") {
				t.Errorf("%v", asked)
			}
			if _, failure := a.rpc("message/send", messageTo(s.task, with(answer("replace_1", "proceed_once"), "newContent", ""))); failure == nil || !strings.HasPrefix(failure.Message, "newContent is empty") {
				t.Errorf("%+v", failure)
			}
			given := answer("replace_1", outcome)
			if outcome == "" {
				given["outcome"] = "proceed_once"
			} else {
				given["newContent"] = want
			}
			_, words := a.say(s.task, given)
			if outcome == "modify_with_editor" {
				if !strings.HasSuffix(words, "confirmation replace_1 awaiting_approval\ninput-required final") {
					t.Errorf("it does not ask about the version of the client: %s", words)
				}
				_, words = a.say(s.task, answer("replace_1", "proceed_once"))
			}
			if got := a.file("a.txt"); got != want || !strings.HasSuffix(words, "text Done.\ninput-required final") {
				t.Errorf("the file has %q after %s", got, words)
			}
		})
	}
}

// TestSeveral checks questions about several calls: answers in one message, in another order, one by one, and a rule that answers others.
func TestSeveral(t *testing.T) {
	t.Parallel()
	const script = `
turn
  call run_shell_command {"command": "ls /etc/hostname"}
  call run_shell_command {"command": "ls /etc/passwd"}
  call run_shell_command {"command": "ls /etc/group"}
turn
  text Done.
`
	yes := func(n string) map[string]any { return answer("run_shell_command_"+n, "proceed_once") }
	no := func(n string) map[string]any { return answer("run_shell_command_"+n, "cancel") }
	for name, tt := range map[string]struct {
		messages [][]any
		ran      string
	}{
		"at once":       {[][]any{{yes("1"), yes("2"), yes("3")}}, "123"},
		"another order": {[][]any{{yes("3")}, {yes("2")}, {yes("1")}}, "123"},
		"one by one":    {[][]any{{yes("1")}, {no("2")}, {yes("3")}}, "13"},
		"none":          {[][]any{{no("1"), no("2"), no("3")}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := script
			if tt.ran == "" {
				text = text[:strings.LastIndex(text, "turn")]
			}
			a := start(t, setup{script: text})
			id, words := a.say("", "Go")
			if n := strings.Count(words, "confirmation"); n != 3 || strings.Count(words, "final") != 1 {
				t.Fatalf("%d questions: %s", n, words)
			}
			if name == "another order" { // the answer waits for its turn
				first, last := tt.messages[0], tt.messages[1:]
				a.say(id, first...)
				if _, failure := a.rpc("message/send", messageTo(id, no("3"))); failure == nil || failure.Code != -32602 {
					t.Errorf("another answer to the same question: %+v", failure)
				}
				tt.messages = last
			}
			all := ""
			for i, parts := range tt.messages {
				_, words = a.say(id, parts...)
				all += words + "\n"
				if isLast := i == len(tt.messages)-1; strings.Contains(words, "Done.") != (isLast && tt.ran != "") {
					t.Errorf("after message %d: %s", i+1, words)
				}
			}
			for _, n := range []string{"1", "2", "3"} {
				if got := strings.Contains(all, "update run_shell_command_"+n+" success"); got != strings.Contains(tt.ran, n) {
					t.Errorf("command %s has run: %v\n%s", n, got, all)
				}
			}
		})
	}
}

// TestTextForQuestion checks that a text in place of an answer refuses the call, and that the model reads it.
func TestTextForQuestion(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: scriptOf("error run_shell_command_1 Rather not.")})
	id, _ := a.say("", "Go")
	_, words := a.say(id, "Rather not.")
	wants(t, words, "working\nupdate run_shell_command_1 cancelled\ntext Done.\ninput-required final")
	if got := a.file("word.txt"); got == "heron\n" {
		t.Error("the command has run")
	}
}

// TestAnswerAndText checks that a text beside an answer joins the turn.
func TestAnswerAndText(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: scriptOf("prompt Mind the tests")})
	id, _ := a.say("", "Go")
	_, words := a.say(id, answer("run_shell_command_1", "proceed_once"), "Mind the tests")
	if !strings.HasSuffix(words, "text Done.\ninput-required final") || a.file("word.txt") != "heron\n" {
		t.Error(words)
	}
}

// TestYolo checks that calls run unasked if the server or the client says so, and that this can be forbidden.
func TestYolo(t *testing.T) {
	t.Parallel()
	auto := func(task string) map[string]any {
		p := messageTo(task, "Go")
		p["message"].(map[string]any)["metadata"] = map[string]any{"coderAgent": map[string]any{"kind": "agent-settings", "autoExecute": true, "isTrusted": true}}
		return p
	}
	a := start(t, setup{script: scriptOf("result run_shell_command_1 ")})
	if words := a.stream("message/stream", auto("")).all(); strings.Contains(words, "confirmation") || a.file("word.txt") != "heron\n" {
		t.Errorf("autoExecute: %s", words)
	}
	a = start(t, setup{script: scriptOf("result run_shell_command_1 "), isUnchecked: true, settings: `{"tools": {"sandbox": false}, "security": {"disableYoloMode": true}}`})
	if words := a.stream("message/stream", auto("")).all(); !strings.Contains(words, "failed final: Cannot start in YOLO mode since it is disabled in your settings") || a.file("word.txt") == "heron\n" {
		t.Errorf("forbidden: %s", words)
	}
	a = start(t, setup{script: scriptOf("result run_shell_command_1 "), isNew: true, isUnchecked: true})
	words := a.stream("message/stream", auto("")).all()
	if !strings.HasSuffix(words, "input-required final") || !strings.Contains(words, "confirmation") || a.file("word.txt") == "heron\n" {
		t.Errorf("in a folder that is not trusted: %s", words)
	}
	if !strings.Contains(a.log.String(), "The client says whether it trusts the folder") {
		t.Error(a.log.String())
	}
}

// TestQuestionsShowAll checks that clients get all that a person must read about a call, and can answer each kind of question.
func TestQuestionsShowAll(t *testing.T) {
	t.Parallel()
	for name, c := range kittest.Approvals() {
		q := kit.NewQuestion(c, true, nil)
		data, err := json.Marshal(detailsOf(q, c))
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Title          string
			Warnings, Hook []string
		}
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Warnings, q.Warnings) || !slices.Equal(got.Hook, q.Hook) || got.Title != q.Title || len(q.Warnings) == 0 || len(q.Hook) == 0 {
			t.Errorf("%s: %s", name, data)
		}
	}
	kinds := map[string]bool{}
	for _, c := range tool.Confirmations() {
		q := kit.NewQuestion(c, true, nil)
		d := detailsOf(q, c)
		if _, isForm := c.(*tool.QuestionConfirmation); !isForm && (len(d.Options) < 2 || d.Options[len(d.Options)-1].Outcome != "cancel") {
			t.Errorf("%T: %+v", c, d)
		}
		kinds[d.Type] = true
	}
	if got := slices.Sorted(maps.Keys(kinds)); !slices.Equal(got, []string{"edit", "exec", "exit_plan_mode", "info", "mcp"}) {
		t.Errorf("the kinds are %q", got)
	}
}

// TestSettled checks that a call which rules allow by now waits for no answer.
func TestSettled(t *testing.T) {
	t.Parallel()
	task := newTask(&server{}, "", "/", schema.Settings{})
	c := &tool.ExecConfirmation{Command: "ls"}
	asked := agenttest.Question(&agent.ToolCall{ID: "c1"}, c)
	for _, id := range []string{"c1", "c2"} {
		task.questions[id] = &question{shown: kit.NewQuestion(c, true, nil), details: c}
	}
	task.settled(asked.About())
	m := func(id string) *schema.Sent {
		return &schema.Sent{Parts: []schema.SentPart{{Answer: &schema.Answer{CallID: id, Outcome: "cancel"}}}}
	}
	if _, err := task.findAnswers(m("c1")); err == nil {
		t.Error("an answer about a call that runs anyway is taken")
	}
	if list, err := task.findAnswers(m("c2")); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestMustTrust checks that the server can be stricter about folders than the settings.
func TestMustTrust(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ must, isNew, isTrusted bool }{{true, true, false}, {true, false, true}, {false, true, true}} {
		a := start(t, setup{
			isNew: tt.isNew, settings: `{"tools": {"sandbox": false}, "security": {"folderTrust": {"enabled": false}}}`, script: "turn\n  text Yes.\n",
			options: func(o *Options) { o.MustTrust = tt.must },
		})
		_, words := a.say("", "Go")
		if isTrusted := !strings.Contains(words, "This folder is not trusted"); isTrusted != tt.isTrusted || !strings.HasSuffix(words, "text Yes.\ninput-required final") {
			t.Errorf("%+v: %s", tt, words)
		}
	}
}
