package foreign

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"pollux/internal/transfer"
	"pollux/llm/provider"
)

// readQwen reads modelProviders in Qwen Code's settings: lists of models by the type of sign-in. Models with the same address, key and headers
// are those of one provider.
func readQwen(a *Agent, tree map[string]any) (list []*draft, model, of string) {
	types, _ := tree["modelProviders"].(map[string]any)
	var refused []*draft
	for _, kind := range slices.Sorted(maps.Keys(types)) {
		models, isList := types[kind].([]any)
		protocol, isKnown := qwenProtocol(kind)
		if !isList || !isKnown {
			d := newDraft(a, kind, map[string]any{}, ownText)
			d.Leave("Pollux has no such sign-in")
			refused = append(refused, d)
			continue
		}
		for _, one := range models {
			list = join(list, newQwen(a, kind, protocol, one))
		}
	}
	for i, d := range list {
		for n := 2; slices.ContainsFunc(list[:i], func(other *draft) bool { return other.name == d.name }); n++ {
			d.name = fmt.Sprintf("%s-%d", d.id, n) // another key for the same host
		}
		d.id = d.name
	}
	chosen, _ := tree["model"].(map[string]any)
	model, _ = chosen["name"].(string)
	if i := slices.IndexFunc(list, func(d *draft) bool { return slices.Contains(d.names, model) }); i >= 0 {
		of = list[i].name
	}
	return append(list, refused...), model, of
}

// join adds the model of a draft to the provider in the list that has it, or the draft to the list.
func join(list []*draft, d *draft) []*draft {
	i := slices.IndexFunc(list, d.isLike)
	if i < 0 || d.Result == transfer.LeftOut {
		return append(list, d)
	}
	list[i].names, list[i].rules = append(list[i].names, d.names...), append(list[i].rules, d.rules...)
	for _, note := range d.Notes {
		list[i].Change("%s", note)
	}
	return list
}

// isLike reports whether the models of two drafts have the same provider.
func (d *draft) isLike(other *draft) bool {
	return d.protocol == other.protocol && d.address == other.address && slices.Equal(d.keyVars, other.keyVars) && encoded(d.headers) == encoded(other.headers)
}

// qwenProtocol returns the protocol for a type of sign-in. The sign-in of Qwen's own service is none.
func qwenProtocol(kind string) (p provider.Protocol, isKnown bool) {
	switch kind {
	case "openai":
		return provider.Chat, true
	case "anthropic":
		return provider.Anthropic, true
	case "gemini":
		return provider.Gemini, true
	}
	return "", false
}

// ownText returns a text in which $NAME and ${NAME} are variables, as in settings.
func ownText(text string) (string, error) { return text, nil }

// newQwen reads a model as a provider with one model.
func newQwen(a *Agent, kind string, protocol provider.Protocol, v any) *draft {
	d := newDraft(a, kind, v, ownText)
	model := d.text("id")
	d.protocol, d.address = protocol, d.text("baseUrl")
	if u, err := url.Parse(d.address); err == nil && u.Host != "" {
		d.Name = u.Host
		d.name = strings.Trim(strings.ToLower(strings.ReplaceAll(transfer.VariableWord(strings.TrimPrefix(u.Host, "api.")), "_", "-")), "-")
		d.id = d.name
	}
	switch key := d.text("envKey"); {
	case transfer.IsVariable(key):
		d.keyVars = []string{key}
	case key != "":
		d.key("envKey", key) // where a key is by mistake
	case provider.IsPrivate(d.address):
		d.keyless = true
	default:
		d.keyVars = []string{d.keyVar()}
		d.Change("it has no envKey: set the variable %s", d.keyVars[0])
	}
	rule := map[string]any{}
	members, _ := d.take("generationConfig").(map[string]any)
	left := maps.Clone(members)
	put(rule, "window", left["contextWindowSize"])
	delete(left, "contextWindowSize")
	kinds, _ := left["modalities"].(map[string]any)
	capabilities, _ := d.take("capabilities").(map[string]any)
	if vision, ok := capabilities["vision"].(bool); ok {
		rule["images"] = vision
	}
	for theirs, own := range map[string]string{"image": "images", "pdf": "pdf", "audio": "audio", "video": "video"} {
		if b, ok := kinds[theirs].(bool); ok {
			rule[own] = b
		}
	}
	delete(left, "modalities")
	d.readHeaders("customHeaders", left["customHeaders"])
	delete(left, "customHeaders")
	if extra, ok := left["extra_body"].(map[string]any); ok && d.protocol == provider.Chat && len(extra) > 0 {
		rule["quirks"] = map[string]any{"extra": extra}
		delete(left, "extra_body")
	}
	d.addModel(model, rule)
	d.take("name")
	d.take("description")
	d.without("generationConfig.", left)
	d.without("", d.left)
	if model == "" {
		d.Leave("it is a model without an id")
	}
	return d
}
