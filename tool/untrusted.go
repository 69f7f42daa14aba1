package tool

import (
	"regexp"
	"sync"
)

// endOfUntrusted matches the end of the frame of [Untrusted], in any form that a model may take for it.
var endOfUntrusted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<(\s*/\s*untrusted_context\s*)>`)
})

// Untrusted frames text that comes from elsewhere, such as a web page, a server or another agent, as data for
// the model. The text cannot end the frame.
func Untrusted(text string) string {
	return "<untrusted_context>\n" + endOfUntrusted().ReplaceAllString(text, "&lt;$1&gt;") + "\n</untrusted_context>"
}
