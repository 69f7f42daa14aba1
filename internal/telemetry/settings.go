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

// Settings say whether telemetry is written, of what, and to where
// (spec/cli.md §9.2). The zero value is off.
type Settings struct {
	Enabled bool
	// Google says that the target is Google Cloud, to which Pollux sends nothing,
	// and Collector that a collector on the way there takes OTLP.
	Google, Collector bool
	// CLIAuth asks to send with the user's own credentials.
	CLIAuth bool
	// Outfile is the file that records are appended to; it wins over the endpoint.
	Outfile string
	// Endpoint is where records are sent, by Protocol: "grpc" or "http".
	Endpoint, Protocol string
	// LogPrompts says that records hold what was asked and answered, Traces that
	// spans and semantic events do too, with all that goes along.
	LogPrompts, Traces bool
	// Memory is how often memory is measured; 0 is never.
	Memory time.Duration
}

// defaultEndpoint is where collectors listen.
const defaultEndpoint = "http://localhost:4317"

// Resolve returns what the settings come to; the environment wins over the
// files. A value that cannot be is an error with exit code 52, also where
// telemetry is off.
func Resolve(s *config.Settings, env *config.Env) (Settings, error) {
	var set struct {
		Enabled, LogPrompts, Traces, UseCollector, UseCLIAuth any
		Target, OTLPEndpoint, OTLPProtocol, Outfile           any
	}
	if err := config.Telemetry.Decode(s, &set); err != nil {
		return Settings{}, invalid("%w", err)
	}
	r := reader{env: env}
	t := Settings{
		Enabled:    r.flag("ENABLED", "enabled", set.Enabled, false),
		LogPrompts: r.flag("LOG_PROMPTS", "logPrompts", set.LogPrompts, true),
		Traces:     r.flag("TRACES_ENABLED", "traces", set.Traces, false),
		Collector:  r.flag("USE_COLLECTOR", "useCollector", set.UseCollector, false),
		CLIAuth:    r.flag("USE_CLI_AUTH", "useCliAuth", set.UseCLIAuth, false),
		Outfile:    r.text("outfile", set.Outfile, "", prefix+"OUTFILE"),
		Protocol:   cmp.Or(r.text("otlpProtocol", set.OTLPProtocol, "", prefix+"OTLP_PROTOCOL"), "grpc"),
		Memory:     interval(env.Get("GEMINI_MEMORY_MONITOR_INTERVAL")),
	}
	t.Endpoint = r.text("otlpEndpoint", set.OTLPEndpoint, defaultEndpoint, prefix+"OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
	target := cmp.Or(r.text("target", set.Target, "", prefix+"TARGET"), "local") // an empty variable, as CI leaves it, says nothing
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

// Nowhere says why nothing is written though telemetry is on, "" if it is.
func (s *Settings) Nowhere() string {
	switch {
	case s.CLIAuth && s.Collector:
		return "telemetry.useCollector and telemetry.useCliAuth exclude each other."
	case s.CLIAuth:
		return "telemetry.useCliAuth sends with a login with Google, which Pollux does not have. Unset it, and name telemetry.outfile or telemetry.otlpEndpoint."
	case s.Outfile != "":
		return ""
	case s.Google && !s.Collector:
		return "Pollux sends nothing to Google Cloud by itself. Set telemetry.outfile, or telemetry.useCollector and an OTLP endpoint."
	case s.Endpoint == "":
		return "there is neither telemetry.outfile nor telemetry.otlpEndpoint."
	}
	return ""
}

// prefix begins the names of the variables.
const prefix = "GEMINI_TELEMETRY_"

func invalid(format string, args ...any) error {
	return exit.Errorf(exit.Config, "Invalid telemetry configuration: "+format, args...)
}

// reader reads single values; err is the first that cannot be.
type reader struct {
	env *config.Env
	err error
}

// flag reads a switch. A variable is on by "true" or "1" and off by all else.
func (r *reader) flag(variable, field string, set any, otherwise bool) bool {
	if v, ok := r.env.Lookup(prefix + variable); ok {
		return v == "true" || v == "1"
	}
	switch v := set.(type) {
	case nil:
		return otherwise
	case bool:
		return v
	case string: // of a variable that the file names
		if b, err := strconv.ParseBool(v); err == nil {
			return b
		}
	}
	r.wrong(field, "true or false")
	return false
}

// text reads a text: of the first of these variables that is set, else of the file.
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

// address returns the URL that records go to: of gRPC the origin, of HTTP what is
// before /v1/logs and its kin. "" stays "".
func address(text, protocol string) (string, error) {
	text = strings.Trim(text, `"' `)
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("telemetry.otlpEndpoint must be an address that begins with http:// or https://, such as %s", defaultEndpoint)
	}
	u.RawQuery, u.Fragment = "", ""
	if protocol == "grpc" {
		u.Path = ""
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}

// interval reads a number of milliseconds; 0 is what is none.
func interval(text string) time.Duration {
	const least = 10 * time.Millisecond // what measuring costs is not worth more
	ms, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || ms <= 0 {
		return 0
	}
	return max(time.Duration(min(ms, 1<<31))*time.Millisecond, least)
}
