// Package release finds out whether a newer Pollux has been released: once a day, for a session in a terminal.
package release

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/mod/semver"

	"pollux/internal/config"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// Address is the URL of the newest release, "" for none. Builds for others set it with
// go build -ldflags "-X pollux/internal/manage/release.Address=https://example.com/pollux/latest.json".
// The setting pollux.releases takes its place.
var Address string

// IsWanted reports whether the session asks for newer releases: there is an address, the user has not switched
// it off, and the program is no build of a developer's or of a CI.
func IsWanted(p *project.Project) bool {
	env := p.Env().User()
	return address(p) != "" && config.ReleaseNotices.In(p.Settings()) && env.Get("CI") == "" && env.Get("DEV") != "true" && semver.IsValid(tag(p.Options.Version))
}

// address returns the URL of the newest release, "" for none.
func address(p *project.Project) string {
	if own := config.Releases.In(p.Settings()); own != "" {
		return own
	}
	return Address
}

// Notice returns a line about a newer release, "" for none. It waits for the answer of a server, unless that has
// answered today. Errors are logged only.
func Notice(ctx context.Context, p *project.Project) string {
	f := feed{address: address(p), file: file(p.Paths), version: p.Options.Version, transport: p.ServerTransport, now: time.Now()}
	newest, err := f.newest(ctx)
	if err != nil {
		p.Log.Debug("newer releases are not known", "error", err)
	}
	return notice(newest, p.Options.Version)
}

// notice returns the line about the newest release if it is newer than current, else "". A release for tests is offered
// only to who uses one.
func notice(newest release, current string) string {
	theirs, own := tag(newest.Version), tag(current)
	if semver.Compare(theirs, own) <= 0 || semver.Prerelease(theirs) != "" && semver.Prerelease(own) == "" {
		return ""
	}
	text := fmt.Sprintf("Pollux %s is available. You use %s.", theirs[1:], own[1:])
	if newest.Page != "" {
		text += " See " + terminal.Line(newest.Page)
	}
	return text
}

// tag returns a version in the form of package semver: v1.2.3. It is not valid if the version is not.
func tag(version string) string {
	if version != "" && version[0] == 'v' {
		return version
	}
	return "v" + version
}
