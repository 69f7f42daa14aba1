package agent

import (
	"cmp"
	"slices"
	"strings"

	"pollux/llm"
)

// withoutMedia returns content, which is that of m, with a note in the place of each medium that a
// tool returned. It returns content itself if there is none, or if a prompt that joined the results
// may have brought it.
func (m *outgoing) withoutMedia(content *llm.Content) *llm.Content {
	if !content.HasFunctionResponse() || len(m.joined) > 0 {
		return content
	}
	return leaveOutMedia(content, isMedia, "the context window has no room for it")
}

// leaveOutMedia returns content with a note in the place of each medium for which leaves returns true. The note says why
// it was left out. leaveOutMedia returns content itself if there is none.
func leaveOutMedia(content *llm.Content, leaves func(llm.Part) bool, why string) *llm.Content {
	if !slices.ContainsFunc(content.Parts, func(p llm.Part) bool { return slices.ContainsFunc(mediaOf(p), leaves) }) {
		return content
	}
	var parts, notes []llm.Part
	isResult := content.HasFunctionResponse() // results come first
	for _, p := range content.Parts {
		switch {
		case leaves(p) && isResult:
			notes = append(notes, mediaNote(p, why))
			continue
		case leaves(p):
			p = mediaNote(p, why)
		case p.FunctionResponse != nil && len(p.FunctionResponse.Parts) > 0:
			bare := *p.FunctionResponse
			bare.Parts = nil
			for _, nested := range p.FunctionResponse.Parts {
				if leaves(nested) {
					notes = append(notes, mediaNote(nested, why))
				} else {
					bare.Parts = append(bare.Parts, nested)
				}
			}
			p.FunctionResponse = &bare
		}
		parts = append(parts, p)
	}
	return &llm.Content{Role: content.Role, Parts: append(parts, notes...)}
}

// mediaNote returns the note in the place of a medium.
func mediaNote(p llm.Part, why string) llm.Part {
	return llm.Text("[" + describeMedia(p) + " was left out: " + why + "]")
}

// describeMedia returns the type and the name of a medium, such as "image/png a.png".
func describeMedia(p llm.Part) string {
	mime, name := "", ""
	switch {
	case p.InlineData != nil:
		mime, name = p.InlineData.MIMEType, p.InlineData.DisplayName
	case p.FileData != nil:
		mime, name = p.FileData.MIMEType, cmp.Or(p.FileData.DisplayName, p.FileData.FileURI)
	}
	return strings.TrimSpace(cmp.Or(mime, "data") + " " + name)
}

func isMedia(p llm.Part) bool { return p.InlineData != nil || p.FileData != nil }

// mediaOf returns the media in a part: those of a tool result, or itself.
func mediaOf(p llm.Part) []llm.Part {
	switch {
	case isMedia(p):
		return []llm.Part{p}
	case p.FunctionResponse != nil:
		return slices.DeleteFunc(slices.Clone(p.FunctionResponse.Parts), func(p llm.Part) bool { return !isMedia(p) })
	}
	return nil
}

// holdsMedia reports whether a part is media or a tool result with media.
func holdsMedia(p llm.Part) bool { return len(mediaOf(p)) > 0 }
