// Package assembly builds agents from the user's settings: the models with their decorators, and for the session's
// agent and its subagents alike the compressor, the router and the other helpers of the loop.
package assembly

import (
	"sync/atomic"
	"time"

	"pollux/agent"
	"pollux/agent/route"
	"pollux/internal/check"
	"pollux/internal/config"
	"pollux/internal/models"
	"pollux/internal/project"
	"pollux/internal/record"
	"pollux/internal/records"
	"pollux/internal/summary"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/fallback"
	"pollux/llm/texttool"
	"pollux/tool"
)

// Base returns the configuration of an agent with the user's settings for models. Generator, Model, Tools and Gate
// must be set.
func Base(m *models.Directory, s *config.Settings) agent.Config {
	return agent.Config{
		Sampling:           m.ChatConfig,
		Limit:              func(model string) int { return m.Describe(model).Input },
		Retry:              streamRetry(s),
		DropInvalidPrompts: config.HistoryDropInvalid.In(s),
		ContinueInvalid:    config.InvalidAnswerContinue.In(s),
		ForgetCancelled:    config.HistoryForget.In(s),
		StopAtLoop:         config.LoopStop.In(s),
		Share:              config.RequestShare.In(s),
	}
}

// streamRetry returns how often an unusable answer is asked for again: never more
// often than a failed request.
func streamRetry(s *config.Settings) agent.StreamRetry {
	attempts := config.MaxAttempts.In(s)
	if attempts <= 0 {
		attempts = 10 // as for requests
	}
	return agent.StreamRetry{
		Attempts: max(1, min(config.InvalidAnswerAttempts.In(s), attempts)),
		Delay:    time.Duration(config.InvalidAnswerDelay.In(s) * float64(time.Second)),
		Linear:   config.InvalidAnswerLinear.In(s),
	}
}

// Builder builds the agents of a session.
type Builder struct {
	Project   *project.Project
	Models    *models.Directory
	Generator llm.Generator
	// Fallback finds models that stand in, nil for none.
	Fallback *fallback.Generator
	Records  *records.Stream
	// Outputs keeps text that is too long for the model.
	Outputs *record.Outputs
	// Checks are the checks of files that the agents edit, nil for none.
	Checks *check.Checks
	// Summaries replace long outputs of tools, nil for none.
	Summaries *summary.Writer
	// Plan returns the path of the plan that is carried out, "" for none, and Stage where the session stands with it.
	Plan  func() string
	Stage func() route.Stage
	// Running lists the commands that run in the background, one on a line. It may be nil.
	Running func() string

	loopsAllowed atomic.Bool
}

// Agent builds an agent that the model of current answers, and whose configuration set completes.
func (b *Builder) Agent(current func() models.Current, set func(*agent.Config)) *agent.Agent {
	var a *agent.Agent
	c := Base(b.Models, b.Project.Settings())
	c.Generator, c.Model, c.Form = b.Generator, current().Model, b.Form
	c.ToolRoom, c.Router = b.toolRoom, b.router(current)
	c.Compressor = b.compressor(func(model string) llm.Config { return a.RequestConfig(model) })
	c.Masker = b.Records.Masker(b.masker())
	c.Shortener = b.shortener()
	c.LoopDetector = b.loops()
	if b.Checks != nil {
		c.Reviewer = b.Checks.Reviewer()
	}
	if b.Fallback != nil {
		c.StandIn = b.Fallback.Fail
	}
	set(&c)
	c.Parallel = b.parallel(c.Hooks)
	a = agent.New(c)
	return a
}

// parallel returns the rule for calls that run at the same time. Hooks may change files that the effect of a call
// does not name, so with hooks around calls only tools that read run side by side, unless the user wants more.
func (b *Builder) parallel(hooks agent.Hooks) func() agent.Parallel {
	around, _ := hooks.(interface{ SeesCalls() bool })
	return func() agent.Parallel {
		rule := agent.Parallel(config.Parallel.In(b.Project.Settings()))
		if rule == agent.ParallelEffects && around != nil && around.SeesCalls() {
			return agent.ParallelAsked
		}
		return rule
	}
}

// IsPlanning reports whether the session is in plan mode.
func (b *Builder) IsPlanning() bool { return b.Stage() == route.Planning }

// Form returns how much the instruction and the tools say to a model with a context window of
// this size in tokens, 0 if it is unknown.
func (b *Builder) Form(model string, window int) tool.Form {
	switch {
	case b.IsCompact(model, window):
		return tool.Compact
	case catalog.IsModern(model):
		return tool.Brief
	}
	return tool.Full
}

// toolRoom returns the number of tokens that the tools of servers may take in a window of this size, negative for any.
func (b *Builder) toolRoom(window int) int {
	switch mode := config.ToolSearch.In(b.Project.Settings()); {
	case mode == "on":
		return 0
	case mode == "off", window == 0:
		return -1
	}
	return max(0, int(config.ToolSearchShare.In(b.Project.Settings())*float64(window)))
}

// IsCompact reports whether a model gets the compact form.
func (b *Builder) IsCompact(model string, window int) bool {
	switch config.Instructions.In(b.Project.Settings()) {
	case "compact":
		return true
	case "full":
		return false
	}
	return catalog.IsSmall(window) || b.Fallback != nil && texttool.IsText(b.Fallback, model)
}
