package telemetry

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"pollux/internal/stats"
	"pollux/llm"
	"pollux/llm/ellipsis"
	"pollux/llm/observe"
)

// maxText is the maximum size of a request or response in a record, in bytes.
const maxText = 1 << 20

// call is a request in progress.
type call struct {
	t     *Telemetry
	req   *llm.Request
	in    place
	began time.Time

	whole  whole  // the response, for records that contain it
	words  []byte // text of a response that should be JSON
	usage  llm.Usage
	reason []string
	model  string // model that has responded
	id     string
	err    error
}

// Begin records a request to a model, and implements [observe.Observer]. Each attempt is
// recorded as a request where it observes inside the retry decorator.
func (t *Telemetry) Begin(req *llm.Request) observe.Call {
	if t == nil {
		return nil
	}
	c := &call{t: t, req: req, in: t.below(req.PromptID), began: time.Now()}
	a := attrs{{"model", req.Model}, {"prompt_id", req.PromptID}, {"role", string(cmp.Or(req.Use, llm.UseMain))}}
	if t.o.LogPrompts {
		a.add("request_text", t.requestText(req))
	}
	t.event("api_request", req.PromptID, "Request to "+req.Model, a)
	t.semantic(req.PromptID, "Asking "+req.Model, false, slices.Concat(c.common(), c.requestAttrs()))
	return c
}

// See records a chunk of the response, or an error, and implements [observe.Call].
func (c *call) See(r *llm.Response, err error) {
	c.err = err
	if r == nil {
		return
	}
	if r.Usage != nil { // counts in a stream are totals: the last ones are valid
		c.usage = *r.Usage
	}
	c.model, c.id = cmp.Or(r.ModelVersion, c.model), cmp.Or(r.ResponseID, c.id)
	for i := range r.Candidates {
		if reason := r.Candidates[i].FinishReason; reason != "" && reason != llm.FinishUnspecified {
			c.reason = []string{finishReason(reason)} // the last one is valid
		}
	}
	if c.t.o.LogPrompts {
		c.whole.add(r)
	}
	if c.wantsJSON() && len(c.words) < maxText {
		c.words = append(c.words, r.Text()...)
	}
}

// End records the end of the request, and implements [observe.Call].
func (c *call) End() {
	took := time.Since(c.began)
	if c.err != nil {
		c.failed(took)
	} else {
		c.answered(took)
	}
	labels := c.labels()
	if c.err != nil {
		labels.add("error.type", stats.ErrorType(c.err))
	}
	c.t.meters.add(instrument{
		name: "gen_ai.client.operation.duration", description: "How long requests to models took.", unit: "s", bounds: seconds,
	}, took.Seconds(), labels)
	c.t.meters.add(milliseconds("gemini_cli.api.request.latency", "How long requests to models took."),
		float64(took.Milliseconds()), attrs{{"model", c.req.Model}})
}

func (c *call) answered(took time.Duration) {
	t, u := c.t, &c.usage
	a := attrs{
		{"model", c.req.Model},
		{"status_code", http.StatusOK},
		{"http.status_code", http.StatusOK},
		{"duration_ms", int(took.Milliseconds())},
		{"input_token_count", u.Prompt},
		{"output_token_count", u.Candidates},
		{"cached_content_token_count", u.CachedContent},
		{"thoughts_token_count", u.Thoughts},
		{"tool_token_count", u.ToolUsePrompt},
		{"total_token_count", u.Total},
		{"prompt_id", c.req.PromptID},
		{"role", string(cmp.Or(c.req.Use, llm.UseMain))},
	}
	if len(c.reason) > 0 {
		a.add("finish_reasons", c.reason)
	}
	if t.o.LogPrompts {
		a.add("response_text", c.whole.text())
	}
	t.event("api_response", c.req.PromptID, "Answer of "+c.req.Model, a)
	t.semantic(c.req.PromptID, "Answer of "+c.req.Model, false, slices.Concat(c.common(), c.responseAttrs()))
	t.ended("llm_call", c.in, c.began, "", slices.Concat(c.common(), c.requestAttrs(), c.responseAttrs()))
	c.count(attrs{{"status_code", http.StatusOK}})
	for _, one := range []struct {
		kind string
		n    int
	}{{"input", u.Prompt}, {"output", u.Candidates}, {"thought", u.Thoughts}, {"cache", u.CachedContent}, {"tool", u.ToolUsePrompt}} {
		t.meters.add(counter("gemini_cli.token.usage", "Tokens used."), float64(one.n), attrs{{"model", c.req.Model}, {"type", one.kind}})
	}
	usage := instrument{name: "gen_ai.client.token.usage", description: "Tokens per request.", unit: "token", bounds: tokens, whole: true}
	t.meters.add(usage, float64(u.Prompt), append(c.labels(), attr{"gen_ai.token.type", "input"}))
	t.meters.add(usage, float64(u.Candidates+u.Thoughts), append(c.labels(), attr{"gen_ai.token.type", "output"}))
	c.checkJSON()
}

func (c *call) failed(took time.Duration) {
	t, ms := c.t, int(took.Milliseconds())
	kind, status := stats.ErrorType(c.err), statusOf(c.err)
	message := ellipsis.Bytes(c.err.Error(), 16<<10)
	a := attrs{{"error.message", message}, {"model_name", c.req.Model}, {"duration", ms}, {"duration_ms", ms}}
	if status != 0 {
		a.add("status_code", status)
		a.add("http.status_code", status)
	}
	a.add("error.type", kind)
	a.add("prompt_id", c.req.PromptID)
	a.add("role", string(cmp.Or(c.req.Use, llm.UseMain)))
	t.emit("gemini_cli.api_error", c.req.PromptID, "Request to "+c.req.Model+" failed: "+message, true, a)
	t.semantic(c.req.PromptID, "Request to "+c.req.Model+" failed", true, append(c.common(), attr{"error.type", kind}))
	t.ended("llm_call", c.in, c.began, message, slices.Concat(c.common(), c.requestAttrs(), attrs{{"error.type", kind}}))
	labels := attrs{{"status_code", "error"}, {"error_type", kind}}
	if status != 0 {
		labels[0].value = status
	}
	c.count(labels)
}

func (c *call) count(labels attrs) {
	c.t.meters.add(counter("gemini_cli.api.request.count", "Requests to models."), 1, append(attrs{{"model", c.req.Model}}, labels...))
}

func (c *call) wantsJSON() bool { return c.req.Config.ResponseMIMEType == "application/json" }

// checkJSON records a response that should be JSON but is not.
func (c *call) checkJSON() {
	if c.wantsJSON() && len(c.words) < maxText && !json.Valid(c.words) {
		c.t.event("malformed_json_response", c.req.PromptID, c.req.Model+" answered with broken JSON", attrs{{"model", c.req.Model}})
	}
}

func statusOf(err error) int {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e.Status
	}
	return 0
}

// requestText returns a function that returns the request's messages as JSON, the newest that
// fit. Messages are immutable, but the list of them may change.
func (t *Telemetry) requestText(req *llm.Request) func() string {
	contents := slices.Clone(req.Contents)
	return func() string {
		return newest(contents, func(b []byte, c *llm.Content) []byte { return c.AppendJSON(b) })
	}
}

// newest returns the newest messages that fit in maxText bytes, as a list.
func newest(contents []*llm.Content, encode func([]byte, *llm.Content) []byte) string {
	pieces := make([][]byte, 0, len(contents))
	size := 2
	for _, c := range slices.Backward(contents) {
		piece := encode(nil, c)
		if size += len(piece) + 1; size > maxText && len(pieces) > 0 {
			break
		}
		pieces = append(pieces, piece)
	}
	slices.Reverse(pieces)
	b := make([]byte, 0, min(size, maxText))
	return string(appendList(b, pieces, func(b, piece []byte) []byte { return append(b, piece...) }))
}
