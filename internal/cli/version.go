package cli

import (
	"runtime"
	"strings"

	"pollux/internal/config"
)

// built is the version of this source; a release says its own:
// go build -ldflags "-X pollux/internal/cli.built=1.2.3".
var built = "0.1.0"

// version returns the version of the program.
func version(env *config.Env) string {
	if v := env.Get("CLI_VERSION"); v != "" {
		return v
	}
	return built
}

// userAgent returns what requests say of their sender, in the layout that
// gateways know from Gemini CLI (spec/agent.md §2). "{model}" stands for the
// model's name.
func userAgent(version func() string, env *config.Env) string {
	surface := env.First("GEMINI_CLI_SURFACE", "SURFACE")
	if surface == "" {
		surface = "terminal"
		if env.Get("GITHUB_SHA") != "" {
			surface = "GitHub"
		}
	}
	platform := strings.Replace(runtime.GOOS, "windows", "win32", 1)
	arch := strings.NewReplacer("amd64", "x64", "386", "ia32").Replace(runtime.GOARCH)
	return "Pollux/" + version() + "/{model} (" + platform + "; " + arch + "; " + surface + ")"
}
