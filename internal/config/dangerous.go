package config

import (
	"slices"
	"strings"
)

// VariableClass returns the class of a variable's automatic effect if a project's .env file sets it to a value.
// Variables that no table knows belong to the application, or to any other program: they act.
func VariableClass(name, value string) Class {
	if IsDangerousVariable(name) {
		return Acts
	}
	for _, v := range envTable {
		if prefix, all := strings.CutSuffix(v.Name, "*"); v.Name == name || all && strings.HasPrefix(name, prefix) {
			if v.Class == Loosens|Tightens {
				return loosensIf(value == "" || value == "0" || strings.EqualFold(value, "false"))
			}
			return v.Class
		}
	}
	if isOfApplication(name) {
		return Describes
	}
	return Acts
}

// isOfApplication reports whether a variable configures the application of the project, and no other program
// reads it for more.
func isOfApplication(name string) bool {
	switch name {
	case "APP_ENV", "APP_NAME", "RAILS_ENV", "RACK_ENV", "MIX_ENV", "DOTNET_ENVIRONMENT", "ASPNETCORE_ENVIRONMENT", "SPRING_PROFILES_ACTIVE", "ENVIRONMENT", "STAGE",
		"PORT", "LOG_LEVEL", "LOG_FORMAT", "RUST_LOG", "RUST_BACKTRACE":
		return true
	}
	for _, prefix := range [...]string{"NEXT_PUBLIC_", "NUXT_PUBLIC_", "EXPO_PUBLIC_", "REACT_APP_", "VITE_", "VUE_APP_", "GATSBY_", "PUBLIC_", "TF_VAR_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// IsDangerousVariable reports whether a project must not set a variable, because it makes programs run others or load
// code, as GIT_EXTERNAL_DIFF and BASH_ENV do, or decides to which hosts they or Pollux connect and report. Case does
// not count: proxies are spelled in lower case, too.
func IsDangerousVariable(name string) bool {
	name = strings.ToUpper(name)
	if _, is := slices.BinarySearch(dangerousNames[:], name); is || strings.HasSuffix(name, "_PROXY") {
		return true
	}
	for _, prefix := range dangerousPrefixes {
		if strings.HasPrefix(name, prefix) {
			return !isOfApplication(name)
		}
	}
	return false
}

// dangerousPrefixes begin the names of variables that configure a program in full.
var dangerousPrefixes = [...]string{
	// The linker, shells and tools of the system.
	"LD_", "DYLD_", "MALLOC_", "BASH_", "GIT_", "SSH_", "GPG_", "SUDO_", "XDG_", "RSYNC_", "SYSTEMD_", "FZF_", "LESS", "TERMINFO", "PULSE_", "GIO_", "GTK_", "QT_", "GST_", "GDK_",
	// Languages, their tools and registries.
	"PYTHON", "PIP_", "PIPX_", "PIPENV_", "POETRY_", "UV_", "CONDA_", "PYENV_", "PYTEST_", "TOX_", "COVERAGE_", "JUPYTER_", "IPYTHON",
	"PERL5", "RUBY", "GEM_", "BUNDLE_", "BUNDLER_", "RBENV_", "NPM_CONFIG_", "YARN_", "PNPM_", "BUN_", "DENO_", "COREPACK_", "VOLTA_", "NVM_", "NODENV_", "FNM_", "TS_NODE_", "ELECTRON_", "PRISMA_",
	"PUPPETEER_", "PLAYWRIGHT_", "DOTNET_", "NUGET_", "CORECLR_", "COR_", "COMPLUS_", "MSBUILD", "CARGO_", "RUSTC", "RUSTDOC", "RUSTUP_", "RUST_", "CGO_", "MAVEN_", "MVN_", "GRADLE_", "SBT_", "JAVA_", "JDK_", "_JAVA",
	"KOTLIN_", "COMPOSER_", "PHP_INI", "LUA_", "LUAROCKS_", "R_LIBS", "R_PROFILE", "R_ENVIRON", "JULIA_", "ERL_", "ELIXIR_", "HEX_", "MIX_", "REBAR_", "OPAM", "OCAML", "CAML_", "GHC", "CABAL_", "NIX_", "SWIFT_",
	"MISE_", "ASDF_", "SDKMAN_", "DIRENV_",
	// Builds.
	"CMAKE_", "PKG_CONFIG", "MESON_", "CONAN_", "VCPKG_", "BAZEL", "DISTCC_", "SCCACHE_", "AUTOCONF", "AUTOMAKE",
	// Containers, clouds and machines.
	"DOCKER_", "PODMAN_", "CONTAINERS_", "CONTAINERD_", "BUILDKIT_", "BUILDX_", "KUBE", "HELM_", "TF_", "TERRAFORM_", "TERRAGRUNT_", "PULUMI_", "ANSIBLE_", "VAGRANT_", "PACKER_", "CLOUDSDK_",
	"AWS_ENDPOINT_URL", "AWS_CONTAINER_", "AWS_EC2_METADATA_", "AWS_WEB_IDENTITY_",
	"OPENSSL_", "KRB5", "GSSAPI_",
}

// dangerousNames are other such variables, sorted.
var dangerousNames = [...]string{
	"ACK_PAGER", "ACLOCAL", "ALSA_CONFIG_PATH", "AR", "AS", "AWKPATH", "AWS_CA_BUNDLE", "AWS_CONFIG_FILE", "AWS_DEFAULT_PROFILE", "AWS_PROFILE",
	"AWS_SHARED_CREDENTIALS_FILE", "AZURE_CONFIG_DIR", "AZURE_EXTENSION_DIR", "BASHOPTS", "BAT_CONFIG_PATH", "BAT_PAGER", "BOTO_CONFIG", "BROWSER",
	"CC", "CCACHE_COMPILER", "CCACHE_CONFIGPATH", "CCACHE_PATH", "CCACHE_PREFIX", "CDPATH", "CFLAGS", "CHROME_BIN", "CHROME_PATH", "CLASSPATH", "CPATH",
	"CPP", "CPPFLAGS", "CURL_CA_BUNDLE", "CURL_HOME", "CVS_RSH", "CXX", "CXXFLAGS", "CYPRESS_RUN_BINARY", "C_INCLUDE_PATH", "DBUS_SESSION_BUS_ADDRESS",
	"DBUS_SYSTEM_BUS_ADDRESS", "DELTA_PAGER", "DEVELOPER_DIR", "DISPLAY", "EDITOR", "EMACSLOADPATH", "ENV", "ESBUILD_BINARY_PATH", "EXECIGNORE",
	"EXINIT", "FC", "FCEDIT", "FPATH", "GCONV_PATH", "GDBHISTFILE", "GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
	"GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_TRUSTED_FOLDERS_PATH", "GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_DEBUG_LOG_FILE", "GEMINI_SYSTEM_MD",
	"GEMINI_WRITE_SYSTEM_MD", "GH_BROWSER", "GH_CONFIG_DIR", "GH_EDITOR", "GH_HOST", "GH_PAGER", "GH_PATH", "GLAB_CONFIG_DIR", "GLIBC_TUNABLES",
	"GLOBIGNORE", "GNUPGHOME", "GOAUTH", "GOBIN", "GOCACHE", "GOENV", "GOFLAGS", "GOINSECURE", "GOMODCACHE", "GONOPROXY", "GONOSUMCHECK", "GONOSUMDB",
	"GOPATH", "GOPRIVATE", "GOPROXY", "GOROOT", "GOSUMDB", "GOTOOLCHAIN", "GOTOOLDIR", "GOVCS", "GOWORK", "GREP_OPTIONS", "HF_ENDPOINT", "HG",
	"HGEDITOR", "HGRCPATH", "HISTFILE", "HOME", "HOSTALIASES", "HUSKY", "IFS", "INPUTRC", "JAVAC", "JRE_HOME", "LD", "LDAPCONF", "LDAPRC", "LDFLAGS",
	"LESSCLOSE", "LESSKEY", "LESSKEYIN", "LESSOPEN", "LIBRARY_PATH", "LOCALDOMAIN", "LOCPATH", "LOGNAME", "MAKE", "MAKEFILES", "MAKEFLAGS", "MAKESHELL",
	"MANOPT", "MANPAGER", "MANPATH", "MANROFFOPT", "MFLAGS", "MPLBACKEND", "MPLCONFIGDIR", "MYSQL_HOME", "MYSQL_TEST_LOGIN_FILE", "NLSPATH", "NM",
	"NODE_EXTRA_CA_CERTS", "NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "NODE_TLS_REJECT_UNAUTHORIZED", "NODE_V8_COVERAGE", "OBJCOPY",
	"ODBCINI", "ODBCSYSINI", "ORACLE_HOME", "PAGER", "PATH", "PERLLIB", "PGPASSFILE", "PGSERVICEFILE", "PGSSLROOTCERT", "PGSYSCONFDIR", "PHPRC",
	"PRE_COMMIT_HOME", "PROMPT_COMMAND", "PS4", "PSQLRC", "PSQL_EDITOR", "PSQL_PAGER", "RANLIB", "REQUESTS_CA_BUNDLE", "RESOLV_HOST_CONF",
	"RES_OPTIONS", "RIPGREP_CONFIG_PATH", "SASS_PATH", "SHELL", "SHELLOPTS", "SSLKEYLOGFILE", "SSL_CERT_DIR", "SSL_CERT_FILE", "STACK_ROOT",
	"STACK_YAML", "STRIP", "SVN_EDITOR", "SVN_SSH", "TAR_OPTIONS", "TEMP", "TERMCAP", "TEXINPUTS", "TEXMFCNF", "TEXMFHOME", "TMP", "TMPDIR", "TMUX",
	"TNS_ADMIN", "USER", "USERPROFILE", "VIM", "VIMINIT", "VIMRUNTIME", "VIRTUAL_ENV", "VISUAL", "VK_DRIVER_FILES", "VK_ICD_FILENAMES",
	"VK_INSTANCE_LAYERS", "VK_LAYER_PATH", "WGETRC", "WSLENV", "ZDOTDIR",
}
