package compress

import "pollux/agent"

var _ agent.Forecaster = (*Compressor)(nil)

// Forecast implements [agent.Forecaster]. It assumes a long summary, so that most compressions free a little more.
func (c *Compressor) Forecast(o agent.CompressRequest) int {
	if !o.Force && (o.Limit <= 0 || o.Tokens < c.start(o) || c.lastAttempt.covers(o)) {
		return o.Tokens
	}
	w, after := c.newCompression(o), o.Tokens
	if cut := w.cut(w.body); cut.at > summaryLen(w.body) {
		kept := w.estimate(w.body[cut.at:])
		if cut.prompt >= 0 {
			kept += w.body[cut.prompt].Content.Tokens()
		}
		after = w.scaled(kept + min(answerTokens, o.Limit/longSummary))
	}
	if o.Room > 0 {
		after = min(after, o.Room)
	}
	return min(after, o.Tokens)
}

// longSummary is the part of a window that a long summary takes.
const longSummary = 8
