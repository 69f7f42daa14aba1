package stats

import (
	"errors"
	"strconv"

	"pollux/llm"
)

// ErrorType returns the label under which a failed attempt is counted, such as "HTTP_503" or
// "AbortError".
func ErrorType(err error) string {
	var e *llm.Error
	if !errors.As(err, &e) {
		return "AbortError" // the label that Gemini CLI uses when the context has ended
	}
	switch e.Kind {
	case llm.KindQuota, llm.KindCapacity, llm.KindRateLimit, llm.KindServer, llm.KindIncomplete, llm.KindContextWindow:
		return e.Kind.String()
	case llm.KindNetwork, llm.KindNoServer:
		if e.Code != "" {
			return e.Code
		}
		return e.Kind.String()
	}
	if e.Status != 0 {
		return "HTTP_" + strconv.Itoa(e.Status)
	}
	return e.Kind.String()
}
