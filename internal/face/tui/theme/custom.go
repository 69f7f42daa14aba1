package theme

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"pollux/internal/face/tui/styled"
)

// maxName is the number of characters that the name of a theme may have.
const maxName = 50

// Parse returns the custom theme that v defines: an object as decoded from JSON, or the JSON of one as []byte or
// [json.RawMessage]. The name is the one by which users select the theme; if it is "", the object must have one. Colors
// that are missing or invalid come from the default theme. Each invalid color and each unknown key causes a warning. If
// v is no object or has no valid name, the theme is the zero Theme.
func Parse(name string, v any) (Theme, []string) {
	return parse(name, v, true)
}

// parseAs parses a theme whose name may be longer than usual.
func parseAs(name string, v any) (Theme, []string) { return parse(name, v, false) }

func parse(name string, v any, isBounded bool) (Theme, []string) {
	object, err := objectOf(v)
	own, isText := object["name"].(string)
	own = cleanName(own)
	if name = cleanName(name); name == "" {
		name = own
	}
	p := parser{label: "Theme"}
	if name != "" {
		p.label += " " + quote(name)
	}
	if object["name"] != nil && !isText {
		p.warn("its name is not a text")
	}
	switch {
	case err != nil:
		p.warn(err.Error())
		return Theme{}, p.warnings
	case name == "":
		p.warn("it has no name")
		return Theme{}, p.warnings
	case utf8.RuneCountInString(own) > maxName, isBounded && utf8.RuneCountInString(name) > maxName:
		p.warn(fmt.Sprintf("its name is longer than %d characters", maxName))
		return Theme{}, p.warnings
	}
	p.read(object)
	return p.theme(name), p.finish()
}

var errNoObject = errors.New("it is not a JSON object")

// objectOf returns the object that v is or that its JSON has.
func objectOf(v any) (object map[string]any, err error) {
	switch v := v.(type) {
	case map[string]any:
		object = v
	case json.RawMessage:
		err = json.Unmarshal(v, &object)
	case []byte:
		err = json.Unmarshal(v, &object)
	}
	if err != nil || object == nil {
		return nil, errNoObject
	}
	return object, nil
}

// cleanName returns a name as it can be shown.
func cleanName(s string) string { return strings.TrimSpace(styled.Text(s)) }

// quote returns the beginning of foreign text in quotes, for a message.
func quote(s string) string {
	const columns, bytes = 60, 500 // many bytes may take no columns
	s = cleanName(s[:min(len(s), bytes)])
	return `"` + styled.Plain(s).Cut(columns).String() + `"`
}

// parser collects the colors of a custom theme by their keys, such as "text.primary" and "AccentBlue".
type parser struct {
	label    string // the beginning of warnings
	colors   map[string]color.Color
	lists    map[string][]color.Color
	warnings []string
	more     int // warnings that are left out
}

// maxWarnings is the number of warnings about one theme.
const maxWarnings = 10

func (p *parser) warn(text string) {
	if len(p.warnings) == maxWarnings {
		p.more++
		return
	}
	p.warnings = append(p.warnings, p.label+": "+text+".")
}

// finish returns the warnings.
func (p *parser) finish() []string {
	if p.more > 0 {
		p.warnings = append(p.warnings, fmt.Sprintf("%s: %d more problems.", p.label, p.more))
	}
	return p.warnings
}

// read reads the values of an object.
func (p *parser) read(object map[string]any) {
	p.colors, p.lists = map[string]color.Color{}, map[string][]color.Color{}
	values := map[string]any{}
	flatten(values, "", object)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		switch v := values[key]; usageOf(key) {
		case isColor:
			p.readColor(key, v)
		case isColorList:
			p.readList(key, v)
		case isUnknown:
			p.warn("unknown key " + quote(key))
		}
	}
}

// flatten adds the values of an object with their full keys, and those of its sections.
func flatten(values map[string]any, prefix string, object map[string]any) {
	for key, v := range object {
		key = prefix + key
		section, isObject := v.(map[string]any)
		if isObject && isSection(key) {
			flatten(values, key+".", section)
			continue
		}
		values[key] = v
	}
}

func (p *parser) readColor(key string, v any) {
	if v == nil {
		return
	}
	if c, ok := p.parse(key, v); ok {
		p.colors[key] = c
	}
}

func (p *parser) readList(key string, v any) {
	if v == nil {
		return
	}
	list, ok := v.([]any)
	if !ok {
		p.warn(key + " is not a list of colors")
		return
	}
	colors := []color.Color{}
	for _, v := range list {
		if c, ok := p.parse(key, v); ok && c != nil {
			colors = append(colors, c)
		}
	}
	p.lists[key] = colors
}

// parse parses a color. Blank text is the default color of the terminal.
func (p *parser) parse(key string, v any) (color.Color, bool) {
	s, ok := v.(string)
	if ok && strings.TrimSpace(s) == "" {
		return nil, true
	}
	c, isValid := ParseColor(s)
	switch {
	case !ok:
		p.warn(key + " is not a color")
	case !isValid:
		p.warn(key + " is " + quote(s) + ", which is not a color")
	}
	return c, isValid
}
