package openai

import (
	"fmt"
	"slices"
)

// traits is how to communicate with a model: the quirks of its profile and the
// lessons from rejections. A value in use is never modified.
type traits struct {
	Quirks
	vendor string
	model  string

	isProtocolLearned     bool // the client has switched Protocol
	refusesReasoningItems bool // the model rejects the thoughts of earlier turns
	refusesSummary        bool // the account has no access to thought summaries
	isOpenedLearned       bool // the client has set Opened, which may be wrong
	maxDescription        int  // the longest description of a tool, in bytes; 0 means any

	// Cache keys for the encoded form of messages and tools.
	key, toolsKey string
}

func (t *traits) initKeys() *traits {
	t.key = fmt.Sprintf("openai/%d/%s/%s %t%t%t%t%t%t", t.Protocol, t.vendor, t.ReasoningOut,
		t.NameIDs, t.ShortIDs, t.NoImages, t.NoPDF, t.NoAudio, t.refusesReasoningItems)
	t.toolsKey = fmt.Sprintf("openai/tools/%d %t %d", t.Protocol, t.StrictSchema, t.maxDescription)
	return t
}

// methodName returns the URL path of the protocol's method.
func (t *traits) methodName() string {
	if t.Protocol == Responses {
		return "responses"
	}
	return "chat/completions"
}

// isDropped reports whether the member name must not be sent.
func (t *traits) isDropped(name string) bool { return slices.Contains(t.Drop, name) }

// updateTraits replaces the traits of model with a changed copy.
func (c *Client) updateTraits(model string, change func(*traits)) {
	c.models.Update(model, func(t traits) *traits {
		t.Quirks = t.clone()
		change(&t)
		return t.initKeys()
	})
}
