package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"pgregory.net/rapid"

	"pollux/llm/httpwire"
)

// Requests of any form get the signature that Amazon's own code gives them.
func TestSignV4(t *testing.T) {
	t.Parallel()
	text := rapid.StringOfN(rapid.RuneFrom([]rune("aZ09-._~ /+%:;=&?#é日\"'()*!,@")), 0, 30, -1)
	value := rapid.StringMatching(`[ -~]{0,30}`)
	rapid.Check(t, func(t *rapid.T) {
		u := &url.URL{Scheme: "https", Host: "bedrock-runtime.us-east-1.amazonaws.com", Path: "/" + text.Draw(t, "path"), RawQuery: url.Values{"b": {text.Draw(t, "query")}, "a": {"1"}}.Encode()}
		if rapid.Bool().Draw(t, "no path") {
			u.Path, u.RawQuery = "", ""
		}
		header := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"Pollux"}, "X-Trace": {value.Draw(t, "first"), value.Draw(t, "second")}}
		key := awsKey{AccessKeyID: "AKID", SecretAccessKey: value.Draw(t, "secret"), SessionToken: rapid.SampledFrom([]string{"", "session"}).Draw(t, "token")}
		b := httpwire.NewBody(1)
		b.Text(text.Draw(t, "body"))
		now := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "time"), 0)
		hash := sha256.Sum256([]byte("body"))

		size := b.Size()
		other := &http.Request{Method: http.MethodPost, URL: new(*u), Header: header.Clone(), ContentLength: size}
		credentials := aws.Credentials{AccessKeyID: key.AccessKeyID, SecretAccessKey: key.SecretAccessKey, SessionToken: key.SessionToken}
		if err := v4.NewSigner().SignHTTP(t.Context(), credentials, other, hex.EncodeToString(hash[:]), "bedrock", "us-east-1", now); err != nil {
			t.Fatal(err)
		}
		r := &httpwire.Request{URL: u, Header: header, Body: b}
		signV4(r, key, "bedrock", "us-east-1", hash, now)
		for _, name := range []string{"Authorization", "X-Amz-Date", "X-Amz-Security-Token"} {
			if got, want := header.Get(name), other.Header.Get(name); got != want {
				t.Fatalf("%s %s, want %s", name, got, want)
			}
		}
	})
}
