package config

import (
	"net/url"
	"strings"
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
		case !hidden && strings.Contains(v, "://"):
			return maskedURL(v)
		}
	case float64:
		if hidden {
			return mask
		}
	case []any:
		items := make([]any, len(v))
		follows := false // the previous item is a flag whose value is a secret
		for i, item := range v {
			text, isText := item.(string)
			flag, _, joined := strings.Cut(text, "=")
			switch secret := isText && strings.HasPrefix(text, "-") && isSecret(strings.TrimLeft(flag, "-")); {
			case secret && joined:
				items[i], follows = flag+"="+mask, false
			case secret:
				items[i], follows = text, true
			default:
				items[i], follows = masked(name, item, hidden || follows), false
			}
		}
		return items
	case map[string]any:
		fields := make(map[string]any, len(v))
		for name, field := range v {
			fields[name] = masked(name, field, hidden || isSecret(name))
		}
		return fields
	}
	return v
}

// isSecret reports whether a value with this name is probably a secret.
func isSecret(name string) bool {
	name = strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
	switch name {
	case "env", "headers", "authorization", "cookie", "credentials":
		return true
	}
	for _, end := range [...]string{"key", "token", "secret", "password", "passwd"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return strings.Contains(name, "secret") || strings.Contains(name, "password")
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

// maskedURL masks the password and query of a URL.
func maskedURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return mask
	}
	if u.User == nil && u.RawQuery == "" {
		return text
	}
	if u.User != nil {
		u.User = url.User(mask)
	}
	if u.RawQuery != "" {
		u.RawQuery = mask
	}
	return u.String()
}
