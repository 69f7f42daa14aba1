package anthropic

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// Bedrock configures access to models on Amazon Bedrock. Its fields are the values of
// the variables that AWS tools read, see [BedrockFromEnv]. The keys are not used if
// [Options.AuthToken] is set.
type Bedrock struct {
	// Region is the AWS region, such as "us-east-1". The default is the region of the
	// profile.
	Region string
	// AccessKeyID and SecretAccessKey are a key, SessionToken the token of its
	// session, if it is a temporary key.
	AccessKeyID, SecretAccessKey, SessionToken string
	// Profile is the profile to use if no key is set, by default "default".
	// Credentials and Config are the paths of the files with profiles. For a profile
	// with a credential_process the client runs that command. For other profiles
	// without a key (SSO, roles, instances) it runs the aws command.
	Profile             string
	Credentials, Config string
}

// BedrockFromEnv returns the configuration in the environment variables of AWS tools.
// Since Config can name a command to run, env should not include variables that a
// repository sets.
func BedrockFromEnv(env func(name string) string) *Bedrock {
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

// bedrock is the service of Amazon Bedrock. The URL contains the model and whether to
// stream, the body contains the version and betas of the protocol, and streams use
// AWS event stream frames.
type bedrock struct {
	Bedrock
	base    *url.URL // nil for the default address of the region
	version string
	bearer  bool // requests carry a bearer token and need no signature

	keys keyring
}

func newBedrock(o Options, bearer bool) (*bedrock, error) {
	b := &bedrock{Bedrock: *o.Bedrock, bearer: bearer, version: "bedrock-2023-05-31"}
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

// isRegion reports whether s is a valid region name, which is safe as part of a host
// name.
func isRegion(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func (b *bedrock) bodyForm() bodyForm {
	return bodyForm{version: b.version, modelInURL: true, streamInURL: true, name: func(model string) string { return model }}
}

func (b *bedrock) prepareRequest(ctx context.Context, r *httpwire.Request, m method, model string) error {
	if m == methodCount {
		return markUnsupported(&llm.Error{Kind: llm.KindBadRequest, Status: http.StatusNotImplemented, Message: "Amazon Bedrock counts no tokens of a prompt"})
	}
	if err := validateModelName(model); err != nil {
		return err
	}
	region, err := b.region()
	if err != nil {
		return err
	}
	base := b.base
	if base == nil {
		base = &url.URL{Scheme: "https", Host: "bedrock-runtime." + region + "." + dnsSuffix(region)}
	}
	verb := "invoke"
	if m == methodStream {
		verb = "invoke-with-response-stream"
		r.Header.Set("Accept", eventStream)
	}
	r.URL = withPath(base, "model", model, verb)
	if b.bearer {
		return nil
	}
	return b.sign(ctx, r, region)
}

// dnsSuffix returns the domain of the hosts in a region.
func dnsSuffix(region string) string {
	if strings.HasPrefix(region, "cn-") {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}

// region returns the configured region, or that of the profile.
func (b *bedrock) region() (string, error) {
	region := b.Region
	if region == "" {
		p, err := b.keys.profile()
		if err != nil {
			return "", credentialsError(err)
		}
		region = p["region"]
	}
	if !isRegion(region) {
		return "", &llm.Error{Kind: llm.KindUnauthorized, Message: "Amazon Bedrock needs a region: set AWS_REGION (us-east-1, ...), or region in the profile."}
	}
	return region, nil
}

// sign signs a request with AWS Signature Version 4.
func (b *bedrock) sign(ctx context.Context, r *httpwire.Request, region string) error {
	key, err := b.keys.key(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return credentialsError(err)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, r.Body.Reader()); err != nil {
		return err // cannot happen with a body in memory
	}
	signV4(r, key, "bedrock", region, [sha256.Size]byte(hash.Sum(nil)), time.Now())
	return nil
}

// credentialsError returns the error for missing AWS credentials.
func credentialsError(err error) error {
	return &llm.Error{
		Kind: llm.KindUnauthorized, Err: err,
		Message: fmt.Sprintf("Could not load credentials for Amazon Bedrock. Set AWS_BEARER_TOKEN_BEDROCK, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE. (%v)", err),
		Link:    "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html",
	}
}

// eventStream is the content type of AWS event streams.
const eventStream = "application/vnd.amazon.eventstream"

func (b *bedrock) events(ctx context.Context, r *httpwire.Response) iter.Seq2[httpwire.Event, error] {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != eventStream { // server-sent events from a gateway, or an error page
		return r.Events()
	}
	return func(yield func(httpwire.Event, error) bool) {
		f := newFrameReader(r.Body)
		defer f.release()
		for {
			data, err := f.nextEvent()
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
