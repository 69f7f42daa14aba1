package config

import (
	"strings"

	"pollux/internal/secret"
)

// mask replaces hidden values.
const mask = "********"

// MaskSecrets returns a copy of the value at a path in which values that are probably secrets are
// masked: fields with names such as "apiKey", everything in "env" and "headers", and secrets
// in arguments and URLs of servers. References to variables are not masked.
func MaskSecrets(path string, v any) any {
	key, err := Find(path)
	if err != nil || !key.keepsSecrets() {
		return v
	}
	hidden := false
	for _, name := range strings.Split(path, ".")[1:] {
		hidden = hidden || isSecret(name)
	}
	return masked(path[strings.LastIndexByte(path, '.')+1:], v, hidden)
}

// keepsSecrets reports whether the key's value has fields with arbitrary content. The purpose
// of all other keys is known.
func (k *Key) keepsSecrets() bool {
	kind, _, _ := strings.Cut(k.Type, " ")
	return kind == "object" || kind == "map" || kind == "record" || kind == "array"
}

func masked(name string, v any, hidden bool) any {
	switch v := v.(type) {
	case string:
		switch {
		case hidden && !isReference(v):
			return mask
		case !hidden:
			return secret.MaskText(v)
		}
	case float64:
		if hidden {
			return mask
		}
	case []any:
		return maskedItems(name, v, hidden)
	case map[string]any:
		fields := make(map[string]any, len(v))
		for name, field := range v {
			fields[name] = masked(name, field, hidden || isSecret(name))
		}
		return fields
	}
	return v
}

// maskedItems masks a list, which may be the arguments of a program.
func maskedItems(name string, list []any, hidden bool) []any {
	items, args := make([]any, len(list)), Texts(list)
	if len(args) == len(list) && !hidden {
		for i, arg := range secret.MaskArgs(args) {
			items[i] = arg
		}
		return items
	}
	for i, item := range list {
		items[i] = masked(name, item, hidden)
	}
	return items
}

// isSecret reports whether a value with this name is a secret, or holds some with names of their own.
func isSecret(name string) bool {
	return name == "env" || name == "headers" || secret.InName(name)
}

// isReference reports whether a text is only a reference to a variable.
func isReference(text string) bool {
	after, ok := strings.CutPrefix(text, "$")
	if !ok {
		return false
	}
	n, _, _, fallback := parseReference(after)
	return n > 0 && n == len(after) && !fallback
}
