package anthropic

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"pollux/llm"
	"pollux/llm/httpwire"
	"pollux/llm/llmtest"
)

var testKey = aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "wJalrXUtnFEMI", SessionToken: "session"}

func onBedrock(t testing.TB, url string) *Client {
	return newClient(t, Options{BaseURL: url, Bedrock: &Bedrock{
		Region: "us-west-2", AccessKeyID: testKey.AccessKeyID, SecretAccessKey: testKey.SecretAccessKey, SessionToken: testKey.SessionToken,
	}})
}

// frame writes a frame as Amazon does.
func frame(headers map[string]string, payload []byte) []byte {
	var m eventstream.Message
	for name, value := range headers {
		m.Headers.Set(name, eventstream.StringValue(value))
	}
	m.Payload = payload
	var b bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// chunkFrame is the frame of an event of the protocol.
func chunkFrame(event string) []byte {
	return frame(map[string]string{":message-type": "event", ":event-type": "chunk", ":content-type": "application/json"},
		encode(map[string]string{"bytes": base64.StdEncoding.EncodeToString([]byte(event)), "p": "abcdefgh"}))
}

func exceptionFrame(name, payload string) []byte {
	return frame(map[string]string{":message-type": "exception", ":exception-type": name, ":content-type": "application/json"}, []byte(payload))
}

// framed writes a stream of server-sent events as Amazon would.
func framed(stream string) string {
	var b strings.Builder
	for line := range strings.Lines(stream) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			b.Write(chunkFrame(strings.TrimSpace(data)))
		}
	}
	return b.String()
}

func prepared(t *testing.T, s service, m method, model string) (*httpwire.Request, error) {
	t.Helper()
	b := httpwire.NewBody(1)
	b.Text(`{}`)
	r := &httpwire.Request{Header: http.Header{}, Body: b}
	return r, s.prepareRequest(t.Context(), r, m, model)
}

// signedBedrock is a strict service that also checks the signatures of Amazon.
func signedBedrock(t *testing.T) *strict {
	s := newStrict(t, fullStream, answerWhole, fullStream, answerWhole)
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a short body has another signature
		if why := badSignature(r, body); why != "" {
			t.Error(why)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		inner.ServeHTTP(w, r)
	})
	return s
}

// askBedrock sends a request twice, for a stream and for a whole answer, and returns it.
func askBedrock(t *testing.T, s *strict) *llm.Request {
	req := fullRequest()
	req.Model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
	req.Config.MaxOutputTokens = 8192
	c := onBedrock(t, s.URL)
	if a, err := ask(t, c, req); err != nil || a.Text != "I look 🦆 twice." {
		t.Fatalf("%+v, %v", a, err)
	}
	if r, err := c.Generate(t.Context(), req); err != nil || r.Text() != "Yes." {
		t.Fatal(err)
	}
	return req
}

func TestBedrock(t *testing.T) {
	t.Parallel()
	s := signedBedrock(t)
	askBedrock(t, s)
	if len(s.accepted) != 2 || len(s.refused) > 0 {
		t.Errorf("%d accepted, refused %q", len(s.accepted), s.refused)
	}
}

// badSignature compares the signature of a request with one by Amazon's own code.
func badSignature(r *http.Request, body []byte) string {
	got := r.Header.Get("Authorization")
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	_, signedHeaders, ok := strings.Cut(got, "SignedHeaders=")
	if err != nil || !ok {
		return "not signed: " + got
	}
	signedHeaders, _, _ = strings.Cut(signedHeaders, ",")
	again := &http.Request{Method: r.Method, Host: r.Host, URL: r.URL, Header: http.Header{}, ContentLength: int64(len(body))}
	for name := range strings.SplitSeq(signedHeaders, ";") {
		if v := r.Header.Values(name); v != nil && name != "x-amz-date" && name != "x-amz-security-token" {
			again.Header[http.CanonicalHeaderKey(name)] = v
		}
	}
	hash := sha256.Sum256(body)
	if err := v4.NewSigner().SignHTTP(r.Context(), testKey, again, hex.EncodeToString(hash[:]), "bedrock", "us-west-2", at); err != nil {
		return err.Error()
	}
	if want := again.Header.Get("Authorization"); got != want || r.Header.Get("X-Amz-Security-Token") != "session" {
		return fmt.Sprintf("signature\n%s, want\n%s", got, want)
	}
	return ""
}

func TestBedrockAddresses(t *testing.T) {
	t.Parallel()
	const arn = "arn:aws:bedrock:us-east-1:1:application-inference-profile/x"
	for at, want := range map[[3]string]string{
		{"", "us-east-1", "anthropic.claude-opus-5"}:                  "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-opus-5/invoke-with-response-stream",
		{"", "cn-north-1", "x:0"}:                                     "https://bedrock-runtime.cn-north-1.amazonaws.com.cn/model/x%3A0/invoke-with-response-stream",
		{"https://gate.example/b/", "us-east-1", arn}:                 "https://gate.example/b/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fx/invoke-with-response-stream",
		{"http://127.0.0.1:8080", "us-east-1", "../../admin?x=1#yes"}: "http://127.0.0.1:8080/model/..%2F..%2Fadmin%3Fx=1%23yes/invoke-with-response-stream",
	} {
		b, err := newBedrock(Options{Bedrock: &Bedrock{Region: at[1]}, BaseURL: at[0]}, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := aimed(t, b, methodStream, at[2]); got != want {
			t.Errorf("%v:\n%s, want\n%s", at, got, want)
		}
	}
	for _, o := range []Options{{Bedrock: &Bedrock{Region: "evil.example/"}}, {Bedrock: &Bedrock{Region: "us-east-1"}, BaseURL: "file:///x"}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is taken", o.Bedrock)
		}
	}
	c := newClient(t, Options{Bedrock: &Bedrock{}, AuthToken: "k"})
	if _, err := ask(t, c, llmtest.Prompt("hi")); asError(t, err).Kind != llm.KindUnauthorized || !strings.Contains(err.Error(), "AWS_REGION") {
		t.Errorf("without a region: %v", err)
	}
}

// TestBedrockBearer checks that requests with a bearer token are not signed.
func TestBedrockBearer(t *testing.T) {
	t.Parallel()
	s := newStrict(t, answerStream)
	for want, o := range map[string]Options{
		"Bearer key":   {AuthToken: "key\n"},
		"Bearer other": {APIKey: "other"},
	} {
		o.BaseURL, o.Bedrock = s.URL, &Bedrock{Region: "us-west-2"}
		if _, err := ask(t, newClient(t, o), llmtest.Prompt("hi")); err != nil {
			t.Fatal(err)
		}
		if h := s.headers[len(s.headers)-1]; h.Get("Authorization") != want || h.Get("X-Amz-Date") != "" || h.Get("X-Api-Key") != "" {
			t.Errorf("%s: %v", want, h)
		}
	}
	for name, f := range map[string]func() error{
		"count": func() error {
			_, err := onBedrock(t, s.URL).CountTokens(t.Context(), llmtest.Prompt("hi"))
			return err
		},
		"list": func() error {
			_, err := onBedrock(t, s.URL).Models(t.Context())
			return err
		},
		"list of Vertex": func() error {
			_, err := onVertex(t, s.URL).Models(t.Context())
			return err
		},
	} {
		if err := f(); !errors.Is(err, errors.ErrUnsupported) || asError(t, err).Retryable() {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFramedStream checks that a stream in AWS frames decodes as one of server-sent
// events.
func TestFramedStream(t *testing.T) {
	t.Parallel()
	want, _, err := play(&query{Request: &llm.Request{}}, fullStream, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, slowly := range []bool{false, true} {
		got, _, err := playFrames(t.Context(), &query{Request: &llm.Request{}}, framed(fullStream), slowly)
		if err != nil || show(got) != show(want) {
			t.Errorf("slowly %t: %v\n%s\n%s", slowly, err, show(got), show(want))
		}
	}
}

// TestExceptions tests errors in the middle of a stream.
func TestExceptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		frames []byte
		kind   llm.ErrorKind
		says   string
	}{
		{"throttled", exceptionFrame("throttlingException", `{"message":"Too many tokens, please wait before trying again."}`), llm.KindRateLimit, "wait"},
		{"for today", exceptionFrame("throttlingException", `{"message":"Too many tokens per day, please wait before trying again."}`), llm.KindQuota, "per day"},
		{"timeout", exceptionFrame("modelTimeoutException", `{"message":"slow"}`), llm.KindServer, "slow"},
		{"unavailable", exceptionFrame("serviceUnavailableException", `{}`), llm.KindServer, "serviceUnavailableException"},
		{"internal", exceptionFrame("internalServerException", `not JSON`), llm.KindServer, "internalServerException"},
		{"invalid", exceptionFrame("validationException", `{"message":"top_k: no"}`), llm.KindBadRequest, "top_k"},
		{"too long", exceptionFrame("validationException", `{"message":"Input is too long for requested model."}`), llm.KindContextWindow, "too long"},
		{"denied", exceptionFrame("accessDeniedException", `{"Message":"no access"}`), llm.KindForbidden, "no access"},
		{"in the stream", exceptionFrame("modelStreamErrorException", `{"message":"broke","originalStatusCode":500,"originalMessage":"x"}`), llm.KindServer, "broke"},
		{"unknown", exceptionFrame("newException", `{"message":"new"}`), llm.KindServer, "new"},
		{"an error", frame(map[string]string{":message-type": "error", ":error-code": "ThrottlingException", ":error-message": "slow down"}, nil), llm.KindRateLimit, "slow down"},
		{"the protocol's own", chunkFrame(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), llm.KindServer, "Overloaded"},
		{"no JSON", frame(map[string]string{":message-type": "event", ":event-type": "chunk"}, []byte("{")), llm.KindServer, "malformed chunk"},
		{"no base64", frame(map[string]string{":message-type": "event", ":event-type": "chunk"}, []byte(`{"bytes":"***"}`)), llm.KindServer, "malformed chunk"},
		{"no event", chunkFrame(`[`), llm.KindServer, "malformed chunk"},
		{"a bad checksum", flip(chunkFrame(`{}`), -1), llm.KindServer, "checksum"},
		{"a bad payload", flip(chunkFrame(`{}`), -9), llm.KindServer, "checksum"},
		{"a bad length", flip(chunkFrame(`{}`), 3), llm.KindServer, "not a frame"},
		{"a web page", []byte("<!DOCTYPE html><title>Sign in"), llm.KindServer, "not a frame"},
		{"half a frame", chunkFrame(`{}`)[:20], llm.KindIncomplete, "Incomplete JSON segment"},
		{"no end", chunkFrame(`{"type":"ping"}`), llm.KindIncomplete, "ended before"},
		{"nothing", nil, llm.KindIncomplete, "ended before"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", eventStream)
				_, _ = w.Write(append(chunkFrame(`{"type":"ping"}`), c.frames...))
			}))
			t.Cleanup(s.Close)
			_, err := ask(t, onBedrock(t, s.URL), llmtest.Prompt("hi"))
			if e := asError(t, err); e.Kind != c.kind || !strings.Contains(e.Message, c.says) {
				t.Errorf("%v: %v", e.Kind, e)
			}
		})
	}
}

func flip(data []byte, at int) []byte {
	data[(at+len(data))%len(data)] ^= 1
	return data
}

// TestTranslated checks that a gateway may send server-sent events in place of AWS
// frames.
func TestTranslated(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, answerStream)
	}))
	t.Cleanup(s.Close)
	if a, err := ask(t, onBedrock(t, s.URL), llmtest.Prompt("hi")); err != nil || a.Text != "Yes." {
		t.Errorf("%+v, %v", a, err)
	}
}
