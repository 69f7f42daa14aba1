// Package compress keeps a conversation within a model's window: when it has
// grown past a threshold, its older part gives way to a snapshot of what matters
// in it, which a model writes (spec/agent.md §16).
//
// A compression goes: opening and body of the history apart; results of tools
// beyond a budget into files; the place where the body is cut; the snapshot of
// what stands before it, and a second look at that; the new history, if it is no
// larger than the old. Each of these is a file of this package.
//
// The summary is asked for in the cheapest way that is right. The model that
// leads the conversation has most of it in its vendor's prompt cache, under its
// own system instruction and tools. So it is sent these as they are, the same
// messages behind them, and what it is to do at the end, as the user: of 70,000
// tokens of history and 10,000 of instruction and tools all is then read at
// the cache's rate, mostly a tenth, which is the price of 8,000 tokens. A
// system instruction of the summary's own would change the first byte, and cost
// the price of 70,000. Where the cache has forgotten, the difference to that
// is the 10,000. A cheaper model has nothing cached and gets a system
// instruction of its own and no tools; it is asked if prices say that it costs
// less even so, or if they are not known ([Options].Price).
package compress

import (
	"context"
	"errors"
	"fmt"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/catalog"
)

// The defaults of [Options] (spec/agent.md §16). The seeds' threshold is 0.7 in
// one place and 0.2 in another.
const (
	DefaultThreshold      = 0.5
	DefaultPreserve       = 0.3
	DefaultResponseBudget = 50_000
	DefaultShown          = 40_000
)

// Options are what a [Compressor] is made of. Generator must be set; the zero
// value of each of the others is a default.
type Options struct {
	Generator llm.Generator

	// Conversation returns how the conversation asks a model: with its system
	// instruction, tools and sampling, as they are in the last request. nil makes
	// every summary a request of its own, which finds nothing in the prompt cache.
	Conversation func(model string) llm.Config
	// Model returns who writes the summary where this model leads the
	// conversation, and how it is asked: see [Alias]. nil, "" and an error leave it
	// to the model itself.
	Model func(model string) (name string, cfg llm.Config, err error)
	// Price returns what a model costs, nil if that is not known. With it, the model
	// that Model names has to be worth it: the conversation's own, which has the
	// history in its cache, writes the summary if it is known to cost no more, or if
	// the other's window is too small. A nil Price, for users who have named a model
	// themselves, asks that in any case. A conversation's model that has no price is
	// asked in a request of its own: nobody knows that it has a cache.
	Price func(model string) *catalog.Price
	// Limit returns how many tokens the summary's model takes where it is not the
	// conversation's own; 0, and a nil Limit, if that is not known.
	Limit func(model string) int

	Threshold float64 // share of the window from which on the history is compressed
	Preserve  float64 // share of the history that is kept as it is
	OneCall   bool    // leave out the second look at the summary (the seeds' rule)
	FiveParts bool    // the seeds' sections of the snapshot, not the seven of today

	// ResponseBudget is how many tokens of tools' results are left as they are,
	// the newest first. Of one beyond it that has more than Shown characters,
	// only these are left (negative: all), and Save keeps the whole. n counts
	// the results that were saved, from 1; a file that exists must not be written
	// over, for an older part of the session may refer to it. A nil Save keeps
	// every result in the history.
	ResponseBudget int
	Shown          int
	Save           func(tool string, n int, text string) (path string, err error)

	// PreCompress is called before a summary is asked for; trigger is "manual" or
	// "auto".
	PreCompress func(ctx context.Context, trigger string)
	// Plan returns the path of the plan that the user has approved, "" if there is none.
	Plan func() string
	// Opening reports whether a message at the head of the history is one of
	// [agent.Config.Context]. nil goes by the tag of such a message (spec/agent.md §21).
	Opening func(agent.Message) bool
	// Warn is told, in a sentence, what went wrong and was got over; nil drops it.
	Warn func(string)
}

// Compressor is an [agent.Compressor] for one conversation. It is used by one
// goroutine at a time.
type Compressor struct {
	Options
	tried attempt
	saved map[*llm.FunctionResponse]string // what is left of results that are in files
	files int
}

var _ agent.Compressor = (*Compressor)(nil)

// New returns a compressor. Settings that make no sense are the defaults.
func New(o Options) *Compressor {
	if !(o.Threshold > 0) { // NaN is none
		o.Threshold = DefaultThreshold
	}
	if !(o.Preserve > 0 && o.Preserve < 1) {
		o.Preserve = DefaultPreserve
	}
	if o.ResponseBudget <= 0 {
		o.ResponseBudget = DefaultResponseBudget
	}
	if o.Shown == 0 {
		o.Shown = DefaultShown
	}
	if o.Opening == nil {
		o.Opening = isOpening
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return &Compressor{Options: o}
}

// Compress implements [agent.Compressor]. As long as there is nothing to do it
// looks at o's numbers and at none of the messages.
//
// Without Force nothing happens where the window is not known, and after an
// attempt that left the history over the threshold, until that has grown by a
// tenth of the window, or by half of what was left of it if there is a summary, or
// has another window: a summary that fails, or cannot be short enough, is not paid
// for at every turn. After a failure, long results of
// tools go to files in the meantime ([agent.CompressContentTruncated]). They do
// so at once if a compression that is forced fails: the vendor may have refused
// a request.
//
// A summary that was not given, refused, or has not the asked form is
// [agent.CompressEmptySummary]; why is told to Warn. Since tokens are counted
// here, [agent.CompressTokenCountError] does not occur.
func (c *Compressor) Compress(ctx context.Context, o agent.Overlong) ([]agent.Message, agent.Compression) {
	if !o.Force {
		if o.Limit <= 0 || float64(o.Tokens) < c.Threshold*float64(o.Limit) {
			c.tried = attempt{}
			return o.History, unchanged(o)
		}
		if c.tried.covers(o) {
			return c.wait(o)
		}
	}
	w := c.work(o)
	if len(w.body) == 0 {
		return o.History, agent.Compression{Status: agent.CompressNoOp}
	}
	if !o.Force && float64(w.before) < c.Threshold*float64(o.Limit) {
		c.tried = attemptAt(o, o.Tokens) // the number is wrong
		return o.History, unchanged(o)
	}
	return w.compress(ctx)
}

// unchanged is the outcome of doing nothing.
func unchanged(o agent.Overlong) agent.Compression {
	return agent.Compression{Status: agent.CompressNoOp, Before: o.Tokens, After: o.Tokens}
}

// attempt is a compression that left the history over the threshold.
type attempt struct {
	model  string
	limit  int
	next   int  // tokens from which on there is another
	failed bool // there is no summary
	look   int  // with so many tokens, results of tools are looked through again
}

func attemptAt(o agent.Overlong, tokens int) attempt {
	return attempt{model: o.Model, limit: o.Limit, next: tokens + o.Limit/10}
}

// covers reports whether another attempt would find what this one found.
func (a attempt) covers(o agent.Overlong) bool {
	return a.model == o.Model && a.limit == o.Limit && o.Tokens < a.next
}

// wait does what can be done without a summary. That changes messages which the
// vendor has cached, so it is not done for every new one.
func (c *Compressor) wait(o agent.Overlong) ([]agent.Message, agent.Compression) {
	if !c.tried.failed || o.Tokens < c.tried.look {
		return o.History, unchanged(o)
	}
	history, done := c.work(o).reduce()
	c.tried.look = done.After + o.Limit/20
	return history, done
}

// work is one compression.
type work struct {
	*Compressor
	agent.Overlong
	scale
	head []agent.Message // opens the history, and stays
	body []agent.Message // what goes to the model of the rest
}

func (c *Compressor) work(o agent.Overlong) *work {
	w := &work{Compressor: c, Overlong: o}
	n := 0
	for n < len(o.History) && c.Opening(o.History[n]) {
		n++
	}
	w.head, w.body = o.History[:n:n], agent.Curated(o.History[n:])
	var cfg llm.Config
	if c.Conversation != nil {
		cfg = c.Conversation(o.Model)
	}
	w.scale = measure(o.Tokens, cfg.Tokens(), w.estimate(w.body))
	return w
}

// estimate guesses how many tokens the opening and messages are.
func (w *work) estimate(messages []agent.Message) int { return estimate(w.head) + estimate(messages) }

// compress has a summary written and puts it in the place of what it tells of.
func (w *work) compress(ctx context.Context) ([]agent.Message, agent.Compression) {
	trimmed := w.trim(w.body)
	cut := w.cut(trimmed)
	if cut.at <= leading(w.body) { // an older summary would be all there is
		w.settle(w.before)
		return w.History, unchanged(w.Overlong)
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
		return w.History, unchanged(w.Overlong)
	}
	if err != nil {
		w.Warn(fmt.Sprintf("The conversation could not be summarised: %v", err))
		return w.fail(agent.Compression{Status: agent.CompressEmptySummary, Before: w.before, After: w.before})
	}
	rest := w.rest(summary, cut, trimmed)
	done := agent.Compression{Status: agent.CompressedOK, Before: w.before, After: w.scaled(w.estimate(rest))}
	if done.After > done.Before {
		done.Status = agent.CompressInflated
		return w.fail(done)
	}
	w.settle(done.After)
	return w.history(rest), done
}

// settle remembers an attempt that came to this many tokens. If that is still over
// the threshold, as where instruction and tools fill much of a small window, half of
// the room that is left is used before there is another one.
func (w *work) settle(tokens int) {
	w.tried = attempt{}
	if w.Limit > 0 && float64(tokens) >= w.Threshold*float64(w.Limit) {
		w.tried = attemptAt(w.Overlong, tokens)
		w.tried.next = max(w.tried.next, tokens+(w.Limit-tokens)/2)
	}
}

// fail leaves the history as it is, unless that may be too much for the vendor.
func (w *work) fail(failure agent.Compression) ([]agent.Message, agent.Compression) {
	if !w.Force {
		w.tried = attemptAt(w.Overlong, w.Tokens)
		w.tried.failed = true
		return w.History, failure
	}
	if history, done := w.reduce(); done.Status == agent.CompressContentTruncated {
		return history, done
	}
	return w.History, failure
}

// reduce shortens the history by what can go to files.
func (w *work) reduce() ([]agent.Message, agent.Compression) {
	trimmed := w.trim(w.body)
	after := w.scaled(w.estimate(trimmed))
	if same(trimmed, w.body) || after >= w.before {
		return w.History, unchanged(w.Overlong)
	}
	return w.history(trimmed), agent.Compression{Status: agent.CompressContentTruncated, Before: w.before, After: after}
}

// same reports whether two slices are one.
func same(a, b []agent.Message) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// history returns messages behind the opening.
func (w *work) history(messages []agent.Message) []agent.Message {
	return append(w.head, messages...)
}

// rest returns what follows the opening, once there is a summary.
func (w *work) rest(summary string, cut cut, messages []agent.Message) []agent.Message {
	rest := []agent.Message{{Content: llm.User(llm.Text(summary))}}
	if cut.prompt >= 0 {
		rest = append(rest, agent.Message{Content: acknowledgement()}, messages[cut.prompt])
	} else if cut.at == len(messages) || messages[cut.at].Content.Role != llm.RoleModel {
		rest = append(rest, agent.Message{Content: acknowledgement()})
	}
	return append(rest, messages[cut.at:]...)
}

// errNoSummary means that the model's answer can't take the place of a history.
var errNoSummary = errors.New("the model gave no summary in the form that was asked for")
