package install

import (
	"maps"
	"regexp"
	"strings"
	"sync"

	"pollux/internal/secret"
)

// mask replaces a secret in shown texts.
const mask = "********"

// masked returns a value, or a mask in place of a secret. A reference to a variable, such as $NAME, is none.
func masked(name, value string) string {
	if value != "" && secret.InVariable(name, value) && !reference().MatchString(value) {
		return mask
	}
	return MaskText(value)
}

// MaskText masks forms of secrets in a command line or an address. A mask never hides characters that a
// shell acts on: else a command could hide in a false secret. The functions of the package secret hide more,
// so they do not serve for a text that the user agrees to.
func MaskText(text string) string {
	text = password().ReplaceAllStringFunc(text, func(found string) string {
		if found == "://git@" {
			return found
		}
		return password().ReplaceAllString(found, "://${1}"+mask+"@")
	})
	text = maskPairs(pair(), maskPairs(option(), text))
	return word().ReplaceAllStringFunc(text, func(found string) string {
		if secret.EraseForms(found) != found {
			return mask
		}
		return found
	})
}

// maskPairs masks the values of the pairs in a text that a pattern with a name, a separator and a value finds.
func maskPairs(pattern *regexp.Regexp, text string) string {
	return pattern.ReplaceAllStringFunc(text, func(found string) string {
		parts := pattern.FindStringSubmatch(found)
		name, between, value := parts[1], parts[2], parts[3]
		if secret.InName(name) && !strings.HasPrefix(value, "-") {
			return name + between + mask
		}
		return name + between + maskPairs(pattern, value)
	})
}

// maskArgs returns the arguments of a program with masks in place of secrets. An option such as --token
// names the one after it.
func maskArgs(args []any) []any {
	all := make([]any, len(args))
	isSecret := false // by the option before
	for i, arg := range args {
		text, isText := arg.(string)
		isOption := strings.HasPrefix(text, "-")
		switch {
		case !isText:
			all[i] = arg
		case isSecret && !isOption && plain().MatchString(text):
			all[i] = mask
		default:
			all[i] = MaskText(text)
		}
		isSecret = isOption && !strings.ContainsAny(text, "= ") && secret.InName(text)
	}
	return all
}

// maskServer returns the entry of an MCP server, or of a hook, with masks in place of secrets. The keys stay.
func maskServer(entry map[string]any) map[string]any {
	entry = maps.Clone(entry)
	for key, value := range entry {
		switch key {
		case "env", "headers", "oauth":
			entry[key] = maskNamed(key, value)
		default:
			entry[key] = maskValue(value)
		}
	}
	return entry
}

// maskAuth masks the secrets with which a remote agent is called, but not the commands that print them.
func maskAuth(auth map[string]any) map[string]any {
	all := make(map[string]any, len(auth))
	for key, value := range auth {
		if text, ok := value.(string); ok && strings.HasPrefix(text, "!") {
			all[key] = MaskText(text)
		} else {
			all[key] = maskNamed(key, value)
		}
	}
	return all
}

// maskNamed masks the strings in a value by the names that they have.
func maskNamed(name string, value any) any {
	switch value := value.(type) {
	case string:
		return masked(name, value)
	case map[string]any:
		all := make(map[string]any, len(value))
		for key, one := range value {
			all[key] = maskNamed(key, one)
		}
		return all
	}
	return maskValue(value)
}

// maskValue masks the strings in a value by their forms.
func maskValue(value any) any {
	switch value := value.(type) {
	case string:
		return MaskText(value)
	case []any:
		all := maskArgs(value)
		for i, one := range all {
			if _, isText := one.(string); !isText {
				all[i] = maskValue(one)
			}
		}
		return all
	case map[string]any:
		return maskServer(value)
	}
	return value
}

// safe matches a character that means nothing to a shell.
const safe = `[^\s"'$;|&<>()` + "`" + `]`

var (
	reference = lazily(`^\$(\w+|\{\w+\})$`)
	plain     = lazily(`^` + safe + `+$`)
	password  = lazily(`://([^\s/:@"'$;|&<>()` + "`" + `]*:)?[^\s/?#"'$;|&<>()` + "`" + `]+@`)
	option    = lazily(`(--?[A-Za-z][\w-]*)( +)(` + safe + `+)`)
	pair      = lazily(`([\w.-]+)(=|: ?(?:(?:Bearer|Basic|Token) +)?)(` + safe + `+)`) // NAME=value, "Name: Bearer value"
	word      = lazily(`eyJ[\w-]+\.[\w-]+\.[\w-]+|[\w-]+`)
)

func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
