package ollama

import (
	"errors"
	"strings"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/httpwire"
)

// leastWindow is the smallest window that is tried where memory is short: in less
// no work gets done.
const leastWindow = 8192

// learn finds out from an error what a model would not have of a question,
// remembers it, and reports whether it is worth asking again without it. That a
// model cannot be given tools is for others to act on, and only said
// ([llm.KindNoTools]).
func (c *Client) learn(m *model, err error, q question) bool {
	var e *llm.Error
	if !errors.As(err, &e) {
		return false
	}
	lower := strings.ToLower(e.Message)
	has := func(words ...string) bool { return httpwire.ContainsAny(lower, words...) }
	remember := func(told string, change func(*model)) bool {
		c.remember(m.name, change)
		c.log(m.name, told+" ("+httpwire.FirstLine(e.Message)+")")
		return true
	}
	switch {
	case e.Kind == llm.KindNoTools:
		if q.tools && m.tools != catalog.No {
			remember("the model takes no tools", func(m *model) { m.tools = catalog.No })
		}
		return false
	case e.Kind == llm.KindContextWindow || e.Kind == llm.KindIncomplete || e.Kind == llm.KindNetwork:
		return false
	case lacksMemory(lower) && !m.remote && m.window > leastWindow:
		half := max(m.window/2, leastWindow)
		return remember("the window is made smaller, as the machine lacks memory", func(m *model) { m.most = half })
	case strings.HasPrefix(q.think, `"`) && has("think"):
		return remember("how much to think is yes or no", func(m *model) { m.levels = false })
	case q.think != "" && has("support thinking", "think value", "support think"):
		return remember("the model does not think", func(m *model) { m.thinks = catalog.No })
	case q.images && has("image", "vision"):
		return remember("the model takes no images", func(m *model) { m.sees = catalog.No })
	case q.schema && (e.Kind == llm.KindBadRequest || e.Kind == llm.KindServer) && isJSONTrouble(lower):
		return remember("the form of answers is told in words", func(m *model) { m.plain = true })
	}
	return false
}

// reconsider remembers of a model how its answers begin, where that was taken
// wrong (see [chatwire.Answer.Reconsider]).
func (c *Client) reconsider(a *answer, m *model) error {
	return a.Reconsider(m.openedLearned, a.calls, func(opened bool, told string) {
		c.remember(m.name, func(m *model) { m.opened, m.openedLearned = opened, opened })
		c.log(m.name, told)
	})
}
