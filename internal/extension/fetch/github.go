package fetch

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
	"runtime"
	"slices"
	"strings"

	"pollux/internal/extension"
	"pollux/internal/extension/plugin"
	"pollux/llm/httpwire"
)

// githubAPI is the usual [Fetcher.API].
const githubAPI = "https://api.github.com"

// Limits on responses, in bytes.
const (
	maxRelease  = 8 << 20
	maxDownload = 512 << 20
)

// release is a release of a repository, as GitHub describes it.
type release struct {
	Tag     string  `json:"tag_name"`
	Assets  []asset `json:"assets"`
	Tarball string  `json:"tarball_url"`
	Zipball string  `json:"zipball_url"`
}

// asset is a file of a release.
type asset struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// findRelease asks GitHub for the release that r is about.
func (f *Fetcher) findRelease(ctx context.Context, r *Request) (*release, error) {
	at := fmt.Sprintf("%s/repos/%s/%s/releases", cmp.Or(f.API, githubAPI), url.PathEscape(r.Owner), url.PathEscape(r.Repo))
	one := &release{}
	switch {
	case r.Ref != "":
		if err := f.getJSON(ctx, at+"/tags/"+url.PathEscape(r.Ref), one); err != nil {
			return nil, err
		}
		return one, nil
	case !r.PreRelease:
		err := f.getJSON(ctx, at+"/latest", one)
		if err == nil || !errors.Is(err, ErrNoRelease) {
			return one, err
		}
	}
	var list []release // with early ones
	if err := f.getJSON(ctx, at+"?per_page=1", &list); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, ErrNoRelease
	}
	return &list[0], nil
}

// getJSON decodes the response to a request.
func (f *Fetcher) getJSON(ctx context.Context, address string, v any) error {
	body, err := f.get(ctx, address, "application/vnd.github+json")
	if err != nil {
		return err
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, maxRelease))
	if err == nil && json.Unmarshal(data, v) != nil {
		err = errors.New("the response is not valid")
	}
	return err
}

// get returns the body of a response. The error is [ErrNoRelease] if there is nothing.
func (f *Fetcher) get(ctx context.Context, address, accept string) (io.ReadCloser, error) {
	client := &http.Client{CheckRedirect: checkRedirect}
	if f.Transport != nil {
		transport, err := f.Transport()
		if err != nil {
			return nil, err
		}
		client.Transport = transport
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", "pollux")
	if f.Token != "" && strings.HasPrefix(address, cmp.Or(f.API, githubAPI)+"/") {
		req.Header.Set("Authorization", "token "+f.Token) // the client removes it when another host takes over
	}
	response, err := client.Do(req)
	var at *url.Error
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &at):
		return nil, fmt.Errorf("cannot reach %s: %s", req.URL.Host, httpwire.Reason(at.Err))
	case err != nil:
		return nil, err
	case response.StatusCode == http.StatusOK:
		return response.Body, nil
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusNotFound:
		return nil, ErrNoRelease
	case http.StatusUnauthorized:
		return nil, errors.New("GitHub refuses the token in GITHUB_TOKEN")
	case http.StatusForbidden, http.StatusTooManyRequests:
		if f.Token == "" {
			return nil, fmt.Errorf("GitHub refuses requests without a token for now (status %d): set GITHUB_TOKEN, or try again in an hour", response.StatusCode)
		}
	}
	return nil, fmt.Errorf("request failed with status code %d", response.StatusCode)
}

// checkRedirect follows redirects that stay encrypted.
func checkRedirect(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) > 10:
		return errors.New("too many redirects")
	case via[0].URL.Scheme == "https" && req.URL.Scheme != "https":
		return fmt.Errorf("it leads to %s, without encryption", req.URL.Host)
	}
	return nil
}

// download unpacks the archive of a release into dir, and returns the directory of the extension
// in it.
func (f *Fetcher) download(ctx context.Context, r *release, dir string) (string, error) {
	address, accept := r.archive()
	if address == "" {
		return "", fmt.Errorf("no assets found for release with tag %.100q", r.Tag)
	}
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "https" && !strings.HasPrefix(address, f.API+"/") {
		return "", fmt.Errorf("the address of release %.100q is not valid", r.Tag)
	}
	body, err := f.get(ctx, address, accept)
	if err != nil {
		return "", fmt.Errorf("cannot download release %.100q: %w", r.Tag, err)
	}
	defer body.Close()
	file, err := os.CreateTemp(filepath.Dir(dir), ".archive-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(file.Name())
	n, err := io.Copy(file, io.LimitReader(body, maxDownload+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("cannot download release %.100q: %w", r.Tag, cmp.Or(context.Cause(ctx), err))
	}
	if n > maxDownload {
		return "", fmt.Errorf("the archive of release %.100q is larger than %d MB", r.Tag, maxDownload>>20)
	}
	if dir, err = f.Archive(ctx, file.Name(), dir); err != nil {
		return "", fmt.Errorf("cannot unpack release %.100q: %w", r.Tag, err)
	}
	return dir, nil
}

// archive returns the address of the archive to download, and the type to ask for.
func (r *release) archive() (address, accept string) {
	if one := chooseAsset(r.Assets, runtime.GOOS, runtime.GOARCH); one != nil {
		return one.URL, "application/octet-stream"
	}
	return cmp.Or(r.Tarball, r.Zipball), "application/vnd.github+json"
}

// chooseAsset returns the file of a release for a system: "<system>.<architecture>.*", else
// "<system>.*", else the only file if it fits all systems. Systems have the names of Node.js. It
// returns nil for none.
func chooseAsset(assets []asset, goos, goarch string) *asset {
	system := strings.Replace(goos, "windows", "win32", 1)
	arch := strings.NewReplacer("amd64", "x64", "386", "ia32").Replace(goarch)
	for _, prefix := range []string{system + "." + arch + ".", system + "."} {
		for i := range assets {
			rest, ok := strings.CutPrefix(strings.ToLower(assets[i].Name), prefix)
			if first, _, _ := strings.Cut(rest, "."); ok && !slices.Contains(architectures[:], first) {
				return &assets[i]
			}
		}
	}
	if len(assets) != 1 {
		return nil
	}
	name := strings.ToLower(assets[0].Name)
	for _, system := range []string{"darwin", "linux", "win32"} {
		if strings.Contains(name, system) {
			return nil
		}
	}
	return &assets[0]
}

// architectures are names of architectures in Node.js: a file for one of them is not for the others.
var architectures = [...]string{"x64", "arm64", "arm", "ia32", "ppc64", "riscv64", "s390x"}

// topDir returns the directory with the manifest: the only one in dir, as in archives that GitHub
// makes, else dir itself.
func topDir(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || !entries[0].IsDir() || plugin.Has(dir) {
		return dir
	}
	inner := filepath.Join(dir, entries[0].Name())
	if _, err := os.Lstat(filepath.Join(inner, extension.ManifestName)); err != nil && !plugin.Has(inner) {
		return dir
	}
	return inner
}
