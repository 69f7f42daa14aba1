package secret

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pollux/llm"
)

// Redacted is the text that replaces a secret.
const Redacted = "[REDACTED]"

// NewEraser returns a function that replaces secrets in texts, also inside JSON strings. It leaves
// secrets of fewer than 6 bytes, which could be parts of normal words.
func NewEraser(secrets []string) func(string) string {
	var forms []string
	for _, s := range secrets {
		if len(s) < 6 {
			continue
		}
		quoted := string(appendQuoted(nil, s))
		forms = append(forms, string(appendQuoted(nil, quoted)), quoted, s)
	}
	if len(forms) == 0 {
		return func(text string) string { return text }
	}
	// The longest first: one may be the beginning of another.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	forms = slices.Compact(forms)
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, Redacted)
	}
	return strings.NewReplacer(pairs...).Replace
}

// EraseForms replaces what has the form of a secret in a text: keys of known providers, tokens,
// URLs with passwords.
func EraseForms(text string) string { return secretInText().ReplaceAllString(text, Redacted) }

// secretInText matches secrets in a longer text. A match does not go beyond a JSON string.
var secretInText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY(?:[^"\\]|\\.)*|://[^:\s"/@]+:[^@\s"/]+@|\b(` + keyForms + `)|(?i:` + secretForms() + `)`)
})

// appendQuoted appends s in the form that it has inside a JSON string.
func appendQuoted(b []byte, s string) []byte {
	quoted := llm.AppendString(nil, s)
	return append(b, quoted[1:len(quoted)-1]...)
}
