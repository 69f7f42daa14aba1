package gemini

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// detailed returns an error body with details.
func detailed(code int, message string, details ...string) string {
	return show(map[string]any{"error": map[string]any{
		"code": code, "message": message, "status": "RESOURCE_EXHAUSTED", "details": json.RawMessage("[" + strings.Join(details, ",") + "]"),
	}})
}

func info(reason, domain string) string {
	return `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"` + reason + `","domain":"` + domain + `","metadata":{"quota_limit":"RequestsPerMinute","n":1}}`
}

func quotaFailure(id string) string {
	return `{" @type ":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"` + id + `"}]}`
}

func retryInfo(d string) string {
	return `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"` + d + `"}`
}

const assist = "cloudcode-pa.googleapis.com"

// TestClassify checks the kind, delay and message of all errors that the service is
// known to report.
func TestClassify(t *testing.T) {
	t.Parallel()
	help := `{"@type":"type.googleapis.com/google.rpc.Help","links":[{"description":"Learn more","url":"https://example.com/verify"}]}`
	for _, c := range []struct {
		name    string
		status  int
		body    string
		kind    llm.ErrorKind
		delay   time.Duration
		message string
		link    string
	}{
		{"no such model", 404, `{"error":{"code":404,"message":"nope","status":"NOT_FOUND"}}`, llm.KindModelNotFound, 0, "nope", ""},
		{"verify your account", 403, detailed(403, "no", info("VALIDATION_REQUIRED", assist), help), llm.KindValidation, 0, "no", "https://example.com/verify"},
		{"validation of someone else", 403, detailed(403, "no", info("VALIDATION_REQUIRED", "example.com")), llm.KindForbidden, 0, "no", ""},
		{"suspended", 403, detailed(403, "no", info("TOS_VIOLATION", assist)), llm.KindSuspended, 0, "no", ""},
		{"forbidden", 403, detailed(403, "no"), llm.KindForbidden, 0, "no", ""},
		{"a quota of nothing", 429, detailed(429, "limit: 0, Please retry in 5s", retryInfo("5s")), llm.KindQuota, 0, "limit: 0, Please retry in 5s", ""},
		{"retry in seconds", 429, detailed(429, "Please retry in 12.5s."), llm.KindRateLimit, 12500 * time.Millisecond, "Please retry in 12.5s.", ""},
		{"retry in milliseconds", 503, detailed(503, "Please retry in 900ms"), llm.KindServer, 900 * time.Millisecond, "Please retry in 900ms", ""},
		{"retry in ages", 429, detailed(429, "Please retry in 301s"), llm.KindQuota, 301 * time.Second, "Please retry in 301s", ""},
		{"retry in nonsense", 429, detailed(429, "Please retry in 1.2.3s"), llm.KindRateLimit, 0, "Please retry in 1.2.3s", ""},
		{"no capacity", 429, detailed(429, "You have exhausted your capacity on this model."), llm.KindCapacity, 0, "You have exhausted your capacity on this model.", ""},
		{"plain 429", 429, detailed(429, "slow"), llm.KindRateLimit, 0, "slow", ""},
		{"plain 499", 499, detailed(499, "gone"), llm.KindServer, 0, "gone", ""},
		{"daily quota", 429, detailed(429, "q", quotaFailure("RequestsPerDayPerUser"), retryInfo("9s")), llm.KindQuota, 0, "You have exhausted your daily quota on this model.", ""},
		{"capacity by reason", 503, detailed(503, "c", info("MODEL_CAPACITY_EXHAUSTED", "any.com"), retryInfo("9s")), llm.KindCapacity, 0, "c", ""},
		{"no credits", 429, detailed(429, "c", info("INSUFFICIENT_G1_CREDITS_BALANCE", "any.com")), llm.KindQuota, 0, "c", ""},
		{"assist, with a delay", 429, detailed(429, "r", info("RATE_LIMIT_EXCEEDED", assist), retryInfo("9s")), llm.KindRateLimit, 9 * time.Second, "r\nSuggested retry after 9s.", ""},
		{"assist, used up", 429, detailed(429, "r", info("QUOTA_EXHAUSTED", assist), retryInfo("9s")), llm.KindQuota, 0, "r", ""},
		{"delay", 429, detailed(429, "r", retryInfo("34.074824224s")), llm.KindRateLimit, 34074824224 * time.Nanosecond, "r\nSuggested retry after 34.074824224s.", ""},
		{"long delay", 429, detailed(429, "r", retryInfo("3600s")), llm.KindQuota, time.Hour, "r\nSuggested retry after 3600s.", ""},
		{"per minute", 429, detailed(429, "r", quotaFailure("TokensPerMinutePerUser")), llm.KindRateLimit, time.Minute, "r\nSuggested retry after 60s.", ""},
		{"per minute by metadata", 429, detailed(429, "r", info("X", "any.com")), llm.KindRateLimit, time.Minute, "r\nSuggested retry after 60s.", ""},
		{"capacity by message", 429, detailed(429, "capacity exceeded", help), llm.KindCapacity, 0, "capacity exceeded", ""},
		{"details of no use", 503, detailed(503, "r", help), llm.KindServer, 0, "r", ""},
		{"no tools", 400, detailed(400, "Function calling is not enabled for models/gemma-3-27b-it"), llm.KindNoTools, 0, "", ""},
		{"too long", 400, detailed(400, "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."), llm.KindContextWindow, 0, "", ""},
		{"bad key", 400, detailed(400, "API key not valid.", info("API_KEY_INVALID", "googleapis.com")), llm.KindUnauthorized, 0, "API key not valid.", ""},
		{"bad request", 400, detailed(400, "bad"), llm.KindBadRequest, 0, "bad", ""},
		{"unauthorized", 401, detailed(401, "who?"), llm.KindUnauthorized, 0, "who?", ""},
		{"internal", 500, detailed(500, "oops"), llm.KindServer, 0, "oops", ""},
		{"a web page", 502, "<html>\n<body>Bad\nGateway", llm.KindServer, 0, "host.example sent an HTML page instead of JSON (status 502); check the base URL or proxy", ""},
		{"nothing", 504, "", llm.KindServer, 0, "host.example returned status 504 (Gateway Timeout)", ""},
		{"teapot", 418, `{"error":"short and stout"}`, llm.KindOther, 0, "short and stout", ""},
		{"a list", 429, `[{"error":{"code":429,"message":"slow"}},{"x":1}]`, llm.KindRateLimit, 0, "slow", ""},
		{"another vendor's", 401, `{"error":{"message":"bad key","type":"x","code":"invalid_api_key"}}`, llm.KindUnauthorized, 0, "bad key", ""},
		{"commas", 429, `{"error":{"code":429,,"message":"a,, b,}", ,"details":[,` + retryInfo("2s") + `,],},}`, llm.KindRateLimit, 2 * time.Second, "a,, b,}\nSuggested retry after 2s.", ""},
		{"nested", 429, nested(3, detailed(429, "deep", retryInfo("3s"))), llm.KindRateLimit, 3 * time.Second, "deep\nSuggested retry after 3s.", ""},
		{"details of wrong types", 429, detailed(429, "r", `7`, `{"@type":1,"reason":[]}`, `{"@type":"google.rpc.QuotaFailure","violations":"x"}`), llm.KindRateLimit, 0, "r", ""},
		{"members of wrong types", 429, `{"error":{"code":"x","message":7,"status":[],"details":{}}}`, llm.KindRateLimit, 0, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var e *llm.Error
			if !errors.As(statusError("host.example", c.status, http.Header{}, []byte(c.body)), &e) {
				t.Fatal("no *llm.Error")
			}
			if e.Kind != c.kind || e.RetryAfter != c.delay || e.Status != c.status || e.Link != c.link {
				t.Errorf("kind %d %v, delay %v, status %d, link %q", e.Kind, e.Kind, e.RetryAfter, e.Status, e.Link)
			}
			if c.message != "" && e.Message != c.message {
				t.Errorf("message %q, want %q", e.Message, c.message)
			}
			if e.Body != c.body {
				t.Errorf("body %q", e.Body)
			}
		})
	}
}

// nested wraps an error body in the message of another error, n times.
func nested(n int, body string) string {
	for range n {
		body = show(map[string]any{"error": map[string]any{"code": 500, "message": "got status: X. " + body, "status": "INTERNAL"}})
	}
	return body
}

func TestNestedTooDeep(t *testing.T) {
	t.Parallel()
	for depth, want := range map[int]bool{10: true, 12: false} {
		e, ok := parseError([]byte(nested(depth, detailed(429, "deep"))))
		if !ok || (e.Message == "deep") != want {
			t.Errorf("%d deep: %.60q, %v", depth, e.Message, ok)
		}
	}
}

func TestBigErrorBody(t *testing.T) {
	t.Parallel()
	var e *llm.Error
	errors.As(statusError("host.example", 500, http.Header{}, []byte(strings.Repeat("ü", 100<<10))), &e)
	if len(e.Body) > httpwire.MaxErrorBody || len(e.Body) < httpwire.MaxErrorBody-4 || len(e.Message) > 300 {
		t.Errorf("a body of %d bytes, a message of %d", len(e.Body), len(e.Message))
	}
}

func TestRetryAfterHeader(t *testing.T) {
	t.Parallel()
	var e *llm.Error
	errors.As(statusError("host.example", 429, http.Header{"Retry-After": {"3600"}}, nil), &e)
	if e.Kind != llm.KindQuota {
		t.Errorf("an hour's wait is %v", e.Kind)
	}
	errors.As(statusError("host.example", 429, http.Header{"Retry-After": {"9"}}, []byte(detailed(429, "r", retryInfo("2s")))), &e)
	if e.RetryAfter != 2*time.Second {
		t.Errorf("the body's delay gives way to the header's: %v", e.RetryAfter)
	}
}

// TestErrorInAnswer checks that a response whose text is about errors is not an
// error.
func TestErrorInAnswer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"error":{"code":1}}}}]}}]}`: false,
		`{"error":null,"candidates":[]}`:                              false,
		`{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}`: true,
		`{"error":{}}`: true,
	} {
		if err := reportedError([]byte(text), false); (err != nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzParseError(f *testing.F) {
	f.Add([]byte(nested(2, detailed(429, "deep", retryInfo("3s"), quotaFailure("PerDay")))))
	f.Add([]byte(`{"error":{"code":429,,"message":"a","details":[,{" @type":"google.rpc.Help","links":[{"url":"u"}]}],}}`))
	f.Add([]byte(`[{"error":"x"}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		err := statusError("host.example", 429, http.Header{}, body)
		var e *llm.Error
		if !errors.As(err, &e) || e.Status != 429 || e.Error() == "" {
			t.Fatalf("%#v", err)
		}
		// An error inside the message of another one is parsed as itself.
		var around *llm.Error
		errors.As(statusError("host.example", 429, http.Header{}, []byte(nested(1, string(body)))), &around)
		if _, ok := parseError(body); ok && json.Valid(body) && !strings.Contains(string(body), "\ufffd") && around.Kind != e.Kind {
			t.Fatalf("kind %v, nested %v", e.Kind, around.Kind)
		}
	})
}
