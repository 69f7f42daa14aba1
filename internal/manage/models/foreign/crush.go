package foreign

import (
	"maps"
	"slices"

	"pollux/internal/config"
	"pollux/llm/provider"
)

// readCrush reads providers in Crush's configuration.
func readCrush(a *Agent, tree map[string]any) (list []*draft, model, of string) {
	providers, _ := tree["providers"].(map[string]any)
	models, _ := tree["models"].(map[string]any)
	large, _ := models["large"].(map[string]any)
	small, _ := models["small"].(map[string]any)
	model, _ = large["model"].(string)
	of, _ = large["provider"].(string)
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		d := newDraft(a, name, providers[name], shellLike)
		list = append(list, d)
		d.title, d.address = d.text("name"), d.text("base_url")
		kind := d.text("type")
		isKnown := true
		if d.protocol, isKnown = crushProtocol(kind); !isKnown {
			d.Leave("Pollux does not know its type %s", config.Printable(kind))
		}
		if d.take("disable") == true {
			d.Leave("it is disabled")
		}
		key, _ := d.take("api_key").(string)
		d.key("api_key", key)
		if key == "" {
			d.keyless = provider.IsPrivate(d.address)
			if !d.keyless {
				d.keyVars = []string{d.keyVar()}
				d.Change("it has no api_key: set the variable %s", d.keyVars[0])
			}
		}
		d.readHeaders("extra_headers", d.take("extra_headers"))
		if extra, ok := d.left["extra_body"].(map[string]any); ok && (d.protocol == provider.Chat || d.protocol == provider.Responses) {
			d.extra = extra
			d.take("extra_body")
		}
		d.crushModels()
		if small["provider"] == name {
			d.smallModel, _ = small["model"].(string)
		}
		d.take("id")
		d.without("", d.left)
	}
	return list, model, of
}

// crushProtocol returns the protocol of a type of provider.
func crushProtocol(kind string) (p provider.Protocol, isKnown bool) {
	switch kind {
	case "", "openai-compat", "openai", "openrouter":
		return provider.Chat, true
	case "anthropic":
		return provider.Anthropic, true
	case "gemini", "google":
		return provider.Gemini, true
	case "vertexai", "google-vertex":
		return provider.Vertex, true
	case "bedrock":
		return provider.Bedrock, true
	case "azure":
		return provider.Responses, true
	}
	return "", false
}

// crushModels reads the models of a provider.
func (d *draft) crushModels() {
	models, _ := d.take("models").([]any)
	for _, one := range models {
		model, _ := one.(map[string]any)
		name, _ := model["id"].(string)
		rule := map[string]any{}
		put(rule, "window", model["context_window"])
		put(rule, "maxOutput", model["default_max_tokens"])
		price(rule, model["cost_per_1m_in"], model["cost_per_1m_out"], known(model["cost_per_1m_out_cached"]), known(model["cost_per_1m_in_cached"]))
		for theirs, own := range map[string]string{"can_reason": "thinking", "supports_attachments": "images", "supports_images": "images"} {
			if b, ok := model[theirs].(bool); ok {
				rule[own] = b
			}
		}
		d.addModel(name, rule)
	}
}

// known returns a price, nil for 0, which Crush has for a price that is not known.
func known(v any) any {
	if v == 0.0 {
		return nil
	}
	return v
}
