package parts

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// store keeps each conversation in a JSON file. The agent tells it of every change before it makes the change, so
// the file has all that happened when the program dies. The journal of Pollux appends instead of writing all again.
type store struct {
	dir      string
	id       string
	messages []agent.Message
}

var _ agent.Journal = (*store)(nil)

func (s *store) Begin(_ context.Context, id string, history []agent.Message) error {
	s.id, s.messages = id, slices.Clone(history)
	return nil
}

func (s *store) Append(_ context.Context, e agent.Entry) error {
	s.messages = append(s.messages, e.Message)
	return s.write()
}

func (s *store) Rewind(_ context.Context, id string) error {
	if i := slices.IndexFunc(s.messages, func(m agent.Message) bool { return m.ID == id }); i >= 0 {
		s.messages = s.messages[:i]
	}
	return s.write()
}

func (s *store) Replace(_ context.Context, history []agent.Message) error {
	s.messages = slices.Clone(history)
	return s.write()
}

// write replaces the file in one step, so that it always has an old or a new conversation.
func (s *store) write() error {
	text, err := json.Marshal(s.messages)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.path()+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(s.path()+".new", s.path())
}

// load returns a conversation, an empty one if there is no file of it.
func (s *store) load(id string) (messages []agent.Message, err error) {
	text, err := os.ReadFile(filepath.Join(s.dir, id+".json"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return messages, json.Unmarshal(text, &messages)
}

func (s *store) path() string { return filepath.Join(s.dir, s.id+".json") }

// A journal keeps conversations, which another process continues.
func Example_history() {
	dir, err := os.MkdirTemp("", "history")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	start := func(answers ...llm.Part) *agent.Agent {
		s := &store{dir: dir}
		a := agent.New(agent.Config{
			Model: "script", Gate: open{}, Tools: tool.NewRegistry(), SessionID: "first", Journal: s, Generator: logged{&script{answers: answers}},
		})
		messages, err := s.load("first")
		if err != nil {
			fmt.Println(err)
		}
		if len(messages) > 0 {
			a.SetHistory(context.Background(), messages)
		}
		return a
	}
	say(start(llm.Text("Noted.")), "Call me Ada.")
	say(start(llm.Text("Ada.")), "What is my name?")
	// Output:
	// -> 1 message(s) to script
	// <- "Noted." STOP
	// Noted.
	// -> 3 message(s) to script
	// <- "Ada." STOP
	// Ada.
}
