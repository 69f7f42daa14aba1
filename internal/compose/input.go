package compose

import (
	"fmt"

	"pollux/agent/shorten"
	"pollux/internal/durable"
	"pollux/llm"
)

// FitInput returns a text that was piped to the program as the prompt has it. A text that is too long for the model's
// window goes into a file, which the model can read in parts; the prompt names the file and has the beginning and the
// end of the text. The user is warned.
func (c *Composer) FitInput(text string) string {
	room := c.parts.Agent.Room()
	if room == 0 || llm.EstimateTokens([]llm.Part{{Text: text}}) <= room {
		return text
	}
	where := "Pollux could not save it"
	if path, err := c.parts.Outputs.Save("standard_input", text); err == nil {
		where = "The full input is in " + path
	} else {
		where += ": " + durable.Cause(err).Error()
	}
	short := shorten.Within(text, room, func() string { return "" })
	c.parts.Project.Warn(fmt.Sprintf("Warning: Standard input is too long for the context window. The prompt contains its beginning and its end. %s.", where))
	return "The standard input of this command is longer than your context window. " + where + ".\n" + short
}
