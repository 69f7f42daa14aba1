package route

import (
	"fmt"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/llm"
)

// What the small model is shown is put into words of a few hundred bytes each:
// the conversation itself may hold whole files, which would cost more to send
// than the choice can save. It depends on the last messages alone.

const (
	maxEarlier = 1000 // bytes of a message before the prompt
	maxPrompt  = 8000

	// opening begins the message about the session's surroundings, which nobody has
	// said (spec/agent.md §21).
	opening = "<session_context>"
)

// talk returns the last keep of the last window messages, those about tools left
// out.
func talk(history []agent.Message, window, keep int) []agent.Message {
	var said []agent.Message
	for _, m := range history[max(0, len(history)-window):] {
		if !aboutTools(m.Content) {
			said = append(said, m)
		}
	}
	return said[max(0, len(said)-keep):]
}

// recent returns the last n messages, from the first that is not about tools.
func recent(history []agent.Message, n int) []agent.Message {
	last := history[max(0, len(history)-n):]
	for len(last) > 0 && aboutTools(last[0].Content) {
		last = last[1:]
	}
	return last
}

func aboutTools(c *llm.Content) bool {
	return slices.ContainsFunc(c.Parts, func(p llm.Part) bool { return p.FunctionCall != nil || p.FunctionResponse != nil })
}

// exchange is what the small model reads: messages, and the prompt.
func exchange(history []agent.Message, prompt *llm.Content) string {
	var b strings.Builder
	for _, m := range history {
		if said := inWords(m.Content, maxEarlier); said != "" && !strings.HasPrefix(said, opening) {
			who := "user"
			if m.Content.Role == llm.RoleModel {
				who = "agent"
			}
			fmt.Fprintf(&b, "%s: %s\n", who, said)
		}
	}
	earlier := ""
	if b.Len() > 0 {
		earlier = "<conversation>\n" + b.String() + "</conversation>\n\n"
	}
	return earlier + "<request>\n" + inWords(prompt, maxPrompt) + "\n</request>"
}

// inWords is a message as text of about n bytes: its own text, and what else it
// holds by name.
func inWords(c *llm.Content, n int) string {
	var words []string
	if text := strings.TrimSpace(c.Text()); text != "" {
		words = append(words, clip(text, n))
	}
	for i, p := range c.Parts {
		if len(words) > 20 {
			words = append(words, fmt.Sprintf("[%d more parts]", len(c.Parts)-i))
			break
		}
		switch {
		case p.FunctionCall != nil:
			words = append(words, "[calls "+clip(p.FunctionCall.Name, 100)+"]")
		case p.FunctionResponse != nil:
			words = append(words, "[result of "+clip(p.FunctionResponse.Name, 100)+"]")
		case p.InlineData != nil:
			words = append(words, "[a file: "+clip(p.InlineData.MIMEType, 100)+"]")
		case p.FileData != nil:
			words = append(words, "[a file: "+clip(p.FileData.MIMEType, 100)+"]")
		}
	}
	return strings.Join(words, " ")
}
