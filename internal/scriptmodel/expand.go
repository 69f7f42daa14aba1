package scriptmodel

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"pollux/internal/scriptmodel/protocol"
)

// placeholders matches {{ID}}, {{ID /REGEXP/}} and {{NAME}}.
var placeholders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{\{([A-Za-z_][\w.-]*)(?: /(.+?)/)?\}\}`)
})

// expand replaces the placeholders in s by their values, written with quote.
func expand(s string, value func(name string) (string, bool), quote func(string) string) (string, error) {
	if !strings.Contains(s, "{{") {
		return s, nil
	}
	var failed error
	out := placeholders().ReplaceAllStringFunc(s, func(whole string) string {
		m := placeholders().FindStringSubmatch(whole)
		v, ok := value(m[1])
		if !ok {
			failed = fmt.Errorf("%s: nothing has this name", whole)
			return whole
		}
		if m[2] != "" {
			re, err := regexp.Compile(m[2])
			if err != nil {
				failed = err
				return whole
			}
			found := re.FindStringSubmatch(v)
			if found == nil {
				failed = fmt.Errorf("%s: not found in %q", whole, protocol.Shorten(v))
				return whole
			}
			v = found[min(1, len(found)-1)]
		}
		return quote(v)
	})
	return out, failed
}
