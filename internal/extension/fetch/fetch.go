// Package fetch gets extensions from repositories: from releases on GitHub, and from any
// repository with git.
//
//   - source.go determines the kind of the source that the user names.
//   - github.go finds and downloads releases, git.go clones.
//
// A repository is in the hands of strangers. Git runs without the user's configuration, without
// hooks, and speaks only common protocols; package unpack checks the files.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"pollux/internal/extension/unpack"
	"pollux/internal/process"
)

// Request names the extension to fetch.
type Request struct {
	// URL is the address of the repository, as [Parse] returns it.
	URL string
	// Owner and Repo name the repository on GitHub; "" if it is elsewhere.
	Owner, Repo string
	// Ref is a branch, tag or commit, "" for the latest release or the default branch.
	Ref string
	// PreRelease admits releases that are marked as early ones.
	PreRelease bool
}

// Result is the fetched extension.
type Result struct {
	// Dir has the files of the extension.
	Dir string
	// Tag is the name of the release, "" if git has cloned the repository.
	Tag string
}

// Fetcher gets extensions. The zero value of a field is the usual one, except for Launcher, Finder
// and Environ, which git needs.
type Fetcher struct {
	Launcher process.Launcher
	Finder   process.Finder // finds git
	Environ  []string       // the environment that git's is made from
	// Transport makes requests; nil is [http.DefaultTransport].
	Transport func() (http.RoundTripper, error)
	// Token is the user's token for GitHub, "" for none. It goes to GitHub only.
	Token string
	// API is the address of GitHub's interface for programs.
	API string
	// Limits bound the fetched files.
	Limits unpack.Limits
}

// timeout is the longest time that fetching an extension takes.
const timeout = 15 * time.Minute

var errTimeout = errors.New("it took longer than 15 minutes")

// ErrNoRelease is the error of [Fetcher.Release] for a repository without a release of this name, or
// without any.
var ErrNoRelease = errors.New("it has no such release")

// Release downloads the release of a repository on GitHub that r asks for into dir, an empty
// directory.
func (f *Fetcher) Release(ctx context.Context, r *Request, dir string) (Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()
	release, err := f.findRelease(ctx, r)
	if err != nil {
		return Result{}, err
	}
	dir, err = f.download(ctx, release, dir)
	return Result{Dir: dir, Tag: release.Tag}, err
}

// Clone clones a repository into dir, an empty directory.
func (f *Fetcher) Clone(ctx context.Context, r *Request, dir string) (Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()
	if err := f.clone(ctx, r, dir); err != nil {
		return Result{}, fmt.Errorf("cannot clone %s: %w", r.URL, err)
	}
	if err := unpack.Check(ctx, dir, f.limits()); err != nil {
		return Result{}, fmt.Errorf("cannot use %s: %w", r.URL, err)
	}
	return Result{Dir: dir}, nil
}

// Archive unpacks the file at path, a tar.gz or zip archive, into dir, an empty directory. It returns the
// directory of the extension in it.
func (f *Fetcher) Archive(ctx context.Context, path, dir string) (string, error) {
	if err := unpack.Archive(ctx, path, dir, f.limits()); err != nil {
		return "", err
	}
	return topDir(dir), nil
}

// LatestTag returns the name of the release that [Fetcher.Release] would download.
func (f *Fetcher) LatestTag(ctx context.Context, r *Request) (string, error) {
	release, err := f.findRelease(ctx, r)
	if err != nil {
		return "", err
	}
	return release.Tag, nil
}

func (f *Fetcher) limits() unpack.Limits {
	if f.Limits == (unpack.Limits{}) {
		return unpack.Usual
	}
	return f.Limits
}
