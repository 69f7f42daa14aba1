package wording_test

import (
	"errors"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/wording"
	"pollux/llm"
)

// TestFailure checks the sentences about failed requests, and that the advice names commands
// that work where the user reads it.
func TestFailure(t *testing.T) {
	t.Parallel()
	outside := wording.Place{Provider: "OpenAI", ProviderID: "openai", KeyFrom: "OPENAI_API_KEY", ProxyVar: "HTTPS_PROXY", AddressVar: "OPENAI_BASE_URL"}
	session := outside
	session.InSession = true
	gateway := wording.Place{Provider: "OpenAI", ProviderID: "openai", KeyFrom: "OPENAI_API_KEY", Gateway: "http://h/v1", GatewayKeyVar: "OPENAI_API_KEY"}
	keyless, keylessSession := gateway, gateway
	keyless.KeyFrom, keylessSession.KeyFrom, keylessSession.InSession = "", "", true
	ollama := wording.Place{Provider: "Ollama", ProviderID: "ollama", IsOllama: true}
	for _, tt := range []struct {
		err  llm.Error
		at   wording.Place
		want string
	}{
		{llm.Error{Kind: llm.KindNoServer, Message: "Cannot reach 127.0.0.1:11434 (connection refused)"}, ollama, "Cannot reach 127.0.0.1:11434 (connection refused). Is Ollama running? Start it with: ollama serve"},
		{llm.Error{Kind: llm.KindNoServer, Message: "m"}, wording.Place{Provider: "LM Studio"}, "m. Is LM Studio running? Start its server."},
		{llm.Error{Kind: llm.KindNoServer, Message: "m"}, session, "m. Start the server there, or check OPENAI_BASE_URL.\nTo use another model: /model. To use another provider: /auth."},
		{llm.Error{Kind: llm.KindNoServer, Message: "m"}, outside, "m. Start the server there, or check OPENAI_BASE_URL."},
		{llm.Error{Kind: llm.KindNoServer, Message: "m"}, wording.Place{}, "m. Start the server, or check the base URL."},
		{llm.Error{Kind: llm.KindNetwork, Message: "m"}, outside, "m. Check the network and HTTPS_PROXY and OPENAI_BASE_URL."},
		{llm.Error{Kind: llm.KindNetwork, Message: "m"}, ollama, "m. Check the network."},
		{llm.Error{Kind: llm.KindNetwork, Message: "m", Waited: time.Minute}, ollama, "m. To wait longer, set pollux.response.startTimeout (in seconds), or startTimeout of the provider in modelProviders."},
		{llm.Error{Kind: llm.KindNetwork, Message: "m", Proxy: "p:1"}, wording.Place{ProxyVar: "https_proxy"}, "m. Check https_proxy."},
		{llm.Error{Status: 407, Message: "m (status 407)", Proxy: "p:1"}, wording.Place{}, "m (status 407). Set HTTPS_PROXY to http://USER:PASSWORD@p:1."},
		{llm.Error{Code: "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", Message: "m"}, outside, "m. If a proxy or gateway of your company signs it, set NODE_EXTRA_CA_CERTS to its CA file."},
		{llm.Error{Code: "CERT_HAS_EXPIRED", Message: "m"}, outside, "m. Check OPENAI_BASE_URL."},
		{llm.Error{Code: "CERT_HAS_EXPIRED", Message: "m"}, ollama, "m. Check the base URL and the network."},
		{llm.Error{Kind: llm.KindUnauthorized, Status: 401, Message: "Bad key."}, outside, "Bad key (status 401). Check the API key in OPENAI_API_KEY, or store another with 'pollux auth set openai'."},
		{llm.Error{Kind: llm.KindUnauthorized, Status: 401, Message: "Bad key."}, session, "Bad key (status 401). Check the API key in OPENAI_API_KEY, or enter another with /auth."},
		{llm.Error{Kind: llm.KindUnauthorized, Message: "m"}, wording.Place{}, "m. Check the API key."},
		{llm.Error{Kind: llm.KindUnauthorized, Message: "m"}, gateway, "m. Check the API key in OPENAI_API_KEY."},
		{llm.Error{Kind: llm.KindUnauthorized, Message: "m"}, keyless, "m. Set OPENAI_API_KEY to the key for http://h/v1."},
		{llm.Error{Kind: llm.KindUnauthorized, Message: "m"}, keylessSession, "m. Set OPENAI_API_KEY to the key for http://h/v1, or enter the key with /auth."},
		{llm.Error{Kind: llm.KindModelNotFound, Status: 404, Message: "m"}, outside, "m (status 404). Choose another model with --model ('pollux models' lists them)."},
		{llm.Error{Kind: llm.KindModelNotFound, Status: 404, Message: "http://h:44047 has no m"}, outside, "http://h:44047 has no m (status 404). Choose another model with --model ('pollux models' lists them)."},
		{llm.Error{Kind: llm.KindModelNotFound, Message: "m"}, session, "m. Choose another model with /model."},
		{llm.Error{Kind: llm.KindModelNotFound, Message: "Download the model with: ollama pull m"}, ollama, "Download the model with: ollama pull m."},
		{llm.Error{Kind: llm.KindQuota, Status: 429, Message: "m"}, wording.Place{Provider: "OpenAI", ProviderID: "openai"}, "m (status 429). Check your quota and billing at https://platform.openai.com/settings/organization/billing, or choose another model with --model."},
		{llm.Error{Kind: llm.KindQuota, Status: 429, Message: "m"}, outside, "m (status 429). Check your quota and billing, or choose another model with --model."},
		{llm.Error{Kind: llm.KindQuota, Message: "m", Link: "https://x"}, outside, "m. Check your quota and billing at https://x, or choose another model with --model."},
		{llm.Error{Kind: llm.KindQuota, Message: "m"}, wording.Place{Provider: "xAI", InSession: true}, "m. Check your quota and billing at xAI, or choose another model with /model."},
		{llm.Error{Kind: llm.KindQuota, Message: "m"}, wording.Place{}, "m. Check your quota and billing, or choose another model with --model."},
		{llm.Error{Kind: llm.KindRateLimit, Message: "Slow\ndown."}, session, "Slow down. Wait a minute and try again, or choose another model with /model."},
		{llm.Error{Kind: llm.KindServer, Status: 503, Message: "h returned status 503"}, outside, "h returned status 503. Try again later, or choose another model with --model."},
		{llm.Error{Kind: llm.KindValidation, Message: "m", Link: "https://x"}, outside, "m. See https://x"},
		{llm.Error{Kind: llm.KindBadRequest, Status: 400, Message: "m"}, outside, "m (status 400)."},
	} {
		if got := wording.Failure(&tt.err, tt.at); got != tt.want {
			t.Errorf("%+v at %+v:\n got %s\nwant %s", tt.err, tt.at, got, tt.want)
		}
	}
}

// TestRetrying checks the line about a wait before the next attempt.
func TestRetrying(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err   error
		delay time.Duration
		want  string
	}{
		{nil, 1170 * time.Millisecond, "The request failed. Retrying in 1 s (2 of 3)."},
		{errors.New("Too many.\nSuggested retry after 1s."), 0, "Too many. Suggested retry after 1s. Retrying in 1 s (2 of 3)."},
		{&llm.Error{Message: "Cannot reach h (no such host)"}, 4 * time.Second, "Cannot reach h (no such host). Retrying in 4 s (2 of 3)."},
		{&llm.Error{Message: "Overloaded.", Status: 503}, 4 * time.Second, "Overloaded (status 503). Retrying in 4 s (2 of 3)."},
	} {
		got := wording.Retrying(agent.Waiting{Retry: llm.Retry{Attempt: 1, MaxAttempts: 3, Delay: tt.delay, Err: tt.err}})
		if got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
