package route

import (
	"fmt"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/llm"
)

// The small model gets the last messages, shortened to text of a few hundred bytes each. The
// messages themselves may contain whole files, and to send them would cost more than the choice
// of a model can save.

const (
	maxEarlier = 1000 // bytes of a message before the prompt
	maxPrompt  = 8000 // bytes of the prompt

	// opening is the start of the message that describes the environment of the session.
	opening = "<session_context>"
)

// messagesWithoutTools returns the last keep messages without tool calls and results, among
// the last window messages.
func messagesWithoutTools(history []agent.Message, window, keep int) []agent.Message {
	var said []agent.Message
	for _, m := range history[max(0, len(history)-window):] {
		if !isAboutTools(m.Content) {
			said = append(said, m)
		}
	}
	return said[max(0, len(said)-keep):]
}

// recentMessages returns the last n messages. It omits tool calls and results at their start.
func recentMessages(history []agent.Message, n int) []agent.Message {
	last := history[max(0, len(history)-n):]
	for len(last) > 0 && isAboutTools(last[0].Content) {
		last = last[1:]
	}
	return last
}

func isAboutTools(c *llm.Content) bool {
	return slices.ContainsFunc(c.Parts, func(p llm.Part) bool { return p.FunctionCall != nil || p.FunctionResponse != nil })
}

// promptText returns the text that the small model reads: earlier messages and the prompt.
func promptText(history []agent.Message, prompt *llm.Content) string {
	var b strings.Builder
	for _, m := range history {
		if said := messageText(m.Content, maxEarlier); said != "" && !strings.HasPrefix(said, opening) {
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
	return earlier + "<request>\n" + messageText(prompt, maxPrompt) + "\n</request>"
}

// messageText returns a message as text of about n bytes: its own text, and a note for each
// other part.
func messageText(c *llm.Content, n int) string {
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
