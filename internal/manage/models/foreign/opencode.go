package foreign

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/transfer"
	"pollux/llm/provider"
)

// readOpenCode reads provider in OpenCode's configuration.
func readOpenCode(a *Agent, tree map[string]any) (list []*draft, model, of string) {
	providers, _ := tree["provider"].(map[string]any)
	whole, _ := tree["model"].(string)
	of, model, _ = strings.Cut(whole, "/")
	small, _ := tree["small_model"].(string)
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		d := newDraft(a, name, providers[name], openCodeText)
		list = append(list, d)
		d.title = d.text("name")
		isKnown := true
		if d.protocol, isKnown = packageProtocol(d.text("npm")); !isKnown {
			d.Leave("Pollux does not know the protocol of its package")
		}
		options, _ := d.take("options").(map[string]any)
		d.openCodeOptions(maps.Clone(options))
		d.address = cmp.Or(d.address, d.text("api"))
		d.openCodeKey(options)
		d.openCodeModels()
		if rest, ok := strings.CutPrefix(small, name+"/"); ok {
			d.smallModel = rest
		}
		d.take("id")
		d.without("", d.left)
	}
	return list, model, of
}

// openCodeText returns a text with variables of settings in the place of OpenCode's.
func openCodeText(text string) (string, error) {
	if _, err := literal(text); err != nil {
		return "", err
	}
	var err error
	text = regexp.MustCompile(`\{(env|file):([^{}]*)\}`).ReplaceAllStringFunc(text, func(reference string) string {
		kind, name, _ := strings.Cut(strings.Trim(reference, "{}"), ":")
		if kind == "file" || !transfer.IsVariable(name) {
			err = errFile
		}
		return "${" + name + "}"
	})
	if err != nil {
		return "", err
	}
	return text, nil
}

// packageProtocol returns the protocol that a package of npm speaks.
func packageProtocol(name string) (p provider.Protocol, isKnown bool) {
	switch strings.TrimPrefix(name, "@ai-sdk/") {
	case "", "openai-compatible", "@openrouter/ai-sdk-provider", "groq", "mistral", "xai", "cerebras", "deepinfra", "togetherai", "perplexity":
		return provider.Chat, true
	case "openai", "azure":
		return provider.Responses, true
	case "anthropic":
		return provider.Anthropic, true
	case "google":
		return provider.Gemini, true
	case "google-vertex":
		return provider.Vertex, true
	case "google-vertex/anthropic":
		return provider.AnthropicVertex, true
	case "amazon-bedrock":
		return provider.Bedrock, true
	}
	return "", false
}

// openCodeOptions reads the options of a provider.
func (d *draft) openCodeOptions(options map[string]any) {
	if options == nil {
		return
	}
	left := d.left
	d.left = options
	defer func() { d.left = left }()
	d.address = d.text("baseURL")
	d.readHeaders("options.headers", d.take("headers"))
	d.startTimeout, d.idleTimeout = d.seconds("headerTimeout", 1000), d.seconds("chunkTimeout", 1000)
	d.take("apiKey") // openCodeKey reads it
	d.without("options.", d.left)
}

// openCodeKey reads where the key is. OpenCode keeps those that the user has entered in a file of its own.
func (d *draft) openCodeKey(options map[string]any) {
	var vars []string
	list, _ := d.take("env").([]any)
	for _, name := range config.Texts(list) {
		if transfer.IsVariable(name) {
			vars = append(vars, name)
		}
	}
	key, _ := options["apiKey"].(string)
	switch {
	case key != "":
		d.key("options.apiKey", key)
	case len(vars) > 0:
		d.keyVars = vars
	case provider.IsPrivate(d.address):
		d.keyless = true
	default:
		d.keyVars = []string{d.keyVar()}
		d.Change("it has no key: set the variable %s", d.keyVars[0])
	}
}

// openCodeModels reads the models of a provider.
func (d *draft) openCodeModels() {
	models, _ := d.take("models").(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(models)) {
		model, _ := models[name].(map[string]any)
		id, _ := model["id"].(string)
		if id != "" && id != name {
			d.Change("its model %s is called %s", config.Printable(name), config.Printable(id))
		}
		rule := map[string]any{}
		limit, _ := model["limit"].(map[string]any)
		put(rule, "window", limit["context"])
		put(rule, "maxOutput", limit["output"])
		cost, _ := model["cost"].(map[string]any)
		price(rule, cost["input"], cost["output"], cost["cache_read"], cost["cache_write"])
		for theirs, own := range map[string]string{"tool_call": "tools", "reasoning": "thinking", "attachment": "images"} {
			if b, ok := model[theirs].(bool); ok {
				rule[own] = b
			}
		}
		d.addModel(cmp.Or(id, name), rule)
		for _, key := range []string{"headers", "options", "provider", "variants"} {
			if model[key] != nil {
				d.Change("without %s of its model %s", key, config.Printable(name))
			}
		}
	}
}

// price adds a price, in dollars per million tokens, to a rule.
func price(rule map[string]any, input, output, cacheRead, cacheWrite any) {
	in, hasIn := input.(float64)
	out, hasOut := output.(float64)
	if !hasIn || !hasOut || in < 0 || out < 0 {
		return
	}
	p := map[string]any{"input": in, "output": out}
	for key, v := range map[string]any{"cacheRead": cacheRead, "cacheWrite": cacheWrite} {
		if n, ok := v.(float64); ok && n >= 0 {
			p[key] = n
		}
	}
	rule["price"] = p
}
