package httpwire

import (
	"encoding/json"
	"strconv"
	"strings"
)

// ValidationErrors returns the message of what FastAPI has under "detail" if it refuses a request: a list of errors about members
// of the request. param is the first of those members. The message is "" if detail has another form.
func ValidationErrors(detail json.RawMessage) (message, param string) {
	var list []struct {
		Loc []any
		Msg string
	}
	if json.Unmarshal(detail, &list) != nil {
		return "", ""
	}
	var lines []string
	for _, d := range list {
		at := ""
		for i, l := range d.Loc {
			if s, ok := l.(string); ok && s != "body" {
				at += "." + s
			} else if n, ok := l.(float64); ok && i > 0 {
				at += "." + strconv.Itoa(int(n))
			}
		}
		at = strings.TrimPrefix(at, ".")
		if param == "" {
			param = at
		}
		lines = append(lines, strings.TrimPrefix(at+": "+d.Msg, ": "))
	}
	return strings.Join(lines, "; "), param
}
