package gemini

import (
	"context"
	"errors"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// refusals lists the settings that the service refuses for a model. Google's open
// models (Gemma) accept no system instruction, and its older models cannot think.
type refusals struct {
	noSystem   bool // send the system instruction in the first message
	noThinking bool
}

// generate sends req. If the service refuses a setting with this model, generate
// retries without it and remembers the refusal for later requests to the model.
func (c *Client) generate(ctx context.Context, req *llm.Request, method string, patience time.Duration) (*httpwire.Response, error) {
	known := *c.models.GetOrCreate(req.Model, func() *refusals { return new(refusals) })
	for {
		res, err := c.post(ctx, req.Model, method, c.generateBody(req, known), patience)
		note := known.learn(req, err)
		if note == "" {
			nameTool(&req.Config, err)
			return res, err
		}
		c.models.Update(req.Model, known.merge)
		if c.options.Log != nil {
			c.options.Log(c.endpoint.base.Host + ": " + req.Model + ": " + note + " (" + err.Error() + ")")
		}
	}
}

func (l refusals) merge(m refusals) *refusals {
	return &refusals{noSystem: l.noSystem || m.noSystem, noThinking: l.noThinking || m.noThinking}
}

// learn adds the setting that err refuses to l and returns a log message about it, or
// "" if err does not refuse a setting.
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
