package gemini

import (
	"context"
	"errors"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// refusals is what the service will not have of a model's requests. Its open models
// (Gemma) take no system instruction, its older ones do not think.
type refusals struct {
	noSystem   bool // the instruction goes into the first message
	noThinking bool
}

// generate asks for content, and once more without each thing that the service
// will not have with this model. What it says holds for all requests after it.
func (c *Client) generate(ctx context.Context, req *llm.Request, method string, patience time.Duration) (*httpwire.Response, error) {
	known := *c.models.Of(req.Model, func() *refusals { return new(refusals) })
	for {
		res, err := c.post(ctx, req.Model, method, c.generateBody(req, known), patience)
		told := known.learn(req, err)
		if told == "" {
			return res, err
		}
		c.models.Learn(req.Model, known.and)
		if c.log != nil {
			c.log(c.endpoint.base.Host + ": " + req.Model + ": " + told + " (" + err.Error() + ")")
		}
	}
}

// and adds what others have learned meanwhile.
func (l refusals) and(m refusals) *refusals {
	return &refusals{noSystem: l.noSystem || m.noSystem, noThinking: l.noThinking || m.noThinking}
}

// learn changes l so that what err complains of is not sent again, and returns
// what that is; "" if it complains of nothing that can be left out.
func (l *refusals) learn(req *llm.Request, err error) string {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindBadRequest {
		return ""
	}
	message := strings.ToLower(e.Message)
	switch {
	case !l.noSystem && req.Config.SystemInstruction != nil &&
		httpwire.ContainsAny(message, "developer instruction", "system instruction", "system_instruction", "systeminstruction"):
		l.noSystem = true
		return "the system instruction goes into the first message"
	case !l.noThinking && req.Config.Thinking != nil &&
		httpwire.ContainsAny(message, "thinking is not", "thinking level", "thinking budget", "thinking_config", "thinkingconfig", "does not support thinking"):
		l.noThinking = true
		return "the model is left to think as it does"
	}
	return ""
}
