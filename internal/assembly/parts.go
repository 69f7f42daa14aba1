package assembly

import (
	"fmt"
	"strings"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/agent/loopdetect"
	"pollux/agent/mask"
	"pollux/agent/nextspeaker"
	"pollux/agent/route"
	"pollux/agent/shorten"
	"pollux/agent/unfinished"
	"pollux/internal/config"
	"pollux/internal/models"
	"pollux/internal/records"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/llm/catalog"
)

// compressor keeps a conversation within its model's window. requestConfig returns the configuration of its requests.
func (b *Builder) compressor(requestConfig func(model string) llm.Config) agent.Compressor {
	shown, _ := config.OutputLimits(b.Project.Settings())
	if shown == 0 {
		shown = -1 // all, as elsewhere
	}
	price := func(model string) *catalog.Price { return b.Models.Describe(model).Price }
	chosen := choosesSummarizer(b.Project.Settings())
	if chosen {
		price = nil // it is asked whatever it costs
	}
	separate := config.CompressionSeparate.In(b.Project.Settings())
	set, _ := b.Project.Settings().Lookup(string(config.CompressionThreshold))
	threshold, _ := set.(float64) // 0 is the default, which depends on the window
	return b.Records.Compressor(compress.New(compress.Options{
		Generator:     b.Generator,
		RequestConfig: requestConfig,
		SummaryModel: func(model string) (string, llm.Config, error) {
			if separate {
				return "", llm.Config{}, nil
			}
			return b.summarizer(model, chosen)
		},
		Price: price,
		Limit: func(model string) int { return b.Models.Describe(model).Input },

		Threshold:        threshold,
		Preserve:         config.CompressionPreserve.In(b.Project.Settings()),
		SkipVerification: config.CompressionOneCall.In(b.Project.Settings()),
		FiveSections:     config.CompressionFiveParts.In(b.Project.Settings()),
		Separate:         separate,
		GiveUp:           config.CompressionGiveUp.In(b.Project.Settings()),
		CountTokens:      config.CompressionCount.In(b.Project.Settings()),
		KeptChars:        shown,
		Save: func(tool string, _ int, text string) (string, error) {
			return b.Outputs.Save(tool, text)
		},
		PlanPath: b.Plan,
		Facts:    b.facts,
		Warn:     b.warnOfSummary(),
	}))
}

// warnOfSummary returns a function that warns the user of a summary that failed: of each reason once,
// because the next one may fail for the same.
func (b *Builder) warnOfSummary() func(text string) {
	warned := map[string]bool{}
	return func(text string) {
		if warned[text] || len(warned) == maxSummaryWarnings {
			b.Project.Log.Warn("compress: " + text)
			return
		}
		warned[text] = true
		b.Project.Warn("Warning: " + terminal.Line(text))
	}
}

// maxSummaryWarnings limits the warnings of one session, whose reasons may differ in an id.
const maxSummaryWarnings = 5

// masker moves old tool results out of the history into files; nil if the user wants to
// keep them in the history.
func (b *Builder) masker() agent.Masker {
	if !config.MaskToolOutputs.In(b.Project.Settings()) {
		return nil
	}
	return mask.New(mask.Options{
		Save: func(tool, _, text string) (string, error) { return b.Outputs.Save(tool, text) },
		Warn: func(text string) { b.Project.Log.Warn("mask: " + text) },
	})
}

// shortener cuts tool results that do not fit the model's window.
func (b *Builder) shortener() agent.Shortener {
	return shorten.New(shorten.Options{
		Save: func(tool, _, text string) (string, error) { return b.Outputs.Save(tool, text) },
		Warn: func(text string) { b.Project.Log.Warn("shorten: " + text) },
	})
}

// choosesSummarizer reports whether the user has chosen the model that writes summaries.
func choosesSummarizer(s *config.Settings) bool {
	configs, _ := s.Lookup("modelConfigs")
	return strings.Contains(fmt.Sprint(configs), "chat-compression-")
}

// summarizer returns the model that writes the summary of a conversation with this
// model, "" for the model itself. The built-in summarizers are Google's. With another
// provider, its small model replaces them; its default model may cost more than the
// user expects, or not exist.
func (b *Builder) summarizer(model string, chosen bool) (string, llm.Config, error) {
	name, how, err := b.Models.UtilityConfig(compress.Alias(model))
	if err != nil || chosen || !b.Models.HasProvider() || catalog.IsGemini(model) {
		return name, how, err
	}
	if usual, err := b.Models.Resolve(catalog.Pro3); err != nil || name != usual {
		return name, how, nil // the user's choice
	}
	account, _, ok := b.Models.Provider(model)
	if !ok || account.SmallModel == "" {
		return "", llm.Config{}, nil
	}
	small, err := b.Models.Resolve(account.ConfiguredID + "/" + account.SmallModel)
	if err != nil {
		return "", llm.Config{}, nil
	}
	return small, how, nil
}

// router picks the model for each prompt; nil where there is nothing to pick from. current returns the
// model that the user has chosen.
func (b *Builder) router(current func() models.Current) agent.Router {
	if !b.Models.HasProvider() {
		return nil
	}
	options := route.Options{
		Select: b.Fallback.Select, Generator: b.Generator, ResolveModel: b.Models.UtilityConfig,
		Threshold: config.RoutingThreshold.In(b.Project.Settings()), Binary: config.RoutingBinary.In(b.Project.Settings()),
		OnDecision: b.recordRoute,
	}
	when := config.Routing.In(b.Project.Settings())
	options.Auto = func() (route.Choice, bool) {
		now := current()
		if !b.Models.IsGoogle() {
			return route.Choice{}, false
		}
		choice, auto := route.AutoChoice(now.Requested, now.Account.Gemini())
		choice.UseClassifier = when == "always" || when == "named" && now.IsExplicit
		return choice, auto
	}
	if config.PlanModelRouting.In(b.Project.Settings()) {
		options.Stage = b.Stage
	}
	return route.New(options)
}

// loops returns the detector of models that repeat themselves.
func (b *Builder) loops() *loopdetect.Detector {
	return loopdetect.New(loopdetect.Options{
		MaxCycle:     config.LoopMaxCycle.In(b.Project.Settings()),
		Interval:     config.LoopInterval.In(b.Project.Settings()),
		SingleJudge:  config.LoopSingle.In(b.Project.Settings()),
		Generator:    b.Generator,
		ResolveModel: b.Models.UtilityConfig,
		OnJudgement: func(id string, j loopdetect.Judgement) {
			b.Records.Emit(records.LoopChecked{PromptID: id, First: j.First, Model: j.Model, Second: j.Second})
		},
		IsOff: func() bool { return b.loopsAllowed.Load() || config.DisableLoopDetection.In(b.Project.Settings()) },
	})
}

// NextSpeaker returns the judge of who speaks after a response without tool calls.
func (b *Builder) NextSpeaker() agent.NextSpeaker {
	off := config.SkipNextSpeaker.In(b.Project.Settings())
	n := nextspeaker.New(nextspeaker.Options{Disabled: off, Generator: b.Generator, ResolveModel: b.Models.UtilityConfig})
	if off {
		return n // there is nothing to record
	}
	return b.Records.NextSpeaker(n)
}

// Unfinished returns the function that finds responses that leave work undone. It is nil where the next
// speaker is asked for, which finds them too. A plan announces work, so that it is no such
// response.
func (b *Builder) Unfinished() func(agent.Ending) bool {
	if !config.Nudge.In(b.Project.Settings()) || !config.SkipNextSpeaker.In(b.Project.Settings()) {
		return nil
	}
	return func(e agent.Ending) bool { return !b.IsPlanning() && unfinished.Check(e) }
}

// recordRoute records a decision about the model.
func (b *Builder) recordRoute(id string, d route.Decision) {
	b.Project.Log.Debug("routed", "prompt", id, "model", d.Model, "source", d.Source, "latency", d.Latency, "reasoning", d.Reasoning, "err", d.Err)
	b.Records.Emit(records.ModelRouted{PromptID: id, Model: d.Model, Source: d.Source, Took: d.Latency, Reasoning: d.Reasoning, Err: d.Err})
}
