package headless

import (
	"crypto/tls"
	"errors"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// The next step follows the message for people; programs get only the message.
func TestNextStep(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  llm.Error
		want string
	}{
		{llm.Error{Kind: llm.KindNetwork}, " Check the network connection, and HTTPS_PROXY and GOOGLE_GEMINI_BASE_URL if they are set."},
		{
			llm.Error{Err: &tls.CertificateVerificationError{Err: errors.New("unknown authority")}},
			" If a proxy or gateway of your own signs that certificate, name the file of its CA in NODE_EXTRA_CA_CERTS.",
		},
		{llm.Error{Kind: llm.KindUnauthorized, Status: 401}, " Check the API key, and security.auth.selectedType in your settings."},
		{llm.Error{Kind: llm.KindModelNotFound, Status: 404}, " Choose another model with --model, GEMINI_MODEL or model.name in your settings."},
		{llm.Error{Kind: llm.KindValidation, Link: "https://x"}, " See https://x"},
		{llm.Error{Kind: llm.KindServer, Status: 500}, ""},
	} {
		tt.err.Message = "no"
		f := newFace(Options{})
		x := f.newExplanation(&tt.err)
		if x.line != "[API Error: no]"+tt.want || x.streamMessage != "[API Error: no]" || x.message != "no" {
			t.Errorf("%+v is explained as %+v", tt.err, x)
		}
	}
}

// A wait is reported in one line even if the error has two.
func TestWaitingNotice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, "[WARNING] Attempt 1 of 10 failed. Trying again in 1.2s."},
		{errors.New("Busy."), "[WARNING] Attempt 1 of 10 failed: Busy. Trying again in 1.2s."},
		{
			errors.New("Too many.\nSuggested retry after 1s."),
			"[WARNING] Attempt 1 of 10 failed: Too many. Suggested retry after 1s. Trying again in 1.2s.",
		},
	} {
		e := agent.Waiting{Retry: llm.Retry{Attempt: 1, MaxAttempts: 10, Delay: 1170 * time.Millisecond, Err: tt.err}}
		if got := waitingNotice(e); got.line != tt.want || got.severity != "" {
			t.Errorf("%v: %+v, want %q", tt.err, got, tt.want)
		}
	}
}

func TestSwitchedNotice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, "a could not answer. Switched to b."},
		{errors.New(strings.Repeat("é", 400)), "a could not answer (" + strings.Repeat("é", 250) + "…). Switched to b."},
		{errors.New("No quota.\nSee the console."), "a could not answer (No quota. See the console). Switched to b."},
	} {
		got := switchedNotice(agent.Switched{Switch: llm.Switch{From: "a", To: "b", Err: tt.err}})
		want := notice{severity: "warning", message: tt.want, line: "Warning: " + tt.want, isTransient: true}
		if got != want {
			t.Errorf("%v: %+v, want %+v", tt.err, got, want)
		}
	}
}
