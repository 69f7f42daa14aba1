package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/workspace"
)

// tools are programs with caches that they need to write. A name in the home directory begins with ~/, one in a directory that
// a variable names with $NAME/; where the variable is not set, the line has no effect. The first cache of a program that is on the
// PATH is created if none of its caches exists: the program would do it itself. Directories with programs that the user runs are no caches.
var tools = []struct {
	programs string
	caches   string
}{
	{"go", "~/.cache/go-build ~/go/pkg $GOCACHE $GOMODCACHE $GOPATH/pkg ~/.cache/golangci-lint ~/.cache/gopls ~/.cache/staticcheck ~/.cache/goimports $GOLANGCI_LINT_CACHE"},
	{"npm npx node", "~/.npm $npm_config_cache ~/.cache/node ~/.cache/node-gyp ~/.cache/typescript ~/.cache/turbo"},
	{"pnpm", "~/.local/share/pnpm/store ~/.cache/pnpm ~/.local/state/pnpm ~/.pnpm-store"},
	{"yarn", "~/.yarn/berry ~/.cache/yarn $YARN_CACHE_FOLDER"},
	{"corepack", "~/.cache/node/corepack"},
	{"bun", "~/.bun/install/cache $BUN_INSTALL_CACHE_DIR"},
	{"deno", "~/.cache/deno $DENO_DIR"},
	{"cargo", "~/.cargo/registry ~/.cargo/git ~/.cargo/.package-cache ~/.cargo/.package-cache-mutate ~/.cargo/.global-cache $CARGO_HOME/registry $CARGO_HOME/git $CARGO_HOME/.package-cache $CARGO_HOME/.package-cache-mutate $CARGO_HOME/.global-cache $CARGO_TARGET_DIR ~/.cache/sccache $SCCACHE_DIR"},
	{"gradle java", "~/.gradle/caches ~/.gradle/daemon ~/.gradle/native ~/.gradle/notifications ~/.gradle/workers ~/.gradle/wrapper ~/.gradle/kotlin-profile $GRADLE_USER_HOME/caches $GRADLE_USER_HOME/daemon $GRADLE_USER_HOME/native $GRADLE_USER_HOME/wrapper ~/.kotlin ~/.konan"},
	{"mvn", "~/.m2/repository ~/.m2/wrapper"},
	{"pip pip3 python3", "~/.cache/pip $PIP_CACHE_DIR ~/.cache/pypoetry $POETRY_CACHE_DIR ~/.cache/pipenv ~/.cache/mypy ~/.cache/ruff ~/.cache/black ~/.cache/matplotlib"},
	{"uv", "~/.cache/uv $UV_CACHE_DIR ~/.local/share/uv"},
	{"pre-commit", "~/.cache/pre-commit $PRE_COMMIT_HOME"},
	{"composer", "~/.cache/composer ~/.composer/cache $COMPOSER_CACHE_DIR"},
	{"gem bundle", "~/.local/share/gem ~/.gem/specs ~/.bundle/cache ~/.cache/gem"},
	{"dotnet", "~/.nuget/packages ~/.local/share/NuGet ~/.dotnet"},
	{"dart flutter", "~/.pub-cache"},
	{"mix", "~/.hex/packages ~/.cache/rebar3"},
	{"ccache", "~/.cache/ccache ~/.ccache $CCACHE_DIR"},
	{"bazel", "~/.cache/bazel"},
	{"zig", "~/.cache/zig"},
	{"ghc cabal", "~/.cabal/packages ~/.cache/cabal"},
	{"helm", "~/.cache/helm"},
	{"node", "~/.cache/ms-playwright $PLAYWRIGHT_BROWSERS_PATH ~/.cache/Cypress $CYPRESS_CACHE_FOLDER ~/.cache/puppeteer $PUPPETEER_CACHE_DIR ~/.cache/electron ~/.cache/electron-builder"},
}

// caches returns the caches of all tools.
func (p *Place) caches() (list []string) {
	for _, t := range tools {
		list = append(list, p.expandAll(t.caches)...)
	}
	return list
}

// installed are directories in caches with programs that the user runs.
const installed = "~/.local/share/uv/tools ~/.local/share/uv/python ~/.dotnet/tools ~/.dotnet/sdk ~/.dotnet/shared ~/.dotnet/host ~/.dotnet/dotnet ~/.pub-cache/bin ~/.pub-cache/global_packages"

// programs returns the paths in caches that commands may not change, because the user runs programs from them: those that are installed, and the
// directories of the PATH.
func (p *Place) programs() (list []string) {
	for _, path := range p.expandAll(installed) {
		if _, err := os.Lstat(path); err == nil {
			list = append(list, path)
		}
	}
	own, caches := existing(slices.Concat(p.Dirs, p.repositories(), p.temporary(), p.Write)), existing(p.caches())
	isIn := func(path string, dirs []string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return workspace.IsWithin(path, dir) })
	}
	for _, path := range filepath.SplitList(p.Env("PATH")) {
		if path = workspace.RealPath(filepath.Clean(path)); filepath.IsAbs(path) && isIn(path, caches) && !isIn(path, own) {
			list = append(list, path)
		}
	}
	return list
}

// CreateCaches creates the first cache of each program on the PATH that has none: the program would do it itself, but cannot
// while it is confined.
func (p *Place) CreateCaches() {
	exists := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	for _, t := range tools {
		paths := p.expandAll(t.caches)
		if len(paths) > 0 && !slices.ContainsFunc(paths, exists) && p.hasOne(t.programs) {
			_ = os.MkdirAll(paths[0], 0o755) // without it, the program reports an error
		}
	}
}

// expandAll returns the paths that names in a table stand for.
func (p *Place) expandAll(names string) (paths []string) {
	for name := range strings.FieldsSeq(names) {
		if path := p.expand(name); path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

func (p *Place) hasOne(programs string) bool {
	for name := range strings.FieldsSeq(programs) {
		if p.HasProgram(name) {
			return true
		}
	}
	return false
}

// expand returns the path that a name in a table stands for, "" for none. A variable that names the home directory, one above
// it, or no absolute path, stands for nothing.
func (p *Place) expand(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if len(p.Homes) == 0 {
			return ""
		}
		return filepath.Join(p.Homes[0], rest)
	}
	variable, rest, _ := strings.Cut(strings.TrimPrefix(name, "$"), "/")
	dir := filepath.Clean(p.Env(variable))
	if !filepath.IsAbs(dir) || p.isAboveHome(dir) {
		return ""
	}
	return filepath.Join(dir, rest)
}
