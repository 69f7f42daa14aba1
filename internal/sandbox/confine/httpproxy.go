package confine

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"pollux/internal/process"
	"pollux/internal/sandbox/network"
)

// proxyVariables are those by which programs find a proxy for HTTPS: most use the ones for HTTPS, those for all protocols where these are not set, and some the
// ones for HTTP.
var proxyVariables = struct{ https, all, http []string }{
	[]string{"HTTPS_PROXY", "https_proxy"}, []string{"ALL_PROXY", "all_proxy"}, []string{"HTTP_PROXY", "http_proxy"},
}

// proxyAddresses returns the values of variables for proxies that commands may have: those of the user, and those of the session's proxy.
func (c *Confinement) proxyAddresses(names ...string) (list []string) {
	for _, name := range names {
		list = append(list, c.options.Env(name))
		if c.proxied != nil {
			list = append(list, process.Getenv(c.proxied.variables, name))
		}
	}
	return slices.DeleteFunc(list, func(value string) bool { return value == "" })
}

// httpProxies returns the HTTP proxies that commands may use.
func (c *Confinement) httpProxies() (list network.Hosts) {
	v := proxyVariables
	for _, address := range c.proxyAddresses(slices.Concat(v.https, v.all, v.http)...) {
		for _, h := range parseProxy(address) {
			if !slices.Contains(list, h) {
				list = append(list, h)
			}
		}
	}
	return list
}

// parseProxy returns the hosts of a proxy's address, nil for one that is not for HTTP. Programs write passwords there in forms that are not valid in
// URLs, and know two ports for an address without one.
func parseProxy(address string) (list network.Hosts) {
	scheme, rest, hasScheme := strings.Cut(strings.TrimSpace(address), "://")
	if !hasScheme {
		rest = scheme
	} else if !strings.EqualFold(scheme, "http") {
		return nil
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	rest, _, _ = strings.Cut(rest, "/")
	host, port, err := net.SplitHostPort(rest)
	ports := []string{port}
	if err != nil {
		host, ports = strings.Trim(rest, "[]"), []string{"80", "1080"}
	}
	hosts := []string{host}
	if strings.EqualFold(host, "localhost") {
		hosts = []string{"127.0.0.1", "::1"}
	}
	for _, host := range hosts {
		for _, port := range ports {
			if h, err := network.ParseHost(net.JoinHostPort(host, port)); err == nil && h.Port != 0 {
				list = append(list, h)
			}
		}
	}
	return list
}

// usesOtherProxy reports whether commands may reach a host by a proxy that is not for HTTP.
func (c *Confinement) usesOtherProxy(h network.Host) bool {
	addresses := c.proxyAddresses(proxyVariables.https...)
	if len(addresses) == 0 {
		addresses = c.proxyAddresses(proxyVariables.all...)
	}
	isOther := func(address string) bool { return len(parseProxy(address)) == 0 }
	if !slices.ContainsFunc(addresses, isOther) {
		return false
	}
	without := strings.Join(c.proxyAddresses("NO_PROXY", "no_proxy"), ",")
	by, _ := (&httpproxy.Config{HTTPSProxy: "http://proxy.invalid", NoProxy: without}).ProxyFunc()(&url.URL{Scheme: "https", Host: h.String()})
	return by != nil
}
