package release

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/oauth"
	"pollux/llm/httpwire"
)

const (
	interval = 24 * time.Hour   // between two requests
	patience = 10 * time.Second // for a response
	maxSize  = 1 << 20          // of a response, and of the file with the last one, in bytes
	maxField = 500              // of a version and of a page, in bytes
)

// release is a release of Pollux. The zero value is none.
type release struct {
	Version string `json:"version,omitempty"` // with or without "v" before it
	Page    string `json:"page,omitempty"`    // the URL of its page, "" for none
}

// feed knows the newest release.
type feed struct {
	address   string
	file      string // has the last response
	version   string // of this program
	transport func() (http.RoundTripper, error)
	now       time.Time
}

// file returns the path of the file with the last response.
func file(paths *config.Paths) string {
	return filepath.Join(paths.RuntimeDir(), "pollux", "release.json")
}

// kept is the content of the file.
type kept struct {
	Address string    `json:"address"`
	Asked   time.Time `json:"asked"`
	ETag    string    `json:"etag,omitempty"`
	release
}

// newest returns the newest release. It sends a request if the last one was sent a day ago or more, also after one that has failed, and returns the
// release of the last response beside an error.
func (f *feed) newest(ctx context.Context) (release, error) {
	k := f.read()
	if age := f.now.Sub(k.Asked); age >= 0 && age < interval {
		return k.release, nil
	}
	k.Asked = f.now
	if err := f.write(k); err != nil { // before the request: who cannot write this would ask at each start
		return k.release, err
	}
	found, etag, err := f.ask(ctx, k.ETag)
	if err != nil || found == (release{}) {
		return k.release, err
	}
	k.release, k.ETag = found, etag
	return found, f.write(k)
}

// read returns the last response of the address. It is empty if there is none, or if the file is damaged.
func (f *feed) read() kept {
	var k kept
	data, err := durable.ReadFile(f.file, maxSize)
	if err != nil || json.Unmarshal(data, &k) != nil || k.Address != f.address {
		return kept{Address: f.address}
	}
	if k.release, err = check(k.release); err != nil {
		k.ETag = ""
	}
	return k
}

func (f *feed) write(k kept) error {
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.file), 0o700); err != nil {
		return err
	}
	return durable.WriteFileUnsynced(f.file, append(data, '\n'), 0o600)
}

// ask requests the newest release. It is empty if it still is that of the response with etag.
func (f *feed) ask(ctx context.Context, etag string) (found release, newTag string, err error) {
	at, err := url.Parse(f.address)
	if err != nil || at.Host == "" || at.Scheme != "https" && (at.Scheme != "http" || !oauth.IsLoopback(at.Hostname())) {
		return found, "", errors.New("the address of the releases is no https URL")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.address, http.NoBody)
	if err != nil {
		return found, "", err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "pollux/"+f.version)
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	transport, err := f.transport()
	if err != nil {
		return found, "", err
	}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	response, err := client.Do(req)
	if err != nil {
		return found, "", fmt.Errorf("cannot reach %s: %s", at.Host, httpwire.Reason(errors.Unwrap(err)))
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotModified:
		return found, "", nil
	default:
		return found, "", fmt.Errorf("%s answers with status %d", at.Host, response.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxSize))
	if err != nil {
		return found, "", err
	}
	found, err = parse(data)
	if newTag = response.Header.Get("ETag"); len(newTag) > maxField {
		newTag = ""
	}
	return found, newTag, err
}

// parse reads a release from a response: {"version", "url"}, as in npm's registry, or a release of GitHub or GitLab.
func parse(data []byte) (release, error) {
	var r struct {
		Version string `json:"version"`
		Tag     string `json:"tag_name"`
		URL     string `json:"url"`
		HTML    string `json:"html_url"`
		Links   struct {
			Self string `json:"self"`
		} `json:"_links"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return release{}, errors.New("the response is no JSON object")
	}
	page := r.URL
	if r.Version == "" { // the field "url" of GitHub's is for programs
		page = cmp.Or(r.HTML, r.Links.Self)
	}
	return check(release{cmp.Or(r.Version, r.Tag), page})
}

// check returns a release without a page that cannot be one. A version that is none is an error.
func check(r release) (release, error) {
	if len(r.Version) > maxField || !semver.IsValid(tag(r.Version)) {
		return release{}, errors.New("the response has no version")
	}
	if at, err := url.Parse(r.Page); err != nil || at.Scheme != "https" || at.Host == "" || len(r.Page) > maxField || strings.ContainsAny(r.Page, " \t\r\n") {
		r.Page = ""
	}
	return r, nil
}
