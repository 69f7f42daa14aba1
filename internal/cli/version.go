package cli

import (
	"pollux/internal/config"
)

// built is the version of the program. Release builds set it with
// go build -ldflags "-X pollux/internal/cli.built=1.2.3".
var built = "0.1.0"

// version returns CLI_VERSION from env, or [built] if it is not set.
func version(env *config.Env) string {
	if v := env.Get("CLI_VERSION"); v != "" {
		return v
	}
	return built
}
