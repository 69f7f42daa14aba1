package openai

import (
	"fmt"
	"slices"
)

// traits is how a model is spoken to: the profile's quirks and what the service
// has taught. A value does not change once it is in use.
type traits struct {
	Quirks
	vendor string
	model  string

	otherProtocol    bool // Protocol is a lesson
	noReasoningItems bool // thoughts of before are not accepted back
	noSummary        bool // the account may not see summaries of thoughts
	openedLearned    bool // Opened is a lesson, which may be wrong

	// Under which keys messages and tools keep what they are encoded to.
	key, toolsKey string
}

// settle makes t ready for use.
func (t *traits) settle() *traits {
	t.key = fmt.Sprintf("openai/%d/%s/%s %t%t%t%t%t%t", t.Protocol, t.vendor, t.ReasoningOut,
		t.NameIDs, t.ShortIDs, t.NoImages, t.NoPDF, t.NoAudio, t.noReasoningItems)
	t.toolsKey = fmt.Sprintf("openai/tools/%d %t", t.Protocol, t.StrictSchema)
	return t
}

// method is where requests go.
func (t *traits) method() string {
	if t.Protocol == Responses {
		return "responses"
	}
	return "chat/completions"
}

// drops reports whether a member of the body is not to be sent.
func (t *traits) drops(name string) bool { return slices.Contains(t.Drop, name) }

// remember changes what is known of a model.
func (c *Client) remember(model string, change func(*traits)) {
	c.models.Learn(model, func(t traits) *traits {
		t.Quirks = t.clone()
		change(&t)
		return t.settle()
	})
}
