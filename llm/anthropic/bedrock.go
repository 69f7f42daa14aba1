package anthropic

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// Bedrock says where on Amazon Bedrock a model runs and, where there is no bearer
// key in [Options.AuthToken], whose signature requests carry. The members are the
// values of the variables that Amazon's own programs read: see [BedrockFrom].
type Bedrock struct {
	// Region is in the address: "us-east-1". If empty it is the profile's.
	Region string
	// A key, and the token of its session if it is of one.
	AccessKeyID, SecretAccessKey, SessionToken string
	// Profile is where the key is if there is none above, "default" if empty, in
	// the files Credentials and Config. They are read at the first request; so is
	// the program asked that a profile names as its credential_process. A profile
	// of another kind (SSO, a role, an instance's) is left to the program aws, if
	// it is installed.
	Profile             string
	Credentials, Config string
}

// BedrockFrom returns what an environment says to Amazon's programs. Config names
// a program that is run, so what a repository sets should not be in env.
func BedrockFrom(env func(name string) string) *Bedrock {
	get := func(names ...string) string {
		for _, name := range names {
			if v := strings.TrimSpace(env(name)); v != "" {
				return v
			}
		}
		return ""
	}
	b := &Bedrock{
		Region:      get("AWS_REGION", "AWS_DEFAULT_REGION"),
		AccessKeyID: get("AWS_ACCESS_KEY_ID"), SecretAccessKey: get("AWS_SECRET_ACCESS_KEY"), SessionToken: get("AWS_SESSION_TOKEN"),
		Profile:     get("AWS_PROFILE", "AWS_DEFAULT_PROFILE"),
		Credentials: get("AWS_SHARED_CREDENTIALS_FILE"), Config: get("AWS_CONFIG_FILE"),
	}
	if home := get("HOME", "USERPROFILE"); home != "" {
		b.Credentials = cmp.Or(b.Credentials, home+"/.aws/credentials")
		b.Config = cmp.Or(b.Config, home+"/.aws/config")
	}
	return b
}

// bedrock is Amazon Bedrock: the address names the model and whether the answer
// is streamed, the body has the protocol's version and betas, and a stream comes
// in Amazon's framing.
type bedrock struct {
	Bedrock
	base    *url.URL // nil for the region's own
	version string
	bearer  bool // the header is complete

	keys   keyring
	signer *v4.Signer
}

func newBedrock(o Options, bearer bool) (*bedrock, error) {
	b := &bedrock{Bedrock: *o.Bedrock, bearer: bearer, version: cmp.Or(o.Version, "bedrock-2023-05-31"), signer: v4.NewSigner()}
	b.keys.Bedrock = b.Bedrock
	if strings.TrimSpace(o.BaseURL) != "" {
		base, err := parseBase(o.BaseURL, "")
		if err != nil {
			return nil, err
		}
		b.base = base
	}
	if b.Region != "" && !isRegion(b.Region) {
		return nil, fmt.Errorf("%q is not the name of a region of Amazon's", b.Region)
	}
	return b, nil
}

// isRegion reports whether s can be a region's name: it becomes a part of a host's.
func isRegion(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func (b *bedrock) form() form {
	return form{version: b.version, addressed: true, quiet: true, name: func(model string) string { return model }}
}

func (b *bedrock) aim(ctx context.Context, r *httpwire.Request, m method, model string) error {
	if m == toCount {
		return unserved(&llm.Error{Kind: llm.KindBadRequest, Status: http.StatusNotImplemented, Message: "Amazon Bedrock counts no tokens of a prompt"})
	}
	if err := checkName(model); err != nil {
		return err
	}
	region, err := b.region()
	if err != nil {
		return err
	}
	base := b.base
	if base == nil {
		base = &url.URL{Scheme: "https", Host: "bedrock-runtime." + region + "." + domain(region)}
	}
	verb := "invoke"
	if m == toStream {
		verb = "invoke-with-response-stream"
		r.Header.Set("Accept", eventStream)
	}
	r.URL = inPath(base, "model", model, verb)
	if b.bearer {
		return nil
	}
	return b.sign(ctx, r, region)
}

// domain is where a region's hosts are.
func domain(region string) string {
	if strings.HasPrefix(region, "cn-") {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}

// region returns the region that is set, or that of the profile.
func (b *bedrock) region() (string, error) {
	region := b.Region
	if region == "" {
		p, err := b.keys.profile()
		if err != nil {
			return "", noKeys(err)
		}
		region = p["region"]
	}
	if !isRegion(region) {
		return "", &llm.Error{Kind: llm.KindUnauthorized, Message: "Amazon Bedrock needs a region: set AWS_REGION (us-east-1, ...), or region in the profile."}
	}
	return region, nil
}

// sign signs a request (Signature Version 4).
func (b *bedrock) sign(ctx context.Context, r *httpwire.Request, region string) error {
	key, err := b.keys.get(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return noKeys(err)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, r.Body.Reader()); err != nil {
		return err // a body in memory is read to its end
	}
	req := &http.Request{Method: http.MethodPost, URL: r.URL, Host: r.Header.Get("Host"), Header: r.Header, ContentLength: r.Body.Size()}
	credentials := aws.Credentials{AccessKeyID: key.AccessKeyID, SecretAccessKey: key.SecretAccessKey, SessionToken: key.SessionToken}
	if err := b.signer.SignHTTP(ctx, credentials, req, hex.EncodeToString(hash.Sum(nil)), "bedrock", region, time.Now()); err != nil {
		return noKeys(err)
	}
	return nil
}

func noKeys(err error) error {
	return &llm.Error{
		Kind: llm.KindUnauthorized, Err: err,
		Message: fmt.Sprintf("Could not load credentials for Amazon Bedrock. Set AWS_BEARER_TOKEN_BEDROCK, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE. (%v)", err),
		Link:    "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html",
	}
}

// eventStream is the content type of Amazon's framing.
const eventStream = "application/vnd.amazon.eventstream"

func (b *bedrock) events(ctx context.Context, r *httpwire.Response) iter.Seq2[httpwire.Event, error] {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != eventStream { // a gateway that translates, or a page
		return r.Events()
	}
	return func(yield func(httpwire.Event, error) bool) {
		f := newFrames(r.Body)
		defer f.release()
		for {
			data, err := f.event()
			switch {
			case ctx.Err() != nil:
				yield(httpwire.Event{}, context.Cause(ctx))
				return
			case err == io.EOF:
				return
			case err != nil:
				yield(httpwire.Event{}, frameError(r, err))
				return
			case len(data) > 0 && !yield(httpwire.Event{Data: data}, nil):
				return
			}
		}
	}
}
