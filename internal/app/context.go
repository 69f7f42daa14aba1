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
	if _, set := o.Settings.Lookup("modelConfigs"); set {
		price = nil // the user may have named the model, whatever it costs
	}
	return compress.New(compress.Options{
		Generator:    g,
		Conversation: func(model string) llm.Config { return a.Agent.Asks(model) },
		Model:        a.summarizer,
		Price:        price,
		Limit:        func(model string) int { return a.describe(model).Input },

		Threshold: config.CompressionThreshold.In(o.Settings),
		Preserve:  config.CompressionPreserve.In(o.Settings),
		OneCall:   config.CompressionOneCall.In(o.Settings),
		FiveParts: config.CompressionFiveParts.In(o.Settings),
		Shown:     shown,
		Save: func(tool string, n int, text string) (string, error) {
			return saveOutput(o, fmt.Sprintf("%s_%d", tool, n), text)
		},
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
		Save: func(tool, call, text string) (string, error) { return saveOutput(o, tool+"_"+call, text) },
		Warn: func(text string) { o.Log.Warn("mask: " + text) },
	})
}

// summarizer returns who writes the summary of a conversation that this model
// leads: with another vendor than Google, which has no name for it, the provider's
// small model.
func (a *App) summarizer(model string) (string, llm.Config, error) {
	name, how, err := a.configs.Utility(compress.Alias(model))
	if err != nil || name != model || a.models == nil || catalog.IsGemini(model) {
		return name, how, err
	}
	m, err := a.models.find(model)
	if err != nil || m.account.SmallModel == "" {
		return name, how, nil
	}
	small, _, err := a.models.main(m.account.ID + "/" + m.account.SmallModel)
	if err != nil {
		return name, how, nil
	}
	return small, how, nil
}

// saveOutput keeps what a tool has said, under a name of its own, in a file that
// the model can read.
func saveOutput(o Options, name, text string) (string, error) {
	dir, err := outputDir(o)
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
