package compress

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// countTimeout limits the time of a request that counts tokens.
const countTimeout = 5 * time.Second

// count returns the tokens of a request with these messages, of which the vendor has counted the messages: those of the
// system instruction and the tools are estimated. It returns known if the vendor is not to count ([Options].CountTokens),
// if it could not, now or before, or if no tokenizer could explain its number.
func (c *Compressor) count(ctx context.Context, o agent.CompressRequest, messages []agent.Message, known int) int {
	if !c.CountTokens || c.isUncounted || len(messages) == 0 {
		return known
	}
	asked := &llm.Request{Model: o.Model, Use: llm.UseCompressor, PromptID: o.PromptID}
	guessed := 0
	for _, m := range agent.Curated(messages) {
		asked.Contents = append(asked.Contents, m.Content)
		guessed += m.Content.Tokens()
	}
	limited, cancel := context.WithTimeout(ctx, countTimeout)
	defer cancel()
	n, err := c.Generator.CountTokens(limited, asked)
	switch {
	case ctx.Err() != nil:
		return known
	case err != nil:
		c.isUncounted = true
		c.Warn(fmt.Sprintf("The size of the conversation is estimated from now on, because its tokens could not be counted: %s",
			strings.TrimSuffix(err.Error(), ".")))
		return known
	case n*maxError < guessed || n > guessed*maxError:
		return known
	}
	if c.RequestConfig != nil {
		cfg := c.RequestConfig(o.Model)
		n += cfg.Tokens()
	}
	return n
}
