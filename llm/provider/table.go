package provider

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/http/httpguts"

	"pollux/llm/ellipsis"
)

// Table holds the providers that a user can name. Several goroutines may read it
// once all calls of Add have returned. A profile that it has returned never changes.
type Table struct{ profiles []*Profile }

// Builtin returns a new table of the providers that Pollux knows by itself.
func Builtin() *Table { return &Table{slices.Clone(profiles())} }

// All yields the profiles in the order in which their credentials are looked for:
// the built-in ones, then those that Add has added.
func (t *Table) All() iter.Seq[*Profile] { return slices.Values(t.profiles) }

// Find returns the profile with this id or alias, nil if there is none.
func (t *Table) Find(id string) *Profile {
	if i := t.index(id); i >= 0 {
		return t.profiles[i]
	}
	return nil
}

// index returns the position of the profile with this id or alias, -1 if there is
// none.
func (t *Table) index(id string) int {
	return slices.IndexFunc(t.profiles, func(p *Profile) bool { return p.hasName(id) })
}

func (p *Profile) hasName(name string) bool { return p.ID == name || slices.Contains(p.Aliases, name) }

// FindByAddress returns the profile whose address has the same host, nil if there is
// none. With it the quirks of a provider are known even if the user reaches it by a
// variable that is meant for another.
func (t *Table) FindByAddress(address string) *Profile {
	at := host(address)
	if at == "" {
		return nil
	}
	serves := func(p *Profile) bool { return p.Local == nil && host(p.BaseURL) == at }
	if i := slices.IndexFunc(t.profiles, serves); i >= 0 {
		return t.profiles[i]
	}
	return nil
}

// Add adds the user's providers, and changes known ones that have the same id or alias:
// each member of an entry replaces that of the profile. Headers and quirks are replaced
// one by one, and rules for models are appended. Invalid entries are ignored; there is
// an error for each, with its id and the reason.
func (t *Table) Add(own map[string]json.RawMessage) []error {
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(own)) {
		if err := t.add(id, own[id]); err != nil {
			errs = append(errs, fmt.Errorf("modelProviders.%s is ignored: %w", brief(id), err))
		}
	}
	return errs
}

// maxEntry is the size of the largest entry of a user, in bytes.
const maxEntry = 1 << 20

func (t *Table) add(id string, data []byte) error {
	if err := checkName(id); err != nil {
		return err
	}
	if len(data) > maxEntry {
		return fmt.Errorf("it is larger than %d MB", maxEntry>>20)
	}
	base := t.Find(id)
	p, err := applyEntry(base, id, data)
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return err
	}
	for _, alias := range p.Aliases {
		if err := checkName(alias); err != nil {
			return fmt.Errorf("the alias %q: %w", brief(alias), err)
		}
		if other := t.Find(alias); other != nil && other != base {
			return fmt.Errorf("the alias %q is a name of %s", alias, other.ID)
		}
	}
	if i := t.index(id); i >= 0 {
		t.profiles[i] = p
	} else {
		t.profiles = append(t.profiles, p)
	}
	return nil
}

func checkName(name string) error {
	odd := func(r rune) bool { return r == '/' || unicode.IsSpace(r) || !unicode.IsGraphic(r) }
	switch {
	case name == "" || len(name) > 64 || strings.ContainsFunc(name, odd):
		return errors.New("a name has at most 64 characters, without slashes and spaces")
	case name == "models", name == "tunedModels":
		return errors.New("the name is reserved for Google's models")
	}
	return nil
}

// applyEntry returns the profile that results from an entry of the user for the
// profile known, nil for a new one.
func applyEntry(known *Profile, id string, data []byte) (*Profile, error) {
	base := &Profile{ID: id, Protocol: Chat}
	if known != nil {
		base = known
	}
	p, err := base.merge(data)
	if err != nil {
		return nil, err
	}
	moved := p.BaseURL != "" && (known == nil || host(p.BaseURL) != host(base.BaseURL))
	if moved && p.Imitated && !base.CustomAddress {
		if p, err = base.elsewhere().merge(data); err != nil {
			return nil, err
		}
	}
	p.CustomAddress = base.CustomAddress || moved
	return p, nil
}

// merge returns the profile with an entry of the user over it.
func (base *Profile) merge(data []byte) (*Profile, error) {
	p := *base
	p.Models, p.Quirks, p.Headers = nil, nil, nil
	if base.Local != nil {
		p.Local = new(*base.Local) // decoding must not change the base profile
	}
	if err := decodeStrict(data, &p); err != nil {
		return nil, err
	}
	var given struct{ BaseURL, BaseURLVars json.RawMessage }
	_ = json.Unmarshal(data, &given) // it was read before
	p.BaseURL = strings.TrimSpace(p.BaseURL)
	if p.BaseURL != "" && given.BaseURL != nil && given.BaseURLVars == nil {
		p.BaseURLVars = nil
	}
	p.BaseURL = cmp.Or(p.BaseURL, base.BaseURL)
	models, quirks := base.Models, base.Quirks
	if p.Protocol.family() != base.Protocol.family() {
		// Quirks of another protocol's mean nothing.
		quirks, models = nil, slices.Clone(models)
		for i := range models {
			if models[i].Protocol == "" {
				models[i].Quirks = nil
			}
		}
	}
	p.Models = append(slices.Clip(models), p.Models...)
	p.Quirks = mergeObjects(p.Quirks, quirks)
	p.Headers = mergeHeaders(p.Headers, base.Headers)
	p.own = append(slices.Clip(base.own), data)
	if base.builtin == nil && len(base.own) == 0 {
		p.builtin = base
	}
	return &p, nil
}

// elsewhere returns the profile for another service that imitates the vendor's, at an
// address of the user's: it has none of the vendor's models and quirks, but those of
// the user's entries.
func (p *Profile) elsewhere() *Profile {
	bare := *cmp.Or(p.builtin, p)
	bare.Model, bare.SmallModel, bare.Models, bare.Quirks = "", "", nil, nil
	return bare.with(p.own)
}

// with returns the profile with entries of the user over it, which have been applied to
// another one before.
func (p *Profile) with(entries []json.RawMessage) *Profile {
	for _, data := range entries {
		if changed, err := p.merge(data); err == nil && changed.check() == nil {
			p = changed
		}
	}
	return p
}

// mergeObjects returns a JSON object with the members of top and below. Those of top
// win; a null there removes the member. An object that is null has no members.
func mergeObjects(top, below json.RawMessage) json.RawMessage {
	var upper, lower map[string]json.RawMessage
	switch {
	case len(top) > 0 && json.Unmarshal(top, &upper) != nil:
		return top // check reports that it is no object
	case upper == nil:
		return below
	case json.Unmarshal(below, &lower) != nil || lower == nil:
		return top
	}
	for name := range lower {
		for given := range upper {
			if strings.EqualFold(name, given) {
				delete(lower, name)
			}
		}
	}
	for name, value := range upper {
		if string(value) != "null" {
			lower[name] = value
		}
	}
	both, _ := json.Marshal(lower) // it was read as JSON
	return both
}

// mergeHeaders returns the headers of top and below. Those of top win; an empty one
// there removes the header.
func mergeHeaders(top, below map[string]string) map[string]string {
	if len(top) == 0 {
		return below
	}
	both := map[string]string{}
	for _, some := range []map[string]string{below, top} {
		for _, name := range slices.Sorted(maps.Keys(some)) {
			both[http.CanonicalHeaderKey(name)] = some[name]
		}
	}
	maps.DeleteFunc(both, func(_, value string) bool { return value == "" })
	return both
}

func (p *Profile) check() error {
	if p.BaseURL != "" {
		u, err := url.Parse(strings.ReplaceAll(p.BaseURL, "{model}", "m"))
		if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("the baseUrl %q is not a URL; write https://host/path", RedactAddress(p.BaseURL))
		}
	} else if len(p.BaseURLVars) == 0 && p.needsAddress() {
		return errors.New("it has no baseUrl")
	}
	if p.KeyHeader != "" && !httpguts.ValidHeaderFieldName(p.KeyHeader) {
		return fmt.Errorf("keyHeader: %q is not a valid header name", brief(p.KeyHeader))
	}
	for name, value := range p.Headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return fmt.Errorf("headers: %q is not a valid header", brief(name))
		}
	}
	if l := p.Local; l != nil && (l.Port < 1 || l.Port > 65535) {
		return errors.New("local.port is not between 1 and 65535")
	}
	if err := p.checkTimeouts(); err != nil {
		return err
	}
	if err := p.checkQuirks(p.Protocol, nil); err != nil {
		return err
	}
	for i := range p.Models {
		if err := p.checkRule(&p.Models[i]); err != nil {
			return fmt.Errorf("models[%d]%w", i, err)
		}
	}
	return nil
}

func (p *Profile) checkRule(r *Rule) error {
	for _, pattern := range r.Match {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf(".match: %q is not a valid pattern", brief(pattern))
		}
	}
	if len(r.Match) == 0 {
		return errors.New(" has no match")
	}
	if r.Window < 0 || r.MaxOutput < 0 {
		return errors.New(": a number of tokens is below 0")
	}
	if err := p.checkQuirks(cmp.Or(r.Protocol, p.Protocol), r); err != nil {
		return fmt.Errorf(": %w", err)
	}
	return nil
}

// brief shortens a text of the user for an error message.
func brief(text string) string { return ellipsis.Bytes(text, 80) }
