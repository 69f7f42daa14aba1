package policy

import (
	"fmt"
	"slices"
	"strings"
)

// fields parses the members of one table of a policy file, and records errors.
type fields struct {
	r     *fileReader
	s     *section
	array string // name of the array that contains the table
	index int    // from 0
}

// label returns a description of the table for messages.
func (f fields) label() string {
	return fmt.Sprintf("%s #%d (line %d)", strings.ReplaceAll(f.array, "_", " "), f.index+1, f.s.line)
}

// report records a problem with the table as a whole.
func (f fields) report(isWarning bool, message, what, suggestion string) {
	f.r.problems = append(f.r.problems, problem{
		warning: isWarning, message: message, details: "  " + f.label() + ": " + what, suggestion: suggestion,
		places: []place{{f.s.line, what}},
	})
}

// refuse records an error about a field.
func (f fields) refuse(key, format string, args ...any) {
	const most = 10
	line := f.s.line
	if m, ok := f.s.members[key]; ok {
		line = m.line
	}
	if len(f.r.wrong) >= most && !f.r.origin.isChecked {
		return
	}
	what := "rule"
	if f.array != what {
		what = "safety checker"
	}
	f.r.wrong = append(f.r.wrong, fmt.Sprintf("Invalid policy %s (rule #%d, line %d):\n  - Field \"%s.%d.%s\": ", what, f.index+1, line, f.array, f.index, key)+
		fmt.Sprintf(format, args...))
	f.r.fields = append(f.r.fields, place{line, fmt.Sprintf("%s #%d: %s ", what, f.index+1, key) + fmt.Sprintf(format, args...)})
}

func (f fields) text(key string) string {
	v := f.s.members[key].value
	s, ok := v.(string)
	if v != nil && !ok {
		f.refuse(key, "must be a string, not %s", kindOf(v))
	}
	return s
}

// either parses a field with two names.
func (f fields) either(key, old string) string {
	if s := f.text(key); s != "" {
		return s
	}
	return f.text(old)
}

// texts parses a string or a list of strings. It returns nil if the field is missing.
func (f fields) texts(key string, required bool) []string {
	switch v := f.s.members[key].value.(type) {
	case nil:
		if required {
			f.refuse(key, "is missing")
		}
		return nil
	case string:
		return []string{v}
	case []any:
		list := make([]string, 0, len(v))
		for _, item := range v {
			s, ok := item.(string)
			if !ok {
				f.refuse(key, "must contain only strings, not %s", kindOf(item))
				return nil
			}
			list = append(list, s)
		}
		return list
	default:
		f.refuse(key, "must be a string or a list of strings, not %s", kindOf(v))
		return nil
	}
}

func (f fields) choice(key string, choices ...string) string {
	v, there := f.s.members[key]
	s, ok := v.value.(string)
	switch {
	case !there:
		f.refuse(key, "is missing; it must be one of %s", strings.Join(choices, ", "))
	case !ok:
		f.refuse(key, "must be one of %s, not %s", strings.Join(choices, ", "), kindOf(v.value))
	case !slices.Contains(choices, s):
		f.refuse(key, "must be one of %s, not %.40q", strings.Join(choices, ", "), s)
	}
	return s
}

// priority parses a priority. Rules must have one, from 0 to 999.
func (f fields) priority(rule bool) int64 {
	m, there := f.s.members["priority"]
	n, ok := m.value.(int64)
	switch {
	case !there && rule:
		f.refuse("priority", "is missing; it must be a whole number from 0 to 999")
	case there && !ok:
		f.refuse("priority", "must be a whole number from 0 to 999, not %s", kindOf(m.value))
	case rule && (n < 0 || n > 999):
		f.refuse("priority", "must be a whole number from 0 to 999, not %d", n)
	}
	return n
}

func (f fields) modes() Modes {
	var set Modes
	for _, name := range f.texts("modes", false) {
		i := slices.IndexFunc(modes[:], func(m Mode) bool { return m.String() == name })
		if i < 0 {
			f.refuse("modes", "must be default, autoEdit, sandboxed, plan or yolo, not %.40q", name)
			continue
		}
		set |= In(modes[i])
	}
	return set
}

func (f fields) flag(keys ...string) bool {
	for _, key := range keys {
		switch v := f.s.members[key].value.(type) {
		case nil:
		case bool:
			return v
		default:
			f.refuse(key, "must be true or false, not %s", kindOf(v))
		}
	}
	return false
}

func (f fields) when() When {
	switch {
	case f.s.members["interactive"].value == nil:
		return Always
	case f.flag("interactive"):
		return Interactive
	}
	return Headless
}

// annotations parses the required annotations of a tool, as encoding/json would decode them.
func (f fields) annotations() map[string]any {
	v := f.s.members["toolAnnotations"].value
	s, ok := v.(*section)
	if !ok {
		if v != nil {
			f.refuse("toolAnnotations", "must be a table, not %s", kindOf(v))
		}
		return nil
	}
	return jsonOf(s).(map[string]any)
}

// jsonOf returns a value as encoding/json would decode it.
func jsonOf(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = jsonOf(v[i])
		}
		return list
	case []*section:
		list := make([]any, len(v))
		for i := range v {
			list[i] = jsonOf(v[i])
		}
		return list
	case *section:
		m := make(map[string]any, len(v.members))
		for key, at := range v.members {
			m[key] = jsonOf(at.value)
		}
		return m
	}
	return v
}

// kindOf describes a value in messages.
func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("the string %.40q", v)
	case int64, float64:
		return fmt.Sprintf("the number %v", v)
	case bool:
		return fmt.Sprint(v)
	case *section, []*section:
		return "a table"
	}
	return "a list"
}
