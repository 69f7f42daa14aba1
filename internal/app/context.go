package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/agent/mask"
	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/editor"
	"pollux/llm"
	"pollux/llm/catalog"
)

// compressor keeps the conversation within the model's window.
func (a *App) compressor(o Options, g llm.Generator) agent.Compressor {
	shown := config.TruncateToolOutput.In(o.Settings)
	if shown <= 0 {
		shown = -1 // all, as elsewhere
	}
	price := func(model string) *catalog.Price { return a.describe(model).Price }
	chosen := choosesSummarizer(o.Settings)
	if chosen {
		price = nil // it is asked whatever it costs
	}
	return compress.New(compress.Options{
		Generator:    g,
		Conversation: func(model string) llm.Config { return a.Agent.Asks(model) },
		Model:        func(model string) (string, llm.Config, error) { return a.summarizer(model, chosen) },
		Price:        price,
		Limit:        func(model string) int { return a.describe(model).Input },

		Threshold: config.CompressionThreshold.In(o.Settings),
		Preserve:  config.CompressionPreserve.In(o.Settings),
		OneCall:   config.CompressionOneCall.In(o.Settings),
		FiveParts: config.CompressionFiveParts.In(o.Settings),
		Shown:     shown,
		Save: func(tool string, n int, text string) (string, error) {
			return a.saveOutput(fmt.Sprintf("%s_%d", tool, n), text)
		},
		Plan: a.modes.approved,
		Warn: func(text string) { o.Log.Warn("compress: " + text) },
	})
}

// masker puts what tools said long ago out of the model's sight; nil if the user
// wants it left there.
func (a *App) masker(o Options) agent.Masker {
	if !config.MaskToolOutputs.In(o.Settings) {
		return nil
	}
	return mask.New(mask.Options{
		Save: func(tool, call, text string) (string, error) { return a.saveOutput(tool+"_"+call, text) },
		Warn: func(text string) { o.Log.Warn("mask: " + text) },
	})
}

// choosesSummarizer reports whether the user has said who writes summaries.
func choosesSummarizer(s *config.Settings) bool {
	configs, _ := s.Lookup("modelConfigs")
	return strings.Contains(fmt.Sprint(configs), "chat-compression-")
}

// summarizer returns who writes the summary of a conversation that this model
// leads, "" where that is left to the model. Those built in are Google's; elsewhere
// the provider's small model takes their place, and not its default one, which may
// cost more than the user has asked for, or not be there.
func (a *App) summarizer(model string, chosen bool) (string, llm.Config, error) {
	name, how, err := a.configs.Utility(compress.Alias(model))
	if err != nil || chosen || a.models == nil || catalog.IsGemini(model) {
		return name, how, err
	}
	if usual, err := a.named(catalog.Pro3); err != nil || name != usual {
		return name, how, nil // the user's choice
	}
	m, err := a.models.find(model)
	if err != nil || m.account.SmallModel == "" {
		return "", llm.Config{}, nil
	}
	small, _, err := a.models.main(m.account.As + "/" + m.account.SmallModel)
	if err != nil {
		return "", llm.Config{}, nil
	}
	return small, how, nil
}

// saveOutput keeps what a tool has said, under a name of its own, in a file that
// the model can read.
func (a *App) saveOutput(name, text string) (string, error) {
	dir, err := a.outputDir()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, strings.ToLower(name))
	path := filepath.Join(dir, name[:min(len(name), 200)]+".txt")
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); err != nil {
			break
		}
		path = filepath.Join(dir, fmt.Sprintf("%s_%d.txt", name[:min(len(name), 200)], n))
	}
	return path, durable.WriteFile(path, []byte(text), 0o600)
}

// editorOf tells the model what the person has open; nil where nobody knows.
func editorOf(o Options) agent.Editor {
	if o.Editor == nil {
		return nil
	}
	return editor.New(o.Editor)
}
