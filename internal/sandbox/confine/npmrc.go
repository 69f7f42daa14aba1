package confine

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pollux/internal/durable"
	"pollux/internal/sandbox/broker"
	"pollux/internal/sandbox/network"
	"pollux/internal/secret"
	"pollux/internal/workspace"
)

// npmrc is settings of npm, read as npm does.
type npmrc struct {
	registries []registry
	// masked is the text for commands: with placeholders, and without comments and everything else that may be secret.
	masked []byte
	// caFile and ca are the only authorities that npm trusts: a file, and certificates in PEM. "" means those that Node trusts.
	caFile, ca string
}

// registry is a registry with a credential.
type registry struct {
	key         string // in the settings
	host        network.Host
	placeholder string
	secret      broker.Secret
	raw, masked string   // the value as it is, and as commands have it
	variables   []string // that the value has
	isVariable  bool     // the value is one of them and nothing else
}

// npmrcPath returns the path of npm's settings of the user, "" if that is unknown. A file in the workspace is the project's: it could name any
// variable as a credential for any host.
func (c *Confinement) npmrcPath() string {
	path := ""
	if homes := c.homes(); len(homes) > 0 {
		path = filepath.Join(homes[0], ".npmrc")
	}
	for _, name := range [...]string{"npm_config_userconfig", "NPM_CONFIG_USERCONFIG"} {
		if named := c.options.Env(name); filepath.IsAbs(named) {
			path = named
		}
	}
	isOfProject := func(dir string) bool { return workspace.IsWithin(workspace.RealPath(path), workspace.RealPath(dir)) }
	if path == "" || slices.ContainsFunc((*c.dirs.Load())(), isOfProject) {
		return ""
	}
	return path
}

// readNPM reads the settings of npm in a file, which need not exist. newPlaceholder returns one for a secret.
func (c *Confinement) readNPM(path string, newPlaceholder func(secret string) string) (n npmrc) {
	text, _ := durable.ReadFile(path, 1<<20) // npm cannot read it either, or it is no such file
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == ';' || line[0] == '#' {
			continue
		}
		rawKey, rawValue, _ := strings.Cut(line, "=")
		key, value := iniText(rawKey), iniText(rawValue)
		name := key[strings.LastIndexByte(key, ':')+1:]
		switch kind := strings.TrimSuffix(name, "[]"); kind {
		case "_authToken", "_auth", "_password":
			if r, masked, ok := c.readRegistry(strings.TrimSuffix(key, ":"+name), kind, value, newPlaceholder); ok {
				r.key, r.masked = key, masked
				n.registries = append(n.registries, r)
				n.masked = append(n.masked, key+"="+masked+"\n"...)
			}
		case "cafile":
			if expanded, ok := c.expandNPM(value); ok {
				n.caFile = c.options.Paths.Expand(expanded)
			}
		case "ca":
			n.ca += value + "\n"
		case "key": // of a certificate of the user
		default:
			if hasValue := strings.Contains(line, "="); harmless().MatchString(key) && name != "otp" && (hasValue || key == line) {
				if at := strings.LastIndexByte(value, '@'); at >= 0 && (strings.Contains(value, "://") || strings.Contains(key, "proxy")) {
					scheme, _, _ := strings.Cut(value, "://") // the rest may be a user and a password
					value = scheme + "://" + value[at+1:]
				}
				if secret.EraseForms(value) == value {
					n.masked = append(n.masked, strings.TrimSuffix(key+"="+value, "=")+"\n"...)
				}
			}
		}
	}
	return n
}

// harmless matches the keys of settings that are no secrets.
var harmless = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^((//\S+:)?(always-auth|username|email|certfile|keyfile)|(@[\w.-]+:)?[a-z][a-z0-9-]*(\[\])?)$`)
})

// readRegistry reads the credential of a registry, and returns the value that commands see. A line without one, or without a registry, which npm does not
// read any more, is left out.
func (c *Confinement) readRegistry(address, kind, value string, newPlaceholder func(string) string) (r registry, masked string, ok bool) {
	u, err := url.Parse("https:" + address)
	if err != nil || !strings.HasPrefix(address, "//") {
		return r, "", false
	}
	if r.host, err = network.ParseHost(u.Host); err != nil {
		return r, "", false
	}
	for _, found := range npmVariable().FindAllStringSubmatch(value, -1) {
		r.variables = append(r.variables, found[1])
		r.isVariable = found[0] == value
	}
	if value, ok = c.expandNPM(value); !ok || value == "" {
		return r, "", false
	}
	r.raw = value
	if kind == "_authToken" {
		r.secret.Text = value
		r.placeholder = newPlaceholder(value)
		return r, r.placeholder, true
	}
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil {
		return r, "", false
	}
	user, password := "", string(plain)
	if kind == "_auth" {
		if user, password, ok = strings.Cut(password, ":"); !ok {
			return r, "", false
		}
		user += ":"
	}
	r.secret.Text = password
	r.placeholder = newPlaceholder(password)
	return r, base64.StdEncoding.EncodeToString([]byte(user + r.placeholder)), password != ""
}

// npmVariable matches a variable in a value of npm's settings.
var npmVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([^${}?]+)\??\}`) })

// expandNPM returns a value with the values of variables. ok is false if one is not set, which npm does not replace.
func (c *Confinement) expandNPM(value string) (expanded string, ok bool) {
	ok = true
	expanded = npmVariable().ReplaceAllStringFunc(value, func(text string) string {
		set := c.options.Env(npmVariable().FindStringSubmatch(text)[1])
		ok = ok && set != ""
		return set
	})
	return expanded, ok
}

// iniText returns a key or value of npm's settings: a JSON string, text in single quotation marks, or text up to a comment.
func iniText(text string) string {
	text = strings.TrimSpace(text)
	if n := len(text); n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		if text[0] == '\'' {
			return text[1 : n-1]
		}
		var plain string
		if json.Unmarshal([]byte(text), &plain) == nil {
			return plain
		}
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch next := text[i]; {
		case next == '\\' && i+1 < len(text) && strings.IndexByte(`\;#`, text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
		case next == ';' || next == '#':
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(next)
		}
	}
	return b.String()
}

// readGlobalNPM reads the settings of npm for all users, as far as they are about authorities.
func (c *Confinement) readGlobalNPM() npmrc {
	path := c.options.Env("NPM_CONFIG_GLOBALCONFIG")
	if node := c.finder().Find("node"); path == "" && node != "" {
		if real, err := filepath.EvalSymlinks(node); err == nil { // npm goes by it
			node = real
		}
		path = filepath.Join(filepath.Dir(filepath.Dir(node)), "etc", "npmrc")
	}
	return c.readNPM(path, func(string) string { return "" })
}
