package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/transfer"
)

// maxFile is the maximum size in bytes of a file with JSON.
const maxFile = 1 << 20

// read reads a file with an object.
func read(at transfer.Place, name string) (map[string]any, error) {
	data, err := at.Read(name, maxFile)
	if err != nil {
		return nil, durable.Cause(err)
	}
	return config.ParseObject(data)
}

// readFields reads the manifest. A plugin in a marketplace may have it in the entry there.
func (c *Conversion) readFields() error {
	for _, name := range c.form.manifests {
		fields, err := read(c.at, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", name, err)
		}
		c.fields = append(c.fields, fields)
		break
	}
	if c.entry != nil {
		c.fields = append(c.fields, c.entry)
	}
	if c.fields == nil {
		return fmt.Errorf("there is no %s", c.form.manifests[0])
	}
	return nil
}

// text returns the text of a key, "" if there is none.
func (c *Conversion) text(key string) string {
	for _, fields := range c.fields {
		if text, ok := fields[key].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// component is a place that the manifest names for a part of the plugin, or the part itself.
type component struct {
	name   string         // a path with slashes
	object map[string]any // nil for a path
}

// components returns the components of a key. What is neither a path within the plugin nor an object is left out of a part.
func (c *Conversion) components(key string, part *transfer.Part) (list []component) {
	if !slices.Contains(c.form.keys, key) {
		return nil
	}
	for _, fields := range c.fields {
		values, isList := fields[key].([]any)
		if !isList && fields[key] != nil {
			values = []any{fields[key]}
		}
		for _, v := range values {
			text, isText := v.(string)
			object, isObject := v.(map[string]any)
			name := path.Clean(text)
			switch {
			case isObject:
				list = append(list, component{object: object})
			case !isText:
				c.lose(part, key).Leave("it is neither a path nor an object")
			case text == "" || strings.Contains(text, `\`) || !filepath.IsLocal(filepath.FromSlash(name)):
				c.lose(part, text).Leave("it leads out of the plugin")
			case !slices.ContainsFunc(list, func(other component) bool { return other.name == name }):
				list = append(list, component{name: name})
			}
		}
	}
	return list
}

// lose adds an item that is about to be left out. One about hooks may have refused something.
func (c *Conversion) lose(part *transfer.Part, name string) *transfer.Item {
	item := part.Add(transfer.New(name))
	item.Restricts = part.Kind == "hook"
	return item
}

// places returns the files and directories of a part: those that the manifest names and, unless it names some below the usual directory, that.
func (c *Conversion) places(key string, part *transfer.Part) (names []string) {
	isNamed := false
	for _, one := range c.components(key, part) {
		switch {
		case one.object != nil:
			part.Add(transfer.New(key)).Leave("it is an object")
			continue
		case !c.at.Has(one.name):
			part.Add(transfer.New(one.name)).Leave("it does not exist")
			continue
		}
		isNamed = isNamed || one.name == key || strings.HasPrefix(one.name, key+"/")
		names = append(names, one.name)
	}
	if !isNamed && c.at.Has(key) {
		names = append([]string{key}, names...)
	}
	return names
}

// others reports the keys and files that are not converted.
func (c *Conversion) others() *transfer.Part {
	part := &transfer.Part{Kind: "setting"}
	leave := func(name, reason string) { part.Add(transfer.New(name)).Leave("%s", reason) }
	for _, fields := range c.fields {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			reason, isKnown := c.form.reasons[key]
			switch v := fields[key]; {
			case slices.Contains(c.form.keys, key), v == nil, v == false:
			case isKnown:
				leave(key, reason)
			default:
				leave(key, "Pollux does not know it")
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.form.others)) {
		if c.at.Has(name) {
			leave(name, c.form.others[name])
		}
	}
	return part
}
