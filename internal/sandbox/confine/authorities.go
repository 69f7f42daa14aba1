package confine

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"pollux/internal/durable"
	"pollux/internal/process"
)

// trusting are the variables that name the authorities which programs trust. from is the one that a program takes if it has none of its own, and isAdded is
// set for those that replace no authorities. Others than those that isAlways is set for are set if they were.
var trusting = []struct {
	name, from        string
	isAdded, isAlways bool
}{
	{name: "SSL_CERT_FILE", isAlways: true},                              // OpenSSL, and so Python and Ruby; Go; uv
	{name: "CURL_CA_BUNDLE", from: "SSL_CERT_FILE", isAlways: true},      // curl, also with GnuTLS
	{name: "REQUESTS_CA_BUNDLE", from: "CURL_CA_BUNDLE", isAlways: true}, // Python's requests, pip, poetry, twine
	{name: "CARGO_HTTP_CAINFO", from: "SSL_CERT_FILE", isAlways: true},
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

// withAuthorities returns variables of a command in which programs trust the broker beside the authorities that they would trust. user returns a variable
// of the user, which counts where the command does not get it.
func (p *placeholders) withAuthorities(before []string, user func(name string) string) ([]string, error) {
	env := before
	authorities := func(name string) string { return cmp.Or(process.Getenv(before, name), user(name)) }
	for _, t := range trusting {
		base := authorities(t.name)
		switch {
		case base == "" && t.name == npmCAVariable:
			base = p.npmCAFile
		case base == "" && t.from != "":
			base = authorities(t.from)
		}
		if base == "" && !t.isAlways {
			continue
		}
		if base == "" && !t.isAdded {
			if base = systemBundle(); base == "" { // only the authority of the broker would be left
				continue
			}
		}
		path, err := p.bundle(base)
		if err != nil {
			return nil, err
		}
		env = setVariable(env, t.name+"="+path)
	}
	return env, nil
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
