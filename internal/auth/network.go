package auth

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm/httpwire"
	"pollux/llm/provider"
)

// CheckNetwork returns an error if the environment's network settings, such as the proxy, are
// invalid.
func CheckNetwork(env *config.FolderEnv) error {
	_, err := Network(env)
	return err
}

// Network returns the network settings of the environment. A project sets headers at most.
func Network(env *config.FolderEnv) (n provider.Network, err error) {
	if n.Proxy, err = proxy(env.User()); err != nil {
		return n, err
	}
	n.NoProxy = env.User().First("NO_PROXY", "no_proxy")
	for _, name := range [...]string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"} {
		if file := env.User().Get(name); file != "" {
			n.RootCAs = append(n.RootCAs, file)
		}
	}
	n.Header, err = headers(env)
	return n, err
}

// timeouts returns how long requests wait for a provider, in the user's settings.
func timeouts(s *config.Settings) httpwire.Timeouts {
	seconds := func(n float64) time.Duration { return time.Duration(max(0, n) * float64(time.Second)) }
	return httpwire.Timeouts{
		Start: seconds(config.ResponseStartTimeout.In(s)),
		Idle:  seconds(config.ResponseIdleTimeout.In(s)),
	}
}

// ProxyVariable returns the variable that sets the proxy, "" if none does.
func ProxyVariable(env *config.Env) string {
	return firstSet(env.Get, []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"})
}

// proxy returns the URL of the proxy, nil if there is none. It is the first variable that is
// set; "host:port" is accepted too. Errors do not contain the address, because it may include
// a password. The proxy of commands in the sandbox is none of Pollux.
func proxy(env *config.Env) (*url.URL, error) {
	name := ProxyVariable(env)
	if name == "" {
		return nil, nil
	}
	address := strings.TrimSpace(env.Get(name))
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
		return nil, exit.Errorf(exit.Auth, "%s is not a proxy address. Write it as http://host:port, or unset it.", name)
	}
	if config.IsCommandProxy(u, env.Get) { // which runs for commands, when the first one needs it
		return nil, nil
	}
	return u, nil
}
