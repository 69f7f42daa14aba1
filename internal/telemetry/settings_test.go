package telemetry

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/config"
	"pollux/internal/exit"
)

// resolve does so for a user's settings file and environment.
func resolve(t *testing.T, file string, vars ...string) (Settings, error) {
	t.Helper()
	home := t.TempDir()
	env := config.NewEnv(append(vars, "HOME="+home)...)
	paths := config.NewPaths(env, filepath.Join(home, "work"))
	if err := os.MkdirAll(paths.GeminiDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(paths.UserSettings(), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	settings, _, err := config.Load(config.Sources{
		Paths: paths, Env: env,
		Trusted: func(*config.Settings) (bool, error) { return true, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return Resolve(settings, config.NewFolderEnv(env))
}

func TestResolve(t *testing.T) {
	t.Parallel()
	def := Settings{Endpoint: "http://localhost:4317", Protocol: "grpc", LogPrompts: true}
	with := func(change func(*Settings)) Settings {
		s := def
		change(&s)
		return s
	}
	for _, tt := range []struct {
		name, file string
		vars       []string
		want       Settings
	}{
		{"nothing", `{}`, nil, def},
		{"a boolean", `{"telemetry": true}`, nil, with(func(s *Settings) { s.Enabled = true })},
		{
			"all of it", `{"telemetry": {"enabled": true, "target": "gcp", "otlpEndpoint": "http://c:1/x/", "otlpProtocol": "http",
				"logPrompts": false, "traces": true, "outfile": "t.log", "useCollector": true, "useCliAuth": true}}`, nil,
			Settings{
				Enabled: true, Google: true, Collector: true, CLIAuth: true, Outfile: "t.log",
				Endpoint: "http://c:1/x", Protocol: "http", Traces: true,
			},
		},
		{
			"variables win", `{"telemetry": {"enabled": true, "target": "gcp", "outfile": "a", "logPrompts": true}}`,
			[]string{
				"GEMINI_TELEMETRY_ENABLED=no", "GEMINI_TELEMETRY_TARGET=local", "GEMINI_TELEMETRY_OUTFILE=b", "GEMINI_TELEMETRY_LOG_PROMPTS=0",
				"GEMINI_TELEMETRY_TRACES_ENABLED=1", "GEMINI_TELEMETRY_OTLP_PROTOCOL=http", "GEMINI_TELEMETRY_USE_COLLECTOR=true", "GEMINI_TELEMETRY_USE_CLI_AUTH=true",
			},
			with(func(s *Settings) {
				s.Outfile, s.LogPrompts, s.Traces, s.Protocol, s.Collector, s.CLIAuth = "b", false, true, "http", true, true
			}),
		},
		{"a variable that is empty is off", `{"telemetry": true}`, []string{"GEMINI_TELEMETRY_ENABLED="}, def},
		{"an empty target and protocol", `{}`, []string{"GEMINI_TELEMETRY_TARGET=", "GEMINI_TELEMETRY_OTLP_PROTOCOL="}, def},
		{"another's endpoint", `{"telemetry": {"otlpEndpoint": "http://a"}}`, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://b/path"}, with(func(s *Settings) { s.Endpoint = "http://b" })},
		{
			"the own endpoint before it", `{}`,
			[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://b", "GEMINI_TELEMETRY_OTLP_ENDPOINT='https://c:4317'"},
			with(func(s *Settings) { s.Endpoint = "https://c:4317" }),
		},
		{"no endpoint", `{"telemetry": {"enabled": true, "otlpEndpoint": ""}}`, nil, with(func(s *Settings) { s.Enabled, s.Endpoint = true, "" })},
		{"a variable in the file", `{"telemetry": {"enabled": "$ON"}}`, []string{"ON=true"}, with(func(s *Settings) { s.Enabled = true })},
		{"memory", `{}`, []string{"GEMINI_MEMORY_MONITOR_INTERVAL=250"}, with(func(s *Settings) { s.Memory = 250 * time.Millisecond })},
		{"memory, too often", `{}`, []string{"GEMINI_MEMORY_MONITOR_INTERVAL=1"}, with(func(s *Settings) { s.Memory = 10 * time.Millisecond })},
		{"memory, nonsense", `{}`, []string{"GEMINI_MEMORY_MONITOR_INTERVAL=often"}, def},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := resolve(t, tt.file, tt.vars...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file string
		vars []string
		want string
	}{
		{`{"telemetry": {"target": "cloud"}}`, nil, "Invalid telemetry configuration: Invalid telemetry target: cloud. Valid values are: local, gcp."},
		{`{}`, []string{"GEMINI_TELEMETRY_TARGET=GCP"}, "Invalid telemetry configuration: Invalid telemetry target: GCP. Valid values are: local, gcp."},
		{`{"telemetry": {"otlpProtocol": "udp"}}`, nil, "Invalid telemetry configuration: Invalid telemetry OTLP protocol: udp. Valid values are: grpc, http."},
		{`{"telemetry": {"enabled": "perhaps"}}`, nil, "Invalid telemetry configuration: telemetry.enabled must be true or false."},
		{`{"telemetry": {"outfile": 7}}`, nil, "Invalid telemetry configuration: telemetry.outfile must be a string."},
		{`{"telemetry": {"enabled": true, "otlpEndpoint": "localhost:4317"}}`, nil, "Invalid telemetry configuration: telemetry.otlpEndpoint must be a URL that begins with http:// or https://, such as http://localhost:4317"},
	} {
		_, err := resolve(t, tt.file, tt.vars...)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || exit.CodeOf(err) != exit.Config {
			t.Errorf("%s %v: %v (%d), want %q", tt.file, tt.vars, err, exit.CodeOf(err), tt.want)
		}
	}
}
