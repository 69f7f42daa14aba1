package agent

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"pollux/llm"
)

// tooLong reports whether err says that a request does not fit the model's
// window.
func tooLong(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Kind == llm.KindContextWindow
}

// sendShorter sends message behind a shorter history, once, after send failed
// because there was too much of it (spec/agent.md §16). Failed is what had come
// of the answer.
func (r *run) sendShorter(ctx context.Context, message *llm.Content, failed *reply, cause error) (*reply, error) {
	asked := r.learn(message, cause)
	shorter, err := r.shorten(ctx, true)
	switch {
	case err != nil:
		return failed, err
	case !shorter:
		return failed, r.overflow(message, asked, cause)
	}
	if failed.started {
		if err := r.emit(Retried{Cause: InvalidStream{"CONTEXT_WINDOW", cause.Error()}}); err != nil {
			return failed, err
		}
	}
	rep, err := r.send(ctx, message)
	if tooLong(err) {
		err = r.overflow(message, r.learn(message, err), err)
	}
	return rep, err
}

// overflow ends the run: the vendor has refused message for its size. Asked is
// what the vendor said of that. Its numbers are of the whole request; ours are,
// too, where it gave none.
func (r *run) overflow(message *llm.Content, asked size, cause error) error {
	e := Overflow{Estimate: asked.prompt + asked.answer, Remaining: asked.window, Err: cause}
	if !asked.known() {
		e.Estimate, e.Remaining = r.tokens+message.Tokens(), r.limit()
		if e.Remaining >= e.Estimate { // the vendor knows better, and does not say
			e.Remaining = 0
		}
	}
	return r.end(e)
}

// learn remembers what an error tells of the size of the history and of the
// model's window.
func (r *run) learn(message *llm.Content, cause error) size {
	var e *llm.Error
	_ = errors.As(cause, &e) // it is one, or there would be nothing to learn
	asked := sizeIn(e.Message)
	if asked.window == 0 {
		asked = sizeIn(e.Body)
	}
	if asked.known() {
		r.tokens = max(r.tokens, asked.prompt-message.Tokens())
	}
	// What is set aside for the answer is not there for the prompt.
	if limit := asked.window - asked.answer; limit >= minWindow {
		if known := r.limit(); known == 0 || limit < known {
			if r.windows == nil {
				r.windows = map[string]int{}
			}
			r.windows[r.chosen] = limit
		}
	}
	return asked
}

// minWindow is less than any model has: a number below it is something else.
const minWindow = 512

// limit returns how many tokens the model takes: what it is known for, or less
// if its server has said so; 0 if nobody knows.
func (r *run) limit() int {
	limit := r.cfg.Limit(r.chosen)
	if learned := r.windows[r.chosen]; learned > 0 && (limit == 0 || learned < limit) {
		return learned
	}
	return limit
}

// size is what a vendor says of a request that was too large; what it does not
// say is 0.
type size struct {
	prompt int // tokens that were sent
	answer int // and tokens set aside for the answer
	window int // that there are
}

func (s size) known() bool {
	return s.window > 0 && s.prompt > 0 && s.prompt+s.answer > s.window
}

// sizeIn finds the numbers in a vendor's words.
func sizeIn(message string) size {
	const n = `([0-9][0-9,_]{0,11})`
	message = message[:min(len(message), 4<<10)]
	var s size
	for _, form := range []struct {
		words string
		to    []*int
	}{
		// "input length and `max_tokens` exceed context limit: 190000 + 65536 > 200000"
		{n + ` \+ ` + n + ` > ` + n, []*int{&s.prompt, &s.answer, &s.window}},
		// "prompt is too long: 210000 tokens > 200000 maximum"
		{n + `(?: tokens)? > ` + n, []*int{&s.prompt, &s.window}},
		// "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
		{`input token count[^0-9]{0,8}` + n + `[^0-9]{1,80}allowed[^0-9]{0,8}` + n, []*int{&s.prompt, &s.window}},
		// "This model's maximum context length is 4096 tokens. However, you requested
		// 4444 tokens (3932 in the messages, 512 in the completion)."
		{`context length is ` + n + `.{1,60}?` + n + ` tokens \(` + n + ` in the messages, ` + n + ` in the completion`, []*int{&s.window, nil, &s.prompt, &s.answer}},
		// "... However, your messages resulted in 130123 tokens."
		{`context length is ` + n + `[^0-9]{1,80}` + n + ` tokens`, []*int{&s.window, &s.prompt}},
		{`maximum prompt length is ` + n + `[^0-9]{1,60}` + n + ` tokens`, []*int{&s.window, &s.prompt}},
		{`contains ` + n + ` tokens.{1,80}?` + n + ` maximum context length`, []*int{&s.prompt, &s.window}},
		{`request \(` + n + ` tokens\)[^0-9]{1,60}context size \(` + n, []*int{&s.prompt, &s.window}},
		{`"n_prompt_tokens": ?` + n + `.{1,40}"n_ctx": ?` + n, []*int{&s.prompt, &s.window}},
		// No more than the window.
		{`(?:context (?:length|size|window|limit)|maximum prompt length)(?: is| of|:)?[ (]{0,2}` + n, []*int{&s.window}},
		{`"n_ctx": ?` + n, []*int{&s.window}},
	} {
		m := regexp.MustCompile(`(?is)` + form.words).FindStringSubmatch(message)
		if m == nil {
			continue
		}
		for i, to := range form.to {
			if to != nil {
				*to, _ = strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(m[i+1])) // 12 digits fit
			}
		}
		return s
	}
	return s
}
