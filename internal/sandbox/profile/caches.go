package profile

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"pollux/internal/workspace"
)

// tools are programs with caches that they need to write. A program is on the PATH or, with ./ before its name, a file in a directory of the
// workspace. The caches of a program that is there are created: the program would do it itself, but cannot while it is confined. The others are
// allowed where they exist. A name in the home directory begins with ~/, one in a directory that a variable names with $NAME/. Names with |
// between them stand for one cache, which is created at the first of them; where a variable is not set, its name has no effect.
//
// A cache holds files that a program has downloaded or built, and can get or build again. Directories with programs that the user runs, such as
// ~/.cargo/bin, ~/.rustup, ~/.sdkman, ~/.ghcup and ~/.opam, are no caches. Nor are those with files that decide about later runs: ~/.config, ~/.gnupg,
// ~/.gradle/init.d, ~/.sbt/1.0/plugins, ~/.julia/config. Nor is ~/.cache as a whole: shells run files in it when they start.
var tools = []struct{ programs, caches, others string }{
	{"go ./go.mod", "$GOCACHE|~/.cache/go-build $GOMODCACHE|$GOPATH/pkg|~/go/pkg", "~/.cache/goimports ~/.cache/staticcheck"},
	{"golangci-lint", "$GOLANGCI_LINT_CACHE|~/.cache/golangci-lint", ""},
	{"gopls", "~/.cache/gopls", ""},
	{"npm npx node", "$npm_config_cache|~/.npm ~/.cache/node-gyp", "~/.cache/node ~/.cache/typescript ~/.cache/turbo ~/.cache/esbuild"},
	{"pnpm ./pnpm-lock.yaml", "$PNPM_HOME/store|~/.local/share/pnpm/store ~/.cache/pnpm ~/.local/state/pnpm", "~/.pnpm-store $pnpm_config_store_dir $npm_config_store_dir"},
	{"yarn ./yarn.lock", "$YARN_CACHE_FOLDER|~/.cache/yarn ~/.yarn/berry", ""},
	{"corepack", "$COREPACK_HOME|~/.cache/node/corepack", ""},
	{"bun", "$BUN_INSTALL_CACHE_DIR|~/.bun/install/cache", ""},
	{"deno", "$DENO_DIR|~/.cache/deno", ""},
	{"./prisma", "~/.cache/prisma", ""},
	{"node python3", "$PLAYWRIGHT_BROWSERS_PATH|~/.cache/ms-playwright", "~/.cache/selenium"},
	{"node", "$PUPPETEER_CACHE_DIR|~/.cache/puppeteer ~/.cache/electron", "~/.cache/electron-builder $CYPRESS_CACHE_FOLDER|~/.cache/Cypress ~/.config/Cypress"},
	{"./cypress.config.js ./cypress.config.ts ./cypress.config.mjs", "$CYPRESS_CACHE_FOLDER|~/.cache/Cypress ~/.config/Cypress", ""},
	{"cargo ./Cargo.toml", "$CARGO_HOME/registry|~/.cargo/registry $CARGO_HOME/git|~/.cargo/git", "$CARGO_HOME/.package-cache|~/.cargo/.package-cache $CARGO_HOME/.package-cache-mutate|~/.cargo/.package-cache-mutate $CARGO_HOME/.global-cache|~/.cargo/.global-cache ~/.cargo/advisory-db ~/.cargo/advisory-dbs $CARGO_TARGET_DIR"},
	{"sccache", "$SCCACHE_DIR|~/.cache/sccache", ""},
	{"wasm-pack", "~/.cache/.wasm-pack", ""},
	{"gradle ./gradlew", "$GRADLE_USER_HOME/caches|~/.gradle/caches $GRADLE_USER_HOME/daemon|~/.gradle/daemon $GRADLE_USER_HOME/native|~/.gradle/native $GRADLE_USER_HOME/notifications|~/.gradle/notifications $GRADLE_USER_HOME/workers|~/.gradle/workers $GRADLE_USER_HOME/wrapper|~/.gradle/wrapper $GRADLE_USER_HOME/.tmp|~/.gradle/.tmp", "$GRADLE_USER_HOME/kotlin-profile|~/.gradle/kotlin-profile ~/.kotlin ~/.konan ~/.android/cache ~/.android/build-cache"},
	{"mvn ./mvnw lein clojure", "~/.m2/repository ~/.m2/wrapper", "~/.gitlibs"},
	{"sbt cs scala ./build.sbt", "$COURSIER_CACHE|~/.cache/coursier ~/.ivy2/cache ~/.ivy2/local ~/.sbt/boot ~/.sbt/1.0/server ~/.sbt/1.0/zinc", "~/.cache/sbt ~/.cache/scalacli"},
	{"pip pip3 python3", "$PIP_CACHE_DIR|~/.cache/pip $HF_HUB_CACHE|$HF_HOME/hub|~/.cache/huggingface/hub $TORCH_HOME|~/.cache/torch", "~/.cache/huggingface/datasets ~/.cache/huggingface/modules ~/.cache/huggingface/assets ~/.cache/huggingface/xet ~/.triton/cache ~/.keras/datasets ~/.keras/models ~/.cache/mypy ~/.cache/ruff ~/.cache/black ~/.cache/matplotlib ~/.cache/pip-tools"},
	{"poetry", "$POETRY_CACHE_DIR|~/.cache/pypoetry", ""},
	{"pipenv", "~/.cache/pipenv ~/.local/share/virtualenvs", ""},
	{"virtualenv poetry pipenv tox hatch pre-commit", "~/.local/share/virtualenv", "~/.local/share/hatch/env ~/.cache/hatch"},
	{"pdm", "~/.cache/pdm", ""},
	{"uv ./uv.lock", "$UV_CACHE_DIR|~/.cache/uv ~/.local/share/uv", ""},
	{"pre-commit", "$PRE_COMMIT_HOME|~/.cache/pre-commit", ""},
	{"composer", "$COMPOSER_CACHE_DIR|~/.cache/composer", "~/.composer/cache"},
	{"gem bundle", "~/.local/share/gem ~/.bundle/cache", "~/.gem/specs ~/.cache/gem"},
	{"dotnet", "$NUGET_PACKAGES|~/.nuget/packages ~/.local/share/NuGet ~/.dotnet ~/.templateengine", ""},
	{"dart flutter", "$PUB_CACHE|~/.pub-cache", "~/.dartServer/.analysis-driver"},
	{"mix", "~/.hex/packages ~/.cache/rebar3", "~/.hex/cache.ets"},
	{"ccache", "$CCACHE_DIR|~/.cache/ccache", "~/.ccache"},
	{"bazel bazelisk", "~/.cache/bazel ~/.cache/bazelisk", ""},
	{"zig", "$ZIG_GLOBAL_CACHE_DIR|~/.cache/zig", ""},
	{"ghc cabal", "~/.cache/cabal", "~/.cabal/packages ~/.cabal/logs"}, // cabal moves to ~/.cabal where that exists
	{"dune", "~/.cache/dune", ""},
	{"julia", "~/.julia/compiled ~/.julia/packages ~/.julia/artifacts ~/.julia/registries ~/.julia/clones ~/.julia/logs ~/.julia/scratchspaces", ""},
	{"swift", "~/.cache/org.swift.swiftpm ~/.cache/clang/ModuleCache", ""},
	{"cpanm", "~/.cpanm", ""},
	{"conan", "~/.conan2/p", ""},
	{"vcpkg", "$VCPKG_DEFAULT_BINARY_CACHE|~/.cache/vcpkg", ""},
	{"nix", "~/.cache/nix", ""},
	{"terraform tofu", "", "$TF_PLUGIN_CACHE_DIR|~/.terraform.d/plugin-cache"},
	{"helm", "~/.cache/helm", ""},
	{"nvidia-smi", "~/.nv/ComputeCache", ""},
	{"fc-list", "~/.cache/fontconfig", ""},
}

// caches returns the caches of all tools. Where rules are about paths, they are those of the programs that are there, and others that exist.
func (p *Place) caches(r resolver) (list []string) {
	for _, t := range tools {
		paths := append(p.expandAll(t.caches), p.expandAll(t.others)...)
		if p.Mac && !p.hasOne(t.programs) {
			paths = r.existing(paths)
		}
		list = append(list, paths...)
	}
	return append(list, p.macDirs()...)
}

// installed are directories in caches with programs that the user runs.
const installed = "~/.local/share/uv/tools ~/.local/share/uv/python ~/.dotnet/tools ~/.dotnet/sdk ~/.dotnet/shared ~/.dotnet/host ~/.dotnet/dotnet ~/.pub-cache/bin ~/.pub-cache/global_packages"

// downloaded are the directories in caches with programs that tools have downloaded and run later, one for each version. Landlock allows no new files beside
// them once they are kept, so that no other version can be downloaded: the user decides whether they are. Those of npx are none, because it needs a new file beside them each time.
const downloaded = "$GOMODCACHE/golang.org/toolchain@*|$GOPATH/pkg/mod/golang.org/toolchain@*|~/go/pkg/mod/golang.org/toolchain@* " +
	"$GRADLE_USER_HOME/wrapper/dists/*/*/*|~/.gradle/wrapper/dists/*/*/* ~/.m2/wrapper/dists/*/* " +
	"$COREPACK_HOME/v1/*/*|~/.cache/node/corepack/v1/*/* ~/.cache/bazelisk/downloads/sha256/*"

// downloads returns the directories that downloaded stands for, as far as they are there.
func (p *Place) downloads() (list []string) {
	if !p.KeepsPrograms {
		return nil
	}
	for _, pattern := range p.expandAll(downloaded) {
		found, _ := filepath.Glob(pattern) // a path with a bracket may be no pattern
		for _, path := range found {
			if info, err := os.Stat(path); err == nil && info.IsDir() { // locks beside them are files
				list = append(list, path)
			}
		}
	}
	return list
}

// programs returns the paths in caches that commands may not change, because the user runs programs from them: those that are installed or downloaded, and the
// directories of the PATH, with the links that lead there, except in directories of the user's own.
func (p *Place) programs(z *zone, own, caches []string) (list, links []string) {
	for _, path := range p.expandAll(installed) {
		if z.resolve(path).exists {
			list = append(list, path)
		}
	}
	isIn := func(path string, dirs []string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return workspace.IsWithin(path, dir) })
	}
	isCache := func(path string) bool { return isIn(path, caches) && !isIn(path, own) }
	for _, path := range p.downloads() {
		if to := z.way(path); isCache(to.path) {
			list = append(list, to.path)
		}
	}
	for _, path := range filepath.SplitList(p.Env("PATH")) {
		if path = filepath.Clean(path); !filepath.IsAbs(path) {
			continue
		}
		if to := z.way(path); isCache(to.path) {
			list = append(list, to.path)
		}
		for _, link := range z.links([]string{path}) {
			if isCache(link) {
				links = append(links, link)
			}
		}
	}
	return list, links
}

// Remove removes a directory that [Place.CreateCaches] has made, unless it has files or is another one by now.
func Remove(dir string) {
	if info, err := os.Lstat(dir); err == nil && info.IsDir() && workspace.RealPath(dir) == dir {
		_ = syscall.Rmdir(dir) // it stays if it has files
	}
}

// CreateCaches creates the caches of the programs that are there. It returns the directories that were not there before, those above others first,
// and the caches that are empty.
func (p *Place) CreateCaches() (made, empty []string) {
	for _, dir := range p.Needed() {
		made = append(made, create(dir)...) // without it, the program reports an error
		if isEmpty(dir) {
			empty = append(empty, dir)
		}
	}
	return made, empty
}

// isEmpty reports whether a directory has no entries.
func isEmpty(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	return err == io.EOF
}

// create creates a directory and those above it, and returns the new ones.
func create(dir string) (made []string) {
	if _, err := os.Lstat(dir); err == nil || filepath.Dir(dir) == dir {
		return nil
	}
	made = create(filepath.Dir(dir))
	if os.Mkdir(dir, 0o755) == nil {
		made = append(made, workspace.RealPath(dir)) // a link on the way could lead elsewhere later
	}
	return made
}

// Needed returns the caches of the programs that are there. Where rules are about paths, there are none: a program can create its own.
func (p *Place) Needed() (dirs []string) {
	if p.Mac {
		return nil
	}
	for _, t := range tools {
		if !p.hasOne(t.programs) {
			continue
		}
		for name := range strings.FieldsSeq(t.caches) {
			if paths := p.expand(name); len(paths) > 0 {
				dirs = append(dirs, paths[0])
			}
		}
	}
	left := p.LeftOut(dirs)
	return slices.DeleteFunc(dirs, func(dir string) bool { return slices.Contains(left, dir) })
}

// expandAll returns the paths that names in a table stand for.
func (p *Place) expandAll(names string) (paths []string) {
	for name := range strings.FieldsSeq(names) {
		paths = append(paths, p.expand(name)...)
	}
	return paths
}

// hasOne reports whether one of these programs is on the PATH, or a file in a directory of the workspace.
func (p *Place) hasOne(programs string) bool {
	for name := range strings.FieldsSeq(programs) {
		if file, ok := strings.CutPrefix(name, "./"); ok && p.hasFile(file) || !ok && p.HasProgram(name) {
			return true
		}
	}
	return false
}

// hasFile reports whether a directory of the workspace has a file.
func (p *Place) hasFile(name string) bool {
	return slices.ContainsFunc(p.Dirs, func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}

// expand returns the paths that a name in a table stands for, the one that its program uses first.
func (p *Place) expand(name string) (paths []string) {
	for name := range strings.SplitSeq(name, "|") {
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			paths = append(paths, p.inHome(rest)...)
		} else if variable, rest, _ := strings.Cut(strings.TrimPrefix(name, "$"), "/"); p.directory(variable) != "" {
			paths = append(paths, filepath.Join(p.directory(variable), rest))
		}
	}
	return paths
}

// inHome returns the paths that a cache in the home directory has: where a variable says that caches are, and its usual one.
func (p *Place) inHome(name string) (paths []string) {
	if len(p.Homes) == 0 {
		return nil
	}
	for prefix, variable := range map[string]string{".cache/": "XDG_CACHE_HOME", ".config/": "XDG_CONFIG_HOME", ".local/share/": "XDG_DATA_HOME", ".local/state/": "XDG_STATE_HOME"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && p.directory(variable) != "" {
			paths = append(paths, filepath.Join(p.directory(variable), rest))
		}
	}
	paths = append(paths, filepath.Join(p.Homes[0], name))
	if other := macName(name); p.Mac && other != "" {
		paths = append(paths, filepath.Join(p.Homes[0], other))
	}
	return paths
}

// directory returns the directory that a variable names, "" for none. The home directory, one above it, and one without an absolute path are none.
func (p *Place) directory(variable string) string {
	dir := filepath.Clean(p.Env(variable))
	if !filepath.IsAbs(dir) || p.isAboveHome(dir) {
		return ""
	}
	return dir
}
