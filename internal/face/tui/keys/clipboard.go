package keys

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// clipboardData decodes a string of kitty's protocol for the clipboard without its number, such as
// "type=read:status=DATA:mime=aW1hZ2UvcG5n;iVBOR". It returns false for one that is no part of a reply to a request.
func clipboardData(s []byte) (c ClipboardData, ok bool) {
	meta, payload, _ := bytes.Cut(s, []byte(";"))
	for _, field := range strings.Split(string(meta), ":") {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "type":
			ok = value == "read"
		case "status":
			c.Status = value
		case "mime":
			mime, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				return ClipboardData{}, false
			}
			c.Type = printable(string(mime))
		}
	}
	if !ok || c.Status == "" || printable(c.Status) != c.Status {
		return ClipboardData{}, false
	}
	data := make([]byte, base64.StdEncoding.DecodedLen(len(payload)))
	n, err := base64.StdEncoding.Decode(data, payload)
	if err != nil {
		return ClipboardData{}, false
	}
	c.Data = data[:n]
	return c, true
}
