package tool

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
)

// ResultText returns the result for people: fields of a JSON object as paragraphs and lists, any
// other text as it is.
func (d *AgentDisplay) ResultText() string {
	fields, ok := fieldsOf(json.RawMessage(d.Result))
	if !ok {
		return d.Result
	}
	var parts []string
	for _, f := range fields {
		text := plainText(f.value)
		switch {
		case text == "":
			continue
		case len(fields) == 1:
		case strings.Contains(text, "\n") || f.value[0] == '[':
			text = title(f.name) + ":\n" + text
		default:
			text = title(f.name) + ": " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n\n")
}

// field is a field of a JSON object.
type field struct {
	name  string
	value json.RawMessage
}

// fieldsOf returns the fields of a JSON object in order. It is not ok if the text is something else.
func fieldsOf(text json.RawMessage) (fields []field, ok bool) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '{' || !json.Valid(text) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	_, err := d.Token()
	for err == nil && d.More() {
		var name json.Token
		var value json.RawMessage
		if name, err = d.Token(); err != nil {
			break
		}
		if err = d.Decode(&value); err == nil {
			fields = append(fields, field{name.(string), value})
		}
	}
	return fields, err == nil
}

// plainText returns a JSON value as text: lists with an item on each line, objects with their values
// on one.
func plainText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return strings.TrimSpace(text)
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		var lines []string
		for _, item := range list {
			if line := oneLine(item); line != "" {
				lines = append(lines, "- "+line)
			}
		}
		return strings.Join(lines, "\n")
	}
	return oneLine(value)
}

// oneLine returns a JSON value on one line.
func oneLine(value json.RawMessage) string {
	if fields, ok := fieldsOf(value); ok {
		var values []string
		for _, f := range fields {
			if text := oneLine(f.value); text != "" {
				values = append(values, text)
			}
		}
		return strings.Join(values, ": ")
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil && len(list) > 0 {
		var values []string
		for _, item := range list {
			values = append(values, oneLine(item))
		}
		return strings.Join(values, ", ")
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		return strings.Join(strings.Fields(text), " ")
	}
	return string(bytes.TrimSpace(value))
}

// title returns a field's name as words, such as "Summary of findings".
func title(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case i == 0:
			r = unicode.ToUpper(r)
		case r == '_':
			r = ' '
		case unicode.IsUpper(r):
			b.WriteByte(' ')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
