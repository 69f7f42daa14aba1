// Package nextspeaker decides whether the model continues after a response without tool calls.
// It continues if the response breaks off, or announces a step that the model did not take.
package nextspeaker

import (
	"cmp"
	"context"
	"slices"
	"time"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/jsonquery"
)

// Options configures a [Checker].
type Options struct {
	// Disabled ends the run after every response.
	Disabled bool
	// Generator answers the question if the history alone does not. ResolveModel returns the
	// model to ask and its configuration for an alias in the settings.
	Generator    llm.Generator
	ResolveModel func(question string) (model string, cfg llm.Config, err error)
	// Timeout limits the time for an answer; 0 is 30 s.
	Timeout time.Duration
}

// Checker implements [agent.NextSpeaker]. It may be used by several goroutines at once.
type Checker struct{ o Options }

var _ agent.NextSpeaker = (*Checker)(nil)

// New returns a checker.
func New(o Options) *Checker {
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	return &Checker{o}
}

// Next implements [agent.NextSpeaker]. After an error it returns [llm.RoleUser].
func (c *Checker) Next(ctx context.Context, history []agent.Message) llm.Role {
	if c.o.Disabled || len(history) == 0 {
		return llm.RoleUser
	}
	last := history[len(history)-1].Content
	if last.Role == llm.RoleUser && !hasOnlyResults(last) {
		return llm.RoleUser // there is no response yet
	}
	sent := agent.Curated(history)
	switch {
	case len(sent) == 0:
		return llm.RoleUser
	case hasOnlyResults(last), last.Role == llm.RoleModel && len(last.Parts) == 0:
		return llm.RoleModel
	case sent[len(sent)-1].Content.Role != llm.RoleModel:
		return llm.RoleUser
	}
	contents := make([]*llm.Content, 0, len(sent)+1)
	for _, m := range sent {
		contents = append(contents, m.Content)
	}
	next, err := c.askModel(ctx, append(contents, llm.User(llm.Text(instruction))))
	if err != nil {
		return llm.RoleUser
	}
	return next
}

func hasOnlyResults(c *llm.Content) bool {
	return c.Role == llm.RoleUser && len(c.Parts) > 0 &&
		!slices.ContainsFunc(c.Parts, func(p llm.Part) bool { return p.FunctionResponse == nil })
}

const instruction = `Don't go on with the task for now. Look at your last message alone, the one before this, and say who should speak next: you ("model") or the user ("user"). The first of these rules that fits decides:
1. model: the message breaks off in the middle - of a sentence, a list, a piece of code - or it ends by saying what you do next ("Now I'll run the tests.") and you have not done it.
2. user: the message ends with a question to the user, who has to answer before you can go on.
3. user: everything else. You have said what there was to say.
Answer in JSON: reasoning names the rule and says in one sentence why it fits; next_speaker is "model" or "user".`

const schema = `{"type":"object","properties":{` +
	`"reasoning":{"type":"string"},` +
	`"next_speaker":{"type":"string","enum":["user","model"]}},` +
	`"required":["reasoning","next_speaker"]}`

func (c *Checker) askModel(ctx context.Context, contents []*llm.Content) (llm.Role, error) {
	type answer struct {
		NextSpeaker llm.Role `json:"next_speaker"`
	}
	a, err := jsonquery.Ask(ctx, jsonquery.Question{
		Generator: c.o.Generator, ResolveModel: c.o.ResolveModel, Alias: "next-speaker-checker",
		Contents: contents, Schema: schema, Use: llm.UseNextSpeaker, Timeout: c.o.Timeout,
	}, func(a *answer) bool { return a.NextSpeaker == llm.RoleModel || a.NextSpeaker == llm.RoleUser })
	return a.NextSpeaker, err
}
