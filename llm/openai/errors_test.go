package openai_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pollux/llm"
	"pollux/llm/openai"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		header http.Header
		body   string
		kind   llm.ErrorKind
		code   string
		delay  time.Duration
		text   string
	}{
		{400, nil, `{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, llm.KindContextWindow, "context_length_exceeded", 0, "maximum context length"},
		{400, nil, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_ctx":4096}}`, llm.KindContextWindow, "exceed_context_size_error", 0, ""},
		{413, nil, `{"error":{"message":"Request too large","type":"tokens","code":"rate_limit_exceeded"}}`, llm.KindContextWindow, "rate_limit_exceeded", 0, ""},
		{429, nil, `{"error":{"message":"Request too large for m in organization o on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.","type":"tokens","code":"rate_limit_exceeded"}}`, llm.KindContextWindow, "rate_limit_exceeded", 0, ""},
		{429, nil, `{"error":{"message":"Rate limit reached for m on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 6s.","type":"tokens","code":"rate_limit_exceeded"}}`, llm.KindRateLimit, "rate_limit_exceeded", 6 * time.Second, ""},
		{429, nil, `{"error":{"message":"You exceeded your current quota, please check your plan.","type":"insufficient_quota","code":"insufficient_quota"}}`, llm.KindQuota, "insufficient_quota", 0, ""},
		{402, nil, `{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}`, llm.KindQuota, "", 0, "Insufficient Balance"},
		{429, nil, `{"error":{"message":"Rate limit reached. Please try again in 1m2.5s.","code":"rate_limit_exceeded"}}`, llm.KindRateLimit, "", 62500 * time.Millisecond, ""},
		{429, http.Header{"X-Ratelimit-Remaining-Requests": {"5"}, "X-Ratelimit-Reset-Requests": {"1h"}, "X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"6m0s"}}, `{"error":{"message":"slow"}}`, llm.KindQuota, "", 6 * time.Minute, ""},
		{429, http.Header{"X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"17ms"}}, `{"error":{"message":"slow"}}`, llm.KindRateLimit, "", 17 * time.Millisecond, ""},
		{404, nil, `{"error":{"message":"The model 'x' does not exist","code":"model_not_found"}}`, llm.KindModelNotFound, "model_not_found", 0, ""},
		{400, nil, `{"error":{"message":"no such model","code":"model_not_found"}}`, llm.KindModelNotFound, "model_not_found", 0, ""},
		{529, nil, `{"error":{"message":"busy"}}`, llm.KindCapacity, "", 0, ""},
		{500, nil, `{"error":"string"}`, llm.KindServer, "", 0, "string"},
		{422, nil, `{"object":"error","message":"bad things","type":"x","code":"3"}`, llm.KindBadRequest, "x", 0, "bad things"},
		{400, nil, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long\"}}","provider_name":"p"}}}`, llm.KindContextWindow, "", 0, "Provider returned error: prompt is too long"},
		{401, nil, `{"code":"InvalidApiKey","message":"Invalid API-key provided."}`, llm.KindUnauthorized, "InvalidApiKey", 0, "Invalid API-key"},
		{400, nil, `{"error":{"message":"<400> InternalError.Algo.InvalidParameter: The tool call is not supported.","type":"invalid_request_error"}}`, llm.KindBadRequest, "", 0, "The tool call is not supported."},
		{502, nil, "<html>\nBad", llm.KindServer, "", 0, "sent an HTML page instead of JSON (status 502)"},
		{307, http.Header{"Location": {"http://x"}}, "", llm.KindOther, "", 0, "redirects to http://x"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for k, v := range c.header {
				w.Header()[k] = v
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		t.Cleanup(s.Close)
		_, err := newClient(t, openai.Options{BaseURL: s.URL}).Generate(t.Context(), request("m"))
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Status != c.status || e.RetryAfter != c.delay || c.code != "" && e.Code != c.code || !strings.Contains(e.Message, c.text) {
			t.Errorf("%d %s: %#v", c.status, c.body, e)
		}
	}
}

// TestTooLong checks that the client recognizes every vendor's error for a
// request that is too long, as a response of its own and inside a stream.
func TestTooLong(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"context_length_exceeded", "Error: prompt is too long: 210000 tokens > 200000 maximum", "This model's maximum context length is 8192 tokens.",
		"Your input exceeds the context window of this model.", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
		"Too many tokens: 9 > 8", "input length and max_tokens exceed context limit: 1 + 2 > 2", "slot: n_ctx = 4096 exceeded", "the request exceeds the available context size",
		"Range of input length should be [1, 98304]", "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
		"Prompt exceeds max length", "invalid params, context window exceeds limit", "Your request exceeded model token limit: 262144",
		"Input is too long for requested model.", "Please reduce the length of the messages or completion.",
		"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
		"The input (9000 tokens) is longer than the model's context length (4096 tokens).",
		"The number of tokens to keep from the initial prompt is greater than the context length.",
	} {
		for _, status := range []int{400, 413, 422, 500, 200} {
			body := refusal(message, "messages")
			if status == 200 {
				body = "data: " + body + "\n\n"
			}
			url, _ := listen(t, func(recordedRequest) (int, string) { return status, body })
			var end error
			for _, err := range newClient(t, openai.Options{BaseURL: url}).Stream(t.Context(), request("m")) {
				end = err
			}
			var e *llm.Error
			if !errors.As(end, &e) || e.Kind != llm.KindContextWindow {
				t.Errorf("%d %s: %v", status, message, end)
			}
		}
	}
}

// TestQuota checks that exhausted quotas are distinguished from rate limits.
func TestQuota(t *testing.T) {
	t.Parallel()
	header := func(fields ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(fields); i += 2 {
			h.Set(fields[i], fields[i+1])
		}
		return h
	}
	failure := func(message, code string) string {
		return string(show(map[string]any{"error": map[string]any{"message": message, "code": code}}))
	}
	for _, c := range []struct {
		status int
		header http.Header
		body   string
		kind   llm.ErrorKind
		delay  time.Duration
	}{
		{429, nil, failure("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota"), llm.KindQuota, 0},
		{429, header("Retry-After", "2"), failure("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota"), llm.KindQuota, 2 * time.Second},
		{429, nil, failure("You exceeded your current quota.", ""), llm.KindQuota, 0},
		{429, header("Retry-After", "2"), failure("You exceeded your current quota.", ""), llm.KindRateLimit, 2 * time.Second},
		{429, nil, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.","status":"RESOURCE_EXHAUSTED"}}]`, llm.KindRateLimit, 34070 * time.Millisecond},
		{429, nil, failure("Your account is not active, please check your billing details on our website.", "billing_not_active"), llm.KindQuota, 0},
		{403, nil, failure("There is no valid billing account.", ""), llm.KindQuota, 0},
		{400, nil, failure("Your credit balance is too low to access the API.", ""), llm.KindQuota, 0},
		{400, nil, `{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}`, llm.KindQuota, 0},
		{429, nil, `{"error":{"message":"Your account is suspended, please check your plan","type":"exceeded_current_quota_error"}}`, llm.KindQuota, 0},
		{403, nil, `{"code":"x","error":"Your team has either used all available credits or reached its monthly spending limit."}`, llm.KindQuota, 0},
		{429, nil, failure("Insufficient balance or no resource package. Please recharge.", "1113"), llm.KindQuota, 0},
		{402, nil, failure("Insufficient Balance", "invalid_request_error"), llm.KindQuota, 0},
		{403, nil, failure("No.", ""), llm.KindForbidden, 0},

		{429, header("Retry-After", "7"), failure("slow", "rate_limit_exceeded"), llm.KindRateLimit, 7 * time.Second},
		{429, header("Retry-After-Ms", "1500", "Retry-After", "7"), failure("slow", ""), llm.KindRateLimit, 1500 * time.Millisecond},
		{429, header("Retry-After", "301"), failure("slow", ""), llm.KindQuota, 301 * time.Second},
		{429, header("X-Ratelimit-Reset-Requests", "120ms"), failure("slow", ""), llm.KindRateLimit, 120 * time.Millisecond},
		{429, header("X-Ratelimit-Reset-Requests", "1s", "X-Ratelimit-Reset-Tokens", "2m3.5s"), failure("slow", ""), llm.KindRateLimit, 123500 * time.Millisecond},
		{429, header("X-Ratelimit-Remaining-Requests", "3", "X-Ratelimit-Reset-Requests", "6m0s", "X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "9"), failure("slow", ""), llm.KindRateLimit, 9 * time.Second},
		{429, header("X-Ratelimit-Reset-Requests", "soon"), failure("slow", ""), llm.KindRateLimit, 0},
		{429, header("X-Ratelimit-Reset", "1"), failure("slow", ""), llm.KindRateLimit, time.Second},
		{429, header("X-Ratelimit-Reset", "1500000000"), failure("slow", ""), llm.KindRateLimit, 0},
		{429, header("X-Ratelimit-Reset", "99999999999999"), failure("slow", ""), llm.KindQuota, 365 * 24 * time.Hour},
		{429, nil, failure("Rate limit reached. Please try again in 6m0s. Visit us.", ""), llm.KindQuota, 6 * time.Minute},
		{429, nil, failure("Try again in 20ms.", ""), llm.KindRateLimit, 20 * time.Millisecond},
		{429, nil, failure("Please retry after 26 seconds.", ""), llm.KindRateLimit, 26 * time.Second},
		{429, nil, failure("Please retry after 2 minutes.", ""), llm.KindRateLimit, 2 * time.Minute},
		{429, nil, failure("Please retry after 250 milliseconds.", ""), llm.KindRateLimit, 250 * time.Millisecond},
		{429, nil, `{"error":{"message":"Rate limit exceeded: free-models-per-min.","code":429,"metadata":{"headers":{"X-RateLimit-Limit":"20","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"30"}}}}`, llm.KindRateLimit, 30 * time.Second},
		{529, nil, `{"error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.KindCapacity, 0},
		{503, header("Retry-After", "3"), failure("busy", ""), llm.KindServer, 3 * time.Second},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for k, v := range c.header {
				w.Header()[k] = v
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		t.Cleanup(s.Close)
		_, err := newClient(t, openai.Options{BaseURL: s.URL}).Generate(t.Context(), request("m"))
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.RetryAfter != c.delay {
			t.Errorf("%d %v %s: %#v", c.status, c.header, c.body, e)
		}
	}
}

// TestWholeResponses checks response bodies that are not streamed.
func TestWholeResponses(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]llm.ErrorKind{
		"\n<html>Log in": llm.KindOther, "": llm.KindIncomplete, "{oops": llm.KindIncomplete, "[]": llm.KindServer, "{}": llm.KindServer,
		`{"error":{"message":"prompt is too long","code":400}}`: llm.KindContextWindow,
		`{"code":400,"message":"prompt is too long"}`:           llm.KindContextWindow,
	} {
		url, _ := listen(t, func(recordedRequest) (int, string) { return 200, body })
		_, err := newClient(t, openai.Options{BaseURL: url}).Generate(t.Context(), request("m"))
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != want {
			t.Errorf("%q: %v", body, err)
		}
	}
}
