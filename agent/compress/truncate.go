package compress

import (
	"slices"

	"pollux/agent/shorten"
	"pollux/llm"
	"pollux/tool"
)

// truncateContents returns contents of about room tokens. It removes the middle of long texts
// and replaces media by their names. Callers use it on a message that alone exceeds the window of the
// model that writes the summary.
func truncateContents(contents []*llm.Content, room int) []*llm.Content {
	const least = 200 // minimum number of characters of each text
	for chars := max(least, 4*room); ; chars = max(least, chars/2) {
		squeezed, tokens := make([]*llm.Content, len(contents)), 0
		for i, c := range contents {
			squeezed[i] = &llm.Content{Role: c.Role, Parts: truncateParts(c.Parts, chars)}
			tokens += squeezed[i].Tokens()
		}
		if tokens <= room || chars == least {
			return squeezed
		}
	}
}

func truncateParts(parts []llm.Part, chars int) []llm.Part {
	parts = slices.Clone(parts)
	for i := range parts {
		p := &parts[i]
		switch {
		case p.FunctionCall != nil:
			call := *p.FunctionCall
			if args := truncateText(string(call.Args), chars); len(args) < len(call.Args) {
				call.Args = llm.Output("", "", args).Response
			}
			p.FunctionCall = &call
		case p.FunctionResponse != nil:
			r := p.FunctionResponse
			if text := shorten.Text(r.Response); len(r.Parts) > 0 || tool.Units(text) > chars {
				p.FunctionResponse = llm.Output(r.ID, r.Name, truncateText(text, chars))
			}
		case p.InlineData != nil:
			parts[i] = llm.Text("[" + p.InlineData.MIMEType + " " + p.InlineData.DisplayName + "]")
		case p.FileData != nil:
			parts[i] = llm.Text("[" + p.FileData.MIMEType + " " + p.FileData.FileURI + "]")
		default:
			p.Text = truncateText(p.Text, chars)
		}
	}
	return parts
}

func truncateText(text string, chars int) string {
	if short, _ := tool.Truncate(text, chars, nil); len(short) < len(text) {
		return short
	}
	return text
}
