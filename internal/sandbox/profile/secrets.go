package profile

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/sandbox"
	"pollux/internal/workspace"
)

// secrets in the home directory, by whose they are. A * in the last part of a path stands for any text.
var secrets = []struct{ whose, paths string }{
	{"SSH", ".ssh/id_* .ssh/*.pem .ssh/*.key .ssh/identity"},
	{"GnuPG", ".gnupg/private-keys-v1.d .gnupg/secring.gpg .gnupg/S.*"},
	{"age and SOPS", ".config/sops/age .age"},
	{"AWS", ".aws/credentials .aws/sso .aws/cli/cache .aws/login"},
	{"Google Cloud", ".config/gcloud"},
	{"Azure", ".azure"},
	{"other clouds", ".config/doctl .config/hcloud .config/linode-cli .oci .terraform.d/credentials.tfrc.json .config/configstore/firebase-tools.json .config/op .config/heroku .fly .config/netlify .config/vercel .local/share/com.vercel.cli .config/.wrangler .wrangler .config/supabase .supabase .railway .config/stripe .config/rclone .s3cfg .config/scw .vault-token .config/fly"},
	{"Kubernetes and containers", ".kube .docker/config.json .config/containers/auth.json .config/helm/registry"},
	{"code hosts", ".config/gh/hosts.yml .config/hub .config/glab-cli .git-credentials .config/git/credentials .netrc .config/tea"},
	{"registries", ".pypirc .cargo/credentials .cargo/credentials.toml .gem/credentials .local/share/gem/credentials .m2/settings-security.xml .gradle/gradle.properties .nuget/NuGet/NuGet.Config .config/composer/auth.json .composer/auth.json .yarnrc.yml .config/pypoetry/auth.toml .hex/hex.config .config/pip/pip.conf"},
	{"databases", ".pgpass .my.cnf .mylogin.cnf .config/snowflake .dbt/profiles.yml .mongorc.js"},
	{"key stores", ".local/share/keyrings .local/share/kwalletd .password-store .config/keepassxc .local/share/gopass .config/Bitwarden* .config/1Password .config/rbw"},
	{"browsers", ".mozilla .config/google-chrome* .config/chromium* .config/BraveSoftware .config/microsoft-edge* .config/vivaldi .config/opera .librewolf .zen .thunderbird .var/app"},
	{"messengers", ".config/Slack .config/discord .config/Signal .local/share/TelegramDesktop .config/Element"},
	{"shell histories", ".bash_history .zsh_history .local/share/fish/fish_history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history .lesshst .viminfo .local/state/bash/history .histfile .irb_history"},
	{"other agents", ".claude/.credentials.json .claude.json .codex/auth.json .local/share/opencode/auth.json .config/github-copilot .continue .aider.conf.yml .cursor .config/Cursor .config/crush .local/share/crush .qwen/oauth_creds.json .config/goose .local/share/amazon-q"},
	{"models", ".cache/huggingface/token .cache/huggingface/stored_tokens .ollama/id_ed25519"},
	{"phones", ".android/adbkey"},
	{"wallets", ".bitcoin .ethereum .electrum .config/solana .monero"},
	{"desktops", ".Xauthority .ICEauthority .config/pulse/cookie .cert .pki"},
}

// bases are the directories in the home directory that a variable moves.
var bases = []struct{ dir, variable string }{
	{".config/", "XDG_CONFIG_HOME"},
	{".local/share/", "XDG_DATA_HOME"},
	{".local/state/", "XDG_STATE_HOME"},
	{".gnupg/", "GNUPGHOME"},
	{".config/gh/", "GH_CONFIG_DIR"},
	{".config/gcloud", "CLOUDSDK_CONFIG"},
	{".azure", "AZURE_CONFIG_DIR"},
	{".docker/", "DOCKER_CONFIG"},
	{".cargo/", "CARGO_HOME"},
	{".gradle/", "GRADLE_USER_HOME"},
	{".composer/", "COMPOSER_HOME"},
	{".codex/", "CODEX_HOME"},
	{".claude/", "CLAUDE_CONFIG_DIR"},
	{".password-store", "PASSWORD_STORE_DIR"},
}

// named are variables whose values are files with secrets, or lists of them.
var named = []string{
	"KUBECONFIG", "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE",
	"BOTO_CONFIG", "NETRC", "PGPASSFILE", "PIP_CONFIG_FILE", "REGISTRY_AUTH_FILE", "SOPS_AGE_KEY_FILE", "VAULT_TOKEN_PATH", "HISTFILE", "XAUTHORITY", "ICEAUTHORITY",
	"TF_CLI_CONFIG_FILE", "RCLONE_CONFIG", "OCI_CLI_CONFIG_FILE", "MYSQL_HISTFILE", "PSQL_HISTORY",
	"NODE_REPL_HISTORY", "PYTHON_HISTORY", "SQLITE_HISTORY", "LESSHISTFILE",
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
			list = append(list, p.moved(name)...)
		}
	}
	list = append(list, p.macHidden()...)
	for _, name := range named {
		for _, path := range filepath.SplitList(p.Env(name)) {
			if path = filepath.Clean(path); p.canHide(path) {
				list = append(list, path)
			}
		}
	}
	for _, path := range system {
		list = append(list, glob(path)...)
	}
	return slices.DeleteFunc(list, isHarmless)
}

// moved returns the paths that a name in the home directory has where variables say that it is elsewhere.
func (p *Place) moved(name string) (list []string) {
	for _, b := range bases {
		rest, ok := strings.CutPrefix(name, b.dir)
		if !ok || rest != "" && !strings.HasSuffix(b.dir, "/") {
			continue
		}
		if path := filepath.Join(p.Env(b.variable), rest); p.canHide(path) {
			list = append(list, glob(path)...)
		}
	}
	return list
}

// canHide reports whether a path that a variable names can be hidden. In the workspace and in directories for temporary files that would keep
// programs from creating files.
func (p *Place) canHide(path string) bool {
	return filepath.IsAbs(path) && !p.isAboveHome(path) && !workspace.IsWithin(path, "/dev") &&
		!slices.ContainsFunc(slices.Concat(p.Dirs, p.temporary()), func(dir string) bool { return workspace.IsWithin(path, dir) })
}

// hiddenSockets returns the patterns of local sockets in writable directories that lead to programs of the person.
func (p *Place) hiddenSockets() []string {
	list := slices.Clone(desktops)
	for _, pattern := range desktops {
		if name := strings.TrimPrefix(pattern, "/tmp/"); p.Temp != "" {
			list = append(list, filepath.Join(p.Temp, name))
		}
	}
	for _, name := range reaching {
		value := p.Env(name)
		for _, prefix := range []string{"unix://", "unix:path=", "unix:"} {
			value = strings.TrimPrefix(value, prefix)
		}
		value, _, _ = strings.Cut(value, ",") // D-Bus and tmux have more after it
		if path := filepath.Clean(value); filepath.IsAbs(path) && !p.isAboveHome(path) && !slices.ContainsFunc(slices.Concat(p.Dirs, p.temporary()), func(dir string) bool { return workspace.IsWithin(dir, path) }) {
			list = append(list, path)
		}
	}
	return list
}

// reaching are variables that name local sockets of the person's programs, or a directory of such.
var reaching = []string{
	"SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "DOCKER_HOST", "CONTAINER_HOST", "TMUX", "TMUX_TMPDIR", "NVIM", "VSCODE_IPC_HOOK_CLI",
	"VSCODE_GIT_IPC_HANDLE", "PULSE_SERVER", "SWAYSOCK", "I3SOCK", "KITTY_LISTEN_ON", "ALACRITTY_SOCKET", "WEZTERM_UNIX_SOCKET", "ZELLIJ_SOCKET_DIR", "GNOME_KEYRING_CONTROL", "SESSION_MANAGER",
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
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
}

// otherDevices returns the devices that programs may not use, unless the user allows it: disks, cameras, keyboards, terminals.
func (p *Place) otherDevices() (list []string) {
	entries, _ := os.ReadDir("/dev")
	for _, e := range entries {
		path := filepath.Join("/dev", e.Name())
		isAllowed := slices.ContainsFunc(slices.Concat(p.Dirs, p.Write), func(dir string) bool { return workspace.IsWithin(path, dir) || workspace.IsWithin(dir, path) })
		if e.Type()&fs.ModeSymlink == 0 && !e.Type().IsRegular() && !slices.Contains(devices, path) && !slices.Contains(places, path) && !isAllowed {
			list = append(list, path)
		}
	}
	return list
}

// places are the directories in /dev that have no devices.
var places = []string{"/dev/shm", "/dev/mqueue", "/dev/hugepages"}

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
