package wording

import (
	"testing"

	"pollux/agent"
)

// Each outcome of a compression has its own sentence.
func TestCompressed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		c      agent.Compression
		want   string
		failed bool
	}{
		{agent.Compression{Status: agent.CompressedOK, Before: 9000, After: 800}, "Chat history compressed from 9000 to 800 tokens.", false},
		{agent.Compression{Status: agent.CompressInflated, Before: 49_999}, "Compression was not beneficial for this history size.", false},
		{agent.Compression{Status: agent.CompressInflated, Before: 50_000}, "Chat history compression did not reduce size. This may indicate issues with the compression prompt.", true},
		{agent.Compression{Status: agent.CompressTokenCountError}, "Could not compress chat history due to a token counting error.", true},
		{agent.Compression{Status: agent.CompressEmptySummary}, "Chat history compression failed: the model returned an empty summary.", true},
		{agent.Compression{Status: agent.CompressNoOp}, "Nothing to compress.", false},
		{agent.Compression{}, "Failed to compress chat history.", true},
	} {
		if text, failed := Compressed(tt.c); text != tt.want || failed != tt.failed {
			t.Errorf("%+v: %s, failed %v", tt.c, text, failed)
		}
	}
}
