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
	"pollux/llm/ellipsis"
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

var errProbeTimeout = fmt.Errorf("no response within %d s", probeTimeout/time.Second)

// checkRoundTrip asks the model to call a tool and to repeat its result.
func (x *examination) checkRoundTrip(ctx context.Context, o Options, chosen *modelChoice) sectionReport {
	s := sectionReport{ID: "live", Title: "Test request"}
	switch {
	case o.Unasked != "":
		x.Live.Why = "--offline"
		s.ok("answer", "not sent, "+o.Unasked)
		return s
	case chosen == nil:
		x.Live.Why = "there is no model to ask"
		s.note("answer", "not sent: no model is set up, see above", "")
		return s
	case x.hasBrokenSettings:
		x.Live.Why = "a settings file cannot be used"
		s.note("answer", "not sent: a settings file has an error", "fix the settings file, see below")
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
		s.warn("answer", model+" failed: "+describeError(change.Err), x.advice(&account, change.Err))
		model = change.To
		account, _, _ = x.accounts.Resolve(model) // cannot fail: Pollux has used this account
	}
	if result.Err != nil {
		s.broken("answer", model+" failed: "+describeError(result.Err), x.advice(&account, result.Err))
		x.fail(result.Err)
		return s
	}
	answers := " responded: "
	if model != chosen.model {
		answers = " responded instead: "
	}
	s.ok("answer", model+answers+x.Live.metrics())
	shown := strconv.Quote(truncate(result.Answer, 80))
	switch {
	case result.Calls == callsNative:
		s.ok("tool call", "native tool calls work")
	case result.Calls == callsInText:
		s.ok("tool call", "the model has no native tool calls; Pollux reads them from its text")
	default:
		s.warn("tool call", "the model did not call the tool. It returned "+shown,
			"choose a model with tool calls (pollux models), or set pollux.toolCalling to text")
	}
	if result.Calls != "" && !result.Repeated {
		s.warn("result", "the model did not repeat the tool result. It returned "+shown, "try again, or choose another model")
	}
	return s
}

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
	if api, ok := errors.AsType[*llm.Error](err); ok {
		r.ErrorType, r.ErrorCode, r.Status = api.Kind.String(), terminal.Line(api.Code), api.Status
	}
	return r
}

// describeError returns a one-line description of a model's error.
func describeError(err error) string {
	text := truncate(err.Error(), 300)
	if api, ok := errors.AsType[*llm.Error](err); ok && api.Status != 0 {
		text += fmt.Sprintf(" (%d)", api.Status)
	}
	return text
}

// millis returns d in milliseconds, rounded up so that only a zero duration returns 0.
func millis(d time.Duration) int { return int((d + time.Millisecond - 1) / time.Millisecond) }

// truncate returns the first limit characters of untrusted text, as one line.
func truncate(text string, limit int) string {
	return ellipsis.Runes(terminal.Line(text), limit)
}

// metrics describes the time, the requests, the tokens and the cost of the test.
func (r *liveReport) metrics() string {
	text := fmt.Sprintf("first token after %d ms, complete after %d ms, %s", r.FirstMillis, r.TotalMillis, wording.Count(r.Requests, "request"))
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
	at := cmp.Or(provider.RedactAddress(account.BaseURL), "the base URL")
	key := cmp.Or(x.set.Where(account.KeySource()), "the API key")
	var api *llm.Error
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errProbeTimeout) && account.Local != nil:
		return "the model may still be loading: try again in a minute, or choose a smaller model"
	case errors.Is(err, errProbeTimeout):
		return "check the network" + x.proxyHint() + " and the address " + at + ". Models that think for long may need more time"
	case !errors.As(err, &api):
		return "choose another model with --model"
	case errors.As(err, &untrusted) && api.Code != "UNABLE_TO_GET_ISSUER_CERT_LOCALLY" && api.Code != "":
		return "check the address " + at + " and the clock of this machine"
	case errors.As(err, &untrusted):
		return "if a proxy or gateway of your company signs the certificate, set NODE_EXTRA_CA_CERTS to its CA file"
	}
	if api.Proxy != "" || api.Code == "EPROTO" {
		return x.networkAdvice(api, at, account.Local != nil)
	}
	switch api.Kind {
	case llm.KindUnauthorized:
		if account.GatewayKeyVar != "" && account.KeySource() == "" {
			return "set " + account.GatewayKeyVar + " to the key for " + at
		}
		return "check " + key + ": it is wrong, expired, or for another provider than " + at
	case llm.KindForbidden:
		return "check the permissions of " + key + ", and whether your account may use the model"
	case llm.KindModelNotFound:
		return "choose a model of 'pollux models " + account.ConfiguredID + "' with --model, or check the address " + at
	case llm.KindQuota, llm.KindRateLimit, llm.KindCapacity:
		return "wait, or choose another model with --model; pollux.fallback lists models for this case" + linkSuffix(api)
	case llm.KindSuspended, llm.KindValidation:
		return "check your account" + linkSuffix(api)
	case llm.KindContextWindow:
		return "the context window of the model is too small: set it to at least 16,000 tokens in the server"
	case llm.KindServer:
		return "the provider failed: try again later, or choose another model with --model"
	case llm.KindNetwork, llm.KindNoServer, llm.KindIncomplete:
		return x.networkAdvice(api, at, account.Local != nil)
	case llm.KindBadRequest:
		return "the provider rejected the request: check that " + at + " uses the protocol " + string(account.Protocol)
	}
	return "check that " + at + " is the address of a model provider"
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
	case e.Proxy != "":
		return "check " + cmp.Or(auth.ProxyVariable(x.set.Env().User()), "HTTPS_PROXY") + ", or unset it"
	case e.Code == "ECONNREFUSED" && local:
		return "start the server at " + at
	case e.Code == "ECONNREFUSED":
		return "check the address " + at + ": nothing listens on this port"
	case e.Code == "ENOTFOUND":
		return "check the address " + at + " and the DNS settings" + x.proxyHint()
	case e.Code == "EAI_AGAIN":
		return "check the network and the DNS settings" + x.proxyHint()
	case e.Code == "EPROTO", e.Code == "ERR_SSL_BAD_RECORD_MAC", strings.Contains(e.Error(), "HTTP response to HTTPS client"):
		return "check whether " + at + " should begin with http://"
	case e.Code == "ERR_STREAM_PREMATURE_CLOSE", e.Code == "ECONNRESET", e.Code == "ECONNABORTED", e.Kind == llm.KindIncomplete:
		return "try again; if it fails again, check the address " + at + x.proxyHint()
	}
	return "check the network" + x.proxyHint() + ", and the address " + at
}
