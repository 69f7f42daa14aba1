package secret

import (
	"slices"
	"strings"
)

// own are the variables with which users make programs load their code, trust their certificates and use their
// proxy. Projects must not set them, and [Redaction.Apply] removes most of them.
var own = []string{
	"NODE_OPTIONS", "NODE_PATH", "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PYTHONPATH", "CLASSPATH",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "NPM_CONFIG_PROXY", "NPM_CONFIG_HTTPS_PROXY",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "PIP_CERT", "NPM_CONFIG_CAFILE",
	"GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "CARGO_HTTP_CAINFO", "PGSSLROOTCERT", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
}

// WithOwn returns environ with the variables of user, the user's own environment, that make programs load code, trust
// certificates and use a proxy, for a program that the user has set up. A proxy may have a password; of the others,
// secrets are left out. It adds none that the user has blocked, and none on GitHub's runners. It does not change environ.
func (r Redaction) WithOwn(environ, user []string) []string {
	environ = slices.Clip(environ)
	if onGitHub(user) {
		return environ
	}
	blocked := upper(r.Blocked)
	for _, v := range user {
		name, value, _ := strings.Cut(v, "=")
		upper := strings.ToUpper(name)
		isLeftOut := slices.Contains(blocked, upper) || isSecretValue(value) && !strings.HasSuffix(upper, "_PROXY")
		if slices.Contains(own, upper) && !isLeftOut && !slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			environ = append(environ, v)
		}
	}
	return environ
}
