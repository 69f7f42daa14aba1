package profile

import (
	"os"
	"path/filepath"
	"strings"

	"pollux/internal/sandbox"
)

// secrets in the home directory, by whose they are. A * in the last part of a path stands for any text.
var secrets = []struct{ whose, paths string }{
	{"SSH", ".ssh/id_* .ssh/*.pem .ssh/*.key .ssh/identity"},
	{"GnuPG", ".gnupg/private-keys-v1.d .gnupg/secring.gpg .gnupg/S.*"},
	{"age and SOPS", ".config/sops/age .age"},
	{"AWS", ".aws/credentials .aws/sso .aws/cli/cache .aws/login"},
	{"Google Cloud", ".config/gcloud"},
	{"Azure", ".azure"},
	{"other clouds", ".config/doctl .config/hcloud .config/linode-cli .oci .terraform.d/credentials.tfrc.json .config/op .config/heroku .fly .config/netlify .config/vercel .local/share/com.vercel.cli .config/.wrangler .wrangler .config/supabase .supabase .railway .config/stripe .config/rclone .s3cfg .config/scw .vault-token .config/fly"},
	{"Kubernetes and containers", ".kube .docker/config.json .config/containers/auth.json .config/helm/registry"},
	{"code hosts", ".config/gh/hosts.yml .config/hub .config/glab-cli .git-credentials .config/git/credentials .netrc .config/tea"},
	{"registries", ".pypirc .cargo/credentials .cargo/credentials.toml .gem/credentials .local/share/gem/credentials .m2/settings-security.xml .gradle/gradle.properties .nuget/NuGet.Config .config/composer/auth.json .composer/auth.json .yarnrc.yml .config/pypoetry/auth.toml .hex/hex.config .config/pip/pip.conf"},
	{"databases", ".pgpass .my.cnf .mylogin.cnf .config/snowflake .dbt/profiles.yml .mongorc.js"},
	{"key stores", ".local/share/keyrings .local/share/kwalletd .password-store .config/keepassxc .local/share/gopass .config/Bitwarden* .config/1Password .config/rbw"},
	{"browsers", ".mozilla .config/google-chrome* .config/chromium* .config/BraveSoftware .config/microsoft-edge* .config/vivaldi .config/opera .librewolf .zen .thunderbird .var/app"},
	{"messengers", ".config/Slack .config/discord .config/Signal .local/share/TelegramDesktop .config/Element"},
	{"shell histories", ".bash_history .zsh_history .local/share/fish/fish_history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history .lesshst .viminfo .local/state/bash/history .histfile .irb_history"},
	{"other agents", ".claude/.credentials.json .claude.json .codex/auth.json .local/share/opencode/auth.json .config/github-copilot .continue .aider.conf.yml .cursor .config/Cursor .config/crush .local/share/crush .qwen/oauth_creds.json .config/goose .local/share/amazon-q"},
	{"wallets", ".bitcoin .ethereum .electrum .config/solana .monero"},
	{"desktops", ".Xauthority .ICEauthority .config/pulse/cookie .cert .pki"},
}

// system are secrets outside of the home directory.
var system = []string{"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh/ssh_host_*_key"}

// secrets returns the paths that hold secrets.
func (p *Place) secrets() (list []string) {
	for _, s := range secrets {
		for name := range strings.FieldsSeq(s.paths) {
			for _, home := range p.Homes {
				list = append(list, glob(filepath.Join(home, name))...)
			}
		}
	}
	for _, path := range system {
		list = append(list, glob(path)...)
	}
	return list
}

// glob returns the paths that match one with * in its last part, and the pattern itself: it stands for files that are made
// later.
func glob(pattern string) (list []string) {
	dir, name := filepath.Split(pattern)
	if !strings.Contains(name, "*") {
		return []string{pattern}
	}
	list = []string{pattern}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); sandbox.Matches(pattern, path) {
			list = append(list, path)
		}
	}
	return list
}

// devices are those that programs may use.
var devices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts",
}

// services are the local sockets of the system that programs may connect to.
var services = []string{
	"/run/postgresql", "/var/run/postgresql", "/run/mysqld", "/var/run/mysqld", "/run/redis", "/run/valkey", "/run/memcached",
	"/run/nscd", "/run/systemd/resolve", "/run/avahi-daemon",
}

// desktops are the local sockets in directories for temporary files that lead to programs of the person: screens, agents,
// terminals, editors.
var desktops = []string{
	"/tmp/.X11-unix", "/tmp/.ICE-unix", "/tmp/ssh-*", "/tmp/tmux-*", "/tmp/screen*", "/tmp/vscode-*", "/tmp/emacs*", "/tmp/dbus-*",
	"/tmp/gpg-*", "/tmp/keyring-*", "/tmp/pulse-*", "/tmp/wayland-*", "/tmp/podman-run-*", "/tmp/containers-*", "/tmp/.docker*", "/tmp/com.docker*",
	"/tmp/zellij-*", "/tmp/kitty-*", "/tmp/nvim*", "/tmp/dotnet-diagnostic-*",
}
