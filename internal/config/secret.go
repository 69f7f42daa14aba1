package config

import (
	"net/url"
	"strings"
)

// mask stands for what is not shown.
const mask = "********"

// Masked returns what a path has, in the shapes of [encoding/json], without what
// is likely to be a key: fields that are called so, what is in "env" and
// "headers", and what the arguments and addresses of servers carry. A reference
// to a variable is shown: it is no key yet. The value itself stays as it is.
func Masked(path string, v any) any {
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

// keepsSecrets reports whether a key has fields that can be anything. All other
// keys say what they are for.
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
		follows := false // a flag whose value is a secret
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

// isSecret reports whether something of this name is likely to be a key.
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

// isReference reports whether a text is nothing but a variable's name.
func isReference(text string) bool {
	after, ok := strings.CutPrefix(text, "$")
	if !ok {
		return false
	}
	n, _, _, fallback := reference(after)
	return n > 0 && n == len(after) && !fallback
}

// maskedURL takes the password and the parameters off an address.
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
