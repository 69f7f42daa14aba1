package foreign

import (
	"cmp"
	"maps"
	"net/url"
	"slices"

	"pollux/internal/config"
	"pollux/internal/transfer"
	"pollux/llm/provider"
)

// readCodex reads model_providers in Codex's config.toml. Codex uses OpenAI if the file names no provider.
func readCodex(a *Agent, tree map[string]any) (list []*draft, model, of string) {
	providers, _ := tree["model_providers"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		d := newDraft(a, name, providers[name], literal)
		list = append(list, d)
		d.title, d.address = d.text("name"), d.text("base_url")
		switch wire := d.text("wire_api"); wire {
		case "chat":
			d.protocol = provider.Chat
		case "responses":
			d.protocol = provider.Responses
		case "":
			d.protocol = provider.Responses
			d.Change("it has no wire_api: Pollux uses Responses")
		default:
			d.Leave("Pollux does not know its wire_api %s", config.Printable(wire))
		}
		if d.take("requires_openai_auth") == true {
			d.Leave("it uses a sign-in of OpenAI: use an API key, see /docs authentication")
		}
		d.codexKey()
		d.readHeaders("http_headers", d.take("http_headers"))
		d.codexHeaders()
		d.codexQuery()
		d.idleTimeout = d.seconds("stream_idle_timeout_ms", 1000)
		d.take("env_key_instructions")
		d.without("", d.left)
	}
	model, _ = tree["model"].(string)
	of, _ = tree["model_provider"].(string)
	return list, model, cmp.Or(of, "openai")
}

// codexKey reads where the key is. A provider that has no such place needs none.
func (d *draft) codexKey() {
	name := d.text("env_key")
	token, _ := d.take("experimental_bearer_token").(string)
	_, hasProgram := d.left["auth"]
	switch {
	case transfer.IsVariable(name):
		d.keyVars = []string{name}
	case name != "":
		d.Leave("its env_key is not the name of a variable")
	case token != "":
		d.key("experimental_bearer_token", token)
	case hasProgram:
		d.keyVars = []string{d.keyVar()}
		d.Change("without auth, which runs a program: set the variable %s", d.keyVars[0])
		delete(d.left, "auth")
	default:
		d.keyless = true
	}
}

// codexHeaders reads the headers whose values are in variables.
func (d *draft) codexHeaders() {
	members, _ := d.take("env_http_headers").(map[string]any)
	for _, header := range slices.Sorted(maps.Keys(members)) {
		if name, _ := members[header].(string); transfer.IsVariable(name) {
			d.headers[header] = "${" + name + "}"
		} else {
			d.Change("without env_http_headers.%s, which is not the name of a variable", config.Printable(header))
		}
	}
}

// codexQuery reads the parameters of each request, which become a part of the address.
func (d *draft) codexQuery() {
	members, _ := d.take("query_params").(map[string]any)
	d.query = url.Values{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value, isText := members[name].(string)
		switch _, err := literal(value); {
		case !isText || err != nil:
			d.Change("without query_params.%s, which is not a plain text", config.Printable(name))
		case transfer.IsKey(name, value):
			d.Leave("query_params.%s is a key: write it as modelProviders, see /docs models", config.Printable(name))
		default:
			d.query.Set(name, value)
		}
	}
}
