package oauth

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"strings"
	"time"
)

// credential has the tokens that an authorization server has issued for one server. It is not
// changed once it is made.
type credential struct {
	Server  string // the name of the server's entry
	Access  string
	Type    string
	Refresh string
	Scope   string
	Expires time.Time // zero if unknown
	// ClientID and ClientSecret are those of the client that has got the tokens.
	ClientID     string
	ClientSecret string
	TokenURL     string
	ServerURL    string
	Resource     string // the tokens' resource, as the authorization server knows it; "" is ServerURL
	Updated      time.Time
	// inFile reports whether it is in the file, and not in the keychain.
	inFile bool
	// stored is the JSON object that it was read from, whose other members are kept.
	stored map[string]json.RawMessage
}

// String keeps tokens out of formatted text.
func (c *credential) String() string { return "credential of " + c.Server }

// record is the JSON form of a credential. Gemini CLI has all members but clientSecret and resource.
type record struct {
	ServerName   string          `json:"serverName"`
	Token        json.RawMessage `json:"token"`
	ClientID     string          `json:"clientId,omitempty"`
	ClientSecret string          `json:"clientSecret,omitempty"`
	TokenURL     string          `json:"tokenUrl,omitempty"`
	ServerURL    string          `json:"mcpServerUrl,omitempty"`
	Resource     string          `json:"resource,omitempty"`
	Updated      float64         `json:"updatedAt"` // milliseconds since 1970
}

type recordToken struct {
	Access  string  `json:"accessToken"`
	Type    string  `json:"tokenType"`
	Refresh string  `json:"refreshToken,omitempty"`
	Scope   string  `json:"scope,omitempty"`
	Expires float64 `json:"expiresAt,omitempty"` // milliseconds since 1970
}

var errNoCredential = errors.New("it is not a sign-in")

// parseCredential reads the JSON form. Its errors contain nothing of the text.
func parseCredential(text []byte) (*credential, error) {
	var r record
	var t recordToken
	c := &credential{}
	if json.Unmarshal(text, &r) != nil || json.Unmarshal(r.Token, &t) != nil || json.Unmarshal(text, &c.stored) != nil ||
		r.ServerName == "" || !isToken(t.Access) {
		return nil, errNoCredential
	}
	c.Server, c.ClientID, c.ClientSecret = r.ServerName, r.ClientID, r.ClientSecret
	c.TokenURL, c.ServerURL, c.Resource = r.TokenURL, r.ServerURL, r.Resource
	c.Access, c.Type, c.Refresh, c.Scope = t.Access, t.Type, t.Refresh, t.Scope
	c.Expires, c.Updated = fromMillis(t.Expires), fromMillis(r.Updated)
	return c, nil
}

// encode returns the JSON form, with the members of the object that c was read from that are not ours.
func (c *credential) encode() (json.RawMessage, error) {
	var token map[string]json.RawMessage
	_ = json.Unmarshal(c.stored["token"], &token) // none if c is new
	raw, err := merged(token, recordToken{c.Access, c.Type, c.Refresh, c.Scope, toMillis(c.Expires)})
	if err != nil {
		return nil, err
	}
	return merged(c.stored, record{c.Server, raw, c.ClientID, c.ClientSecret, c.TokenURL, c.ServerURL, c.Resource, toMillis(c.Updated)})
}

// merged returns the JSON form of an object, with the members of before that its type does not have.
func merged(before map[string]json.RawMessage, now any) (json.RawMessage, error) {
	raw, err := json.Marshal(now)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(before)
	for _, ours := range []string{"accessToken", "tokenType", "refreshToken", "scope", "expiresAt", "clientId", "clientSecret", "tokenUrl", "mcpServerUrl", "resource"} {
		delete(all, ours) // those that are empty now
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// maxMillis is the last instant of a credential, in the year 9999.
const maxMillis = 253402300799000

func fromMillis(ms float64) time.Time {
	if ms <= 0 || ms != ms {
		return time.Time{}
	}
	return time.UnixMilli(int64(min(ms, maxMillis)))
}

func toMillis(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli())
}

// refreshBefore is the time before its end at which a token is refreshed.
const refreshBefore = 5 * time.Minute

// isFresh reports whether the access token can be used without a refresh. One that lives shorter than ten
// minutes is refreshed in the second half of its life.
func (c *credential) isFresh(now time.Time) bool {
	if c.Expires.IsZero() {
		return true
	}
	margin := refreshBefore
	if life := c.Expires.Sub(c.Updated); life > 0 && !c.Updated.IsZero() {
		margin = min(margin, life/2)
	}
	return now.Before(c.Expires.Add(-margin))
}

// isValid reports whether the access token has not expired.
func (c *credential) isValid(now time.Time) bool { return c.Expires.IsZero() || now.Before(c.Expires) }

// canRefresh reports whether the credential can be refreshed.
func (c *credential) canRefresh() bool {
	return c.Refresh != "" && c.TokenURL != "" && c.ClientID != ""
}

// isFor reports whether the credential was issued for the server at an address. A server with the name of
// another one does not get the other's tokens.
func (c *credential) isFor(endpoint string) bool {
	of, err := resourceOf(c.ServerURL)
	want, err2 := resourceOf(endpoint)
	return err == nil && err2 == nil && sameURL(of, want)
}

// resourceOf returns the identifier of the server at an address: its scheme, host and path.
func resourceOf(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return "", errors.New("its URL is not valid")
	}
	return Origin(u) + cmp.Or(u.EscapedPath(), "/"), nil
}

// Origin returns the scheme and host of an address, without the port that is the scheme's own.
func Origin(u *url.URL) string {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return scheme + "://" + host
}

// sameURL reports whether two addresses are the same except for a slash at the end.
func sameURL(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }

// isToken reports whether a text can be sent as a token.
func isToken(text string) bool {
	const longest = 64 << 10
	return text != "" && len(text) <= longest && isVisible(text)
}
