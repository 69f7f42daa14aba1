package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/llm"
	"pollux/tool"
)

// conversation holds the history of a session, its size in tokens, the ids in use and the
// journal. The journal receives every change of the history before the change is made.
//
// Only the goroutine that holds Agent.running may change it. Other goroutines may call
// messages, after and size meanwhile.
type conversation struct {
	journal Journal // nil for none
	now     func() time.Time

	callCount     int  // tool calls so far, for their ids
	turnCount     int  // model requests so far
	isRewritten   bool // a part of the history was replaced or removed, and [Config.Rewritten] was not called
	hasIDEContext bool // the history describes the person's open files
	isAtLimit     bool // the last run ended because no request was left, see Config.MaxTurns

	// tokens is the size of the next request without its message: the number that the model
	// reported for the last request, or an estimate, plus the messages added since. It includes
	// overhead once hasOverhead is set.
	tokens      int
	overhead    int // estimated tokens of the last request without its messages
	hasOverhead bool

	// accepted is the number of messages at the head of the history that acceptor, a model, has accepted in a request.
	accepted int
	acceptor string

	// promptStart is the index of the first message of the prompt in progress, and
	// promptTokens the value of tokens before it.
	promptStart, promptTokens int

	mu          sync.Mutex // guards the fields below, which other goroutines read
	sessionID   string
	promptCount int       // prompts that have an id
	isContinued bool      // the history began in another process
	opening     []Message // the messages of Config.Context at the head of the history
	history     history
	waiting     []Prompt       // for the next request
	windows     map[string]int // by model: a window that its server reported, smaller than the known one
}

func (c *conversation) messages() []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.history.all)
}

// after returns the messages after the one with this content, or all messages if there is
// none.
func (c *conversation) after(seen *llm.Content) []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := len(c.history.all)
	for i > 0 && c.history.all[i-1].Content != seen {
		i--
	}
	return slices.Clone(c.history.all[i:])
}

// push adds a message to the history. calls are the tool calls whose results it holds.
func (c *conversation) push(ctx context.Context, m Message, calls ...CallRecord) {
	m = c.identify(m)
	if c.journal != nil {
		// The run continues without a record; the journal itself warns the user. The
		// journal records a cancelled run too.
		_ = c.journal.Append(context.WithoutCancel(ctx), Entry{Message: m, Calls: calls})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.history.add(m)
	c.tokens += m.Content.Tokens()
}

// recordResults passes the message with the results of all calls of a response to the journal, before it
// joins the history. The last of the calls ended at the given time; zero stands for the current time.
func (c *conversation) recordResults(m outgoing, ended time.Time) {
	if recorder, ok := c.journal.(CallRecorder); ok {
		_ = recorder.EndCalls(Entry{Message: c.identify(Message{ID: m.id, Content: m.content, Time: ended}), Calls: m.records})
	}
}

// pushAnswer adds the model's response to the last request.
func (c *conversation) pushAnswer(ctx context.Context, m Message) {
	tokens := c.countTokens(m.Usage, m.Content)
	c.push(ctx, m)
	c.tokens, c.hasOverhead = tokens, true
}

// countOverhead adds the system instruction and the tools to the tokens of a conversation that
// no request has counted yet. measure returns an estimate of their tokens.
func (c *conversation) countOverhead(measure func() int) {
	if c.hasOverhead {
		return
	}
	c.overhead, c.hasOverhead = measure(), true
	more := c.overhead - c.excess()
	c.tokens += more
	c.promptTokens += more
}

// excess returns by how much the estimate of a loaded history exceeds the number that the model last reported for it, as
// with media, which count as more than they take. If the history was shortened since then, that number is too large.
func (c *conversation) excess() int {
	estimate := c.overhead + c.history.tokens
	for _, m := range slices.Backward(c.history.all) {
		estimate -= m.Content.Tokens()
		if n := c.counted(m.Usage, estimate); n != 0 {
			return max(0, estimate-n)
		}
	}
	return 0
}

// fixed estimates the tokens of the next request in a new session, without its message.
func (c *conversation) fixed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.overhead + c.openingTokens()
}

// isFirstPrompt reports whether the prompt in progress follows nothing but the opening.
func (c *conversation) isFirstPrompt() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hasOpening() {
		return c.promptStart <= len(c.opening)
	}
	return c.promptStart == 0
}

// cut removes the messages from index n on.
func (c *conversation) cut(ctx context.Context, n int) {
	if n >= len(c.history.all) {
		return
	}
	if c.journal != nil {
		_ = c.journal.Rewind(context.WithoutCancel(ctx), c.history.all[n].ID)
	}
	before := c.history.tokens
	c.accepted, c.isRewritten = min(c.accepted, n), true
	c.mu.Lock()
	defer c.mu.Unlock()
	c.history.cut(n)
	c.tokens = max(0, c.tokens+c.history.tokens-before)
}

// rewind removes the message with this id and all after it. It returns false if there is none that it
// may remove.
func (c *conversation) rewind(ctx context.Context, id string) bool {
	at := slices.IndexFunc(c.history.all, func(m Message) bool { return m.ID == id })
	if at < 0 || c.hasOpening() && at < len(c.opening) {
		return false
	}
	c.cut(ctx, at)
	c.markPrompt()
	c.hasIDEContext = false
	return true
}

// replace replaces the history by messages, whose size is tokens.
func (c *conversation) replace(ctx context.Context, messages []Message, tokens int) {
	same := 0
	for same < min(len(messages), len(c.history.all)) && messages[same].Content == c.history.all[same].Content {
		same++
	}
	if same < c.promptStart { // the start of the prompt in progress is gone
		c.promptStart, c.promptTokens = len(messages), tokens
	}
	c.accepted, c.isRewritten = min(c.accepted, same), true
	messages = slices.Clone(messages)
	for i := same; i < len(messages); i++ {
		messages[i] = c.identify(messages[i])
	}
	if c.journal != nil {
		_ = c.journal.Replace(context.WithoutCancel(ctx), messages)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.history.set(messages)
	c.tokens = tokens
}

// markPrompt stores the current end of the history as the start of a prompt, for removePrompt.
func (c *conversation) markPrompt() { c.promptStart, c.promptTokens = len(c.history.all), c.tokens }

// removePrompt removes the prompt in progress and all messages after it.
func (c *conversation) removePrompt(ctx context.Context) {
	c.cut(ctx, c.promptStart)
	c.tokens = c.promptTokens
}

// clear removes all messages but the opening ones.
func (c *conversation) clear(ctx context.Context) {
	if c.hasOpening() {
		c.cut(ctx, len(c.opening))
	} else {
		c.replace(ctx, c.opening, 0)
	}
	c.tokens, c.hasOverhead = c.history.tokens, false
}

// openingMessages returns the messages that open the conversation.
func (c *conversation) openingMessages() []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.opening)
}

// hasOpening reports whether the history begins with the opening messages. A loaded history
// may not.
func (c *conversation) hasOpening() bool {
	n := len(c.opening)
	same := func(m, o Message) bool { return m.Content == o.Content }
	return len(c.history.all) >= n && slices.EqualFunc(c.history.all[:n], c.opening, same)
}

// settle adds a cancelled result with this text for each tool call at the end of the history that has no
// result. isInterrupted reports that the process ends.
func (c *conversation) settle(ctx context.Context, text string, isInterrupted bool) {
	messages := c.history.all
	hasResult := map[string]bool{} // by the id of the call
	for len(messages) > 0 && messages[len(messages)-1].Content.HasFunctionResponse() {
		for _, p := range messages[len(messages)-1].Content.Parts {
			if p.FunctionResponse != nil {
				hasResult[p.FunctionResponse.ID] = true
			}
		}
		messages = messages[:len(messages)-1]
	}
	first := len(messages) // of the model's messages at the end
	for first > 0 && isFromModel(messages[first-1]) {
		first--
	}
	results := &llm.Content{Role: llm.RoleUser}
	var records []CallRecord
	for _, m := range messages[first:] {
		for _, fc := range m.Content.FunctionCalls() {
			if hasResult[fc.ID] {
				continue
			}
			call := &ToolCall{ID: fc.ID, Name: fc.Name, Args: fc.Args}
			results.Parts = append(results.Parts, cancelledParts(call, "", text)...)
			records = append(records, CallRecord{ID: fc.ID, Name: fc.Name, Args: fc.Args, Status: CallCancelled, IsInterrupted: isInterrupted})
		}
	}
	if len(results.Parts) > 0 {
		c.push(ctx, Message{Content: results}, records...)
	}
}

// load starts the session's record with messages, for example those of an earlier process.
func (c *conversation) load(ctx context.Context, messages []Message) {
	messages = withIDs(messages)
	for i := range messages {
		if messages[i].ID == "" {
			messages[i].ID = newMessageID()
		}
	}
	if c.journal != nil {
		_ = c.journal.Begin(context.WithoutCancel(ctx), c.sessionID, messages)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.history.set(messages)
	c.isContinued = slices.ContainsFunc(messages, isFromModel)
	c.tokens, c.hasOverhead, c.hasIDEContext, c.accepted = c.history.tokens, false, false, 0
}

// identity returns the conversation for tools.
func (c *conversation) identity() tool.Conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return tool.Conversation{ID: c.sessionID, IsContinued: c.isContinued}
}

// restart starts the conversation of another session with the messages of opening.
func (c *conversation) restart(ctx context.Context, session string, opening []Message) {
	c.turnCount = 0
	c.mu.Lock()
	c.sessionID, c.promptCount, c.waiting = session, 0, nil
	c.mu.Unlock()
	c.load(ctx, opening)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opening = slices.Clone(c.history.all)
}

// replaceContext replaces the opening messages. If the history does not begin with them, it
// changes nothing and returns false.
func (c *conversation) replaceContext(ctx context.Context, opening []Message) bool {
	if !c.hasOpening() {
		return false
	}
	more := 0
	for _, m := range opening {
		more += m.Content.Tokens()
	}
	for _, m := range c.opening {
		more -= m.Content.Tokens()
	}
	c.replace(ctx, slices.Concat(opening, c.history.all[len(c.opening):]), max(0, c.tokens+more))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opening = slices.Clone(c.history.all[:len(opening)])
	return true
}

// size estimates the tokens of the opening messages and of all others, and reports whether a
// model has counted any of them.
func (c *conversation) size() (opening, others int, isCounted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	opening = c.openingTokens()
	isCounted = slices.ContainsFunc(c.history.all, func(m Message) bool { return m.Usage != nil })
	return opening, c.history.tokens - opening, isCounted
}

// openingTokens estimates the tokens of [Config.Context] in the history. The caller holds c.mu.
func (c *conversation) openingTokens() int {
	n := 0
	if c.hasOpening() {
		for _, m := range c.opening {
			n += m.Content.Tokens()
		}
	}
	return n
}

// countTokens returns the number of tokens of the last request: the number that the model
// reported, if there is one and a tokenizer could explain it. Otherwise it returns an estimate
// that includes the answer, which is a part of the next request.
func (c *conversation) countTokens(usage *llm.Usage, answer *llm.Content) int {
	estimate := c.overhead + c.history.tokens
	if n := c.counted(usage, estimate); n != 0 {
		return n
	}
	return estimate + answer.Tokens()
}

// counted returns the number that the model reported for a request, 0 if there is none or no tokenizer explains it.
func (c *conversation) counted(usage *llm.Usage, estimate int) int {
	const (
		factor  = 4      // by which an estimate may be wrong
		unknown = 10_000 // tokens of a request that the estimate may miss
		small   = 1000   // tokens that make no difference
	)
	if usage == nil || usage.Prompt <= 0 {
		return 0
	}
	tooFew := usage.Prompt < estimate/factor && estimate > small
	tooMany := usage.Prompt > unknown && (usage.Prompt-unknown)/factor > estimate
	if (tooFew || tooMany) && !c.history.hasMedia {
		return 0
	}
	return usage.Prompt
}

// learnWindow stores the window that a model's server reported, if it is smaller than the
// known one. known is 0 if the window is unknown.
func (c *conversation) learnWindow(model string, known, window int) {
	if at := c.window(model, known); window < minWindow || at != 0 && window >= at {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.windows == nil {
		c.windows = map[string]int{}
	}
	c.windows[model] = window
}

// minWindow is smaller than the window of any model. A smaller number in an error message is
// not a window.
const minWindow = 512

// window returns the size of a model's context window in tokens: known, or the one that its
// server reported if that is smaller; 0 if both are unknown.
func (c *conversation) window(model string, known int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if learned := c.windows[model]; learned > 0 && (known == 0 || learned < known) {
		return learned
	}
	return known
}

// newMessageID returns an id that no other message of a session has. It is short because the record of
// the message has it.
func newMessageID() string { return rand.Text()[:12] } // 60 bits

// identify sets the ID and the Time of a message if they are not set.
func (c *conversation) identify(m Message) Message {
	if m.ID == "" {
		m.ID = newMessageID()
	}
	if m.Time.IsZero() {
		m.Time = c.now()
	}
	return m
}

// promptID returns the id of the next prompt, "<session>########<n>", n from 0.
func (c *conversation) promptID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.promptCount++
	return fmt.Sprintf("%s########%d", c.sessionID, c.promptCount-1)
}

// compressionID returns an id for the requests of a compression that a person requested.
func (c *conversation) compressionID() string {
	return fmt.Sprintf("compress-%d", c.now().UnixMilli())
}

// clientCallID returns an id for a tool call that a person makes.
func (c *conversation) clientCallID(name string) string {
	c.callCount++
	return fmt.Sprintf("%s__client_%d", name, c.callCount-1)
}

// identifyCalls gives the calls of a response ids that are unique within it: "<name>__<id
// given by the model>". If the model gave no id, identifyCalls makes one.
func (c *conversation) identifyCalls(calls []*llm.FunctionCall) {
	uses := map[string]int{} // of an id
	for _, fc := range calls {
		// Adapters send the id without the tool's name, so the rest must be unique.
		raw := strings.TrimPrefix(fc.ID, fc.Name+"__")
		if raw == "" {
			raw = fmt.Sprintf("%s_%d_%d", fc.Name, c.now().UnixMilli(), c.callCount)
		}
		c.callCount++
		for id := raw; uses[raw] > 0; {
			uses[id]++
			raw = fmt.Sprintf("%s_%d", id, uses[id])
		}
		uses[raw]++
		fc.ID = fc.Name + "__" + raw
	}
}
