package profile

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/workspace"
)

// readable are the files in a home directory that programs read nevertheless if [Place.ReadsWork] is set: settings and programs of development tools.
// Programs elsewhere in it are found by the PATH, and caches are in tools. The secrets among them stay hidden.
const readable = "" +
	// Shells, terminals, editors.
	"~/.profile ~/.bashrc ~/.bash_profile ~/.bash_login ~/.bash_logout ~/.bash_aliases ~/.bash_completion ~/.bashrc.d ~/.profile.d ~/.zshrc.d ~/.zshrc ~/.zshenv ~/.zprofile ~/.zlogin ~/.zlogout ~/.oh-my-zsh " +
	"~/.config/fish ~/.config/bash ~/.config/zsh ~/.inputrc ~/.terminfo ~/.dircolors ~/.editorconfig ~/.vimrc ~/.vim ~/.config/nvim ~/.screenrc ~/.tmux.conf ~/.config/tmux " +
	"~/.config/direnv ~/.config/starship.toml ~/.fzf ~/.fzf.bash ~/.fzf.zsh ~/.config/locale.conf ~/.config/fontconfig ~/.fonts ~/.local/share/fonts ~/.local/share/terminfo " +
	"~/.local/share/bash-completion ~/.local/share/zsh ~/.local/share/fish ~/.local/share/man ~/.config/user-dirs.dirs ~/.face ~/.config/environment.d " +
	// Version control, servers.
	"~/.gitconfig ~/.config/git ~/.gitignore ~/.gitignore_global ~/.gitattributes ~/.gitmessage ~/.git-templates ~/.hgrc ~/.config/hg ~/.config/jj ~/.jjconfig.toml ~/.config/gh ~/.config/lazygit " +
	"~/.ssh ~/.gnupg ~/.curlrc ~/.wgetrc ~/.config/curlrc ~/.config/ripgrep ~/.ripgreprc ~/.ignore ~/.config/fd ~/.config/bat ~/.aws ~/.docker ~/.config/containers ~/.local/share/containers " +
	// JavaScript.
	"~/.npmrc ~/.npm ~/.yarnrc ~/.yarnrc.yml ~/.yarn ~/.nvm ~/.fnm ~/.local/share/fnm ~/.volta ~/.nodenv ~/.n ~/.bun ~/.deno ~/.config/pnpm ~/.config/yarn ~/.local/share/pnpm ~/.node ~/.node-gyp " +
	"~/.config/npm ~/.config/configstore ~/.babelrc ~/.eslintrc ~/.prettierrc ~/.bunfig.toml ~/.config/turborepo ~/.config/nextjs-nodejs ~/.config/astro " +
	// Python, R, Julia.
	"~/.pyenv ~/.python-version ~/.pydistutils.cfg ~/.pypirc ~/.pip ~/.config/pip ~/.config/uv ~/.config/pypoetry ~/.config/pdm ~/.config/ruff ~/.config/pylintrc ~/.pylintrc ~/.flake8 ~/.config/flake8 " +
	"~/.config/black ~/.config/mypy ~/.mypy.ini ~/.isort.cfg ~/.conda ~/.condarc ~/.mambarc ~/.pixi ~/miniconda3 ~/miniforge3 ~/mambaforge ~/anaconda3 ~/.virtualenvs ~/.ipython ~/.jupyter ~/.matplotlib " +
	"~/.config/matplotlib ~/.Rprofile ~/.Renviron ~/R ~/.julia ~/.juliaup ~/.rye ~/.hatch ~/.config/hatch " +
	// Go, Rust, C, Zig, Haskell, OCaml.
	"~/go ~/.go ~/.gvm ~/.goenv ~/.config/go ~/sdk ~/.cargo ~/.rustup ~/.rustfmt.toml ~/.config/rustfmt ~/.clang-format ~/.config/ccache ~/.config/clangd ~/.gdbinit ~/.config/gdb ~/.lldbinit ~/.zvm ~/.config/zig " +
	"~/.ghcup ~/.cabal ~/.config/cabal ~/.stack ~/.opam ~/.config/dune ~/.conan ~/.conan2 ~/.vcpkg ~/vcpkg ~/.cmake ~/.config/sccache " +
	// Java, Scala, Kotlin, Android, .NET, Dart, Swift.
	"~/.m2 ~/.gradle ~/.ivy2 ~/.sbt ~/.sdkman ~/.jenv ~/.jabba ~/.jdks ~/.java ~/.mavenrc ~/.kotlin ~/.konan ~/.android ~/Android/Sdk ~/.lein ~/.clojure ~/.dotnet ~/.nuget ~/.config/NuGet ~/.templateengine " +
	"~/.pub-cache ~/flutter ~/.flutter ~/.config/flutter ~/.dartServer ~/.swiftpm ~/.cocoapods " +
	// Ruby, PHP, Perl, Lua, Erlang, and managers of versions.
	"~/.rbenv ~/.rvm ~/.gem ~/.gemrc ~/.bundle ~/.irbrc ~/.composer ~/.config/composer ~/.phpenv ~/.config/herd ~/.cpan ~/.cpanm ~/perl5 ~/.luarocks ~/.hex ~/.mix ~/.kerl ~/.erlang ~/.elan ~/.foundry ~/.svm " +
	"~/.asdf ~/.asdfrc ~/.tool-versions ~/.config/mise ~/.local/share/mise ~/.local/state/mise ~/.proto ~/.nix-profile ~/.nix-defexpr ~/.nix-channels ~/.local/state/nix ~/.config/nix ~/.config/nixpkgs ~/.linuxbrew " +
	// Other programs that builds use, and the files that all users have for programs.
	"~/.terraformrc ~/.terraform.d ~/.config/helm ~/.local/share/helm ~/.kube ~/.config/gcloud ~/.ansible.cfg ~/.ansible ~/.my.cnf ~/.psqlrc ~/.sqliterc ~/.pgpass ~/.local/share/pipx ~/.local/pipx ~/.local/bin ~/.local/lib ~/.local/opt ~/bin ~/opt ~/.bin " +
	"~/Library/Caches ~/Library/Developer ~/Library/Android ~/Library/Java ~/Library/Python ~/Library/pnpm ~/Library/org.swift.swiftpm ~/Library/Fonts ~/Library/Preferences/pnpm ~/Library/Preferences/clangd"

// shelved are the directories with the files of other users, and with disks.
var shelved = []string{"/home", "/Users", "/mnt", "/media", "/run/media", "/Volumes"}

// unneeded returns the files in home directories, of other users and on other disks that work does not need: all but kept ones.
func (p *Place) unneeded(z *zone, kept []string) (list []string) {
	u := unneeded{keep: map[string]bool{}, above: map[string]bool{}, ignoresCase: p.Mac}
	u.add(kept)
	u.add([]string{"/mnt/wsl"}) // which has the name servers of WSL
	for _, path := range z.existing(slices.Concat(p.settingsAndPrograms(), p.installations(z), p.around(z), p.namedBySettings(z)), false) {
		if !p.isWide(path) {
			u.add([]string{path})
		}
	}
	for _, home := range p.Homes {
		if home = z.resolve(filepath.Clean(home)).path; home != "/" && !u.has(home) {
			list = append(list, u.in(home)...)
			u.add([]string{home}) // for shelved
		}
	}
	for _, dir := range shelved {
		if !u.has(dir) {
			list = append(list, u.in(dir)...)
		}
	}
	return list
}

// isWide reports whether a directory without links has files that work does not need: it has a home directory in it, belongs to another user, is a disk, or has
// the files of many programs.
func (p *Place) isWide(dir string) bool {
	return p.isAboveHome(dir) || slices.Contains(shelved, dir) || slices.Contains(shelved, filepath.Dir(dir)) || slices.ContainsFunc(p.Homes, func(home string) bool {
		rest, err := filepath.Rel(workspace.RealPath(home), dir)
		return err == nil && (rest == "." || slices.Contains(shelves, rest))
	})
}

// unneeded finds files that are not kept.
type unneeded struct {
	keep, above map[string]bool // kept paths, and the directories above them
	ignoresCase bool
}

func (u *unneeded) key(path string) string {
	if u.ignoresCase {
		return strings.ToLower(path)
	}
	return path
}

// add keeps paths.
func (u *unneeded) add(paths []string) {
	for _, path := range paths {
		u.keep[u.key(path)] = true
		for dir := filepath.Dir(path); !u.above[u.key(dir)]; dir = filepath.Dir(dir) {
			u.above[u.key(dir)] = true
		}
	}
}

// has reports whether a path is kept: it or a directory above it.
func (u *unneeded) has(path string) bool {
	for ; !u.keep[u.key(path)]; path = filepath.Dir(path) {
		if filepath.Dir(path) == path {
			return false
		}
	}
	return true
}

// in returns the paths in a directory that are not kept, and do not lead to kept ones. Those that links lead to have paths of their own.
func (u *unneeded) in(dir string) (list []string) {
	entries, _ := os.ReadDir(dir) // one that cannot be listed is of another user
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0 || u.keep[u.key(path)]:
		case u.above[u.key(path)]:
			list = append(list, u.in(path)...)
		default:
			list = append(list, path)
		}
	}
	return list
}
