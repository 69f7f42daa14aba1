// Package provider knows who serves models: at which address, over which
// protocol, with which key, and what each does its own way (spec/providers.md §2,
// §4, §5).
//
// All of that is data. The providers that Pollux knows by itself are in
// providers.json; a user's own, and changes to those, are read from the same
// form by [Table.Add]. [Open] makes the client of one.
package provider

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"pollux/llm/anthropic"
	"pollux/llm/catalog"
	"pollux/llm/openai"
)

// Profile is a provider. The members' names in JSON are those of the setting
// modelProviders.
type Profile struct {
	// ID is the name before the slash of "provider/model"; the other names that
	// it goes by are Aliases.
	ID      string `json:"-"`
	Aliases Words  `json:"aliases,omitempty"`
	// Name is for people.
	Name string `json:"name,omitempty"`

	// Protocol is what the provider speaks, BaseURL where. The first of
	// BaseURLVars that is set in the environment wins over BaseURL.
	Protocol    Protocol `json:"protocol,omitempty"`
	BaseURL     string   `json:"baseUrl,omitempty"`
	BaseURLVars Words    `json:"baseUrlVars,omitempty"`
	// BasePath is added to an address that has no path of its own.
	BasePath string `json:"basePath,omitempty"`

	// APIKey is the key itself; else it is in the first of KeyVars that is set.
	// It goes into the header KeyHeader, or where the protocol has it. What is in
	// TokenVars is a bearer token instead.
	APIKey    string `json:"apiKey,omitempty"`
	KeyVars   Words  `json:"keyVars,omitempty"`
	TokenVars Words  `json:"tokenVars,omitempty"`
	KeyHeader string `json:"keyHeader,omitempty"`
	// Keyless says that the provider asks for no key.
	Keyless bool `json:"keyless,omitempty"`
	// OnlyNamed says that a key does not speak for the provider: other programs
	// use the same variable. It must be named.
	OnlyNamed bool `json:"onlyNamed,omitempty"`
	// Headers are added to each request.
	Headers map[string]string `json:"headers,omitempty"`

	// Model is asked where the user names none, SmallModel for small questions
	// of Pollux's own. The first of ModelVars that is set wins over Model.
	Model      string `json:"model,omitempty"`
	SmallModel string `json:"smallModel,omitempty"`
	ModelVars  Words  `json:"modelVars,omitempty"`
	// Router says that the names of its models hold slashes, so that another
	// provider's name at the head of one is no provider's.
	Router bool `json:"router,omitempty"`

	// Imitated says that others serve what it does at addresses of their own: at
	// another than its own nothing of it is known to hold but the protocol.
	Imitated bool `json:"imitated,omitempty"`

	// Quirks is what the provider does its own way: an [openai.Quirks], or what
	// the protocol has in place of it.
	Quirks json.RawMessage `json:"quirks,omitempty"`
	// Models are rules about single models. All that match hold, the later over
	// the earlier.
	Models []Rule `json:"models,omitempty"`

	// Local says that it is a server on this machine, which can be looked for.
	Local *Local `json:"local,omitempty"`
	// Own says that the user has set where it is, so that any model may be there.
	Own bool `json:"-"`
}

// Protocol is a wire protocol.
type Protocol string

// The protocols.
const (
	Chat            Protocol = "openai"           // OpenAI's Chat Completions, as nearly everybody serves it
	Responses       Protocol = "openai-responses" // OpenAI's Responses
	Anthropic       Protocol = "anthropic"
	AnthropicVertex Protocol = "anthropic-vertex"
	Bedrock         Protocol = "bedrock"
	Gemini          Protocol = "google"
	Vertex          Protocol = "google-vertex"
	Ollama          Protocol = "ollama"
)

var protocols = []Protocol{Chat, Responses, Anthropic, AnthropicVertex, Bedrock, Gemini, Vertex, Ollama}

// UnmarshalText implements [encoding.TextUnmarshaler]; the error names the
// protocols that there are.
func (p *Protocol) UnmarshalText(text []byte) error {
	*p = Protocol(text)
	if short, ok := map[Protocol]Protocol{"chat": Chat, "responses": Responses, "openai-compat": Chat, "gemini": Gemini}[*p]; ok {
		*p = short
	}
	if !slices.Contains(protocols, *p) {
		return fmt.Errorf("no protocol is named %q; there are %s", text, strings.Join(texts(protocols), ", "))
	}
	return nil
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// Rule is what holds for the models that one of its patterns matches.
type Rule struct {
	// Match are patterns for a model's name, in which * is any text.
	Match Words `json:"match"`
	// Protocol, if set, is spoken with them, and Quirks, if set, come on top of
	// the profile's.
	Protocol Protocol        `json:"protocol,omitempty"`
	Quirks   json.RawMessage `json:"quirks,omitempty"`

	// What is known of them: tokens, abilities and what they cost.
	Window    int            `json:"window,omitempty"`
	MaxOutput int            `json:"maxOutput,omitempty"`
	Tools     *bool          `json:"tools,omitempty"`
	Thinking  *bool          `json:"thinking,omitempty"`
	Efforts   []string       `json:"efforts,omitempty"`
	Images    *bool          `json:"images,omitempty"`
	PDF       *bool          `json:"pdf,omitempty"`
	Audio     *bool          `json:"audio,omitempty"`
	Video     *bool          `json:"video,omitempty"`
	Price     *catalog.Price `json:"price,omitempty"`
}

// Local is how a server on this machine is found and what it says of its models.
type Local struct {
	// Port is where it listens; Probe is a path whose answer of status 200 holds
	// the text Says, by which it is told from others.
	Port  int    `json:"port"`
	Probe string `json:"probe"`
	Says  string `json:"says"`
	// Window is a path whose answer says how much its models take, in the
	// member that WindowAt names (dots lead inwards), if the list does not.
	Window   string `json:"window,omitempty"`
	WindowAt string `json:"windowAt,omitempty"`
	// List is a path whose list of models says more than that of the protocol.
	List string `json:"list,omitempty"`
}

// Words is a list of texts; in JSON one may stand for itself.
type Words []string

// UnmarshalJSON implements [json.Unmarshaler].
func (w *Words) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*w = Words{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(w))
}

// Table is the providers that can be named. It is for one goroutine.
type Table struct {
	profiles []*Profile
	rest     *json.Decoder // of the built-in ones, which are read as they are needed; nil at their end
}

//go:embed providers.json
var builtin []byte

// Builtin returns the providers that Pollux knows by itself, each time a new
// table.
func Builtin() *Table {
	t := &Table{rest: json.NewDecoder(bytes.NewReader(builtin))}
	if _, err := t.rest.Token(); err != nil {
		panic("providers.json: " + err.Error()) // a test reads all of it
	}
	return t
}

// next reads one more of the built-in profiles and reports whether there was one.
func (t *Table) next() bool {
	if t.rest == nil || !t.rest.More() {
		t.rest = nil
		return false
	}
	id, err := t.rest.Token()
	p := &Profile{Protocol: Chat}
	if err == nil {
		p.ID = id.(string) // as an object's keys are
		err = t.rest.Decode(p)
	}
	if err != nil {
		panic("providers.json: " + p.ID + ": " + err.Error()) // a test reads all of it
	}
	t.profiles = append(t.profiles, p)
	return true
}

// strictly decodes data, in which every member must be one of v's.
func strictly(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// Add adds a user's providers, and changes those that are there: a member that
// is given replaces what was, rules for models come behind those that were. An
// entry that is wrong is left out; the errors say which, and why.
func (t *Table) Add(own map[string]json.RawMessage) []error {
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(own)) {
		if err := t.add(id, own[id]); err != nil {
			errs = append(errs, fmt.Errorf("modelProviders.%s is left out: %w", id, err))
		}
	}
	return errs
}

func (t *Table) add(id string, data []byte) error {
	if id == "" || strings.ContainsAny(id, "/ \t\n") {
		return errors.New("a name may hold no slash and no space")
	}
	p := Profile{ID: id, Protocol: Chat}
	known := t.Find(id)
	if known != nil {
		p = *known
	}
	rules, quirks := p.Models, p.Quirks
	p.Models, p.Quirks = nil, nil
	p.Headers = maps.Clone(p.Headers)
	if err := strictly(data, &p); err != nil {
		return err
	}
	var given struct{ BaseURL string }
	_ = json.Unmarshal(data, &given) // it was read before
	if given.BaseURL != "" {
		p.Own = true
	}
	if p.Own && p.Imitated {
		rules, quirks = nil, nil
	}
	p.Models = append(slices.Clip(rules), p.Models...)
	if p.Quirks == nil {
		p.Quirks = quirks
	}
	if err := p.check(); err != nil {
		return err
	}
	if known != nil {
		*known = p
		return nil
	}
	t.profiles = append(t.profiles, &p)
	return nil
}

// check says what is wrong with a profile.
func (p *Profile) check() error {
	if p.BaseURL != "" {
		u, err := url.Parse(strings.ReplaceAll(p.BaseURL, "{model}", "m"))
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("the baseUrl %q is no address: write https://host/path", p.BaseURL)
		}
	} else if len(p.BaseURLVars) == 0 && (p.Protocol == Chat || p.Protocol == Responses) {
		return errors.New("it has no baseUrl")
	}
	if err := p.checkWays(p.Protocol, nil); err != nil {
		return err
	}
	for i := range p.Models {
		r := &p.Models[i]
		for _, pattern := range r.Match {
			if _, err := path.Match(pattern, ""); err != nil {
				return fmt.Errorf("models[%d].match: %q is no pattern", i, pattern)
			}
		}
		if len(r.Match) == 0 {
			return fmt.Errorf("models[%d] has no match", i)
		}
		if err := p.checkWays(cmp.Or(r.Protocol, p.Protocol), r); err != nil {
			return fmt.Errorf("models[%d]: %w", i, err)
		}
	}
	return nil
}

// checkWays says what is wrong with the quirks of a profile, or of a rule.
func (p *Profile) checkWays(speaks Protocol, r *Rule) error {
	var rules []*Rule
	if r != nil {
		rules = []*Rule{r}
		if speaks != p.Protocol && (speaks != Responses || p.Protocol != Chat) {
			p = &Profile{} // its quirks are those of another protocol
		}
	}
	var err error
	switch speaks {
	case Chat, Responses:
		_, err = ways[openai.Quirks](p, rules)
	case Anthropic, AnthropicVertex, Bedrock:
		_, err = ways[anthropic.Quirks](p, rules)
	default:
		_, err = ways[struct{}](p, rules)
	}
	return err
}

// All yields the profiles, the built-in ones first, in the order in which their
// credentials count.
func (t *Table) All() iter.Seq[*Profile] {
	return func(yield func(*Profile) bool) {
		for i := 0; i < len(t.profiles) || t.next(); i++ {
			if !yield(t.profiles[i]) {
				return
			}
		}
	}
}

// Find returns the profile of an id or alias, nil if there is none.
func (t *Table) Find(id string) *Profile {
	for p := range t.All() {
		if p.ID == id {
			return p
		}
	}
	for p := range t.All() {
		if slices.Contains(p.Aliases, id) {
			return p
		}
	}
	return nil
}

// Serving returns the profile whose own address an address is on, so that its
// ways are known behind a variable meant for another provider, nil if none's is.
func (t *Table) Serving(address string) *Profile {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil
	}
	for p := range t.All() {
		if at, err := url.Parse(p.BaseURL); err == nil && at.Host == u.Host && p.BaseURL != "" && p.Local == nil {
			return p
		}
	}
	return nil
}

// rules yields the rules that hold for a model.
func (p *Profile) rules(model string) []*Rule {
	// A slash is a letter like any other to a pattern's star.
	flat := strings.NewReplacer("/", "|")
	name := flat.Replace(model)
	var rules []*Rule
	for i := range p.Models {
		for _, pattern := range p.Models[i].Match {
			if ok, _ := path.Match(flat.Replace(pattern), name); ok || pattern == model {
				rules = append(rules, &p.Models[i])
				break
			}
		}
	}
	return rules
}

// Speaks returns the protocol that a model is spoken to with.
func (p *Profile) Speaks(model string) Protocol {
	speaks := p.Protocol
	for _, r := range p.rules(model) {
		if r.Protocol != "" {
			speaks = r.Protocol
		}
	}
	return speaks
}

// Describe returns what is known of a model: what the user's rules say, over
// what the provider's list says, over the built-in table and the family.
func (p *Profile) Describe(model string, listed catalog.Model) catalog.Model {
	var m catalog.Model
	for _, r := range slices.Backward(p.rules(model)) {
		m = m.Over(r.model())
	}
	if speaks := p.Speaks(model); speaks == Chat || speaks == Responses {
		if q, err := ways[openai.Quirks](p, p.rules(model)); err == nil && q.NoTools {
			m.Tools = catalog.No
		}
	}
	m = m.Over(listed).Over(catalog.Of(p.ID, model))
	m.Name = model
	return m
}

func (r *Rule) model() catalog.Model {
	can := func(b *bool) catalog.Ability {
		if b == nil {
			return catalog.Unknown
		}
		return catalog.If(*b)
	}
	return catalog.Model{
		Input: r.Window, Output: r.MaxOutput, Efforts: r.Efforts, Price: r.Price,
		Tools: can(r.Tools), Thinking: can(r.Thinking),
		Images: can(r.Images), PDF: can(r.PDF), Audio: can(r.Audio), Video: can(r.Video),
	}
}

// ways returns what is to be done otherwise with a model: the profile's quirks
// and, over them, those of the rules that hold.
func ways[T any](p *Profile, rules []*Rule) (T, error) {
	var q T
	for _, data := range append([]json.RawMessage{p.Quirks}, ruled(rules)...) {
		if len(data) == 0 {
			continue
		}
		if err := strictly(data, &q); err != nil {
			return q, fmt.Errorf("quirks: %w", err)
		}
	}
	return q, nil
}

func ruled(rules []*Rule) []json.RawMessage {
	list := make([]json.RawMessage, len(rules))
	for i, r := range rules {
		list[i] = r.Quirks
	}
	return list
}
