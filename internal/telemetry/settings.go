package telemetry

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/exit"
)

// Settings are the settings of telemetry. The zero value is off.
type Settings struct {
	Enabled bool
	// Google reports whether the target is Google Cloud, to which Pollux sends nothing
	// directly. Collector reports whether there is a collector that forwards to it.
	Google, Collector bool
	// CLIAuth requests sending with the user's own credentials, which Pollux does not support.
	CLIAuth bool
	// Outfile is the file that records are appended to; it has priority over Endpoint.
	Outfile string
	// Endpoint is the URL that records are sent to. Protocol is "grpc" or "http".
	Endpoint, Protocol string
	// LogPrompts includes prompts and responses in records, Traces also in spans and semantic
	// events.
	LogPrompts, Traces bool
	// Memory is the interval for recording memory use; 0 disables that.
	Memory time.Duration
}

// defaultEndpoint is the default address of collectors.
const defaultEndpoint = "http://localhost:4317"

// Resolve returns the effective settings. The environment has priority over files. An invalid
// value is an error with exit code 52, even if telemetry is off.
func Resolve(s *config.Settings, env *config.FolderEnv) (Settings, error) {
	var set map[string]any // package json would need longer to learn a struct than to decode
	if err := config.Telemetry.Decode(s, &set); err != nil {
		return Settings{}, invalid("%w", err)
	}
	r := reader{env: env}
	t := Settings{
		Enabled:    r.flag("ENABLED", "enabled", set["enabled"], false),
		LogPrompts: r.flag("LOG_PROMPTS", "logPrompts", set["logPrompts"], true),
		Traces:     r.flag("TRACES_ENABLED", "traces", set["traces"], false),
		Collector:  r.flag("USE_COLLECTOR", "useCollector", set["useCollector"], false),
		CLIAuth:    r.flag("USE_CLI_AUTH", "useCliAuth", set["useCliAuth"], false),
		Outfile:    r.text("outfile", set["outfile"], "", prefix+"OUTFILE"),
		Protocol:   cmp.Or(r.text("otlpProtocol", set["otlpProtocol"], "", prefix+"OTLP_PROTOCOL"), "grpc"),
		Memory:     interval(env.Get("GEMINI_MEMORY_MONITOR_INTERVAL")),
	}
	t.Endpoint = r.text("otlpEndpoint", set["otlpEndpoint"], defaultEndpoint, prefix+"OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
	target := cmp.Or(r.text("target", set["target"], "", prefix+"TARGET"), "local") // an empty variable, common in CI, means the default
	t.Google = target == "gcp"
	switch {
	case r.err != nil:
		return Settings{}, r.err
	case target != "local" && target != "gcp":
		return Settings{}, invalid("Invalid telemetry target: %s. Valid values are: local, gcp.", target)
	case t.Protocol != "grpc" && t.Protocol != "http":
		return Settings{}, invalid("Invalid telemetry OTLP protocol: %s. Valid values are: grpc, http.", t.Protocol)
	}
	endpoint, err := address(t.Endpoint, t.Protocol)
	if err != nil && t.Enabled && t.Outfile == "" {
		return Settings{}, invalid("%w", err)
	}
	t.Endpoint = endpoint
	return t, nil
}

// DisabledReason returns the reason why nothing can be written although telemetry is enabled, "" if
// it can.
func (s *Settings) DisabledReason() string {
	switch {
	case s.CLIAuth && s.Collector:
		return "set either telemetry.useCollector or telemetry.useCliAuth, not both."
	case s.CLIAuth:
		return "Pollux does not support telemetry.useCliAuth. Unset it, and set telemetry.outfile or telemetry.otlpEndpoint."
	case s.Outfile != "":
		return ""
	case s.Google && !s.Collector:
		return "Pollux cannot send telemetry to Google Cloud directly. Set telemetry.outfile, or telemetry.useCollector and an OTLP endpoint."
	case s.Endpoint == "":
		return "set telemetry.outfile or telemetry.otlpEndpoint."
	}
	return ""
}

// prefix is the prefix of the variables' names.
const prefix = "GEMINI_TELEMETRY_"

func invalid(format string, args ...any) error {
	return exit.Errorf(exit.Config, "Invalid telemetry configuration: "+format, args...)
}

// reader reads single values. err is the first error.
type reader struct {
	env *config.FolderEnv
	err error
}

// flag reads a switch. A variable is true if it is "true" or "1", and false otherwise.
func (r *reader) flag(variable, field string, set any, otherwise bool) bool {
	if v, ok := r.env.Lookup(prefix + variable); ok {
		return v == "true" || v == "1"
	}
	switch v := set.(type) {
	case nil:
		return otherwise
	case bool:
		return v
	case string: // from an expanded variable
		if b, err := strconv.ParseBool(v); err == nil {
			return b
		}
	}
	r.wrong(field, "true or false")
	return false
}

// text reads a text from the first variable that is set, or from the file.
func (r *reader) text(field string, set any, otherwise string, variables ...string) string {
	for _, name := range variables {
		if v, ok := r.env.Lookup(name); ok {
			return strings.TrimSpace(v)
		}
	}
	switch v := set.(type) {
	case nil:
		return otherwise
	case string:
		return v
	}
	r.wrong(field, "a string")
	return ""
}

func (r *reader) wrong(field, kind string) {
	if r.err == nil {
		r.err = invalid("telemetry.%s must be %s.", field, kind)
	}
}

// address returns the URL to send records to: the origin for gRPC, the part before /v1/logs
// for HTTP. It returns "" for "".
func address(text, protocol string) (string, error) {
	text = strings.Trim(text, `"' `)
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("telemetry.otlpEndpoint must be a URL that begins with http:// or https://, such as %s", defaultEndpoint)
	}
	u.RawQuery, u.Fragment = "", ""
	if protocol == "grpc" {
		u.Path = ""
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}

// interval parses a number of milliseconds. It returns 0 for an invalid one.
func interval(text string) time.Duration {
	const least = 10 * time.Millisecond // measuring more often costs too much
	ms, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || ms <= 0 {
		return 0
	}
	return max(time.Duration(min(ms, 1<<31))*time.Millisecond, least)
}
