package wording

import (
	"fmt"

	"pollux/agent"
)

// Compressed describes the result of a compression, and reports whether it failed.
func Compressed(c agent.Compression) (text string, failed bool) {
	const small = 50_000 // tokens, below which a summary cannot be expected to be shorter
	switch c.Status {
	case agent.CompressedOK:
		return fmt.Sprintf("Chat history compressed from %d to %d tokens.", c.Before, c.After), false
	case agent.CompressContentTruncated:
		return fmt.Sprintf("Chat history truncated from %d to %d tokens: long tool outputs are in files now, and there is no summary.",
			c.Before, c.After), false
	case agent.CompressNoOp:
		return "Nothing to compress.", false
	case agent.CompressInflated:
		if c.Before < small {
			return "Compression was not beneficial for this history size.", false
		}
		return "Chat history compression did not reduce size. This may indicate issues with the compression prompt.", true
	case agent.CompressTokenCountError:
		return "Could not compress chat history due to a token counting error.", true
	case agent.CompressEmptySummary:
		return "Chat history compression failed: the model returned an empty summary.", true
	}
	return "Failed to compress chat history.", true
}
