package ollama

import (
	"errors"
	"strings"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/httpwire"
)

// minWindow is the smallest window to which the client reduces a model that
// does not fit in memory, in tokens. A smaller one is useless for coding.
const minWindow = 8192

// learn updates m so that the next request omits the part that the model
// rejected with err, and reports whether to send the request again. If the
// model does not support tools, learn returns false, and err has
// the kind [llm.KindNoTools].
func (c *Client) learn(m *model, err error, q chatRequest) bool {
	var e *llm.Error
	if !errors.As(err, &e) {
		return false
	}
	lower := strings.ToLower(e.Message)
	has := func(words ...string) bool { return httpwire.ContainsAny(lower, words...) }
	remember := func(message string, change func(*model)) bool {
		c.updateModel(m.name, change)
		c.log(m.name, message+" ("+httpwire.FirstLine(e.Message)+")")
		return true
	}
	switch {
	case e.Kind == llm.KindNoTools:
		if q.hasTools && m.toolSupport != catalog.No {
			remember("the model takes no tools", func(m *model) { m.toolSupport = catalog.No })
		}
		return false
	case e.Kind == llm.KindContextWindow || e.Kind == llm.KindIncomplete || e.Kind == llm.KindNetwork || e.Kind == llm.KindNoServer:
		return false
	case isMemoryError(lower) && !m.isRemote && m.window > minWindow:
		half := max(m.window/2, minWindow)
		return remember("the window is made smaller, as the machine lacks memory", func(m *model) { m.memoryLimit = half })
	case strings.HasPrefix(q.think, `"`) && has("think"):
		return remember("how much to think is yes or no", func(m *model) { m.hasLevels = false })
	case q.think != "" && has("support thinking", "think value", "support think"):
		return remember("the model does not think", func(m *model) { m.thinkingSupport = catalog.No })
	case q.hasImages && (has("image", "vision") && has("not support") || has("missing data required for image", "mmproj", "projector")):
		return remember("the model takes no images", func(m *model) { m.imageSupport = catalog.No })
	case q.hasImages && e.Kind != llm.KindModelNotFound && has("image", "png:", "jpeg:", "webp:", "base64"):
		return remember("an image cannot be read: the images so far are left out", func(m *model) { m.unreadable = q.last })
	case q.hasSchema && (e.Kind == llm.KindBadRequest || e.Kind == llm.KindServer) && isFormatError(lower):
		return remember("the form of answers is described in text", func(m *model) { m.schemaInText = true })
	}
	return false
}

// checkOpening updates m if its responses begin inside a thought, or no longer
// do (see [chatwire.Assembler.CheckOpening]).
func (c *Client) checkOpening(a *assembler, m *model) error {
	return a.CheckOpening(m.isStartLearned, a.calls, func(opened bool, message string) {
		c.updateModel(m.name, func(m *model) { m.startsInThought, m.isStartLearned = opened, opened })
		c.log(m.name, message)
	})
}
