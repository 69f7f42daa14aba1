package argmap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pollux/llm"
	"pollux/llm/ellipsis"
)

// Reading is the arguments of a call in the names and types of the tool's schema.
type Reading struct {
	Args json.RawMessage
	// Ignored are arguments in the schema of no parameter. They are still in Args.
	Ignored []string
	// Notes name the argument used where several match one parameter, for the model.
	Notes []string
}

// Read reads the arguments of a call generously. It gives each argument the name that the schema
// has for it, as [Names.Apply] does. Of several arguments for one parameter the one with the
// right name counts, else the first; the others are removed. Values become those of the type
// that the schema wants, where text or type leave no doubt: "5" a number, "true" a boolean, a
// string with JSON in it a list or an object, a single value a list, a number a string. An
// optional parameter whose value is null, or an empty string where none is allowed, is left out.
//
// Arguments that are no JSON object, and those of a schema without properties, are returned
// unchanged.
func (n Names) Read(tool string, schema, args json.RawMessage) Reading {
	unchanged := Reading{Args: args}
	s := parse(schema)
	if len(s.properties) == 0 {
		return unchanged
	}
	given, err := members(args)
	if err != nil {
		return unchanged
	}
	r := &reader{schema: s, names: n[tool]}
	r.assign(r.inSeconds(r.joinURL(given)))
	r.readLines()
	r.fit()
	if !r.hasChanged {
		return Reading{Args: args, Ignored: r.ignored()}
	}
	return Reading{Args: encode(r.args), Ignored: r.ignored(), Notes: r.notes}
}

// reader reads the arguments of one call.
type reader struct {
	schema     *schema
	names      map[string]string
	args       []member
	notes      []string
	hasChanged bool
}

// assign gives arguments their names, and removes those whose parameter has another one.
func (r *reader) assign(given []member) {
	if r.schema.hasAll(given) {
		r.args = given
		return
	}
	isGiven := map[string]bool{}
	for _, m := range given {
		isGiven[m.name] = true
	}
	for _, m := range given {
		name := r.nameOf(m.name)
		if name == m.name {
			r.args = append(r.args, m)
			continue
		}
		r.hasChanged = true
		i := slices.IndexFunc(r.args, func(a member) bool { return a.name == name })
		j := slices.IndexFunc(given, func(a member) bool { return a.name == name })
		switch {
		case isGiven[name]:
			r.note(given[j], m)
		case i >= 0:
			r.note(r.args[i], m)
		default:
			r.args = append(r.args, member{name, m.value})
		}
	}
}

// joinURL returns the arguments with url at the end of prompt where the schema has a prompt that
// holds addresses, as that of web_fetch: other programs' tools have both.
func (r *reader) joinURL(given []member) []member {
	find := func(name string) int {
		return slices.IndexFunc(given, func(m member) bool { return m.name == name })
	}
	i, j := find("url"), find("prompt")
	if r.names["url"] != "prompt" || r.schema.properties["url"] != nil || i < 0 || j < 0 {
		return given
	}
	var url, prompt string
	if json.Unmarshal(given[i].value, &url) != nil || json.Unmarshal(given[j].value, &prompt) != nil {
		return given
	}
	r.hasChanged = true
	joined := slices.Clone(given)
	if !strings.Contains(prompt, url) {
		joined[j].value = llm.AppendString(nil, prompt+"\n"+url)
	}
	return slices.Delete(joined, i, i+1)
}

// inSeconds returns the arguments with timeout_ms as timeout_seconds where the schema has that alone. A limit of less
// than a second is probably in seconds: it stays, and is ignored.
func (r *reader) inSeconds(given []member) []member {
	const ms, seconds = "timeout_ms", "timeout_seconds"
	if r.schema.properties[seconds] == nil || r.schema.properties[ms] != nil || slices.ContainsFunc(given, func(m member) bool { return m.name == seconds }) {
		return given
	}
	i := slices.IndexFunc(given, func(m member) bool { return snakeCase(m.name) == ms })
	if i < 0 {
		return given
	}
	limit, err := strconv.ParseFloat(strings.Trim(string(given[i].value), `" `), 64)
	if err != nil || !(limit >= 1000 && limit <= math.MaxInt32) {
		return given
	}
	r.hasChanged = true
	given = slices.Clone(given)
	given[i] = member{seconds, strconv.AppendInt(nil, int64(math.Ceil(limit/1000)), 10)}
	return given
}

// Parameter returns the parameter of a tool that an argument matches, or the argument's own name
// if there is none.
func (n Names) Parameter(tool string, schema json.RawMessage, argument string) string {
	r := reader{schema: parse(schema), names: n[tool]}
	return r.nameOf(argument)
}

// nameOf returns the parameter that an argument matches, or its own name if there is none.
func (r *reader) nameOf(name string) string {
	if r.schema.properties[name] != nil {
		return name
	}
	plain := snakeCase(name)
	for _, known := range [...]string{r.names[name], plain, r.names[plain]} {
		if known != "" && r.schema.properties[known] != nil {
			return known
		}
	}
	for known := range r.schema.properties {
		if strings.EqualFold(known, name) {
			return known
		}
	}
	return name
}

// note notes that one argument was taken for a parameter and another one was not, if they
// differ.
func (r *reader) note(taken, other member) {
	if !bytes.Equal(bytes.TrimSpace(taken.value), bytes.TrimSpace(other.value)) {
		r.notes = append(r.notes, fmt.Sprintf("%s %s was used, %s %s was ignored", taken.name, brief(taken.value), other.name, brief(other.value)))
	}
}

// brief returns a value, or its beginning.
func brief(value json.RawMessage) string {
	return ellipsis.Bytes(string(value), 60)
}

// readLines replaces offset, the number of lines to skip, and limit, the number of lines to
// read, by start_line and end_line where the schema has these.
func (r *reader) readLines() {
	p := r.schema.properties
	if p["start_line"] == nil || p["end_line"] == nil || p["offset"] != nil || p["limit"] != nil {
		return
	}
	offset, hasOffset := r.number("offset")
	limit, hasLimit := r.number("limit")
	start, hasStart := r.number("start_line")
	if hasOffset && offset >= 0 {
		switch {
		case hasStart && start != offset+1:
			r.notes = append(r.notes, fmt.Sprintf("start_line %d was used, offset %d was ignored", start, offset))
		case !hasStart && offset > 0:
			start = offset + 1
			r.args = append(r.args, member{"start_line", fmt.Appendf(nil, "%d", start)})
		}
		r.remove("offset")
	}
	if hasLimit && limit > 0 {
		last := max(start, 1) + limit - 1
		switch end, hasEnd := r.number("end_line"); {
		case hasEnd && end != last:
			r.notes = append(r.notes, fmt.Sprintf("end_line %d was used, limit %d was ignored", end, limit))
		case !hasEnd:
			r.args = append(r.args, member{"end_line", fmt.Appendf(nil, "%d", last)})
		}
		r.remove("limit")
	}
}

// maxLine is the largest number of a line, and of lines.
const maxLine = 1<<30 - 1

// number returns the value of an argument that is a whole number, or a string with one, if it
// can be that of a line.
func (r *reader) number(name string) (int, bool) {
	for _, m := range r.args {
		var n float64
		if m.name == name && string(m.value) != "null" && json.Unmarshal(integer.fit(m.value, 0), &n) == nil && n == math.Trunc(n) && math.Abs(n) <= maxLine {
			return int(n), true
		}
	}
	return 0, false
}

var integer = &schema{kinds: []string{"integer"}}

func (r *reader) remove(name string) {
	r.args = slices.DeleteFunc(r.args, func(m member) bool { return m.name == name })
	r.hasChanged = true
}

// fit gives the values the types of the schema.
func (r *reader) fit() {
	kept := r.args[:0]
	for _, m := range r.args {
		value, keep := r.schema.fitMember(m, 0)
		r.hasChanged = r.hasChanged || !keep || !bytes.Equal(value, m.value)
		if keep {
			kept = append(kept, member{m.name, value})
		}
	}
	r.args = kept
}

// ignored returns the names that the schema does not have.
func (r *reader) ignored() []string {
	var names []string
	for _, m := range r.args {
		if r.schema.properties[m.name] == nil {
			names = append(names, m.name)
		}
	}
	return names
}

// encode returns an object with these members.
func encode(list []member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(llm.AppendString(out, m.name), ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}
