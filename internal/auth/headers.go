package auth

import (
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"

	"pollux/internal/config"
	"pollux/internal/exit"
)

func headers(env *config.FolderEnv) (http.Header, error) {
	h := http.Header{}
	for name, value := range splitHeaders(env.Get("GEMINI_CLI_CUSTOM_HEADERS")) {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, exit.Errorf(exit.Auth, "GEMINI_CLI_CUSTOM_HEADERS: %q is not a header that can be sent.", name)
		}
		h.Set(name, value)
	}
	return h, nil
}

// splitHeaders yields the headers of "A: 1, B: x,y". A comma is a separator only if a name and
// a colon follow. Entries without a name or colon are skipped.
func splitHeaders(list string) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		for list != "" {
			var entry string
			entry, list = cutHeader(list)
			name, value, ok := strings.Cut(entry, ":")
			name = strings.TrimSpace(name)
			if ok && name != "" && !yield(name, strings.TrimSpace(value)) {
				return
			}
		}
	}
}

// cutHeader returns the first header of a list, and the rest.
func cutHeader(list string) (entry, rest string) {
	// A name follows a comma if there is text and then a colon before the next comma. So it is
	// enough to remember the last comma.
	comma := -1
	for i := range len(list) {
		switch {
		case list[i] == ',':
			comma = i
		case list[i] == ':' && comma >= 0:
			if strings.TrimSpace(list[comma+1:i]) != "" {
				return list[:comma], list[comma+1:]
			}
			comma = -1
		}
	}
	return list, ""
}
