package window

import (
	"fmt"
	"net/url"
	"strings"
)

// maxLink is the largest target of a link, in bytes, that terminals are known to take.
const maxLink = 2083

// Link returns the target of a link in the form for OSC 8, with characters other than printable ASCII percent-encoded.
// It returns "" for a target that a terminal should not open: a scheme other than http, https, file and mailto, control
// characters, or too long a target.
func Link(target string) string {
	var b strings.Builder
	for i := range len(target) {
		if c := target[i]; c == ' ' || c > 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
		if b.Len() > maxLink {
			return ""
		}
	}
	u, err := url.Parse(b.String()) // fails for control characters
	if err != nil {
		return ""
	}
	switch u.Scheme {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
	case "file":
		if u.Path == "" {
			return ""
		}
	case "mailto":
		if u.Opaque == "" {
			return ""
		}
	default:
		return ""
	}
	return b.String()
}
