package cli

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pollux/internal/app"
	"pollux/internal/auth"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/llm/provider"
)

// liveReport is what came of a round trip to the model.
type liveReport struct {
	Tried bool `json:"tried"`
	// Why says why it was not.
	Why   string `json:"why,omitempty"`
	Works bool   `json:"works"`
	Model string `json:"model,omitempty"`
	// StandIn is the model that answered in its place; Error is then why.
	StandIn string `json:"standIn,omitempty"`
	// ToolCall is "native", "words" where Pollux reads calls from the model's text,
	// or "none"; Heard says that the model has repeated what the tool said.
	ToolCall     string   `json:"toolCall,omitempty"`
	Heard        bool     `json:"heard"`
	Answer       string   `json:"answer,omitempty"`
	FirstMillis  int      `json:"firstMs,omitempty"`
	TotalMillis  int      `json:"totalMs,omitempty"`
	Requests     int      `json:"requests,omitempty"`
	PromptTokens int      `json:"promptTokens,omitempty"`
	AnswerTokens int      `json:"answerTokens,omitempty"` // thoughts included
	Cost         *float64 `json:"cost,omitempty"`         // in US dollars
	Error        string   `json:"error,omitempty"`
	// ErrorType is the label of statistics: UNAUTHORIZED, FETCH_FAILED ...; ErrorCode
	// the vendor's or the system's word: ECONNREFUSED, insufficient_quota ...
	ErrorType string `json:"errorType,omitempty"`
	ErrorCode string `json:"errorCode,omitempty"`
	Status    int    `json:"status,omitempty"`
}

// tripTime is how long a model may take for all of it. One on this machine may have
// to be loaded first.
const tripTime = 20 * time.Second

var errTripTime = fmt.Errorf("no answer in %d s", tripTime/time.Second)

// tryModel asks the model to call a tool, and to say what it heard.
func (x *examination) tryModel(ctx context.Context, o doctorOptions, chosen *app.Chosen) sectionReport {
	s := sectionReport{ID: "live", Title: "Round trip"}
	switch {
	case o.unasked != "":
		x.Live.Why = "--offline"
		s.ok("answer", "not asked, "+o.unasked)
		return s
	case chosen == nil:
		x.Live.Why = "there is no model to ask"
		s.missing("answer", "not asked: there is none to ask", "see above")
		return s
	case x.unread:
		x.Live.Why = "a settings file cannot be used"
		s.missing("answer", "not asked: which one the broken settings name, and where it is, is not known", "correct the settings")
		return s
	}
	if o.asking != nil {
		o.asking(chosen.Model)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, tripTime, errTripTime)
	defer cancel()
	trip := app.Try(ctx, x.accounts, x.options(func(string) {})) // all of it has been said
	x.Live = reportOf(chosen.Model, &trip)
	model, account := chosen.Model, chosen.Account
	for _, one := range trip.Switches {
		s.warn("answer", model+" does not answer: "+failure(one.Err), x.advice(&account, one.Err))
		model = one.To
		account, _, _ = x.accounts.Resolve(model) // it was found before
	}
	if trip.Err != nil {
		s.broken("answer", model+" does not answer: "+failure(trip.Err), x.advice(&account, trip.Err))
		x.fail(trip.Err)
		return s
	}
	answers := " answers: "
	if model != chosen.Model {
		answers = " answers in its place: "
	}
	s.ok("answer", model+answers+x.Live.figures())
	shown := strconv.Quote(cut(trip.Answer, 80))
	switch {
	case trip.Calls == app.CallsNative:
		s.ok("tool call", "the model calls tools by its protocol")
	case trip.Calls == app.CallsInWords:
		s.ok("tool call", "the model has no tool calling of its own; Pollux reads calls from its words")
	default:
		s.warn("tool call", "the model was asked to call a tool and did not; it said "+shown,
			"choose a model that can (pollux models), or set pollux.toolCalling to text")
	}
	if trip.Calls != "" && !trip.Heard {
		s.warn("result", "the model did not repeat what the tool said; it said "+shown, "try again; if it stays so, choose another model")
	}
	return s
}

func reportOf(model string, t *app.Trip) liveReport {
	r := liveReport{
		Tried: true, Works: t.Err == nil, Model: model, ToolCall: cmp.Or(t.Calls, "none"), Heard: t.Heard, Answer: cut(t.Answer, 200),
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
	r.Error = cut(err.Error(), 300)
	var api *llm.Error
	if errors.As(err, &api) {
		r.ErrorType, r.ErrorCode, r.Status = api.Kind.String(), terminal.Line(api.Code), api.Status
	}
	return r
}

// failure says in a line why a model does not answer.
func failure(err error) string {
	text := cut(err.Error(), 300)
	var api *llm.Error
	if errors.As(err, &api) && api.Status != 0 {
		text += fmt.Sprintf(" (%d)", api.Status)
	}
	return text
}

// millis rounds up: nothing takes no time.
func millis(d time.Duration) int { return int((d + time.Millisecond - 1) / time.Millisecond) }

// cut returns the beginning of a text from outside, as one line.
func cut(text string, most int) string {
	if line := []rune(terminal.Line(text)); len(line) > most {
		return string(line[:most]) + "..."
	}
	return terminal.Line(text)
}

// figures says how long it took, and what it cost.
func (r *liveReport) figures() string {
	text := fmt.Sprintf("the first piece after %d ms, all after %d ms; %s", r.FirstMillis, r.TotalMillis, count(r.Requests, "request"))
	if r.PromptTokens+r.AnswerTokens > 0 {
		text += fmt.Sprintf(", %d tokens in and %d out", r.PromptTokens, r.AnswerTokens)
	}
	if r.Cost != nil {
		text += ", $" + strconv.FormatFloat(*r.Cost, 'f', 6, 64)
	}
	return text
}

// advice says what can be done about a model that does not answer.
func (x *examination) advice(account *auth.Account, err error) string {
	at := cmp.Or(provider.Shown(account.BaseURL), "its provider's address")
	key := cmp.Or(x.where(account.From), "its key")
	var api *llm.Error
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errTripTime) && account.Local != nil:
		return "the model may still be loading: try again in a minute, or ask a smaller one"
	case errors.Is(err, errTripTime):
		return "check the network" + x.proxied() + ", or that " + at + " is the right address; a model that thinks for long may need more time than this"
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
		return "pollux models " + account.As + " lists what there is; name one with --model, or check the address " + at
	case llm.KindQuota, llm.KindRateLimit, llm.KindCapacity:
		return "wait, or name another model with --model; pollux.fallback names some for such a case" + link(api)
	case llm.KindSuspended, llm.KindValidation:
		return "your account needs you" + link(api)
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

func link(e *llm.Error) string {
	if e.Link == "" {
		return ""
	}
	return ": " + terminal.Line(e.Link)
}

// proxied reminds of a proxy that may be at fault.
func (x *examination) proxied() string {
	if x.Proxy == "" {
		return ""
	}
	return " and the proxy " + x.Proxy
}

// networkAdvice is about connections that failed.
func (x *examination) networkAdvice(e *llm.Error, at string, local bool) string {
	switch {
	case strings.Contains(e.Error(), "proxyconnect"), strings.Contains(e.Error(), "socks connect"):
		return "the proxy " + x.Proxy + " cannot be reached: check HTTPS_PROXY and HTTP_PROXY, or unset them"
	case e.Code == "ECONNREFUSED" && local:
		return "nothing listens at " + at + ": start the server"
	case e.Code == "ECONNREFUSED":
		return "nothing listens at " + at + ": check the address and its port"
	case e.Code == "ENOTFOUND":
		return "no host has this name: check the address " + at + ", and that names can be looked up here" + x.proxied()
	case e.Code == "EAI_AGAIN":
		return "names cannot be looked up just now: check the network" + x.proxied()
	case e.Code == "EPROTO", e.Code == "ERR_SSL_BAD_RECORD_MAC", strings.Contains(e.Error(), "HTTP response to HTTPS client"):
		return "who answers there does not speak TLS: check whether " + at + " should begin with http://"
	case e.Code == "ERR_STREAM_PREMATURE_CLOSE", e.Code == "ECONNRESET", e.Kind == llm.KindIncomplete:
		return "somebody hangs up: try again; if it stays so, check the address " + at + x.proxied()
	}
	return "check the network" + x.proxied() + ", and the address " + at
}
