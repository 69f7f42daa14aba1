// Package nextspeaker says who should speak after an answer that asks for no
// tool (spec/agent.md §15): the user, or the model once more, because it broke
// off or said what it was about to do and did not do it.
package nextspeaker

import (
	"context"
	"slices"
	"time"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/ask"
)

// Options are what a [Checker] needs.
type Options struct {
	// Off lets the user speak after every answer.
	Off bool
	// Generator is asked where the history alone does not tell. Which says, by
	// alias, what model is asked and how.
	Generator llm.Generator
	Which     func(question string) (model string, cfg llm.Config, err error)
	// Patience is how long an answer may take; 30 s where it is 0.
	Patience time.Duration
}

// Checker implements [agent.NextSpeaker]. It may be used by several goroutines.
type Checker struct{ o Options }

var _ agent.NextSpeaker = (*Checker)(nil)

// New returns a checker.
func New(o Options) *Checker {
	if o.Patience == 0 {
		o.Patience = 30 * time.Second
	}
	return &Checker{o}
}

// Next implements [agent.NextSpeaker]. Whatever goes wrong, the user speaks.
func (c *Checker) Next(ctx context.Context, history []agent.Message) llm.Role {
	if c.o.Off || len(history) == 0 {
		return llm.RoleUser
	}
	last := history[len(history)-1].Content
	if last.Role == llm.RoleUser && !onlyResults(last) {
		return llm.RoleUser // nobody has answered yet
	}
	sent := agent.Curated(history)
	switch {
	case len(sent) == 0:
		return llm.RoleUser
	case onlyResults(last), last.Role == llm.RoleModel && len(last.Parts) == 0:
		return llm.RoleModel
	case sent[len(sent)-1].Content.Role != llm.RoleModel:
		return llm.RoleUser
	}
	contents := make([]*llm.Content, 0, len(sent)+1)
	for _, m := range sent {
		contents = append(contents, m.Content)
	}
	next, err := c.ask(ctx, append(contents, llm.User(llm.Text(instruction))))
	if err != nil {
		return llm.RoleUser
	}
	return next
}

func onlyResults(c *llm.Content) bool {
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

// ask puts the question to a model.
func (c *Checker) ask(ctx context.Context, contents []*llm.Content) (llm.Role, error) {
	type answer struct {
		NextSpeaker llm.Role `json:"next_speaker"`
	}
	a, err := ask.JSON(ctx, ask.Question{
		Generator: c.o.Generator, Which: c.o.Which, Alias: "next-speaker-checker",
		Contents: contents, Schema: schema, Use: llm.UseNextSpeaker, Patience: c.o.Patience,
	}, func(a *answer) bool { return a.NextSpeaker == llm.RoleModel || a.NextSpeaker == llm.RoleUser })
	return a.NextSpeaker, err
}
