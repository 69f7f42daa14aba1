package auth

import (
	"net/url"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm/provider"
)

// CheckNetwork says what is wrong with how any provider is reached from here, which no
// key can make up for.
func CheckNetwork(env *config.Env) error {
	_, err := network(env)
	return err
}

// network returns how any provider is reached from here.
func network(env *config.Env) (n provider.Network, err error) {
	if n.Proxy, err = proxy(env); err != nil {
		return n, err
	}
	n.NoProxy = env.First("NO_PROXY", "no_proxy")
	n.RootCAs = caFiles(env)
	n.Header, err = headers(env)
	return n, err
}

// proxy returns the address of the proxy, nil for none. The first variable that is
// set holds for all requests (spec/cli.md §3.2); as elsewhere, "host:port" is
// enough. The address is not shown, since it may hold a password.
func proxy(env *config.Env) (*url.URL, error) {
	for _, name := range proxyVars {
		address := strings.TrimSpace(env.Get(name))
		if address == "" {
			continue
		}
		if !strings.Contains(address, "://") {
			address = "http://" + address
		}
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" || !slices.Contains(proxySchemes, u.Scheme) {
			return nil, exit.Errorf(exit.Auth, "%s is not the address of a proxy: write it as http://host:port, or unset it.", name)
		}
		return u, nil
	}
	return nil, nil
}

var proxyVars = []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"}

var proxySchemes = []string{"http", "https", "socks5", "socks5h"}

func caFiles(env *config.Env) []string {
	var files []string
	for _, name := range [...]string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"} {
		if file := env.Get(name); file != "" {
			files = append(files, file)
		}
	}
	return files
}
