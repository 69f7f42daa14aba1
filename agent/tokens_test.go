package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pollux/llm"
)

func said(text string) Message { return Message{Content: llm.User(llm.Text(text))} }

func newConversation(opening ...Message) *conversation {
	c := &conversation{now: func() time.Time { return time.Unix(1700000000, 0) }}
	c.restart(context.Background(), "s", opening)
	return c
}

// The token count of a conversation is right after each kind of change.
func TestTokens(t *testing.T) {
	t.Parallel()
	first, second, long := said("one"), said("another one"), said("a message that is longer than the others")
	one, two, more := first.Content.Tokens(), second.Content.Tokens(), long.Content.Tokens()
	if one == 0 || one == two || two == more {
		t.Fatal(one, two, more)
	}
	counted := func(prompt int) Message {
		return Message{Content: llm.Model(llm.Text("answer")), Usage: &llm.Usage{Prompt: prompt}}
	}
	call := Message{Content: llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "look"}})}
	for name, tt := range map[string]struct {
		does func(context.Context, *conversation)
		want int
	}{
		"open": {func(context.Context, *conversation) {}, one},
		"push": {func(ctx context.Context, c *conversation) { c.push(ctx, second) }, one + two},
		"cut": {func(ctx context.Context, c *conversation) {
			c.push(ctx, second)
			c.push(ctx, long)
			c.cut(ctx, 2)
		}, one + two},
		"cut nothing": {func(ctx context.Context, c *conversation) { c.cut(ctx, 1) }, one},
		"cut more than was counted": {func(ctx context.Context, c *conversation) {
			c.push(ctx, long)
			c.pushAnswer(ctx, counted(1))
			c.cut(ctx, 1)
		}, 0},
		"answer": {func(ctx context.Context, c *conversation) { c.pushAnswer(ctx, counted(70)) }, 70},
		"push behind an answer": {func(ctx context.Context, c *conversation) {
			c.pushAnswer(ctx, counted(70))
			c.push(ctx, second)
		}, 70 + two},
		"answer without a count": {func(ctx context.Context, c *conversation) {
			c.overhead = 5
			c.pushAnswer(ctx, second)
		}, one + two + 5},
		"replace": {func(ctx context.Context, c *conversation) { c.replace(ctx, []Message{long, second}, 33) }, 33},
		"forget": {func(ctx context.Context, c *conversation) {
			c.pushAnswer(ctx, counted(70))
			c.markPrompt()
			c.push(ctx, second)
			c.pushAnswer(ctx, counted(90))
			c.removePrompt(ctx)
		}, 70},
		"forget what was compressed on the way": {func(ctx context.Context, c *conversation) {
			c.push(ctx, second)
			c.markPrompt()
			c.push(ctx, long)
			c.replace(ctx, []Message{long}, 33)
			c.pushAnswer(ctx, counted(90))
			c.removePrompt(ctx)
		}, 33},
		"forget what was compressed before": {func(ctx context.Context, c *conversation) {
			c.push(ctx, second)
			c.markPrompt()
			c.replace(ctx, []Message{c.history.all[0], long}, 33)
			c.push(ctx, long)
			c.removePrompt(ctx)
		}, 33},
		"clear": {func(ctx context.Context, c *conversation) {
			c.pushAnswer(ctx, counted(70))
			c.clear(ctx)
		}, one},
		"clear what was loaded": {func(ctx context.Context, c *conversation) {
			c.load(ctx, []Message{long, second})
			c.clear(ctx)
		}, one},
		"load":    {func(ctx context.Context, c *conversation) { c.load(ctx, []Message{second, long}) }, two + more},
		"restart": {func(ctx context.Context, c *conversation) { c.restart(ctx, "other", []Message{second}) }, two},
		"reopen": {func(ctx context.Context, c *conversation) {
			c.pushAnswer(ctx, counted(70))
			c.replaceContext(ctx, []Message{long})
		}, 70 + more - one},
		"reopen with less": {func(ctx context.Context, c *conversation) {
			c.replaceContext(ctx, []Message{long})
			c.pushAnswer(ctx, counted(more-one-1))
			c.replaceContext(ctx, []Message{first})
		}, 0},
		"settle": {func(ctx context.Context, c *conversation) {
			c.push(ctx, call)
			c.settle(ctx, cancelledText, false)
		}, one + call.Content.Tokens() + llm.User(cancelledParts(&ToolCall{ID: "1", Name: "look"}, "", cancelledText)...).Tokens()},
	} {
		c := newConversation(first)
		tt.does(t.Context(), c)
		if c.tokens != tt.want {
			t.Errorf("%s: %d tokens, want %d", name, c.tokens, tt.want)
		}
	}
}

// removePrompt removes the messages after the start of the prompt, as far as the start is
// known.
func TestForget(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		becomes func(c *conversation) []Message // the history, in the middle of the prompt
		want    int                             // messages
	}{
		"the prompt changes": {func(c *conversation) []Message {
			return []Message{c.history.all[0], c.history.all[1], said("x"), said("y")}
		}, 2},
		"an earlier message does":  {func(c *conversation) []Message { return []Message{c.history.all[0], said("x"), c.history.all[2]} }, 3},
		"all is one message":       {func(c *conversation) []Message { return []Message{said("x")} }, 1},
		"nothing of it is changed": {func(c *conversation) []Message { return c.history.all }, 2},
	} {
		c := newConversation(said("opening"))
		c.push(t.Context(), said("earlier"))
		c.markPrompt()
		c.push(t.Context(), said("prompt"))
		c.replace(t.Context(), tt.becomes(c), 10)
		c.removePrompt(t.Context())
		if got := len(c.history.all); got != tt.want {
			t.Errorf("%s: %d messages are left, want %d", name, got, tt.want)
		}
	}
}

// The opening is counted separately only if the history begins with it.
func TestConversationSize(t *testing.T) {
	t.Parallel()
	c := newConversation(said("hello"))
	c.push(t.Context(), said("a prompt of words"))
	n, m := said("hello").Content.Tokens(), said("a prompt of words").Content.Tokens()
	if opening, others, isCounted := c.size(); opening != n || others != m || isCounted {
		t.Errorf("%d, %d, %t", opening, others, isCounted)
	}
	c.load(t.Context(), []Message{said("a prompt of words"), {Content: llm.Model(), Usage: &llm.Usage{}}})
	if opening, others, isCounted := c.size(); opening != 0 || others != m || !isCounted {
		t.Errorf("loaded: %d, %d, %t", opening, others, isCounted)
	}
}

// A window that a server reports counts if it is plausible and smaller than the known one.
func TestWindows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		known int
		named []int
		want  int
	}{
		{1000, nil, 1000},
		{0, nil, 0},
		{1000, []int{800}, 800},
		{1000, []int{1000}, 1000},
		{1000, []int{1200}, 1000},
		{0, []int{800}, 800},
		{0, []int{minWindow}, minWindow},
		{0, []int{minWindow - 1}, 0},
		{1000, []int{800, 900}, 800},
		{1000, []int{800, 600}, 600},
		{700, []int{600}, 600},
	} {
		c := newConversation()
		for _, n := range tt.named {
			c.learnWindow("m", tt.known, n)
		}
		if got := c.window("m", tt.known); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
		if got := c.window("other", tt.known); got != tt.known {
			t.Errorf("%+v: of another model %d", tt, got)
		}
	}
	c := newConversation()
	c.learnWindow("m", 0, 800)
	if got := c.window("m", 700); got != 700 {
		t.Errorf("%d, though less is known", got)
	}
}

// Ids are unique in a session and restart with the next session.
func TestIDs(t *testing.T) {
	t.Parallel()
	c := newConversation()
	got := []string{c.promptID(), c.promptID(), c.clientCallID("run"), c.clientCallID("run"), c.compressionID()}
	c.turnCount = 3
	c.restart(t.Context(), "o", nil)
	got = append(got, c.promptID())
	want := []string{"s########0", "s########1", "run__client_0", "run__client_1", "compress-1700000000000", "o########0"}
	if !slices.Equal(got, want) || c.turnCount != 0 {
		t.Errorf("%s after %d turns, want %s", got, c.turnCount, want)
	}
}

func TestDelayOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want time.Duration
	}{
		{nil, 0},
		{errors.New("no"), 0},
		{&llm.Error{}, 0},
		{&llm.Error{RetryAfter: 7 * time.Second}, 7 * time.Second},
		{fmt.Errorf("ask: %w", &llm.Error{RetryAfter: time.Minute}), time.Minute},
		{&llm.Error{RetryAfter: time.Minute + 1}, time.Minute},
	} {
		if got := retryDelay(tt.err); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.err, got, tt.want)
		}
	}
}
