package provider

import (
	"bytes"
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
	"sync"
	"unicode"

	"golang.org/x/net/http/httpguts"
)

// Table is the providers that can be named. It may be used from several
// goroutines; a profile that it has returned does not change any more.
type Table struct {
	mu    sync.Mutex
	known []*Profile // built-in ones, as far as they have been read, with the user's changes
	rest  *reader    // of those that have not, nil at their end
	own   []*Profile // the user's
}

// Builtin returns the providers that Pollux knows by itself, each time a new
// table.
func Builtin() *Table { return &Table{rest: newReader()} }

// All yields the profiles, the built-in ones first, in the order in which their
// credentials count.
func (t *Table) All() iter.Seq[*Profile] {
	return func(yield func(*Profile) bool) {
		for i := 0; ; i++ {
			if p := t.at(i); p == nil || !yield(p) {
				return
			}
		}
	}
}

// at returns the ith profile, nil behind the last.
func (t *Table) at(i int) *Profile {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i >= len(t.known) && t.next() {
	}
	if i < len(t.known) {
		return t.known[i]
	}
	if i -= len(t.known); i < len(t.own) {
		return t.own[i]
	}
	return nil
}

// next reads one more of the built-in profiles and reports whether there was one.
func (t *Table) next() bool {
	if t.rest == nil {
		return false
	}
	p := t.rest.next()
	if p == nil {
		t.rest = nil
		return false
	}
	t.known = append(t.known, p)
	return true
}

// Find returns the profile of an id or alias, nil if there is none.
func (t *Table) Find(id string) *Profile {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := t.find(id); at != nil {
		return *at
	}
	return nil
}

// find returns where the profile of an id or alias is.
func (t *Table) find(id string) **Profile {
	for i, p := range t.own {
		if p.goesBy(id) {
			return &t.own[i]
		}
	}
	// What is nowhere in the file need not be looked for by reading all of it. The
	// user's changes may have brought aliases.
	for i := 0; ; i++ {
		if i == len(t.known) && !(bytes.Contains(builtin, []byte(`"`+id+`"`)) && t.next()) {
			return nil
		}
		if t.known[i].goesBy(id) {
			return &t.known[i]
		}
	}
}

// goesBy reports whether a name is the provider's.
func (p *Profile) goesBy(name string) bool { return p.ID == name || slices.Contains(p.Aliases, name) }

// Serving returns the profile whose own address an address is on, so that its
// ways are known behind a variable meant for another provider, nil if none's is.
func (t *Table) Serving(address string) *Profile {
	at := host(address)
	if at == "" {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	serves := func(p *Profile) bool { return p.Local == nil && host(p.BaseURL) == at }
	// As in find, what is nowhere in the file is not looked for in it.
	there := bytes.Contains(builtin, []byte("//"+at+"/")) || bytes.Contains(builtin, []byte("//"+at+`"`))
	for i := 0; i < len(t.known) || there && t.next(); i++ {
		if serves(t.known[i]) {
			return t.known[i]
		}
	}
	if i := slices.IndexFunc(t.own, serves); i >= 0 {
		return t.own[i]
	}
	return nil
}

// Add adds a user's providers, and changes those that are there: a member that
// is given replaces what was, but for headers and quirks, of which each for itself
// does, and rules for models, which come behind those that were. An entry that is
// wrong is left out; the errors say which, and why.
func (t *Table) Add(own map[string]json.RawMessage) []error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(own)) {
		if err := t.add(id, own[id]); err != nil {
			errs = append(errs, fmt.Errorf("modelProviders.%s is left out: %w", short(id), err))
		}
	}
	return errs
}

// maxEntry bounds what one entry of the user's may say, in bytes.
const maxEntry = 1 << 20

func (t *Table) add(id string, data []byte) error {
	if err := checkName(id); err != nil {
		return err
	}
	if len(data) > maxEntry {
		return fmt.Errorf("it is larger than %d MB", maxEntry>>20)
	}
	at, base := t.find(id), (*Profile)(nil)
	if at != nil {
		base = *at
	}
	p, err := changed(base, id, data)
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return err
	}
	for _, alias := range p.Aliases {
		if err := checkName(alias); err != nil {
			return fmt.Errorf("the alias %q: %w", short(alias), err)
		}
		if other := t.find(alias); other != nil && (at == nil || (*other).ID != (*at).ID) {
			return fmt.Errorf("the alias %q is a name of %s", alias, (*other).ID)
		}
	}
	switch at = t.find(id); { // once more: reading on may have moved it
	case at != nil:
		*at = p
	default:
		t.own = append(t.own, p)
	}
	return nil
}

// checkName says why a provider cannot be called so.
func checkName(name string) error {
	odd := func(r rune) bool { return r == '/' || unicode.IsSpace(r) || !unicode.IsGraphic(r) }
	switch {
	case name == "" || len(name) > 64 || strings.ContainsFunc(name, odd):
		return errors.New("a name has at most 64 letters, and may hold no slash and no space")
	case name == "models", name == "tunedModels":
		return errors.New("names of Google's models begin so")
	}
	return nil
}

// changed returns what a profile, nil for none, becomes by an entry of the user's.
func changed(known *Profile, id string, data []byte) (*Profile, error) {
	base := Profile{ID: id, Protocol: Chat}
	if known != nil {
		base = *known
	}
	p := base
	p.Models, p.Quirks, p.Headers = nil, nil, nil
	if base.Local != nil {
		p.Local = new(*base.Local) // what is decoded into must not be the profile's that was
	}
	if err := strictly(data, &p); err != nil {
		return nil, err
	}
	p.BaseURL = cmp.Or(strings.TrimSpace(p.BaseURL), base.BaseURL)
	moved := p.BaseURL != "" && (known == nil || host(p.BaseURL) != host(base.BaseURL))
	if moved && p.Imitated && !base.Own {
		var given struct{ Model, SmallModel string }
		_ = json.Unmarshal(data, &given) // it was read before
		p.Model, p.SmallModel = given.Model, given.SmallModel
		base.Models, base.Quirks = nil, nil
	}
	p.Own = base.Own || moved
	if p.Protocol.family() != base.Protocol.family() {
		// Quirks of another protocol's mean nothing.
		base.Quirks, base.Models = nil, slices.Clone(base.Models)
		for i := range base.Models {
			if base.Models[i].Protocol == "" {
				base.Models[i].Quirks = nil
			}
		}
	}
	p.Models = append(slices.Clip(base.Models), p.Models...)
	p.Quirks = over(p.Quirks, base.Quirks)
	p.Headers = headersOver(p.Headers, base.Headers)
	return &p, nil
}

// over returns an object that has the members of both, those of top first; what
// is null there is left out.
func over(top, below json.RawMessage) json.RawMessage {
	var upper, lower map[string]json.RawMessage
	if json.Unmarshal(top, &upper) != nil || json.Unmarshal(below, &lower) != nil {
		if len(top) > 0 {
			return top // if it is no object, check says so
		}
		return below
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

// headersOver does so for headers, of which one that is empty is left out.
func headersOver(top, below map[string]string) map[string]string {
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

// check says what is wrong with a profile.
func (p *Profile) check() error {
	if p.BaseURL != "" {
		u, err := url.Parse(strings.ReplaceAll(p.BaseURL, "{model}", "m"))
		if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("the baseUrl %q is no address: write https://host/path", Shown(p.BaseURL))
		}
	} else if len(p.BaseURLVars) == 0 && p.needsAddress() {
		return errors.New("it has no baseUrl")
	}
	if p.KeyHeader != "" && !httpguts.ValidHeaderFieldName(p.KeyHeader) {
		return fmt.Errorf("keyHeader: %q is no header's name", short(p.KeyHeader))
	}
	for name, value := range p.Headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return fmt.Errorf("headers: %q cannot be sent", short(name))
		}
	}
	if l := p.Local; l != nil && (l.Port < 1 || l.Port > 65535) {
		return errors.New("local.port is not between 1 and 65535")
	}
	if err := p.checkWays(p.Protocol, nil); err != nil {
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
			return fmt.Errorf(".match: %q is no pattern", short(pattern))
		}
	}
	if len(r.Match) == 0 {
		return errors.New(" has no match")
	}
	if r.Window < 0 || r.MaxOutput < 0 {
		return errors.New(": a number of tokens is below 0")
	}
	if err := p.checkWays(cmp.Or(r.Protocol, p.Protocol), r); err != nil {
		return fmt.Errorf(": %w", err)
	}
	return nil
}

// short returns a text of the user's for a message.
func short(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
