package session

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/agent/mask"
	"pollux/agent/shorten"
	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/llm/catalog"
)

// compressor keeps a conversation within its model's window. requestConfig returns the configuration of its requests.
func (s *Session) compressor(g llm.Generator, requestConfig func(model string) llm.Config) agent.Compressor {
	shown := config.TruncateToolOutput.In(s.Project.Settings())
	if shown <= 0 {
		shown = -1 // all, as elsewhere
	}
	price := func(model string) *catalog.Price { return s.models.Describe(model).Price }
	chosen := choosesSummarizer(s.Project.Settings())
	if chosen {
		price = nil // it is asked whatever it costs
	}
	return s.records.Compressor(compress.New(compress.Options{
		Generator:     g,
		RequestConfig: requestConfig,
		SummaryModel:  func(model string) (string, llm.Config, error) { return s.summarizer(model, chosen) },
		Price:         price,
		Limit:         func(model string) int { return s.models.Describe(model).Input },

		Threshold:        config.CompressionThreshold.In(s.Project.Settings()),
		Preserve:         config.CompressionPreserve.In(s.Project.Settings()),
		SkipVerification: config.CompressionOneCall.In(s.Project.Settings()),
		FiveSections:     config.CompressionFiveParts.In(s.Project.Settings()),
		KeptChars:        shown,
		Save: func(tool string, _ int, text string) (string, error) {
			return s.saveOutput(tool, text)
		},
		PlanPath: s.plans.approved,
		Warn:     s.warnOfSummary(),
	}))
}

// warnOfSummary returns what warns the user of a summary that failed: of each reason once,
// because the next one may fail for the same.
func (s *Session) warnOfSummary() func(text string) {
	warned := map[string]bool{}
	return func(text string) {
		if warned[text] || len(warned) == maxSummaryWarnings {
			s.Project.Log.Warn("compress: " + text)
			return
		}
		warned[text] = true
		s.Project.Warn("Warning: " + terminal.Line(text))
	}
}

// maxSummaryWarnings limits the warnings of one session, whose reasons may differ in an id.
const maxSummaryWarnings = 5

// masker moves old tool results out of the history into files; nil if the user wants to
// keep them in the history.
func (s *Session) masker() agent.Masker {
	if !config.MaskToolOutputs.In(s.Project.Settings()) {
		return nil
	}
	return mask.New(mask.Options{
		Save: func(tool, _, text string) (string, error) { return s.saveOutput(tool, text) },
		Warn: func(text string) { s.Project.Log.Warn("mask: " + text) },
	})
}

// shortener cuts tool results that do not fit the model's window.
func (s *Session) shortener() agent.Shortener {
	return shorten.New(shorten.Options{
		Save: func(tool, _, text string) (string, error) { return s.saveOutput(tool, text) },
		Warn: func(text string) { s.Project.Log.Warn("shorten: " + text) },
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
func (s *Session) summarizer(model string, chosen bool) (string, llm.Config, error) {
	name, how, err := s.models.UtilityConfig(compress.Alias(model))
	if err != nil || chosen || !s.models.HasProvider() || catalog.IsGemini(model) {
		return name, how, err
	}
	if usual, err := s.models.Resolve(catalog.Pro3); err != nil || name != usual {
		return name, how, nil // the user's choice
	}
	account, _, ok := s.models.Provider(model)
	if !ok || account.SmallModel == "" {
		return "", llm.Config{}, nil
	}
	small, err := s.models.Resolve(account.ConfiguredID + "/" + account.SmallModel)
	if err != nil {
		return "", llm.Config{}, nil
	}
	return small, how, nil
}

// saveOutput writes tool output to a new file that the model can read, and returns its
// path. The file has the given name, which may be any string, and the next free number.
func (s *Session) saveOutput(name, text string) (string, error) {
	dir, err := s.outputDir()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := durable.CreateNumbered(dir, name)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = cmp.Or(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(f.Name()) // the first error counts
		return "", err
	}
	return f.Name(), nil
}
