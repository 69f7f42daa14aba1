package profile

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// settingsAndPrograms returns the paths of readable, and those that variables name.
func (p *Place) settingsAndPrograms() (list []string) {
	for name := range strings.FieldsSeq(readable) {
		list = append(list, p.expand(name)...)
		for _, home := range p.Homes {
			list = append(list, filepath.Join(home, strings.TrimPrefix(name, "~/")))
		}
	}
	for name := range strings.FieldsSeq(naming) {
		list = append(list, filepath.SplitList(p.Env(name))...)
	}
	return list
}

// naming are variables with paths of development tools, or lists of them.
const naming = "GOROOT GOPATH GOBIN GOTOOLDIR RUSTUP_HOME CARGO_HOME NVM_DIR FNM_DIR VOLTA_HOME PNPM_HOME BUN_INSTALL DENO_INSTALL DENO_DIR NPM_CONFIG_PREFIX npm_config_prefix NPM_CONFIG_USERCONFIG " +
	"NODE_PATH NODE_EXTRA_CA_CERTS YARN_CACHE_FOLDER PYENV_ROOT PYTHONPATH PYTHONHOME PYTHONUSERBASE VIRTUAL_ENV CONDA_PREFIX CONDA_EXE MAMBA_ROOT_PREFIX PIPX_HOME UV_PYTHON_INSTALL_DIR UV_TOOL_DIR " +
	"POETRY_HOME RYE_HOME GEM_HOME GEM_PATH RBENV_ROOT BUNDLE_PATH RUBYLIB PERL5LIB PERL_LOCAL_LIB_ROOT LUA_PATH COMPOSER_HOME JAVA_HOME JDK_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME " +
	"SDKMAN_DIR KOTLIN_HOME SCALA_HOME ANDROID_HOME ANDROID_SDK_ROOT ANDROID_NDK_HOME FLUTTER_ROOT PUB_CACHE DOTNET_ROOT NUGET_PACKAGES ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR MISE_CONFIG_DIR " +
	"JULIA_DEPOT_PATH OPAM_SWITCH_PREFIX GHCUP_INSTALL_BASE_PREFIX STACK_ROOT LD_LIBRARY_PATH DYLD_LIBRARY_PATH LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH PKG_CONFIG_PATH " +
	"CMAKE_PREFIX_PATH CMAKE_TOOLCHAIN_FILE VCPKG_ROOT CUDA_HOME HF_HOME TORCH_HOME NLTK_DATA PLAYWRIGHT_BROWSERS_PATH GIT_CONFIG_GLOBAL GIT_TEMPLATE_DIR GIT_EXEC_PATH EDITORCONFIG RIPGREP_CONFIG_PATH " +
	"SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE CURL_HOME WGETRC INPUTRC BASH_ENV ZDOTDIR TERMINFO MANPATH INFOPATH"

// installations returns the directories of the programs in home directories that are on the PATH, with those that they are installed in, and where links among
// them lead.
func (p *Place) installations(z *zone) (list []string) {
	for _, path := range filepath.SplitList(p.Env("PATH")) {
		if to, ok := z.follow(path); !ok || z.has(to.path) || p.isWide(to.path) {
			continue
		}
		list = append(list, path)
		if !p.isInHome(z, path) {
			continue
		}
		list = append(list, installation(path)...)
		entries, _ := os.ReadDir(path) // it may be gone
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink == 0 {
				continue
			}
			to, ok := z.follow(filepath.Join(path, e.Name()))
			if info, err := os.Lstat(to.path); ok && err == nil && !info.IsDir() && !z.has(to.path) {
				list = append(list, to.path)
				list = append(list, installation(filepath.Dir(to.path))...)
			}
		}
	}
	return list
}

// isInHome reports whether a path leads into a home directory.
func (p *Place) isInHome(z *zone, path string) bool {
	home := zone{dirs: z.real(p.Homes)}
	return home.has(z.way(path).path)
}

// installation returns the directory that a directory with programs belongs to, and that one; none if it has no others of an installation.
func installation(dir string) []string {
	if !slices.Contains([]string{"bin", "sbin", "shims", "cmd", "libexec", "Scripts"}, filepath.Base(dir)) {
		return nil
	}
	for _, name := range [...]string{"lib", "lib64", "libexec", "share", "include", "pkg", "node_modules", "jre", "Cellar", "pyvenv.cfg"} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(dir), name)); err == nil {
			return []string{filepath.Dir(dir), dir}
		}
	}
	return []string{dir}
}

// around returns the repositories that directories of the workspace are in.
func (p *Place) around(z *zone) (list []string) {
	for _, dir := range p.Dirs {
		for dir = z.resolve(dir).path; filepath.Dir(dir) != dir; {
			dir = filepath.Dir(dir)
			if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
				list = append(list, dir, filepath.Join(dir, ".git")) // this one if the other is a home directory
				break
			}
		}
	}
	return list
}

// namedBySettings returns the files that settings of git and of shells in the home directory name.
func (p *Place) namedBySettings(z *zone) (list []string) {
	for _, home := range p.Homes {
		seen := map[string]bool{}
		for _, name := range [...]string{".gitconfig", ".config/git/config"} {
			list = append(list, namedByGit(z, home, filepath.Join(home, name), seen)...)
		}
		for name := range strings.FieldsSeq(".profile .bashrc .bash_profile .bash_login .bash_aliases .zshrc .zshenv .zprofile .zlogin") {
			list = append(list, namedByShell(z, home, filepath.Join(home, name))...)
		}
	}
	if path := p.Env("GIT_CONFIG_GLOBAL"); filepath.IsAbs(path) && len(p.Homes) > 0 {
		list = append(list, namedByGit(z, p.Homes[0], path, map[string]bool{})...)
	}
	return list
}

// maxIncluded limits the files of git's settings.
const maxIncluded = 20

// gitPaths are the settings of git with the paths of files or programs that it uses everywhere.
const gitPaths = "path excludesfile attributesfile hookspath templatedir template allowedsignersfile revocationfile program fsmonitor gitproxy sslcainfo sslcapath editor pager helper"

// namedByGit returns the paths that a file of git's settings names, and those that it includes do.
func namedByGit(z *zone, home, path string, seen map[string]bool) (list []string) {
	if seen[path] || len(seen) == maxIncluded {
		return nil
	}
	seen[path] = true
	text, err := z.settings(path)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if quoted, isQuoted := strings.CutPrefix(value, `"`); isQuoted {
			value, _, _ = strings.Cut(quoted, `"`)
		} else {
			value, _, _ = strings.Cut(value, " ") // of a program with arguments
		}
		if isInclude := strings.EqualFold(key, "path"); isInclude && value != "" && !filepath.IsAbs(value) && !strings.HasPrefix(value, "~/") {
			value = filepath.Join(filepath.Dir(path), value)
		}
		if value = inHome(home, value); !filepath.IsAbs(value) || !slices.Contains(strings.Fields(gitPaths), strings.ToLower(key)) {
			continue
		}
		list = append(list, value)
		if strings.EqualFold(key, "path") {
			list = append(list, namedByGit(z, home, value, seen)...)
		}
	}
	return list
}

// namedByShell returns the files that a file of a shell reads.
func namedByShell(z *zone, home, path string) (list []string) {
	text, err := z.settings(path)
	if err != nil || !strings.Contains(string(text), "/") {
		return nil
	}
	for _, found := range regexp.MustCompile(`(?m)(?:^|&&|;|\bthen|\bdo)[ \t]*(?:\.|source)[ \t]+["']?([^\s"';&|]+)`).FindAllStringSubmatch(string(text), -1) {
		named := inHome(home, found[1])
		if info, err := os.Stat(named); err == nil && filepath.IsAbs(named) && info.Mode().IsRegular() {
			list = append(list, named)
		}
	}
	return list
}

// settings returns a file with settings, unless programs may change it.
func (z *zone) settings(path string) ([]byte, error) {
	if to := z.way(path); !z.has(to.path) && !z.hasOne(to.links) {
		return readSettings(to.path)
	}
	return nil, os.ErrPermission
}

// inHome returns the path that a word of settings stands for.
func inHome(home, word string) string {
	for _, prefix := range [...]string{"~/", "$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(word, prefix); ok {
			return filepath.Join(home, rest)
		}
	}
	return word
}
