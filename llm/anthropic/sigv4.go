package anthropic

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/llm/httpwire"
)

// signV4 signs a POST request to a service of AWS in a region with AWS Signature Version 4: it adds the date, the token of
// the key's session, and the signature to the headers. bodyHash is the SHA-256 of the body.
func signV4(r *httpwire.Request, key awsKey, service, region string, bodyHash [sha256.Size]byte, now time.Time) {
	date := now.UTC().Format("20060102T150405Z")
	day := date[:len("20060102")]
	r.Header.Set("X-Amz-Date", date)
	if key.SessionToken != "" {
		r.Header.Set("X-Amz-Security-Token", key.SessionToken)
	}
	signed, headers := canonicalHeaders(r)
	request := strings.Join([]string{
		http.MethodPost, awsEscape(cmp.Or(r.URL.EscapedPath(), "/")), strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20"),
		headers, signed, hex.EncodeToString(bodyHash[:]),
	}, "\n")
	hash := sha256.Sum256([]byte(request))

	scope := strings.Join([]string{day, region, service, "aws4_request"}, "/")
	mac := []byte("AWS4" + key.SecretAccessKey)
	for _, text := range []string{day, region, service, "aws4_request", "AWS4-HMAC-SHA256\n" + date + "\n" + scope + "\n" + hex.EncodeToString(hash[:])} {
		h := hmac.New(sha256.New, mac)
		h.Write([]byte(text))
		mac = h.Sum(nil)
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+key.AccessKeyID+"/"+scope+", SignedHeaders="+signed+", Signature="+hex.EncodeToString(mac))
}

// canonicalHeaders returns the names of the headers that are signed, and their lines. Those that a proxy may change are not.
func canonicalHeaders(r *httpwire.Request) (names, lines string) {
	values := map[string]string{"host": cmp.Or(r.Header.Get("Host"), r.URL.Host)}
	if size := r.Body.Size(); size > 0 {
		values["content-length"] = strconv.FormatInt(size, 10)
	}
	for name, list := range r.Header {
		switch name = strings.ToLower(name); name {
		case "host", "content-length", "authorization", "user-agent", "x-amzn-trace-id", "expect", "transfer-encoding":
			continue
		}
		var trimmed []string
		for _, v := range list {
			trimmed = append(trimmed, strings.Join(strings.FieldsFunc(v, func(c rune) bool { return c == ' ' }), " "))
		}
		values[name] = strings.Join(trimmed, ",")
	}
	sorted := make([]string, 0, len(values))
	for name := range values {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	var b strings.Builder
	for _, name := range sorted {
		b.WriteString(name + ":" + values[name] + "\n")
	}
	return strings.Join(sorted, ";"), b.String()
}

// awsEscape escapes a path as AWS does it for a signature: all but letters, digits, "-._~" and slashes, and what is
// escaped already once more.
func awsEscape(path string) string {
	const hexDigits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
		}
	}
	return b.String()
}
