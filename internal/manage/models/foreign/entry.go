package foreign

import (
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/secret"
	"pollux/internal/transfer"
	"pollux/llm/provider"
)

// provider decides about the provider that a draft describes.
func (d *draft) provider(known *provider.Table, there map[string]any) *Provider {
	p := &Provider{Item: d.Item, ID: d.id}
	if d.Result == transfer.LeftOut {
		return p
	}
	if builtin := d.builtin(known); builtin != nil {
		p.ID = builtin.ID
		d.have(builtin)
		return p
	}
	switch {
	case d.address == "":
		d.Leave("it has no address: %s has it in a list of its own", d.agent.title)
		return p
	case len(secret.InURL(d.address)) > 0 && !isVersion(d.address):
		d.Leave("its address has a key: write it as modelProviders, with a variable in place of the key, see /docs models")
		return p
	}
	if known.Find(d.id) != nil || auth.IsReserved(d.id) {
		p.ID = d.agent.name + "-" + d.id
		d.Change("it is called %s, because Pollux has another provider with its name", config.Printable(p.ID))
	}
	if u, err := url.Parse(d.address); err == nil && len(d.query) > 0 {
		query := u.Query()
		maps.Copy(query, d.query)
		u.RawQuery = query.Encode()
		d.address = u.String()
	}
	p.Entry = d.entry()
	if reason := d.check(p); reason != "" {
		d.Leave("%s", reason)
		p.Entry = nil
		return p
	}
	d.Detail = d.detail()
	if other, isTaken := there[p.ID]; isTaken {
		if encoded(other) == encoded(p.Entry) {
			d.Keep()
		} else {
			d.Leave("your settings have another provider with this name")
			p.Entry = nil
		}
	}
	return p
}

// isVersion reports whether the query of an address has nothing but an API version.
func isVersion(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.User == nil && len(u.Query()) == 1 && u.Query().Has("api-version")
}

// builtin returns the provider of Pollux that the draft is, nil if there is none: the one at its address, or the one with its name if it has
// no address.
func (d *draft) builtin(known *provider.Table) *provider.Profile {
	if d.address == "" {
		return known.Find(d.id)
	}
	for p := range known.All() {
		isThere := place(p.BaseURL) == place(d.address)
		switch {
		case p.Protocol == provider.Gemini:
			isThere = d.protocol == provider.Gemini && strings.HasPrefix(place(d.address), "generativelanguage.googleapis.com")
		case p.Local != nil:
			isThere = host(p.BaseURL) == host(d.address)
		case p.BaseURL == "" || isMessages(p.Protocol) != isMessages(d.protocol):
			continue
		}
		isOwnKey := slices.ContainsFunc(d.keyVars, func(name string) bool {
			return name != d.keyVar() && !slices.Contains(auth.Variables(p), name)
		})
		switch {
		case isThere && len(d.headers)+len(d.query) == 0 && (!isOwnKey || p.Local != nil):
			return p
		case isThere:
			d.sibling = p
		}
	}
	return nil
}

func isMessages(p provider.Protocol) bool { return p == provider.Anthropic }

// place returns an address without its scheme, a slash at the end and the version v1.
func place(address string) string {
	_, rest, _ := strings.Cut(strings.ToLower(address), "://")
	return strings.TrimSuffix(strings.TrimRight(rest, "/"), "/v1")
}

// host returns the host and the port of an address. This machine has one name.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.Replace(strings.ToLower(u.Host), "localhost", "127.0.0.1", 1)
}

// have reports that Pollux has the provider by itself.
func (d *draft) have(p *provider.Profile) {
	d.Notes = slices.DeleteFunc(d.Notes, func(note string) bool { return strings.Contains(note, d.keyVar()) }) // which it does not use
	d.Keep()
	note := "Pollux has it as " + p.ID
	if vars := auth.Variables(p); len(vars) > 0 {
		note += ": set " + vars[0] + ", or run pollux auth set " + p.ID
	}
	d.Notes = append([]string{note}, d.Notes...)
	if len(d.rules) > 0 {
		d.Notes = append(d.Notes, "without its list of models")
	}
	for _, name := range slices.Sorted(maps.Keys(d.headers)) {
		d.Notes = append(d.Notes, "without the header "+config.Printable(name))
	}
}

// entry returns the entry of modelProviders, in the types of [encoding/json].
func (d *draft) entry() map[string]any {
	entry := map[string]any{"protocol": string(d.protocol), "baseUrl": d.address}
	for key, text := range map[string]string{"name": d.title, "model": d.model, "smallModel": d.smallModel} {
		if text != "" {
			entry[key] = text
		}
	}
	if len(d.keyVars) > 0 {
		list := []any{}
		for _, name := range d.keyVars {
			list = append(list, name)
		}
		entry["keyVars"] = list
	}
	if d.keyless {
		entry["keyless"] = true
	}
	if len(d.headers) > 0 {
		entry["headers"] = d.headers
	}
	put(entry, "startTimeout", d.startTimeout)
	put(entry, "idleTimeout", d.idleTimeout)
	if len(d.rules) > 0 {
		entry["models"] = d.rules
	}
	if quirks := d.quirks(); len(quirks) > 0 {
		entry["quirks"] = quirks
	}
	if slices.ContainsFunc(d.names, func(name string) bool { return strings.Contains(name, "/") }) {
		entry["router"] = true
	}
	return entry
}

// quirks returns the quirks of an entry: those of the provider that Pollux has at its address, and the members of each request.
func (d *draft) quirks() map[string]any {
	quirks := map[string]any{}
	if d.sibling != nil && len(d.sibling.Quirks) > 0 {
		_ = json.Unmarshal(d.sibling.Quirks, &quirks) // it is an object
	}
	if len(d.extra) > 0 {
		extra, _ := quirks["extra"].(map[string]any)
		all := maps.Clone(extra)
		if all == nil {
			all = map[string]any{}
		}
		maps.Copy(all, d.extra)
		quirks["extra"] = all
	}
	return quirks
}

// check returns why an entry cannot be used, "" if it can.
func (d *draft) check(p *Provider) string {
	text := encoded(p.Entry)
	if transfer.HasKey(text) {
		return "it has a key: write it as modelProviders, with a variable in place of the key, see /docs models"
	}
	sample := maps.Clone(p.Entry)
	delete(sample, "baseUrl")
	delete(sample, "headers")
	if _, err := literal(encoded(sample)); err != nil {
		return err.Error()
	}
	sample = maps.Clone(p.Entry)
	if regexp.MustCompile(`\$\{?\w`).MatchString(d.address) { // it is known when settings are read
		sample["baseUrl"] = "https://models.example"
	}
	data := json.RawMessage(encoded(sample))
	if errs := provider.Builtin().Add(map[string]json.RawMessage{p.ID: data}); len(errs) > 0 {
		_, reason, _ := strings.Cut(errs[0].Error(), " is ignored: ")
		return reason
	}
	return ""
}

// detail describes an entry: the address, and the names of variables and headers.
func (d *draft) detail() string {
	text := d.address
	if len(d.keyVars) > 0 {
		text += ", key: " + strings.Join(d.keyVars, " ")
	}
	if len(d.headers) > 0 {
		text += ", headers: " + strings.Join(slices.Sorted(maps.Keys(d.headers)), " ")
	}
	if len(d.names) > 0 {
		text += ", models: " + strings.Join(d.names, " ")
	}
	return text
}
