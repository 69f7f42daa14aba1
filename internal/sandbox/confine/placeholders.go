package confine

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/process"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/broker"
	"pollux/internal/sandbox/network"
	"pollux/internal/secret"
)

// Host is the programs and connections of Pollux itself, outside of the sandbox.
type Host struct {
	Launcher  *process.Launcher
	Environ   func() []string // of the user
	Transport func() (http.RoundTripper, error)
	IsTrusted func() bool // whether the user trusts the folder of the project
}

// placeholders are the texts that commands have in the places of credentials.
type placeholders struct {
	broker *broker.Broker    // nil if commands have none
	dir    string            // with the certificates and settings that commands read
	files  map[string]string // those with authorities, by the ones that they are made from
	// without are variables that commands do not get, set are those that they get, by their names, and swap replaces texts in all of them.
	without []string
	set     map[string]string
	texts   [][2]string // a secret and its placeholder
	swap    *strings.Replacer
	git     [][2]string // settings of git
	list    []broker.Credential
	// npmCAFile is the file with the only authorities that npm trusts, "" for those that Node trusts.
	npmCAFile string
}

const (
	// certificates is the beginning of the names of directories that placeholders.dir is one of.
	certificates = "certificates-"
	// npmCAVariable is the variable with the file of the only authorities that npm trusts.
	npmCAVariable = "npm_config_cafile"
	// npmSettings is the variable with the file of npm's settings of the user.
	npmSettings = "NPM_CONFIG_USERCONFIG"
)

// tokensOfGH returns the variables that gh takes a token from, for GitHub or for servers of companies.
func tokensOfGH(isCloud bool) []string {
	if isCloud {
		return []string{"GH_TOKEN", "GITHUB_TOKEN"}
	}
	return []string{"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}
}

// preparePlaceholders makes the placeholders of a session.
func (c *Confinement) preparePlaceholders() (*placeholders, error) {
	credentials, _ := c.Credentials()
	p := &placeholders{files: map[string]string{}, set: map[string]string{}}
	var others []func()       // for git, after the credentials that are meant for it
	var hosts strings.Builder // for gh
	for _, one := range credentials {
		switch one.From {
		case fromNPM: // see below
		case fromGH:
			names := tokensOfGH(isCloud(one.Hosts[0]))
			text := p.variable(names[0], c.options.Env(names[0]))
			if other := c.options.Env(names[1]); other != "" {
				p.set[names[1]] = text
				p.replace(other, text)
			}
			fmt.Fprintf(&hosts, "%s:\n    oauth_token: %s\n    git_protocol: https\n", one.Hosts[0], text)
			p.add(one.Hosts, text, c.ofGH(one.Hosts[0]))
			p.setGit(one.Hosts[0], text)
		case fromGit:
			text := placeholder("")
			p.list = append(p.list, broker.Credential{Hosts: one.Hosts, Placeholder: text, Secret: c.ofGit(one.Hosts[0]), ByUser: true})
			p.setGit(one.Hosts[0], text)
		default:
			if !c.IsSet(one) {
				continue
			}
			text := p.variable(one.From, c.options.Env(one.From))
			p.add(one.Hosts, text, c.ofVariable(one.From))
			others = append(others, func() { p.setGit(one.Hosts[0], text) })
		}
	}
	for _, set := range others {
		set()
	}
	var npm *npmrc
	if path := c.maskedNPM(); path != "" {
		read := c.readNPM(path, placeholder)
		npm = &read
		for _, r := range npm.registries {
			for _, name := range r.variables {
				if r.isVariable {
					p.set[name] = r.masked
				} else {
					p.without = append(p.without, name)
				}
			}
			p.replace(r.raw, r.masked)
			p.replace(r.secret.Text, r.placeholder)
			p.add(network.Hosts{r.host}, r.placeholder, c.ofNPM(path, r.key))
		}
	}
	slices.SortStableFunc(p.texts, func(a, b [2]string) int { return len(b[0]) - len(a[0]) }) // one may be the beginning of another one
	var pairs []string
	for _, t := range p.texts {
		pairs = append(pairs, t[0], t[1])
	}
	p.swap = strings.NewReplacer(pairs...)
	if !sandbox.KnowsHosts() {
		p.without, p.set = slices.Collect(maps.Keys(p.set)), nil
		return p, nil
	}
	if len(p.list) == 0 && npm == nil {
		return p, nil
	}
	err := c.start(p, npm, hosts.String())
	if err != nil {
		p.close()
	}
	return p, err
}

// fill gives a command the placeholders of credentials, and returns the context in which its connections are led to the broker. Other programs, such as
// hooks, get only the copy of settings that they could not read.
func (c *Confinement) fill(ctx context.Context, cmd *process.Command) (context.Context, error) {
	if len(config.SandboxCredentials.In(c.options.Settings())) == 0 {
		return ctx, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.filled == nil {
		p, err := c.preparePlaceholders()
		if err != nil {
			return ctx, fmt.Errorf("prepare the credentials of pollux.sandboxCredentials: %w", err)
		}
		c.filled = p
	}
	if cmd.For.Kind != process.KindShell && cmd.For.Kind != process.KindTool {
		if path := c.filled.set[npmSettings]; path != "" {
			cmd.Env = setVariable(cmd.Env, npmSettings+"="+path)
		}
		return ctx, nil
	}
	var err error
	cmd.Env, err = c.filled.environ(cmd.Env, c.options.Env)
	return sandbox.WithBroker(ctx, c.filled.broker), err
}

// placeholder returns the text for commands in the place of a secret. It begins as the secret does, if that has one of the known forms.
func placeholder(s string) string { return secret.Prefix(s) + "placeholder" + rand.Text() }

// variable returns the placeholder that a variable with a value has.
func (p *placeholders) variable(name, value string) string {
	value = strings.TrimSpace(value)
	if p.set[name] == "" {
		p.set[name] = placeholder(value)
	}
	p.replace(value, p.set[name])
	return p.set[name]
}

// replace has a placeholder stand in the place of a secret in all variables.
func (p *placeholders) replace(s, text string) {
	if s = strings.TrimSpace(s); len(s) >= broker.Shortest {
		p.texts = append(p.texts, [2]string{s, text})
	}
}

// add adds a credential for hosts.
func (p *placeholders) add(hosts network.Hosts, text string, get source) {
	p.list = append(p.list, broker.Credential{Hosts: hosts, Placeholder: text, Secret: get})
}

// sslCAInfo is the end of the key for the authorities that git trusts, whose value is known later.
const sslCAInfo = ".sslCAInfo"

// setGit has git use a placeholder for a host. Other credential helpers have none for it, or the secret.
func (p *placeholders) setGit(h network.Host, text string) {
	helper := `!f() { if test "$1" = get; then grep -q ^username= || echo username=` + anyUser + `; echo password=` + text + `; fi; }; f`
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
	if p.broker, err = broker.New(broker.Options{Credentials: p.list, Proxies: c.httpProxies(), Transport: made.(*http.Transport)}); err != nil {
		return err
	}
	dir := c.options.Paths.CommandFiles()
	removeOld(dir)
	if err = os.MkdirAll(dir, 0o700); err == nil {
		p.dir, err = os.MkdirTemp(dir, certificates)
	}
	if err != nil {
		return fmt.Errorf("cannot keep the files for commands: %w", err)
	}
	files := map[string]string{}
	authorities := c.readGlobalNPM()
	if npm != nil {
		files["npmrc"] = string(npm.masked)
		p.set[npmSettings] = filepath.Join(p.dir, "npmrc")
		p.without = append(p.without, strings.ToLower(npmSettings))
		if npm.caFile != "" || npm.ca != "" {
			authorities = *npm
		}
	}
	p.npmCAFile = authorities.caFile
	if authorities.ca != "" && p.npmCAFile == "" {
		files["npm.pem"] = authorities.ca
		p.npmCAFile = filepath.Join(p.dir, "npm.pem")
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if hosts == "" {
		return nil
	}
	p.set["GH_CONFIG_DIR"] = filepath.Join(p.dir, "gh")
	return c.writeGH(p.set["GH_CONFIG_DIR"], hosts)
}

// maskedNPM returns the path of npm's settings if commands get a copy of them instead, else "".
func (c *Confinement) maskedNPM() string {
	credentials, _ := c.Credentials()
	if slices.ContainsFunc(credentials, func(one Credential) bool { return one.From == fromNPM }) && sandbox.KnowsHosts() { // which asks the kernel
		return c.npmrcPath()
	}
	return ""
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

// removeOld removes directories of sessions that were killed. They have no secrets.
func removeOld(dir string) {
	const age = 180 * 24 * time.Hour
	old, _ := filepath.Glob(filepath.Join(dir, certificates+"*"))
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

// environ returns the variables of a command, with placeholders. user returns a variable of the user, whose authorities count where a command does not
// get the variable. It is called for one command at a time.
func (p *placeholders) environ(env []string, user func(name string) string) ([]string, error) {
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		lower := strings.ToLower(name)
		isOfNPM := p.set[npmSettings] != "" && strings.HasPrefix(lower, "npm_config_") && (strings.Contains(lower, "_auth") || strings.Contains(lower, "_password"))
		return slices.Contains(p.without, name) || isOfNPM
	})
	for i := range env {
		env[i] = p.swap.Replace(env[i])
	}
	for _, name := range slices.Sorted(maps.Keys(p.set)) {
		env = setVariable(env, name+"="+p.set[name])
	}
	if p.broker == nil {
		return env, nil
	}
	env, err := p.withAuthorities(env, user)
	if err != nil {
		return nil, err
	}
	return p.withGit(env, cmp.Or(process.Getenv(env, "GIT_SSL_CAINFO"), process.Getenv(env, "CURL_CA_BUNDLE"))), nil
}

// withGit returns variables with more settings of git.
func (p *placeholders) withGit(env []string, bundle string) []string {
	count, _ := strconv.Atoi(process.Getenv(env, "GIT_CONFIG_COUNT"))
	for _, s := range p.git {
		if s[1] == "" && strings.HasSuffix(s[0], sslCAInfo) {
			if s[1] = bundle; bundle == "" {
				continue
			}
		}
		n := strconv.Itoa(count)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s[0], "GIT_CONFIG_VALUE_"+n+"="+s[1])
		count++
	}
	return setVariable(env, "GIT_CONFIG_COUNT="+strconv.Itoa(count))
}

// setVariable returns variables with one of them set, as name=value.
func setVariable(env []string, v string) []string {
	name, _, _ := strings.Cut(v, "=")
	env = slices.DeleteFunc(slices.Clone(env), func(old string) bool { return strings.HasPrefix(old, name+"=") })
	return append(env, v)
}
