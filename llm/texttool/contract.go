package texttool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-faster/jx"

	"pollux/llm"
)

// contracts keeps the system instructions that were made last, so that the
// same tools give the same message, which is encoded once.
type contracts struct {
	mu   sync.Mutex
	kept []*contract // the last used comes first
}

// maxContracts is more than agents that take turns on one generator.
const maxContracts = 8

// contract is what a model is told, and what it was made of.
type contract struct {
	instruction *llm.Content
	names       map[string]bool

	text  string // of the part that is ours
	given *llm.Content
	sets  []*llm.ToolSet
	mode  string
	only  []string
}

// of returns the contract for a request. Without tools it holds the instruction
// that was given.
func (k *contracts) of(config *llm.Config) *contract {
	c := &contract{instruction: config.SystemInstruction, given: config.SystemInstruction, sets: config.Tools}
	if config.ToolConfig != nil {
		c.mode, c.only = config.ToolConfig.Mode, config.ToolConfig.Allowed
	}
	if len(c.sets) == 0 || c.mode == "NONE" {
		return c
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, old := range k.kept {
		if old.given == c.given && old.mode == c.mode && slices.Equal(old.only, c.only) && slices.Equal(old.sets, c.sets) {
			copy(k.kept[1:i+1], k.kept[:i])
			k.kept[0] = old
			return old
		}
	}
	c.write()
	for _, old := range k.kept { // the same tools, built anew
		if old.given == c.given && old.text == c.text {
			c.instruction = old.instruction
		}
	}
	k.kept = slices.Insert(k.kept, 0, c)
	k.kept = k.kept[:min(len(k.kept), maxContracts)]
	return c
}

// write makes the text and the instruction.
func (c *contract) write() {
	c.names = map[string]bool{}
	var tools []llm.FunctionDeclaration
	for _, set := range c.sets {
		for _, f := range set.Functions {
			if f.Name == "" || c.names[f.Name] || len(c.only) > 0 && !slices.Contains(c.only, f.Name) {
				continue
			}
			c.names[f.Name] = true
			tools = append(tools, f)
		}
	}
	if len(tools) == 0 {
		return
	}
	c.text = guidance(tools, c.mode == "ANY")
	out := &llm.Content{Role: llm.RoleUser}
	if c.given != nil {
		out.Role, out.Parts = c.given.Role, slices.Clone(c.given.Parts)
	}
	if n := len(out.Parts); n > 0 && plain(&out.Parts[n-1]) {
		out.Parts[n-1].Text += "\n\n" + c.text
	} else {
		out.Parts = append(out.Parts, llm.Text(c.text))
	}
	c.instruction = out
}

// guidance is what the model is told of tools.
func guidance(tools []llm.FunctionDeclaration, must bool) string {
	var b strings.Builder
	b.WriteString("# Tools\n\n" +
		"You act through the tools listed below. To use one, write a fenced JSON block of exactly this form:\n\n" +
		callText(&llm.FunctionCall{Name: "tool_name", Args: json.RawMessage(`{"parameter": "value"}`)}) + "\n\n" +
		"## Available tools\n")
	for _, t := range tools {
		fmt.Fprintf(&b, "\n**%s**: %s\n", t.Name, strings.TrimSpace(t.Description))
		parameters(&b, t.Parameters, "  ", 0)
	}
	b.WriteString("\n## Rules\n\n" +
		"- Make one call, then end your message. The result comes with the next message, under \"" + resultOf + "tool_name:\" or \"" + errorFrom + "tool_name:\". Never write it yourself.\n" +
		"- Call nothing but the tools above, with their exact names. Give every required parameter and no others than those listed.\n" +
		"- The block must be valid JSON: double quotes, line breaks in strings as \\n, quotes in strings as \\\", no comments, nothing left out.\n" +
		"- A sentence before the block may say what you are about to do.\n")
	if must {
		b.WriteString("- Your next message must make a call.\n")
	} else {
		b.WriteString("- Where no tool is needed, answer in plain text without such a block.\n")
	}
	return b.String()
}

// correction is what the model is told of a call that cannot be read.
func correction(wrong string) string {
	return "Your tool call could not be read, and nothing was run: " + wrong + ".\n\n" +
		"Write the call again, all of it, as one fenced block of valid JSON:\n\n" +
		callText(&llm.FunctionCall{Name: "tool_name", Args: json.RawMessage(`{"parameter": "value"}`)})
}

// maxNesting bounds how deep parameters of parameters are listed.
const maxNesting = 4

// parameters lists the properties of an object's schema, in their order.
func parameters(b *strings.Builder, schema json.RawMessage, indent string, depth int) {
	var s struct {
		Properties json.RawMessage
		Required   []string
	}
	if json.Unmarshal(schema, &s) != nil || len(s.Properties) == 0 || depth > maxNesting {
		return
	}
	if depth == 0 {
		b.WriteString(indent + "Parameters:\n")
	}
	_ = jx.DecodeBytes(s.Properties).Obj(func(d *jx.Decoder, name string) error {
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		need := "optional"
		if slices.Contains(s.Required, name) {
			need = "required"
		}
		var p property
		if json.Unmarshal(raw, &p) != nil { // true, or what no schema is
			p = property{}
		}
		fmt.Fprintf(b, "%s  %q: %s (%s)", indent, name, p.kind(json.RawMessage(raw)), need)
		if text := strings.TrimSpace(p.Description); text != "" {
			b.WriteString(" - " + text)
		}
		b.WriteByte('\n')
		parameters(b, json.RawMessage(raw), indent+"  ", depth+1)
		parameters(b, p.Items, indent+"  ", depth+1)
		return nil
	})
}

// property is what the list says of a parameter.
type property struct {
	Type        any
	Description string
	Enum        []json.RawMessage
	Items       json.RawMessage
}

// kind says what values a parameter takes.
func (p *property) kind(schema json.RawMessage) string {
	var kind string
	switch t := p.Type.(type) {
	case string:
		kind = strings.ToLower(t)
	case []any:
		var kinds []string
		for _, v := range t {
			kinds = append(kinds, strings.ToLower(fmt.Sprint(v)))
		}
		kind = strings.Join(kinds, " or ")
	default:
		if len(p.Enum) == 0 {
			return anything(schema)
		}
		kind = "value"
	}
	if kind == "array" && len(p.Items) > 0 {
		var items property
		if json.Unmarshal(p.Items, &items) == nil {
			kind = "array of " + items.kind(p.Items)
		}
	}
	if len(p.Enum) > 0 {
		var values []string
		for _, v := range p.Enum {
			values = append(values, string(v))
		}
		kind += ", one of " + strings.Join(values, ", ")
	}
	return kind
}

// anything stands for a schema without a type: the schema, if it is short.
func anything(schema json.RawMessage) string {
	var b bytes.Buffer
	if len(schema) == 0 || len(schema) > 1000 || schema[0] != '{' || json.Compact(&b, schema) != nil || b.Len() <= 2 {
		return "any"
	}
	return "value of " + b.String()
}
