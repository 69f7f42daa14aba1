package modelconfig

import (
	"sync"

	"pollux/llm"
	"pollux/llm/catalog"
)

// chatBase is the alias that all chat aliases extend.
const chatBase = "chat-base"

// family returns the built-in chat alias for a model.
func family(model string) string {
	t := catalog.ChatConfig(model).Thinking
	switch {
	case t == nil || !catalog.IsGemini(model):
		return chatBase
	case t.Budget != nil:
		return chatBase + "-2.5"
	case t.Level != "":
		return chatBase + "-3"
	}
	return chatBase
}

// builtinOverrides returns the overrides that apply without settings: after an unusable
// response, the request is repeated at temperature 1.
func builtinOverrides() []*override {
	return []*override{{on: new(chatBase), retry: new(true), config: tree{"temperature": 1.0}, builtin: true}}
}

// builtins returns the built-in aliases. The caller must not change them.
var builtins = sync.OnceValue(func() map[string]*alias {
	aliases := map[string]*alias{}
	for _, row := range append(utilities(), chats()...) {
		aliases[row.name] = &alias{extends: row.extends, model: row.model, config: row.config, builtin: true}
	}
	return aliases
})

// row is an alias of the table. An alias that extends no other sends no sampling parameters.
type row struct {
	name, extends, model string
	config               tree
}

// chats returns the aliases for chats. The catalog defines the settings of Gemini's model
// families.
func chats() []row {
	thinking := func(model, name string) tree {
		k, _ := encode(catalog.ChatConfig(model))["thinkingConfig"].(tree)
		return tree{"thinkingConfig": tree{name: k[name]}}
	}
	rows := []row{
		{chatBase, "base", "", encode(catalog.ChatConfig("gemini-2.0-flash"))}, // a model without thinking settings
		{chatBase + "-2.5", chatBase, "", thinking(catalog.Pro25, "thinkingBudget")},
		{chatBase + "-3", chatBase, "", thinking(catalog.Pro3, "thinkingLevel")},
	}
	for _, model := range []string{
		catalog.Pro25, catalog.Flash25, catalog.Lite25,
		catalog.Pro3, catalog.Pro31, catalog.Pro31 + "-customtools", catalog.Flash3, catalog.Lite31,
		catalog.Flash35, catalog.Lite35, catalog.Flash38,
	} {
		rows = append(rows, row{model, family(model), model, nil})
	}
	return rows
}

// utilities returns the aliases for Pollux's own requests. Users' settings refer to them by
// these names.
func utilities() []row {
	tokens := func(n int) tree { return encode(llm.Config{MaxOutputTokens: n}) }
	budget := func(n int) tree { return encode(llm.Config{Thinking: &llm.Thinking{Budget: new(n)}}) }
	heat := func(t float64) tree { return encode(llm.Config{Temperature: new(t)}) }
	tool := func(name string) tree { return tree{"tools": []any{tree{name: tree{}}}} }
	all := func(parts ...tree) tree {
		whole := tree{}
		for _, part := range parts {
			whole = merge(whole, part)
		}
		return whole
	}
	const lite, flash = "flash-lite", "gemini-3-flash-base"
	return []row{
		{"base", "", "", all(heat(0), tree{"topP": 1.0})},
		{"gemini-2.5-flash-base", "base", catalog.Flash25, nil},
		{"gemini-3-flash-base", "base", catalog.Flash3, nil},
		{"gemini-3.5-flash-base", "base", catalog.Flash35, nil},

		{"classifier", "base", lite, all(tokens(1024), budget(512))},
		{"prompt-completion", "base", lite, all(heat(0.3), tokens(16000), budget(0))},
		{"fast-ack-helper", "base", lite, all(heat(0.2), tokens(120), budget(0))},
		{"edit-corrector", "base", lite, budget(0)},
		{"summarizer-default", "base", lite, tokens(2000)},
		{"summarizer-shell", "base", lite, tokens(2000)},

		{"web-search", flash, "", tool("googleSearch")},
		{"web-fetch", flash, "", tool("urlContext")},
		{"web-fetch-fallback", flash, "", nil},

		{"loop-detection", flash, "", nil},
		{"loop-detection-double-check", "base", catalog.Pro3, nil},
		{"next-speaker-checker", flash, "", nil},
		{"llm-edit-fixer", flash, "", nil},
		{"context-snapshotter", flash, "", all(heat(1), tree{"thinkingConfig": tree{"thinkingLevel": "HIGH"}})},

		{"chat-compression-3-pro", "", catalog.Pro3, nil},
		{"chat-compression-3-flash", "", catalog.Flash3, nil},
		{"chat-compression-3.1-flash-lite", "", catalog.Lite31, nil},
		{"chat-compression-2.5-pro", "", catalog.Pro25, nil},
		{"chat-compression-2.5-flash", "", catalog.Flash25, nil},
		{"chat-compression-2.5-flash-lite", "", catalog.Lite25, nil},
		{"chat-compression-default", "", catalog.Pro3, nil},
		{"agent-history-provider-summarizer", "", catalog.Flash3, nil},
	}
}
