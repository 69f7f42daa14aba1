package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pollux/internal/auth"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/llm/provider"
)

// liveReport is the result of the test request to the model.
type liveReport struct {
	Tried bool `json:"tried"`
	// Why is the reason if no request was sent.
	Why   string `json:"why,omitempty"`
	Works bool   `json:"works"`
	Model string `json:"model,omitempty"`
	// StandIn is the fallback model that responded instead of Model. Error is then the error
	// of Model.
	StandIn string `json:"standIn,omitempty"`
	// ToolCall is "native", "words" if Pollux reads tool calls from the model's text, or
	// "none". Repeated reports whether the model repeated the tool result.
	ToolCall     string   `json:"toolCall,omitempty"`
	Repeated     bool     `json:"heard"`
	Answer       string   `json:"answer,omitempty"`
	FirstMillis  int      `json:"firstMs,omitempty"`
	TotalMillis  int      `json:"totalMs,omitempty"`
	Requests     int      `json:"requests,omitempty"`
	PromptTokens int      `json:"promptTokens,omitempty"`
	AnswerTokens int      `json:"answerTokens,omitempty"` // including thoughts
	Cost         *float64 `json:"cost,omitempty"`         // in US dollars
	Error        string   `json:"error,omitempty"`
	// ErrorType is the error label in statistics, such as UNAUTHORIZED or FETCH_FAILED.
	// ErrorCode is the code of the provider or the system, such as ECONNREFUSED or
	// insufficient_quota.
	ErrorType string `json:"errorType,omitempty"`
	ErrorCode string `json:"errorCode,omitempty"`
	Status    int    `json:"status,omitempty"`
}

// probeTimeout limits the time of the whole test. A local server may have to load the model
// first.
const probeTimeout = 20 * time.Second

var errProbeTimeout = fmt.Errorf("no answer in %d s", probeTimeout/time.Second)

// checkRoundTrip asks the model to call a tool and to repeat its result.
func (x *examination) checkRoundTrip(ctx context.Context, o Options, chosen *modelChoice) sectionReport {
	s := sectionReport{ID: "live", Title: "Round trip"}
	switch {
	case o.Unasked != "":
		x.Live.Why = "--offline"
		s.ok("answer", "not asked, "+o.Unasked)
		return s
	case chosen == nil:
		x.Live.Why = "there is no model to ask"
		s.missing("answer", "not asked: there is none to ask", "see above")
		return s
	case x.hasBrokenSettings:
		x.Live.Why = "a settings file cannot be used"
		s.missing("answer", "not asked: which one the broken settings name, and where it is, is not known", "correct the settings")
		return s
	}
	if o.Asking != nil {
		o.Asking(chosen.model)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, probeTimeout, errProbeTimeout)
	defer cancel()
	result := probe(ctx, chosen)
	x.Live = newLiveReport(chosen.model, &result)
	model, account := chosen.model, chosen.account
	for _, change := range result.Switches {
		s.warn("answer", model+" does not answer: "+describeError(change.Err), x.advice(&account, change.Err))
		model = change.To
		account, _, _ = x.accounts.Resolve(model) // cannot fail: Pollux has used this account
	}
	if result.Err != nil {
		s.broken("answer", model+" does not answer: "+describeError(result.Err), x.advice(&account, result.Err))
		x.fail(result.Err)
		return s
	}
	answers := " answers: "
	if model != chosen.model {
		answers = " answers in its place: "
	}
	s.ok("answer", model+answers+x.Live.metrics())
	shown := strconv.Quote(truncate(result.Answer, 80))
	switch {
	case result.Calls == callsNative:
		s.ok("tool call", "the model calls tools by its protocol")
	case result.Calls == callsInText:
		s.ok("tool call", "the model has no tool calling of its own; Pollux reads calls from its words")
	default:
		s.warn("tool call", "the model was asked to call a tool and did not; it said "+shown,
			"choose a model that can (pollux models), or set pollux.toolCalling to text")
	}
	if result.Calls != "" && !result.Repeated {
		s.warn("result", "the model did not repeat what the tool said; it said "+shown, "try again; if it stays so, choose another model")
	}
	return s
}

// newLiveReport returns the report on a test of a model.
func newLiveReport(model string, t *probeResult) liveReport {
	r := liveReport{
		Tried: true, Works: t.Err == nil, Model: model, ToolCall: cmp.Or(t.Calls, "none"), Repeated: t.Repeated, Answer: truncate(t.Answer, 200),
		FirstMillis: millis(t.First), TotalMillis: millis(t.Total), Requests: t.Requests,
		PromptTokens: t.Usage.Prompt, AnswerTokens: t.Usage.Candidates + t.Usage.Thoughts, Cost: t.Cost,
	}
	if t.Err != nil {
		r.ToolCall = t.Calls
	}
	err := t.Err
	if n := len(t.Switches); n > 0 {
		err = t.Switches[0].Err
		if t.Err == nil {
			r.StandIn = t.Switches[n-1].To
		}
	}
	if err == nil {
		return r
	}
	r.Error = truncate(err.Error(), 300)
	var api *llm.Error
	if errors.As(err, &api) {
		r.ErrorType, r.ErrorCode, r.Status = api.Kind.String(), terminal.Line(api.Code), api.Status
	}
	return r
}

// describeError returns a one-line description of a model's error.
func describeError(err error) string {
	text := truncate(err.Error(), 300)
	var api *llm.Error
	if errors.As(err, &api) && api.Status != 0 {
		text += fmt.Sprintf(" (%d)", api.Status)
	}
	return text
}

// millis returns d in milliseconds, rounded up so that only a zero duration returns 0.
func millis(d time.Duration) int { return int((d + time.Millisecond - 1) / time.Millisecond) }

// truncate returns the first limit characters of untrusted text, as one line.
func truncate(text string, limit int) string {
	if line := []rune(terminal.Line(text)); len(line) > limit {
		return string(line[:limit]) + "..."
	}
	return terminal.Line(text)
}

// metrics describes the time, the requests, the tokens and the cost of the test.
func (r *liveReport) metrics() string {
	text := fmt.Sprintf("the first piece after %d ms, all after %d ms; %s", r.FirstMillis, r.TotalMillis, wording.Count(r.Requests, "request"))
	if r.PromptTokens+r.AnswerTokens > 0 {
		text += fmt.Sprintf(", %d tokens in and %d out", r.PromptTokens, r.AnswerTokens)
	}
	if r.Cost != nil {
		text += ", $" + strconv.FormatFloat(*r.Cost, 'f', 6, 64)
	}
	return text
}

// advice returns the next step for the user after an error of a model.
func (x *examination) advice(account *auth.Account, err error) string {
	at := cmp.Or(provider.RedactAddress(account.BaseURL), "its provider's address")
	key := cmp.Or(x.set.Where(account.From), "its key")
	var api *llm.Error
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errProbeTimeout) && account.Local != nil:
		return "the model may still be loading: try again in a minute, or ask a smaller one"
	case errors.Is(err, errProbeTimeout):
		return "check the network" + x.proxyHint() + ", or that " + at + " is the right address; a model that thinks for long may need more time than this"
	case !errors.As(err, &api):
		return "try another model with --model"
	case errors.As(err, &untrusted):
		return "if somebody on the way re-encrypts, as companies do, name their certificate in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE; else do not trust " + at
	}
	switch api.Kind {
	case llm.KindUnauthorized:
		return "check " + key + ": it is wrong, has expired, or is for another provider than " + at
	case llm.KindForbidden:
		return "the key is known, and may not do this: check what " + key + " is allowed, or whether the model is for your account"
	case llm.KindModelNotFound:
		return "pollux models " + account.ConfiguredID + " lists what there is; name one with --model, or check the address " + at
	case llm.KindQuota, llm.KindRateLimit, llm.KindCapacity:
		return "wait, or name another model with --model; pollux.fallback names some for such a case" + linkSuffix(api)
	case llm.KindSuspended, llm.KindValidation:
		return "your account needs you" + linkSuffix(api)
	case llm.KindContextWindow:
		return "the server gives the model too small a window: raise it, it should be 16,000 tokens at least"
	case llm.KindServer:
		return "the fault is the provider's: try again, or name another model with --model"
	case llm.KindNetwork, llm.KindIncomplete:
		return x.networkAdvice(api, at, account.Local != nil)
	case llm.KindBadRequest:
		return "the provider does not take what Pollux sends: check that the address " + at + " speaks " + string(account.Protocol)
	}
	return "check that " + at + " is the address of a model's server"
}

// linkSuffix returns the link of an error as the end of a sentence, or "" if there is none.
func linkSuffix(e *llm.Error) string {
	if e.Link == "" {
		return ""
	}
	return ": " + terminal.Line(e.Link)
}

// proxyHint returns text that asks the user to check the proxy too, or "" if there is no
// proxy.
func (x *examination) proxyHint() string {
	if x.Proxy == "" {
		return ""
	}
	return " and the proxy " + x.Proxy
}

// networkAdvice returns the next step for the user after a failed connection.
func (x *examination) networkAdvice(e *llm.Error, at string, local bool) string {
	switch {
	case strings.Contains(e.Error(), "proxyconnect"), strings.Contains(e.Error(), "socks connect"):
		return "the proxy " + x.Proxy + " cannot be reached: check HTTPS_PROXY and HTTP_PROXY, or unset them"
	case e.Code == "ECONNREFUSED" && local:
		return "nothing listens at " + at + ": start the server"
	case e.Code == "ECONNREFUSED":
		return "nothing listens at " + at + ": check the address and its port"
	case e.Code == "ENOTFOUND":
		return "no host has this name: check the address " + at + ", and that names can be looked up here" + x.proxyHint()
	case e.Code == "EAI_AGAIN":
		return "names cannot be looked up just now: check the network" + x.proxyHint()
	case e.Code == "EPROTO", e.Code == "ERR_SSL_BAD_RECORD_MAC", strings.Contains(e.Error(), "HTTP response to HTTPS client"):
		return "who answers there does not speak TLS: check whether " + at + " should begin with http://"
	case e.Code == "ERR_STREAM_PREMATURE_CLOSE", e.Code == "ECONNRESET", e.Kind == llm.KindIncomplete:
		return "somebody hangs up: try again; if it stays so, check the address " + at + x.proxyHint()
	}
	return "check the network" + x.proxyHint() + ", and the address " + at
}
