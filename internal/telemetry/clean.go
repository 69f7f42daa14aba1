package telemetry

import (
	"cmp"
	"slices"
	"strings"
)

// cleaner returns a function that removes secrets from texts, also inside JSON strings.
func cleaner(secrets func() []string) func(string) string {
	if secrets == nil {
		return asIs
	}
	var forms []string
	for _, s := range secrets() {
		if len(s) < 6 {
			continue // too short: it could be a part of normal words
		}
		quoted := string(appendQuoted(nil, s))
		forms = append(forms, string(appendQuoted(nil, quoted)), quoted, s)
	}
	if len(forms) == 0 {
		return asIs
	}
	// The longest first: one may be the beginning of another.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	forms = slices.Compact(forms)
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, redacted)
	}
	return strings.NewReplacer(pairs...).Replace
}

const redacted = "[REDACTED]"

// cut returns at most n bytes of a text, without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}
