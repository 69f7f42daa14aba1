package window

import "strconv"

// Marks of the parts of a session, with which terminals jump from prompt to prompt and select the output of one: OSC
// 133. [OutputEnd] has the fourth one.
const (
	PromptStart = esc + "]133;A" + bel
	InputStart  = esc + "]133;B" + bel
	OutputStart = esc + "]133;C" + bel
)

// OutputEnd returns the mark of the end of the output, with an exit code: 0 for success.
func OutputEnd(code int) string { return osc("133;D;" + strconv.Itoa(code)) }
