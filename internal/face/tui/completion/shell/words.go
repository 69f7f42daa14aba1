package shell

// builtins are the commands of bash itself that are useful in a single command line.
var builtins = []string{
	"alias", "bg", "builtin", "cd", "command", "declare", "dirs", "echo", "enable", "eval", "exec", "exit", "export", "false",
	"fg", "getopts", "hash", "help", "jobs", "kill", "let", "local", "mapfile", "popd", "printf", "pushd", "pwd", "read",
	"readarray", "readonly", "return", "set", "shift", "shopt", "source", "test", "time", "times", "trap", "true", "type",
	"ulimit", "umask", "unalias", "unset", "wait",
}

// gitWords are the subcommands of git that people type.
var gitWords = []string{
	"add", "am", "apply", "archive", "bisect", "blame", "branch", "bundle", "checkout", "cherry-pick", "clean", "clone",
	"commit", "config", "describe", "diff", "difftool", "fetch", "format-patch", "gc", "grep", "help", "init", "log",
	"ls-files", "merge", "mergetool", "mv", "notes", "pull", "push", "range-diff", "rebase", "reflog", "remote", "reset",
	"restore", "revert", "rev-parse", "rm", "shortlog", "show", "show-branch", "sparse-checkout", "stash", "status",
	"submodule", "switch", "tag", "worktree",
}

// branchWords are the subcommands of git whose arguments are branches.
var branchWords = []string{
	"branch", "checkout", "cherry-pick", "diff", "log", "merge", "push", "pull", "range-diff", "rebase", "reset", "revert", "show", "switch",
}

// npmWords are the subcommands of npm that people type.
var npmWords = []string{
	"access", "audit", "bin", "bugs", "cache", "ci", "config", "dedupe", "deprecate", "diff", "dist-tag", "docs", "doctor",
	"exec", "explain", "explore", "find-dupes", "fund", "help", "init", "install", "install-ci-test", "install-test", "link",
	"login", "logout", "ls", "org", "outdated", "owner", "pack", "ping", "pkg", "prefix", "profile", "prune", "publish",
	"query", "rebuild", "repo", "restart", "root", "run", "run-script", "search", "shrinkwrap", "start", "stop", "test",
	"token", "uninstall", "unpublish", "unstar", "update", "version", "view", "whoami",
}
