package provider

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"pollux/llm/anthropic"
	"pollux/llm/catalog"
	"pollux/llm/openai"
)

func (p *Profile) rules(model string) []*Rule {
	// A slash is a letter like any other to a pattern's star.
	name := strings.ReplaceAll(model, "/", "|")
	var rules []*Rule
	for i := range p.Models {
		for _, pattern := range p.Models[i].Match {
			if ok, _ := path.Match(strings.ReplaceAll(pattern, "/", "|"), name); ok || pattern == model {
				rules = append(rules, &p.Models[i])
				break
			}
		}
	}
	return rules
}

// ProtocolFor returns the protocol for requests to a model.
func (p *Profile) ProtocolFor(model string) Protocol {
	speaks := p.Protocol
	for _, r := range p.rules(model) {
		if r.Protocol != "" {
			speaks = r.Protocol
		}
	}
	return speaks
}

// Describe returns the data of a model. Rules of the profile override listed,
// the model in the provider's own list, which overrides the built-in table.
func (p *Profile) Describe(model string, listed catalog.Model) catalog.Model {
	m := p.describeListed(model, listed).WithDefaults(catalog.ForProvider(p.ID, model))
	m.Name = model
	return m
}

// describeListed is Describe without the built-in table.
func (p *Profile) describeListed(model string, listed catalog.Model) catalog.Model {
	var m catalog.Model
	for _, r := range slices.Backward(p.rules(model)) {
		m = m.WithDefaults(r.model())
	}
	if speaks := p.ProtocolFor(model); speaks == Chat || speaks == Responses {
		if q, err := decodeQuirks[openai.Quirks](p, p.rules(model)); err == nil && q.NoTools {
			m.Tools = catalog.No
		}
	}
	return m.WithDefaults(listed)
}

func (r *Rule) model() catalog.Model {
	can := func(b *bool) catalog.Ability {
		if b == nil {
			return catalog.Unknown
		}
		return catalog.FromBool(*b)
	}
	return catalog.Model{
		Input: r.Window, Output: r.MaxOutput, Efforts: r.Efforts, Price: r.Price,
		Tools: can(r.Tools), Thinking: can(r.Thinking),
		Images: can(r.Images), PDF: can(r.PDF), Audio: can(r.Audio), Video: can(r.Video),
	}
}

// decodeQuirks returns the quirks of a profile, overridden by those of rules.
func decodeQuirks[T any](p *Profile, rules []*Rule) (T, error) {
	var q T
	for _, data := range append([]json.RawMessage{p.Quirks}, ruleQuirks(rules)...) {
		if len(data) == 0 {
			continue
		}
		if err := decodeStrict(data, &q); err != nil {
			return q, fmt.Errorf("quirks: %w", err)
		}
	}
	return q, nil
}

func ruleQuirks(rules []*Rule) []json.RawMessage {
	list := make([]json.RawMessage, len(rules))
	for i, r := range rules {
		list[i] = r.Quirks
	}
	return list
}

func (p *Profile) checkQuirks(speaks Protocol, r *Rule) error {
	var rules []*Rule
	if r != nil {
		rules = []*Rule{r}
		if speaks.family() != p.Protocol.family() {
			p = &Profile{} // its quirks are those of another protocol
		}
	}
	var err error
	switch speaks.family() {
	case Chat:
		_, err = decodeQuirks[openai.Quirks](p, rules)
	case Anthropic:
		_, err = decodeQuirks[anthropic.Quirks](p, rules)
	default:
		_, err = decodeQuirks[struct{}](p, rules)
	}
	return err
}

// family returns the protocol that represents all protocols with the same quirks.
func (p Protocol) family() Protocol {
	switch p {
	case Responses:
		return Chat
	case AnthropicVertex, Bedrock:
		return Anthropic
	case Vertex:
		return Gemini
	}
	return p
}

// decodeStrict decodes JSON into v. Unknown members are an error.
func decodeStrict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		is, _, _ := strings.Cut(wrong.Value, " ") // "number 7"
		return fmt.Errorf("%s may not be a JSON %s", cmp.Or(wrong.Field, "it"), is)
	}
	return errors.New(brief(strings.TrimPrefix(err.Error(), "json: ")))
}
