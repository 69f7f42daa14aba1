package config

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// CommandProxyVariable is the variable with a command that runs the proxy of commands in the sandbox. It is none of Pollux.
const CommandProxyVariable = "GEMINI_SANDBOX_PROXY_COMMAND"

// commandProxyPort is the port that the proxy listens at, unless variables such as HTTPS_PROXY name another one on this machine.
const commandProxyPort = "8877"

// CommandProxy returns the URL of the proxy of commands. env has the variables of the user.
func CommandProxy(env func(name string) string) *url.URL {
	for _, name := range [...]string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		if u := parseProxy(env(name)); u != nil && isLoopback(u.Hostname()) {
			return u
		}
	}
	return &url.URL{Scheme: "http", Host: net.JoinHostPort("localhost", commandProxyPort)}
}

// IsCommandProxy reports whether an address is that of the proxy of commands, if there is one.
func IsCommandProxy(u *url.URL, env func(name string) string) bool {
	own := parseProxy(u.String())
	return env(CommandProxyVariable) != "" && own != nil && isLoopback(own.Hostname()) && own.Port() == CommandProxy(env).Port()
}

// parseProxy reads an address as programs do that take a proxy from a variable, host:port too. The result has a port. It is nil for none that commands in the
// sandbox reach: not at the ports of resolvers.
func parseProxy(address string) *url.URL {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return nil
	}
	text := u.Port()
	if text == "" {
		text = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || slices.Contains([]uint64{0, 53, 853}, port) {
		return nil
	}
	u.Host = net.JoinHostPort(u.Hostname(), text)
	return u
}

func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	a, err := netip.ParseAddr(host)
	return host == "localhost" || host == "ip6-localhost" || err == nil && a.IsLoopback()
}
