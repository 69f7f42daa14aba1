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

// rules yields the rules that hold for a model.
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

// checkWays says what is wrong with the quirks of a profile, or of a rule.
func (p *Profile) checkWays(speaks Protocol, r *Rule) error {
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
		_, err = ways[openai.Quirks](p, rules)
	case Anthropic:
		_, err = ways[anthropic.Quirks](p, rules)
	default:
		_, err = ways[struct{}](p, rules)
	}
	return err
}

// family returns the protocol whose quirks a protocol shares.
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

// strictly decodes data, in which every member must be one of v's.
func strictly(data []byte, v any) error {
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
	return errors.New(short(strings.TrimPrefix(err.Error(), "json: ")))
}
