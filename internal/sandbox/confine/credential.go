package confine

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pollux/internal/config"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/network"
)

// Credential is a credential that confined commands use without having it: an entry of pollux.sandboxCredentials.
type Credential struct {
	// From is where it comes from: fromGH, fromGit, fromNPM, or the name of a variable.
	From string
	// Hosts are those that it belongs to. They are single names and addresses.
	Hosts network.Hosts
}

// Where credentials come from, apart from variables.
const (
	fromGH  = "gh"  // gh auth token
	fromGit = "git" // git's credential helpers
	fromNPM = "npm" // the settings of npm
)

// variableName matches the name of a variable that a credential comes from.
var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`) })

// parseCredential reads an entry: gh, gh:HOST, git:HOST, npm or VARIABLE:HOST, where hosts may have a port.
func parseCredential(text string) (c Credential, err error) {
	from, host, hasHost := strings.Cut(strings.TrimSpace(text), ":")
	c.From = from
	switch {
	case from == fromNPM && hasHost:
		return c, errors.New("npm has no host: it means all registries in ~/.npmrc")
	case from == fromNPM:
		return c, nil
	case from == fromGH && !hasHost:
		host = github
	case from != fromGH && from != fromGit && !variableName().MatchString(from):
		return c, errors.New("it begins with none of gh, git, npm and the name of a variable in capitals, such as GITLAB_TOKEN")
	case slices.Contains([]string{"PATH", "HOME", "PWD", "SHELL", "USER", "LANG", "TERM", "TMPDIR"}, from):
		return c, errors.New(from + " holds no credential")
	case !hasHost:
		return c, errors.New("it names no host: write " + from + ":git.example.org, for example")
	}
	h, err := network.ParseHost(host)
	switch {
	case err != nil:
		return c, fmt.Errorf("%q is no name of a host or single address, with or without a port", host)
	case h.Subdomains, h.MayBePrivate, h.Name == "" && !h.Addresses.IsSingleIP():
		return c, fmt.Errorf("%q is more than one host: write its name", host)
	}
	if c.Hosts = (network.Hosts{h}); from == fromGH {
		c.Hosts = ofGitHub(h)
	}
	return c, nil
}

const github = "github.com"

// isCloud reports whether a host is GitHub's, and not a server of a company.
func isCloud(h network.Host) bool { return h.Name == github || strings.HasSuffix(h.Name, ".ghe.com") }

// ofGitHub returns the hosts that gh asks for one that people name.
func ofGitHub(h network.Host) network.Hosts {
	if !isCloud(h) {
		return network.Hosts{h}
	}
	api, uploads := h, h
	api.Name, uploads.Name = "api."+h.Name, "uploads."+h.Name
	return network.Hosts{h, api, uploads}
}

// Describe says where the credential comes from.
func (c *Credential) Describe() string {
	switch c.From {
	case fromGH:
		return "gh"
	case fromGit:
		return "git's credential helpers"
	case fromNPM:
		return "~/.npmrc"
	}
	return c.From
}

// Credentials returns the credentials that commands use without having them, and the errors of entries that are none. Those of npm have no hosts
// before a command has run.
func (c *Confinement) Credentials() (list []Credential, bad []error) {
	for _, text := range config.SandboxCredentials.In(c.options.Settings()) {
		one, err := parseCredential(text)
		if err != nil {
			bad = append(bad, fmt.Errorf("%q: %w", text, err))
			continue
		}
		list = append(list, one)
	}
	return list, bad
}

// IsSet reports whether a credential is known to exist. It is false only for a variable that is not set.
func (c *Confinement) IsSet(one Credential) bool {
	return !one.isVariable() || c.options.Env(one.From) != ""
}

func (c *Credential) isVariable() bool {
	return c.From != fromGH && c.From != fromGit && c.From != fromNPM
}

// credentialWarnings returns warnings about credentials that have no effect.
func (c *Confinement) credentialWarnings() (list []string) {
	credentials, bad := c.Credentials()
	for _, err := range bad {
		list = append(list, "Pollux ignores a credential in pollux.sandboxCredentials: "+err.Error()+".")
	}
	if len(credentials) == 0 {
		return list
	}
	if !sandbox.KnowsHosts() {
		return append(list, "The credentials in pollux.sandboxCredentials are for no command: on this machine, Pollux cannot decide about connections.")
	}
	policy := c.Profile().Network
	for _, one := range credentials {
		if len(one.Hosts) == 0 || !c.IsSet(one) {
			continue
		}
		h := one.Hosts[0]
		for _, h := range one.Hosts[:min(2, len(one.Hosts))] { // gh needs the second one, and not the third one for most of its commands
			if !c.hasOnlyProxy() && !mayReach(policy, h) {
				list = append(list, "Commands do not reach "+h.String()+", for which pollux.sandboxCredentials has a credential. Add it to pollux.sandboxHosts.")
			}
		}
		if c.usesOtherProxy(h) {
			list = append(list, "Commands send placeholders to "+h.String()+" instead of the credential in pollux.sandboxCredentials: their proxy (HTTPS_PROXY) has no address that begins with http://. Add the host to NO_PROXY if they reach it without.")
		}
	}
	return list
}

// mayReach reports whether a policy lets commands reach a host, or has a person asked about it.
func mayReach(policy network.Policy, h network.Host) bool {
	listed := policy.Hosts.Named(h.Name)
	if h.Name == "" {
		listed = policy.Hosts.Containing(h.Addresses.Addr())
	}
	isLocal := h.Name == "localhost" || h.Name == "" && network.IsLocal(h.Addresses.Addr())
	return !policy.Off || policy.NamesHosts || isLocal || listed.HasPort(cmp.Or(h.Port, network.PortHTTPS))
}
