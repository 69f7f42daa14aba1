// Package topic has the tool update_topic, with which a model announces its next steps.
package topic

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"pollux/llm"
	"pollux/tool"
)

// New returns the tool update_topic, which updates t.
func New(t *Topic) tool.Tool { return updateTopic{t} }

// Topic is the current topic of a session. It is safe for concurrent use; the zero Topic is
// empty.
type Topic struct {
	mu    sync.Mutex
	title string
}

// Title returns the topic in one short line, "" if there is none. It is the model's text,
// sanitized for a system prompt.
func (t *Topic) Title() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.title
}

// Reset removes the topic, for a new session.
func (t *Topic) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.title = ""
}

// update sets the title if it is not empty, and reports whether it has changed.
func (t *Topic) update(title string) bool {
	title = line(title)
	t.mu.Lock()
	defer t.mu.Unlock()
	if title == "" || title == t.title {
		return false
	}
	t.title = title
	return true
}

func line(title string) string {
	const most = 200
	runes := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(title, "")), " "))
	if len(runes) > most {
		runes = append(runes[:most-1], '…')
	}
	return string(runes)
}

type updateTopic struct{ topic *Topic }

var spec = tool.Spec{
	Name:        "update_topic",
	DisplayName: "Update Topic Context",
	Aliases:     []string{"UpdateTopicTool"},
	Kind:        tool.KindThink,
	Serial:      true,
	First:       true,
	Description: "Tells the user what you are about to do and why. Call it when work starts and when it enters a new phase, not at every step. Title and " +
		"summary head what follows. It changes nothing, and takes the place of saying the same in text.",
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"strategic_intent":{"type":"string","description":"What comes next and why, in one sentence."},` +
		`"title":{"type":"string","description":"Name of the phase, in a few words."},` +
		`"summary":{"type":"string","description":"What was found or done so far, and what this phase will do, in a few sentences."}` +
		`},"required":["strategic_intent"]}`),
}

func (updateTopic) Spec() *tool.Spec { return &spec }

func (t updateTopic) Build(raw json.RawMessage) (tool.Invocation, error) {
	c := &call{topic: t.topic}
	if err := json.Unmarshal(raw, &c.args); err != nil {
		return nil, fmt.Errorf("read the topic: %w", err)
	}
	return c, nil
}

type call struct {
	topic *Topic
	args  struct {
		Intent  string `json:"strategic_intent"`
		Title   string `json:"title"`
		Summary string `json:"summary"`
	}
}

func (c *call) Summary() string {
	if title := line(c.args.Title); title != "" {
		return title
	}
	return line(c.args.Intent)
}

func (*call) Locations() []tool.Location { return nil }

// Confirmation returns nil: the tool needs no confirmation.
func (*call) Confirmation(context.Context) (tool.Confirmation, error) { return nil, nil }

func (c *call) Run(context.Context, tool.Host) *tool.Result {
	intent, summary := strings.TrimSpace(c.args.Intent), strings.TrimSpace(c.args.Summary)
	text, shown := "Strategic Intent: "+intent, intent
	if c.topic.update(c.args.Title) {
		title := line(c.args.Title)
		text = fmt.Sprintf("Current topic: %s\nTopic summary: %s", `"`+title+`"`, summary)
		if intent != "" {
			text += "\n\nStrategic Intent: " + intent
		}
		shown = strings.Join(present("## "+title, summary, intent), "\n\n")
	}
	return &tool.Result{Content: []llm.Part{llm.Text(text)}, Display: tool.TextDisplay(shown), Summary: c.Summary()}
}

func present(texts ...string) []string {
	var some []string
	for _, t := range texts {
		if t != "" {
			some = append(some, t)
		}
	}
	return some
}
