package agent

import (
	"context"
	"errors"
	"slices"
	"strings"

	"pollux/llm"
	"pollux/llm/ellipsis"
	"pollux/llm/media"
)

// refusedMedia repairs a request that the service refused although it is valid, perhaps because of a medium in it: a
// damaged image, for example. The medium would be a part of all later requests, which the service would refuse, too. It
// leaves out the media of the turn's message. If the request is refused once more, it also leaves out those of the history
// that the model has not accepted before: those of another model's turns, or of an earlier process. If that does not help,
// the media were not the reason, and it puts them back.
type refusedMedia struct{ *requester }

// mediaLeftOut is the state of a turn some of whose media were left out.
type mediaLeftOut struct {
	cause   error        // of the first refusal
	message *llm.Content // as it was
	history []Message    // before the message, as it was; nil if it is unchanged
}

func (m refusedMedia) sees(t *turn) bool {
	return t.err != nil && t.problem == nil && (t.leftOut != nil || isRefusal(t.err))
}

// isRefusal reports whether a service refused a request for its content.
func isRefusal(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Kind == llm.KindBadRequest && e.Status != 0 && !e.IsBadKey()
}

func (m refusedMedia) repairs(ctx context.Context, t *turn) (remedy, error) {
	if isRefusal(t.err) && !t.reply.hasStarted {
		names := m.leaveOut(ctx, t)
		if len(names) > 0 {
			t.attempt, t.previous = 0, nil
			return resend, m.out.emit(Retried{Cause: InvalidStream{Type: mediaRefused, Message: refusalMessage(m.model, t.err, names)}})
		}
	}
	return stand, m.restore(ctx, t)
}

// mediaRefused is the type of the cause of a [Retried] for media that the service refused.
const mediaRefused = "MEDIA_REFUSED"

// refusalMessage reports which media are left out, and why.
func refusalMessage(model string, cause error, names []string) string {
	const most = 3
	more := ""
	if n := len(names) - most; n > 0 {
		names, more = names[:most], " and more"
	}
	reason := ellipsis.Bytes(strings.TrimSuffix(strings.Join(strings.Fields(cause.Error()), " "), "."), 200)
	return model + " refused the request: " + reason + ". Sending it again without " + strings.Join(names, ", ") + more + "."
}

// leaveOut leaves out media, and returns their descriptions; none if it can leave out no more.
func (m refusedMedia) leaveOut(ctx context.Context, t *turn) []string {
	const why = "the service refused it"
	content, at := t.message.content, t.message.at
	if t.leftOut == nil {
		t.leftOut = &mediaLeftOut{cause: t.err, message: content}
		if names := sentMedia(content); len(names) > 0 {
			m.conv.leave(ctx, &t.message)
			t.message.content = leaveOutMedia(content, isSent, why)
			return names
		}
	}
	if t.leftOut.history != nil {
		return nil
	}
	var names []string
	before := m.conv.history.all[:at]
	bare := slices.Clone(before)
	for i := m.conv.acceptedBy(m.model); i < len(bare); i++ {
		if isFromModel(bare[i]) {
			continue
		}
		names = append(names, sentMedia(bare[i].Content)...)
		bare[i].Content = leaveOutMedia(bare[i].Content, isSent, why)
	}
	if len(names) == 0 {
		return nil
	}
	t.leftOut.history = slices.Clone(before)
	m.conv.leave(ctx, &t.message)
	m.conv.substitute(ctx, bare)
	return names
}

// isSent reports whether p is a medium that may be in a request. Adapters leave out data that is none.
func isSent(p llm.Part) bool {
	if p.InlineData == nil {
		return p.FileData != nil
	}
	_, problem := media.Type(p.InlineData)
	return problem == ""
}

// sentMedia describes the media of content that may be in a request.
func sentMedia(content *llm.Content) []string {
	var list []string
	for _, p := range content.Parts {
		for _, m := range mediaOf(p) {
			if isSent(m) {
				list = append(list, describeMedia(m))
			}
		}
	}
	return list
}

// restore puts back all media of the turn, and returns the error that they did not cause.
func (m refusedMedia) restore(ctx context.Context, t *turn) error {
	was := t.leftOut
	if was == nil || was.message == t.message.content && was.history == nil {
		return t.err
	}
	m.conv.leave(ctx, &t.message)
	if was.history != nil {
		m.conv.substitute(ctx, was.history)
	}
	t.message.content = was.message
	m.conv.join(ctx, &t.message)
	if isRefusal(t.err) {
		return was.cause
	}
	return t.err
}

// accept records that a model has accepted a request with the whole history.
func (c *conversation) accept(model string) { c.accepted, c.acceptor = len(c.history.all), model }

// acceptedBy returns the number of messages at the head of the history that the model has accepted.
func (c *conversation) acceptedBy(model string) int {
	if model != c.acceptor {
		return 0
	}
	return min(c.accepted, len(c.history.all))
}

// substitute replaces the history by as many messages, some of which have another content.
func (c *conversation) substitute(ctx context.Context, messages []Message) {
	start, size, accepted, tokens := c.promptStart, c.promptTokens, c.accepted, c.tokens
	for i := range messages {
		tokens += messages[i].Content.Tokens() - c.history.all[i].Content.Tokens()
	}
	c.replace(ctx, messages, max(0, tokens))
	c.promptStart, c.promptTokens, c.accepted = start, size, accepted
}
