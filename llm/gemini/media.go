package gemini

import (
	"cmp"
	"strings"

	"pollux/llm"
	"pollux/llm/media"
)

// isOmitted reports whether p is data that the service does not accept.
func isOmitted(p *llm.Part) bool {
	if p.InlineData == nil {
		return false
	}
	mime, problem := media.Type(p.InlineData)
	return problem != "" || !isAccepted(mime)
}

// isAccepted reports whether the service accepts data of this type. It refuses the other types of images; about
// documents and about types that it may learn, it decides itself.
func isAccepted(mime string) bool {
	kind, _, _ := strings.Cut(mime, "/")
	switch kind {
	case "image":
		switch mime {
		case "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif":
			return true
		}
		return false
	case "audio", "video", "text":
		return true
	}
	switch mime {
	case "", "application/octet-stream", "application/zip", "application/gzip", "application/x-gzip", "application/vnd.rar":
		return false
	}
	return true
}

// appendOmitted appends a text for each medium inside of r that the service does not accept.
func appendOmitted(texts []string, r *llm.FunctionResponse) []string {
	for i := range r.Parts {
		if p := &r.Parts[i]; isOmitted(p) {
			texts = append(texts, omittedText(p.InlineData))
		}
	}
	return texts
}

// omittedText returns the text that replaces data which is not sent.
func omittedText(d *llm.Blob) string {
	name := d.DisplayName
	if name != "" {
		name = " " + name
	}
	return "[" + cmp.Or(d.MIMEType, "data") + name + " left out: " + media.Reason(d) + "]"
}
