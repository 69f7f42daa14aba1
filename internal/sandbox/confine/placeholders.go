package confine

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/process"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/broker"
	"pollux/internal/sandbox/network"
	"pollux/internal/secret"
)

// placeholders are the texts that commands have in the places of credentials.
type placeholders struct {
	broker *broker.Broker    // nil if commands have none
	dir    string            // with the certificates and settings that commands read
	files  map[string]string // those with authorities, by the ones that they are made from
	// without are variables that commands do not get, set are those that they get, and texts are replaced in all of them.
	without []string
	set     []string
	texts   []string    // a secret and its placeholder, in turn
	git     [][2]string // settings of git
	list    []broker.Credential
	// npmCAFile is the file with the only authorities that npm trusts, "" for those that Node trusts.
	npmCAFile string
}

// leastReplaced is the length of the shortest secret that is replaced wherever a variable has it.
const leastReplaced = 8

// certificates is the beginning of the names of directories that placeholders.dir is one of.
const certificates = "certificates-"

// preparePlaceholders makes the placeholders of a session, if the settings have credentials.
func (c *Confinement) preparePlaceholders() (*placeholders, error) {
	credentials, _ := c.Credentials()
	p := &placeholders{files: map[string]string{}}
	for _, one := range credentials {
		if one.isVariable() {
			p.without = append(p.without, one.From)
		}
	}
	if !sandbox.KnowsHosts() {
		return p, nil
	}
	var npm *npmrc
	var others []func()       // for git, after the credentials that are meant for it
	var hosts strings.Builder // for gh
	for _, one := range credentials {
		switch {
		case one.From == fromNPM && npm == nil:
			read, err := c.readNPM(placeholder)
			if os.IsNotExist(err) {
				continue
			} else if err != nil {
				return nil, err
			}
			npm = &read
			for _, r := range npm.registries {
				p.add(network.Hosts{r.host}, r.placeholder, func(context.Context) (broker.Secret, error) { return r.secret, nil })
			}
		case one.From == fromGH:
			text := placeholder("")
			name := "GH_ENTERPRISE_TOKEN"
			if isCloud(one.Hosts[0]) {
				name = "GH_TOKEN"
			}
			p.set = append(p.set, name+"="+text)
			fmt.Fprintf(&hosts, "%s:\n    oauth_token: %s\n    git_protocol: https\n", one.Hosts[0], text)
			p.add(one.Hosts, text, c.ofGH(one.Hosts[0]))
			p.setGit(one.Hosts[0], text)
		case one.From == fromGit:
			text := placeholder("")
			p.add(one.Hosts, text, c.ofGit(one.Hosts[0]))
			p.setGit(one.Hosts[0], text)
		case one.isVariable() && c.IsSet(one):
			value := strings.TrimSpace(c.options.Env(one.From))
			i := slices.IndexFunc(p.set, func(v string) bool { return strings.HasPrefix(v, one.From+"=") })
			if i < 0 {
				i = len(p.set)
				p.set = append(p.set, one.From+"="+placeholder(value))
			}
			_, text, _ := strings.Cut(p.set[i], "=")
			p.add(one.Hosts, text, c.ofVariable(one.From))
			others = append(others, func() { p.setGit(one.Hosts[0], text) })
			if len(value) >= leastReplaced {
				p.texts = append(p.texts, value, text)
			}
		}
	}
	for _, set := range others {
		set()
	}
	if len(p.list) == 0 {
		return p, nil
	}
	return p, c.start(p, npm, hosts.String())
}

// npmCAVariable is the variable with the file of the only authorities that npm trusts.
const npmCAVariable = "npm_config_cafile"

// placeholder returns the text for commands in the place of a secret. It begins as the secret does, if that has one of the known forms.
func placeholder(s string) string { return secret.Prefix(s) + "placeholder" + rand.Text() }

// add adds a credential for hosts.
func (p *placeholders) add(hosts network.Hosts, text string, get func(context.Context) (broker.Secret, error)) {
	p.list = append(p.list, broker.Credential{Hosts: hosts, Placeholder: text, Secret: get})
}

// sslCAInfo is the end of the key for the authorities that git trusts, whose value is known later.
const sslCAInfo = ".sslCAInfo"

// setGit has git use a placeholder for a host. Other credential helpers have none for it, or the secret.
func (p *placeholders) setGit(h network.Host, text string) {
	helper := `!f() { if test "$1" = get; then echo username=x-access-token; echo password=` + text + `; fi; }; f`
	key := "credential.https://" + h.String() + ".helper"
	if !slices.Contains(p.git, [2]string{key, ""}) {
		p.git = append(p.git, [2]string{key, ""}, [2]string{key, helper}, [2]string{"http.https://" + h.String() + sslCAInfo, ""})
	}
}

// start starts the broker, and writes the files that commands read. hosts is the text of gh's file with them, "" for none.
func (c *Confinement) start(p *placeholders, npm *npmrc, hosts string) error {
	made, err := c.options.Host.Transport()
	if err != nil {
		return err
	}
	temp, err := c.options.Paths.ProjectTemp()
	if err != nil {
		return err
	}
	removeOld(temp)
	if err = os.MkdirAll(temp, 0o700); err == nil {
		p.dir, err = os.MkdirTemp(temp, certificates)
	}
	if err != nil {
		return fmt.Errorf("cannot keep the certificates for commands: %w", err)
	}
	if npm != nil {
		path := filepath.Join(p.dir, "npmrc")
		if err := os.WriteFile(path, npm.masked, 0o600); err != nil {
			return err
		}
		p.set = append(p.set, "NPM_CONFIG_USERCONFIG="+path)
		p.without = append(p.without, "npm_config_userconfig")
	}
	if hosts != "" {
		if err := c.writeGH(filepath.Join(p.dir, "gh"), hosts); err != nil {
			return err
		}
		p.set = append(p.set, "GH_CONFIG_DIR="+filepath.Join(p.dir, "gh"))
	}
	p.npmCAFile = c.npmCAFile()
	p.broker, err = broker.New(broker.Options{Credentials: p.list, Transport: made.(*http.Transport)})
	return err
}

// masksNPM reports whether commands get a copy of npm's settings.
func (c *Confinement) masksNPM() bool {
	credentials, _ := c.Credentials()
	return sandbox.KnowsHosts() && slices.ContainsFunc(credentials, func(one Credential) bool { return one.From == fromNPM })
}

// writeGH writes settings of gh: those of the user, with placeholders. gh does not start with the user's own, in which it may not read the hosts.
func (c *Confinement) writeGH(dir, hosts string) error {
	from := c.options.Env("GH_CONFIG_DIR")
	if from == "" {
		from = filepath.Join(c.options.Env("HOME"), ".config", "gh")
		if base := c.options.Env("XDG_CONFIG_HOME"); base != "" {
			from = filepath.Join(base, "gh")
		}
	}
	text, _ := durable.ReadFile(filepath.Join(from, "config.yml"), 1<<20) // it need not exist
	if !strings.Contains("\n"+string(text), "\nversion:") {               // else gh wants to write
		text = append([]byte("version: \"1\"\n"), text...)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yml"), text, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "hosts.yml"), []byte(hosts), 0o600)
}

// removeOld removes directories of sessions that were killed.
func removeOld(temp string) {
	const age = 30 * 24 * time.Hour
	old, _ := filepath.Glob(filepath.Join(temp, certificates+"*"))
	for _, dir := range old {
		if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > age {
			_ = os.RemoveAll(dir)
		}
	}
}

func (p *placeholders) close() {
	if p.broker != nil {
		_ = p.broker.Close()
	}
	if p.dir != "" {
		_ = os.RemoveAll(p.dir)
	}
}

// trusting are the variables that name the authorities which programs trust. Those that isAdded is set for replace none of the program's own.
// Others than those that isAlways is set for are set if they were.
var trusting = []struct {
	name              string
	isAdded, isAlways bool
}{
	{name: "SSL_CERT_FILE", isAlways: true},      // OpenSSL, and so Python and Ruby; Go; uv
	{name: "CURL_CA_BUNDLE", isAlways: true},     // curl, also with GnuTLS
	{name: "REQUESTS_CA_BUNDLE", isAlways: true}, // Python's requests, pip, poetry, twine
	{name: "CARGO_HTTP_CAINFO", isAlways: true},
	{name: "NODE_EXTRA_CA_CERTS", isAdded: true, isAlways: true},
	{name: "DENO_CERT", isAdded: true, isAlways: true},
	{name: npmCAVariable},
	{name: "NPM_CONFIG_CAFILE"},
	{name: "GIT_SSL_CAINFO"},
	{name: "NIX_SSL_CERT_FILE"},
	{name: "PIP_CERT"},
	{name: "AWS_CA_BUNDLE"},
	{name: "HTTPLIB2_CA_CERTS"},
	{name: "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE"},
	{name: "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"},
}

// environ returns the variables of a command, with placeholders. It is called for one command at a time.
func (p *placeholders) environ(env []string) ([]string, error) {
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(p.without, name)
	})
	if len(p.texts) > 0 {
		swap := strings.NewReplacer(p.texts...)
		for i := range env {
			env[i] = swap.Replace(env[i])
		}
	}
	for _, v := range p.set {
		env = setVariable(env, v)
	}
	if p.broker == nil {
		return env, nil
	}
	var bundle string
	for _, t := range trusting {
		base := process.Getenv(env, t.name)
		if base == "" && t.name == npmCAVariable {
			base = p.npmCAFile
		}
		if base == "" && !t.isAlways {
			continue
		}
		if base == "" && !t.isAdded {
			base = systemBundle()
		}
		path, err := p.bundle(base)
		if err != nil {
			return nil, err
		}
		if t.name == "SSL_CERT_FILE" {
			bundle = path
		}
		env = setVariable(env, t.name+"="+path)
	}
	return p.withGit(env, bundle), nil
}

// withGit returns variables with more settings of git.
func (p *placeholders) withGit(env []string, bundle string) []string {
	count, _ := strconv.Atoi(process.Getenv(env, "GIT_CONFIG_COUNT"))
	for _, s := range p.git {
		if s[1] == "" && strings.HasSuffix(s[0], sslCAInfo) {
			s[1] = bundle
		}
		n := strconv.Itoa(count)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s[0], "GIT_CONFIG_VALUE_"+n+"="+s[1])
		count++
	}
	return setVariable(env, "GIT_CONFIG_COUNT="+strconv.Itoa(count))
}

// bundle returns a file with the authorities of another one, "" for none, and that of the broker.
func (p *placeholders) bundle(base string) (string, error) {
	if path := p.files[base]; path != "" {
		return path, nil
	}
	var text []byte
	if base != "" {
		var err error
		if text, err = durable.ReadFile(base, 16<<20); err != nil {
			return base, nil // the program says why it cannot
		}
		text = append(text, '\n')
	}
	path := filepath.Join(p.dir, strconv.Itoa(len(p.files))+".pem")
	if err := os.WriteFile(path, append(text, p.broker.Authority()...), 0o600); err != nil {
		return "", fmt.Errorf("cannot keep the certificates for commands: %w", err)
	}
	p.files[base] = path
	return path, nil
}

// bundles are the files with the authorities that a system trusts, of which it has one.
var bundles = [...]string{
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/pki/tls/cacert.pem",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
}

// systemBundle returns the file with the authorities that this system trusts, "" if there is none.
func systemBundle() string {
	for _, path := range bundles {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// setVariable returns variables with one of them set, as name=value.
func setVariable(env []string, v string) []string {
	name, _, _ := strings.Cut(v, "=")
	env = slices.DeleteFunc(slices.Clone(env), func(old string) bool { return strings.HasPrefix(old, name+"=") })
	return append(env, v)
}
