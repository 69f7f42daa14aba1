// Package compress keeps a conversation within a model's context window. When the history
// exceeds a threshold, a model writes a summary of its older part, the snapshot, which replaces
// that part.
//
// A compression has these steps:
//
//   - separate the messages of agent.Config.Context from the others (body.go);
//   - save tool results beyond a budget to files (trim.go);
//   - find the message at which to cut the history (cut.go);
//   - have a model write the snapshot and verify it (summarise.go, prompts.go, snapshot.go);
//   - build the new history, if it is not larger than the old one (compress.go);
//   - if the conversation cannot go on otherwise, shorten the rest (room.go).
//
// The cost of the summary depends on the vendor's prompt cache, which holds most of the
// conversation, with the system instruction and the tools of the conversation's model. So the
// request repeats all three unchanged, and gives the task in a user message at the end. With
// 70,000 tokens of history, and 10,000 tokens of system instruction and tools, the vendor then
// reads all 80,000 tokens from the cache, mostly at a tenth of the price. With another system
// instruction, it would charge 70,000 tokens at the full price. If the cache has expired, the
// repetition costs 10,000 tokens more. Another model has nothing in its cache and gets a system
// instruction of its own and no tools. It is used if it costs less even so, or if the prices are
// unknown (see Price in [Options]).
package compress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/catalog"
)

// The defaults of [Options].
const (
	DefaultThreshold      = 0.5
	DefaultPreserve       = 0.3
	DefaultResponseBudget = 50_000
	DefaultKeptChars      = 40_000
)

// Options configures a [Compressor]. Generator must be set. All other fields may be zero.
type Options struct {
	Generator llm.Generator

	// RequestConfig returns the system instruction, the tools and the sampling parameters of
	// the conversation's last request. If it is nil, requests for a summary have a system
	// instruction of their own, and the prompt cache is not used.
	RequestConfig func(model string) llm.Config
	// SummaryModel returns the model that writes the summary, and its configuration, if the
	// given model leads the conversation; see [Alias]. If it is nil or returns "" or an error,
	// or if a request shows that its model does not exist, the given model writes the summary
	// itself.
	SummaryModel func(model string) (name string, cfg llm.Config, err error)
	// Price returns the price of a model, nil if it is unknown. The conversation's own model,
	// which has the history in its cache, then writes the summary if it is known to cost no
	// more than the model of SummaryModel, or if the window of the latter is too small. A nil
	// Price always uses the model of SummaryModel, for users who have selected it themselves.
	// If the price of the conversation's model is unknown, it may have no cache, and requests
	// to it do not repeat its system instruction and tools.
	Price func(model string) *catalog.Price
	// Limit returns the size of the context window, in tokens, of a model other than the
	// conversation's own. It returns 0, as a nil Limit does, if it is unknown.
	Limit func(model string) int

	// Threshold is the fraction of the window from which on the history is compressed; in a small window, of the
	// part that is not fixed: without the instruction, the tools and the opening. If it is 0, it is DefaultThreshold
	// of the window, also of a small one, so that each round begins with half of the window. There, the conversation
	// may take at least a third of the part that is not fixed.
	Threshold        float64
	Preserve         float64 // fraction of the history that is kept unchanged
	SkipVerification bool    // do not have the model verify the snapshot
	FiveSections     bool    // use five sections in the snapshot instead of seven
	// Separate requests summaries apart from the conversation: with a system instruction of their own and without its
	// tools, so that the prompt cache is not used.
	Separate bool
	// GiveUp ends all attempts after one that failed, until a forced one succeeds. Otherwise the next one waits until the
	// history has grown.
	GiveUp bool
	// CountTokens has the vendor count the history before it is compared with the threshold, and after a compression
	// (count.go). Otherwise both sizes are computed from those that the responses report.
	CountTokens bool

	// ResponseBudget is the number of tokens of tool results that stay in the history, the
	// newest first. An older result of more than KeptChars characters is shortened to
	// KeptChars (a negative number keeps all), and Save stores all of it in a file. n counts
	// the saved results, from 1. Save must not overwrite an existing file, because an older
	// part of the session may refer to it. A nil Save keeps every result in the history.
	//
	// In a small window, the budget is at most half of it, and KeptChars at most the
	// characters of a tenth.
	ResponseBudget int
	KeptChars      int
	Save           func(tool string, n int, text string) (path string, err error)

	// PreCompress is called before each request for a summary; trigger is "manual" or "auto".
	PreCompress func(ctx context.Context, trigger string)
	// PlanPath returns the path of the plan that the user has approved, "" if there is none.
	PlanPath func() string
	// Facts returns the facts that the program knows now, which follow the snapshot in the same message.
	// removed are the messages that the snapshot replaces, which may begin with an older one (see [Earlier]), and kept
	// those that stay. A nil Facts knows nothing.
	Facts func(removed, kept []agent.Message) []Fact
	// IsContext reports whether a message at the head of the history belongs to
	// [agent.Config.Context]. A nil IsContext recognizes such a message by its tag.
	IsContext func(agent.Message) bool
	// Warn is called with a sentence after a failure that does not stop the compression; nil
	// discards it.
	Warn func(string)
}

// Compressor is an [agent.Compressor] for one conversation. It must not be used by several
// goroutines at once.
type Compressor struct {
	Options
	isDefault   bool // the Threshold
	lastAttempt attempt
	missing     map[string]bool                  // models of SummaryModel that do not exist
	saved       map[*llm.FunctionResponse]string // by result: the shortened text of those saved to files
	files       int                              // number of saved results
	isUncounted bool                             // the vendor could not count
}

var _ agent.Compressor = (*Compressor)(nil)

// New returns a compressor. Invalid values in o are replaced by defaults.
func New(o Options) *Compressor {
	isDefault := !(o.Threshold > 0) // also for NaN
	if isDefault {
		o.Threshold = DefaultThreshold
	}
	if !(o.Preserve > 0 && o.Preserve < 1) {
		o.Preserve = DefaultPreserve
	}
	if o.ResponseBudget <= 0 {
		o.ResponseBudget = DefaultResponseBudget
	}
	o.KeptChars = cmp.Or(o.KeptChars, DefaultKeptChars)
	if o.IsContext == nil {
		o.IsContext = isOpening
	}
	if o.PlanPath == nil {
		o.PlanPath = func() string { return "" }
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return &Compressor{Options: o, isDefault: isDefault, missing: map[string]bool{}}
}

// Compress implements [agent.Compressor]. If the history is below the threshold, its cost does
// not depend on the number of messages.
//
// Without Force, Compress does nothing if the window is unknown. After an attempt that left
// the history over the threshold, it does nothing until the history has grown by a tenth of
// the window, or, if there is a summary, by half of the remaining window, or until the window
// changes. So a summary that fails, or cannot be short enough, is not paid for in every turn.
// After a failure, Compress meanwhile saves long tool results to files
// ([agent.CompressContentTruncated]). If a forced compression fails, it does this at once,
// because the vendor may have refused a request.
//
// With Room, the history is made to fit it whatever it costs: if a summary fails, or is not short
// enough, the results of tools are shortened, then the oldest rounds are replaced by an outline
// (room.go). The status is [agent.CompressContentTruncated] then.
//
// The status is [agent.CompressEmptySummary] if the model gave no summary, refused, or used
// the wrong form; Warn gets the reason. [agent.CompressTokenCountError] does not occur.
func (c *Compressor) Compress(ctx context.Context, o agent.CompressRequest) ([]agent.Message, agent.Compression) {
	if !o.Force {
		if o.Limit > 0 {
			o.Tokens = c.count(ctx, o, o.History, o.Tokens)
		}
		hasGivenUp := c.GiveUp && c.lastAttempt.failed
		switch {
		case o.Limit <= 0 || o.Tokens < c.start(o):
			if !hasGivenUp {
				c.lastAttempt = attempt{}
			}
			return o.History, unchanged(o)
		case hasGivenUp || c.lastAttempt.covers(o):
			return c.reduceMeanwhile(o)
		}
	}
	w := c.newCompression(o)
	if len(w.body) == 0 {
		return o.History, agent.Compression{Status: agent.CompressNoOp}
	}
	if !o.Force && w.before < c.start(o) {
		c.lastAttempt = attemptAt(o, o.Tokens) // o.Tokens was too high
		return o.History, unchanged(o)
	}
	return w.compress(ctx)
}

// start returns the number of tokens from which on a history is compressed, see [Options].Threshold.
func (c *Compressor) start(o agent.CompressRequest) int {
	fixed := min(o.Fixed, o.Limit/2) // more than half cannot be right
	part := func(size int) int { return int(math.Ceil(c.Threshold * float64(size))) }
	switch {
	case !catalog.IsSmall(o.Limit):
		return part(o.Limit)
	case c.isDefault:
		return max(part(o.Limit), fixed+(o.Limit-fixed)/leastShare)
	}
	return fixed + part(o.Limit-fixed)
}

// leastShare is the share of the conversation in the part of a small window that is not fixed.
const leastShare = 3

// unchanged returns the result of a compression that changed nothing.
func unchanged(o agent.CompressRequest) agent.Compression {
	return agent.Compression{Status: agent.CompressNoOp, Before: o.Tokens, After: o.Tokens}
}

// attempt describes a compression that left the history over the threshold.
type attempt struct {
	model      string
	limit      int
	nextTokens int  // size of the history at which to try again
	failed     bool // the attempt gave no summary
	nextReduce int  // size of the history at which to save tool results again
}

func attemptAt(o agent.CompressRequest, tokens int) attempt {
	return attempt{model: o.Model, limit: o.Limit, nextTokens: tokens + o.Limit/10}
}

// covers reports whether another attempt for o is useless, because it would have the same
// result.
func (a attempt) covers(o agent.CompressRequest) bool {
	return a.model == o.Model && a.limit == o.Limit && o.Tokens < a.nextTokens
}

// reduceMeanwhile saves tool results to files after a failed attempt. It waits until the
// history has grown, because each change makes the vendor's prompt cache useless.
func (c *Compressor) reduceMeanwhile(o agent.CompressRequest) ([]agent.Message, agent.Compression) {
	if !c.lastAttempt.failed || o.Tokens < c.lastAttempt.nextReduce {
		return o.History, unchanged(o)
	}
	history, done := c.newCompression(o).reduce()
	c.lastAttempt.nextReduce = done.After + o.Limit/20
	return history, done
}

// compression is the state of one call of Compress.
type compression struct {
	*Compressor
	agent.CompressRequest
	scale
	head []agent.Message // messages of agent.Config.Context, which stay
	body []agent.Message // all other messages that are sent to the model
}

func (c *Compressor) newCompression(o agent.CompressRequest) *compression {
	w := &compression{Compressor: c, CompressRequest: o}
	n := 0
	for n < len(o.History) && c.IsContext(o.History[n]) {
		n++
	}
	w.head, w.body = o.History[:n:n], agent.Curated(o.History[n:])
	var cfg llm.Config
	if c.RequestConfig != nil {
		cfg = c.RequestConfig(o.Model)
	}
	w.scale = measure(o.Tokens, cfg.Tokens(), w.estimate(w.body))
	return w
}

func (w *compression) estimate(messages []agent.Message) int {
	return estimate(w.head) + estimate(messages)
}

// compress replaces the older part of the history by a summary.
func (w *compression) compress(ctx context.Context) ([]agent.Message, agent.Compression) {
	trimmed := w.trim(w.body)
	cut := w.cut(trimmed)
	if cut.at <= summaryLen(w.body) { // nothing to summarize but an older summary
		w.recordAttempt(w.before)
		return w.fitRoom(ctx, w.body, unchanged(w.CompressRequest))
	}
	if w.PreCompress != nil {
		trigger := "auto"
		if w.Force {
			trigger = "manual"
		}
		w.PreCompress(ctx, trigger)
	}
	summary, err := w.summarise(ctx, cut, trimmed)
	if ctx.Err() != nil {
		return w.History, unchanged(w.CompressRequest)
	}
	if err != nil {
		w.Warn(fmt.Sprintf("The conversation could not be summarized: %v", err))
		return w.fail(ctx, agent.Compression{Status: agent.CompressEmptySummary, Before: w.before, After: w.before})
	}
	rest := w.tail(summary+w.facts(trimmed, cut.at, maxFacts), cut, trimmed)
	done := agent.Compression{Status: agent.CompressedOK, Before: w.before, After: w.count(ctx, w.CompressRequest, w.withHead(rest), w.scaled(w.estimate(rest)))}
	if ctx.Err() != nil {
		return w.History, unchanged(w.CompressRequest)
	}
	if done.After > done.Before {
		done.Status = agent.CompressInflated
		return w.fail(ctx, done)
	}
	w.recordAttempt(done.After)
	return w.fitRoom(ctx, rest, done)
}

// recordAttempt stores the size of the history after a compression. If it is still over the
// threshold, for example because the system instruction and the tools fill much of a small
// window, the next attempt waits until half of the remaining window is used.
func (w *compression) recordAttempt(tokens int) {
	w.lastAttempt = attempt{}
	if w.Limit > 0 && tokens >= w.start(w.CompressRequest) {
		w.lastAttempt = attemptAt(w.CompressRequest, tokens)
		w.lastAttempt.nextTokens = max(w.lastAttempt.nextTokens, tokens+(w.Limit-tokens)/2)
	}
}

// fail returns the history unchanged. If the compression is forced, fail saves tool results to
// files, because the history may be too long for the vendor.
func (w *compression) fail(ctx context.Context, failure agent.Compression) ([]agent.Message, agent.Compression) {
	if !w.Force {
		w.lastAttempt = attemptAt(w.CompressRequest, w.Tokens)
		w.lastAttempt.failed = true
		return w.History, failure
	}
	history, done := w.reduce()
	if done.Status != agent.CompressContentTruncated {
		return w.fitRoom(ctx, w.body, failure)
	}
	return w.fitRoom(ctx, history[len(w.head):], done)
}

// reduce saves tool results to files.
func (w *compression) reduce() ([]agent.Message, agent.Compression) {
	trimmed := w.trim(w.body)
	after := w.scaled(w.estimate(trimmed))
	if isSame(trimmed, w.body) || after >= w.before {
		return w.History, unchanged(w.CompressRequest)
	}
	return w.withHead(trimmed), agent.Compression{Status: agent.CompressContentTruncated, Before: w.before, After: after}
}

// isSame reports whether a and b are the same slice.
func isSame(a, b []agent.Message) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func (w *compression) withHead(messages []agent.Message) []agent.Message {
	return append(w.head, messages...)
}

// tail returns the messages of the new history after the head: the summary and the kept
// messages.
func (w *compression) tail(summary string, cut cut, messages []agent.Message) []agent.Message {
	note := newerNote
	if cut.prompt >= 0 {
		note = promptNote
	}
	rest := []agent.Message{{Content: llm.User(llm.Text(summary + "\n\n" + note))}}
	if cut.prompt >= 0 {
		rest = append(rest, agent.Message{Content: acknowledgement()}, messages[cut.prompt])
	} else if cut.at == len(messages) || messages[cut.at].Content.Role != llm.RoleModel {
		rest = append(rest, agent.Message{Content: acknowledgement()})
	}
	return append(rest, messages[cut.at:]...)
}

// errNoSummary means that the answer of the model does not contain a snapshot.
var errNoSummary = errors.New("the model gave no summary in the form that was asked for")
