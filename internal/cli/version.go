package cli

import (
	"runtime/debug"

	"pollux/internal/config"
)

// built is the version that a release is built with:
// go build -ldflags "-X pollux/internal/cli.built=1.2.3".
var built string

// version returns the version of the program: CLI_VERSION, else what it was
// built as, else that of the module.
func version(env *config.Env) string {
	if v := env.First("CLI_VERSION"); v != "" {
		return v
	}
	if built != "" {
		return built
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "unknown"
}
