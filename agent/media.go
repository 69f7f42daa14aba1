package agent

import (
	"slices"

	"pollux/llm"
)

// withoutMedia returns content, which is that of m, with a note in the place of each medium that a
// tool returned. It returns content itself if there is none, or if a prompt that joined the results
// may have brought it.
func (m *outgoing) withoutMedia(content *llm.Content) *llm.Content {
	if !content.HasFunctionResponse() || len(m.joined) > 0 || !slices.ContainsFunc(content.Parts, holdsMedia) {
		return content
	}
	var parts, notes []llm.Part // results come first
	for _, p := range content.Parts {
		switch {
		case isMedia(p):
			notes = append(notes, mediaNote(p))
			continue
		case p.FunctionResponse != nil && len(p.FunctionResponse.Parts) > 0:
			bare := *p.FunctionResponse
			bare.Parts = nil
			for _, nested := range p.FunctionResponse.Parts {
				if isMedia(nested) {
					notes = append(notes, mediaNote(nested))
				} else {
					bare.Parts = append(bare.Parts, nested)
				}
			}
			p.FunctionResponse = &bare
		}
		parts = append(parts, p)
	}
	return llm.User(append(parts, notes...)...)
}

// mediaNote returns the note in the place of a medium.
func mediaNote(p llm.Part) llm.Part {
	const why = " was left out: the context window has no room for it]"
	if p.InlineData != nil {
		return llm.Text("[" + p.InlineData.MIMEType + why)
	}
	return llm.Text("[" + p.FileData.MIMEType + why)
}

func isMedia(p llm.Part) bool { return p.InlineData != nil || p.FileData != nil }

// holdsMedia reports whether a part is media or a tool result with media.
func holdsMedia(p llm.Part) bool {
	return isMedia(p) || p.FunctionResponse != nil && slices.ContainsFunc(p.FunctionResponse.Parts, isMedia)
}
