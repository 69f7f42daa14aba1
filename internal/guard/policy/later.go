package policy

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pollux/internal/workspace"
)

// laterFiles is the name of the built-in rules for files that auto_edit asks about.
const laterFiles = "files that run or decide later"

// runsLater reports whether the call names a file that other programs run, or that decides which programs they run,
// long after the call, and that the user does not name then: settings of Pollux, git, editors and CI, hooks with
// their scripts, files that shells read when they start. Links are followed. Source code, tests and their
// configuration are not such files.
func (q *query) runsLater() bool {
	names := q.Paths
	if path := q.text("file_path"); path != "" {
		if !filepath.IsAbs(path) {
			path = filepath.Join(q.root, path)
		}
		names = append(slices.Clip(names), path, workspace.RealPath(path))
	}
	return slices.ContainsFunc(names, func(path string) bool {
		if q.runs != nil && q.runs(path) {
			return true
		}
		if below, err := filepath.Rel(q.root, path); err == nil && filepath.IsLocal(below) {
			path = below // directories above the project do not matter
		}
		return isLaterFile(path)
	})
}

// RunsLater reports whether a call names a file that other programs run, or that decides which
// programs they run, long after the call.
func (e *Engine) RunsLater(c Call) bool { return e.decider(c).q.runsLater() }

// isLaterFile reports whether a file, below the project if it is relative, is such a file.
func isLaterFile(file string) bool {
	names := strings.Split(filepath.ToSlash(filepath.Clean(file)), "/")
	for i := range names {
		names[i] = segment(names[i])
	}
	for i, name := range names {
		if name == ".gemini" && !isNote(names[i+1:]) {
			return true
		}
		matches := func(pattern []string) bool { return hasSegments(names[i:], pattern) }
		if name != "" && slices.ContainsFunc(laterPatterns()[name[0]], matches) || slices.ContainsFunc(laterPatterns()['*'], matches) {
			return true
		}
	}
	return false
}

// hasSegments reports whether the first segments of a path match those of a pattern.
func hasSegments(names, pattern []string) bool {
	if len(names) < len(pattern) {
		return false
	}
	for i, p := range pattern {
		if ok, _ := path.Match(p, names[i]); !ok { // a bad pattern matches nothing
			return false
		}
	}
	return true
}

// isNote reports whether a path below .gemini is text for the model: the project's context file,
// or a plan.
func isNote(below []string) bool {
	if len(below) == 1 {
		return below[0] == "gemini.md"
	}
	return len(below) > 1 && below[len(below)-2] == "plans" && filepath.Ext(below[len(below)-1]) == ".md"
}

// laterPatterns are the names, in lower case, of such files and of directories with them, split
// into segments, by their first character. They match anywhere in a path.
var laterPatterns = sync.OnceValue(func() map[byte][][]string {
	return splitPatterns(
		// Version control: hooks, filters, servers and their programs.
		".git* .hg .hgrc .jj .svn",
		// Managers of git hooks.
		".husky* husky.config.* .lefthook* lefthook.* lefthook-local.* .lintstagedrc* lint-staged.config.* .simple-git-hooks.* simple-git-hooks.*",
		".overcommit.yml .pre-commit-*.y*ml prek.toml .commitlintrc* commitlint.config.* captainhook.json grumphp.y*ml hk.pkl",
		// CI and deployment.
		".circleci .buildkite .travis.y*ml azure-pipelines*.y*ml .azure-pipelines bitbucket-pipelines.y*ml jenkinsfile* .drone.* .woodpecker*",
		"appveyor.y*ml .appveyor.y*ml .cirrus.* .semaphore .forgejo .teamcity .tekton .build.y*ml .builds .zuul.* zuul.y*ml zuul.d",
		"cloudbuild.y*ml buildspec.y*ml codemagic.y*ml bitrise.y*ml netlify.toml vercel.json .readthedocs.y*ml .renovaterc* renovate.json*",
		// Package managers and builds: code and addresses that each install or build uses.
		".npmrc .yarn .yarnrc* .pnp.* .pnpmfile.* pnpm-workspace.yaml bunfig.toml binding.gyp .cargo/config* build.rs .bundle gemfile composer.json",
		".mvn gradle.properties gradle/wrapper init.gradle* .gradle directory.build.* nuget.config pip.conf .pypirc .condarc flake.nix shell.nix",
		// Interpreters and debuggers: files that they load when they start, or when they start here.
		"sitecustomize.py usercustomize.py *.pth .pythonrc* .pdbrc* .ipython .jupyter .irbrc .pryrc .byebugrc .rprofile .renviron .ghci .iex.exs .ocamlinit",
		".gdbinit .gdbearlyinit .lldbinit .psqlrc .sqliterc",
		// Environments of directories.
		".env* .direnv .autoenv* mise.toml mise.*.toml .mise* .rtx.toml .tool-versions devenv.* .devenv* .devcontainer .devcontainer.json vagrantfile .replit",
		// Editors: tasks, plugins, programs that they run.
		".vscode *.code-workspace .idea .ideavimrc .zed .fleet .vs *.sublime-project .helix .bsp .luarc.json* .ycm_extra_conf.py .pylintrc pylintrc",
		".vim .vimrc .gvimrc .lvimrc .local.vimrc .exrc .nvim .nvimrc .nvim.lua .lazy.lua .vimspector.json .emacs* .dir-locals*.el .nanorc",
		// Other agents: their settings, hooks, servers, skills and plugins, which they or Pollux read in this directory. Plain
		// instructions at its top, such as AGENTS.md, are not among them.
		".mcp.json .agents .agent _agents _agent .antigravity* .gemini-plugin .qwen .claude .claude.json .claude-plugin .cursor* .codex .codex-plugin",
		".windsurf* .devin .opencode .opencode.json* opencode.json* .crush .crush.json crush.json .amp .aider* .continue* .roo* .cline* .kilo* .rules .copilot",
		".kiro .amazonq .goose* .trae .junie .augment* .factory .openhands .mcpb gemini-extension.json qwen-extension.json hooks/hooks.json mcp_config.json",
		// Files that hide others from the tools of Pollux.
		".geminiignore .aiexclude",
		// Shells, terminals and desktops.
		".profile .bashrc .bash_* .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .oh-my-zsh",
		".tmux* .screenrc .xprofile .xsession* .xinitrc .config .local",
		// Clients: programs that they run for connections and secrets.
		".ssh .aws .kube .docker .netrc .curlrc .wgetrc ansible.cfg .ansible.cfg .terraformrc .actrc",
	)
})

// splitPatterns splits lines of patterns into patterns, and these into segments. It returns them
// by their first character.
func splitPatterns(lines ...string) map[byte][][]string {
	patterns := map[byte][][]string{}
	for _, line := range lines {
		for _, p := range strings.Fields(line) {
			patterns[p[0]] = append(patterns[p[0]], strings.Split(p, "/"))
		}
	}
	return patterns
}
