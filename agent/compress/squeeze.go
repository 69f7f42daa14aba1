package compress

import (
	"slices"

	"pollux/llm"
	"pollux/tool"
)

// squeeze returns contents with the middle of their long texts left out, so that
// they are about room tokens: a message that alone is more than the window of
// who summarises it. Media goes; only its name is left.
func squeeze(contents []*llm.Content, room int) []*llm.Content {
	const least = 200 // characters that are left of anything
	for chars := max(least, 4*room); ; chars = max(least, chars/2) {
		squeezed, tokens := make([]*llm.Content, len(contents)), 0
		for i, c := range contents {
			squeezed[i] = &llm.Content{Role: c.Role, Parts: squeezeParts(c.Parts, chars)}
			tokens += squeezed[i].Tokens()
		}
		if tokens <= room || chars == least {
			return squeezed
		}
	}
}

func squeezeParts(parts []llm.Part, chars int) []llm.Part {
	parts = slices.Clone(parts)
	for i := range parts {
		p := &parts[i]
		switch {
		case p.FunctionCall != nil:
			call := *p.FunctionCall
			if args := shortened(string(call.Args), chars); len(args) < len(call.Args) {
				call.Args = llm.Output("", "", args).Response
			}
			p.FunctionCall = &call
		case p.FunctionResponse != nil:
			r := p.FunctionResponse
			if text := output(r); len(r.Parts) > 0 || tool.Units(text) > chars {
				p.FunctionResponse = llm.Output(r.ID, r.Name, shortened(text, chars))
			}
		case p.InlineData != nil:
			parts[i] = llm.Text("[" + p.InlineData.MIMEType + " " + p.InlineData.DisplayName + "]")
		case p.FileData != nil:
			parts[i] = llm.Text("[" + p.FileData.MIMEType + " " + p.FileData.FileURI + "]")
		default:
			p.Text = shortened(p.Text, chars)
		}
	}
	return parts
}

func shortened(text string, chars int) string {
	if short, _ := tool.Truncate(text, chars, nil); len(short) < len(text) {
		return short
	}
	return text
}
