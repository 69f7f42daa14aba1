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

// contractCache keeps recent contracts, so that the same tools give the same system
// instruction, which is then encoded only once.
type contractCache struct {
	mu      sync.Mutex
	entries []*contract // most recently used first
}

// maxContracts is larger than the number of agents that usually share a generator.
const maxContracts = 8

// contract is a system instruction with tools, and its inputs.
type contract struct {
	instruction *llm.Content
	message     *llm.Content // the part about tools as a message; nil without tools
	tools       toolSet

	text     string // the part about tools
	original *llm.Content
	sets     []*llm.ToolSet
	mode     string
	allowed  []string
}

// get returns the contract for a request. Without tools its instruction is the
// original one.
func (k *contractCache) get(config *llm.Config) *contract {
	c := &contract{instruction: config.SystemInstruction, original: config.SystemInstruction, sets: config.Tools, mode: config.CallMode()}
	if config.ToolConfig != nil {
		c.allowed = config.ToolConfig.Allowed
	}
	if len(c.sets) == 0 || c.mode == "NONE" {
		return c
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, old := range k.entries {
		if old.original == c.original && old.mode == c.mode && slices.Equal(old.allowed, c.allowed) && slices.Equal(old.sets, c.sets) {
			copy(k.entries[1:i+1], k.entries[:i])
			k.entries[0] = old
			return old
		}
	}
	c.build(declarations(config.OfferedTools()))
	for _, old := range k.entries { // the same tools in new objects
		if old.text != c.text {
			continue
		}
		c.message = old.message
		if old.original == c.original {
			c.instruction = old.instruction
		}
	}
	k.entries = slices.Insert(k.entries, 0, c)
	k.entries = k.entries[:min(len(k.entries), maxContracts)]
	return c
}

// build writes the text and the instruction.
func (c *contract) build(tools []llm.FunctionDeclaration) {
	c.tools = newToolSet(tools)
	if len(tools) == 0 {
		return
	}
	c.text = instructionText(tools, c.mode == "ANY")
	c.message = llm.User(llm.Text(c.text))
	out := &llm.Content{Role: llm.RoleUser}
	if c.original != nil {
		out.Role, out.Parts = c.original.Role, slices.Clone(c.original.Parts)
	}
	if n := len(out.Parts); n > 0 && isPlainText(&out.Parts[n-1]) {
		out.Parts[n-1].Text += "\n\n" + c.text
	} else {
		out.Parts = append(out.Parts, llm.Text(c.text))
	}
	c.instruction = out
}

// The forms of calls that the instruction teaches.
const (
	jsonExample = "```json\n{\"tool_call\": {\"name\": \"tool_name\", \"arguments\": {\"parameter\": \"value\"}}}\n```"
	rawExample  = "<function=tool_name>\n<parameter=parameter>value</parameter>\n<parameter=other>\nfirst line\nsecond \"line\"\n</parameter>\n</function>"
)

// instructionText returns the part of the system instruction about tools.
func instructionText(tools []llm.FunctionDeclaration, isForced bool) string {
	var b strings.Builder
	b.WriteString("# Tools\n\n" +
		"To use a tool, write a fenced JSON block of exactly this form:\n\n" +
		jsonExample + "\n\n" +
		"Text with line breaks or quotes, such as a file's content, needs no escaping in this form:\n\n" +
		rawExample + "\n\n" +
		"## Available tools\n\n" +
		"Parameters are strings, and optional, unless marked.\n")
	for _, t := range tools {
		fmt.Fprintf(&b, "\n**%s**: %s\n", t.Name, strings.TrimSpace(t.Description))
		writeParameters(&b, t.Parameters, "", 0)
	}
	b.WriteString("\n## Rules\n\n" +
		"- Several calls in one message run in order; end your message after the last. All results come in the next message, under \"" + resultOf + "tool_name:\" or \"" + errorFrom + "tool_name:\". Never write them yourself.\n" +
		"- Call only these tools, with their exact names and parameters.\n" +
		"- JSON must be valid: double quotes, line breaks in strings as \\n, quotes in strings as \\\", no comments, nothing left out.\n" +
		"- Between tags, text stands as it is.\n")
	if isForced {
		b.WriteString("- Your next message must make a call.\n")
	} else {
		b.WriteString("- Where no tool is needed, answer in plain text without a call.\n")
	}
	return b.String()
}

// correction returns the message about a call that cannot be parsed, the call at index, from 1,
// of total in one message. form is the form in which it should be written again, "" for that
// of the instruction.
func correction(problem, form, tool string, index, total int, isCut bool) string {
	how, again := "as one fenced block of valid JSON", jsonExample
	if form != "" {
		how, again = "in this form, in which nothing is escaped", form
	}
	if total == 1 {
		return "Your tool call could not be read, and nothing was run: " + problem + ".\n\nWrite the call again, all of it, " + how + ":\n\n" + again
	}
	none, all := fmt.Sprintf("None of the %d", total), fmt.Sprintf("all %d", total)
	if total == 2 {
		none, all = "Neither", "both"
	}
	if tool != "" {
		tool = " (" + tool + ")"
	}
	text := fmt.Sprintf("Call %d of %d%s could not be read: %s. %s was run.\n\n", index, total, tool, problem, none)
	if isCut && index > 1 {
		return text + fmt.Sprintf("Write the calls before call %d again and end your message; write that one in your next message.", index)
	}
	return text + fmt.Sprintf("Write %s again, call %d %s:\n\n%s", all, index, how, again)
}

// rawForm returns the form of a call as elements, with the required parameters of the tool, those that the
// written call names, and the one with this name, whose value has several lines.
func rawForm(tool, parameter, written string, tools toolSet) string {
	names := tools.required(tool)
	known := tools.properties(tool)
	for _, name := range known {
		if name != parameter && !slices.Contains(names, name) && (strings.Contains(written, `"`+name+`"`) || strings.Contains(written, "<parameter="+name+">")) {
			names = append(names, name)
		}
	}
	if parameter != "" && !slices.Contains(names, parameter) && (len(known) == 0 || slices.Contains(known, parameter)) {
		names = append(names, parameter)
	}
	if tool == "" || len(names) == 0 {
		return rawExample
	}
	var b strings.Builder
	b.WriteString("<function=" + tool + ">\n")
	for _, name := range names {
		value := "..."
		if name == parameter {
			value = "...\n..."
		}
		writeParameter(&b, name, value, false)
	}
	b.WriteString("</function>")
	return b.String()
}

// maxNesting is the maximum depth at which properties of parameters are listed.
const maxNesting = 4

// writeParameters lists the properties in an object's schema, in their order.
func writeParameters(b *strings.Builder, schema json.RawMessage, indent string, depth int) {
	var s struct {
		Properties json.RawMessage
		Required   []string
	}
	if json.Unmarshal(schema, &s) != nil || len(s.Properties) == 0 || depth > maxNesting {
		return
	}
	_ = jx.DecodeBytes(s.Properties).Obj(func(d *jx.Decoder, name string) error {
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		var p property
		if json.Unmarshal(raw, &p) != nil { // a schema may also be true
			p = property{}
		}
		var marks []string
		if kind := p.typeText(json.RawMessage(raw)); kind != "string" {
			marks = append(marks, strings.TrimPrefix(kind, "string, "))
		}
		if slices.Contains(s.Required, name) {
			marks = append(marks, "required")
		}
		b.WriteString(indent + "- " + name)
		if len(marks) > 0 {
			b.WriteString(" (" + strings.Join(marks, ", ") + ")")
		}
		if text := strings.TrimSpace(p.Description); text != "" {
			b.WriteString(": " + text)
		}
		b.WriteByte('\n')
		writeParameters(b, json.RawMessage(raw), indent+"  ", depth+1)
		writeParameters(b, p.Items, indent+"  ", depth+1)
		return nil
	})
}

// property is the schema of a parameter.
type property struct {
	Type        any
	Description string
	Enum        []json.RawMessage
	Items       json.RawMessage
}

// typeText describes the values of a parameter.
func (p *property) typeText(schema json.RawMessage) string {
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
			return schemaText(schema)
		}
		kind = "value"
	}
	if kind == "array" && len(p.Items) > 0 {
		var items property
		if json.Unmarshal(p.Items, &items) == nil {
			kind = "array of " + items.typeText(p.Items)
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

// schemaText describes a schema without a type: by its JSON, if it is short.
func schemaText(schema json.RawMessage) string {
	var b bytes.Buffer
	if len(schema) == 0 || len(schema) > 1000 || schema[0] != '{' || json.Compact(&b, schema) != nil || b.Len() <= 2 {
		return "any"
	}
	return "value of " + b.String()
}
