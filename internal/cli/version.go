package cli

import (
	"runtime"
	"runtime/debug"
	"strings"

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
