package models

import (
	"strings"

	"pollux/llm"
)

// effort is the level of thinking that the user has chosen for a model.
type effort struct{ model, level string }

// UseEffort makes a model, by its name in requests, think as much as a level says, which is one of its [catalog.Model] Efforts. "" is
// the level of the settings. It replaces the choice for another model.
func (d *Directory) UseEffort(model, level string) { d.effort.Store(&effort{model, level}) }

// Effort returns the level that was chosen for a model, "" for none.
func (d *Directory) Effort(model string) string {
	if e := d.effort.Load(); e != nil && e.model == model {
		return e.level
	}
	return ""
}

// ChatConfig returns the configuration of a chat with a model, as [modelconfig.Resolver.ChatConfig] does, with the level of thinking that
// the user has chosen for the model.
func (d *Directory) ChatConfig(model string, retry bool) llm.Config {
	c := d.Resolver.ChatConfig(model, retry)
	level := d.Effort(model)
	if level == "" {
		return c
	}
	thinking := llm.Thinking{IncludeThoughts: true}
	if c.Thinking != nil {
		thinking = *c.Thinking
	}
	thinking.Level, thinking.Budget = strings.ToUpper(level), nil
	c.Thinking = &thinking
	return c
}
