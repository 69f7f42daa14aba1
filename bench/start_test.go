package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/internal/config"
	"pollux/internal/guard/trust"
)

// BenchmarkStart measures the time from the start of the program to its first request, once with
// only a key, and once with everything that a start may read: a full settings file on each of
// the four layers, .env files, and a tree with 200 memory files, of which ten apply, by a person
// who has accepted the folder. The two alternate; the figures are medians.
//
// The system layers are only included if the tests run as root, which must own them.
func BenchmarkStart(b *testing.B) {
	program := pollux(b)
	url, asked := answering(b)
	var costs [2]struct{ wall, cpu []float64 }
	starts := [2]start{bare(b, url), full(b, url)}
	starts[1].accept(b, program, asked)
	for range 3 { // warm up the file cache
		for _, s := range starts {
			s.run(b, program, asked)
		}
	}
	b.ResetTimer()
	for b.Loop() {
		for i, s := range starts {
			wall, cpu := s.run(b, program, asked)
			costs[i].wall, costs[i].cpu = append(costs[i].wall, wall), append(costs[i].cpu, cpu)
		}
	}
	for i, name := range []string{"bare", "full"} {
		b.ReportMetric(median(costs[i].wall), name+"-ms")
		b.ReportMetric(median(costs[i].cpu), name+"-cpu-ms")
	}
	b.ReportMetric(median(costs[1].wall)-median(costs[0].wall), "more-ms")
}

// answering returns the address of a model that answers all requests, and the time of each start's first one.
func answering(b *testing.B) (url string, asked chan time.Time) {
	b.Helper()
	asked = make(chan time.Time, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- time.Now():
		default: // only the first request counts
		}
		_, _ = io.Copy(io.Discard, r.Body) // an error means that the client has closed the connection
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, said("gemini", 1, false))
	}))
	b.Cleanup(server.Close)
	return server.URL, asked
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// start is the directory and environment of a start.
type start struct {
	dir string
	env []string
}

// run returns the time to the first request, and the CPU time of the whole run, in milliseconds.
func (s start) run(b *testing.B, program string, asked chan time.Time) (wall, cpu float64) {
	b.Helper()
	cmd := exec.Command(program, "-p", "hi")
	cmd.Dir, cmd.Env = s.dir, s.env
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "Done.\n" {
		b.Fatalf("%v: %s", err, out)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return float64((<-asked).Sub(began)) / 1e6, float64(used) / 1e6
}

// accept is the first start by a person who has trusted the folder in Gemini CLI. From then on, Pollux knows that they
// have seen what its settings and its .env file do.
func (s start) accept(b *testing.B, program string, asked chan time.Time) {
	b.Helper()
	cmd := exec.Command(program, "-p", "hi")
	cmd.Dir, cmd.Env = s.dir, s.env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "This folder was trusted before") {
		b.Fatalf("the first start: %v: %s", err, out)
	}
	<-asked
}

// bare returns a start in an empty project, without settings.
func bare(b *testing.B, url string) start {
	home, dir := b.TempDir(), b.TempDir()
	return start{dir, append(variables(home, url),
		"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_API_KEY=key", "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+filepath.Join(home, "none", "settings.json"))}
}

func variables(home, url string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8",
		"GEMINI_MODEL=gemini-2.5-flash", "GOOGLE_GEMINI_BASE_URL=" + url,
	}
}

func full(b *testing.B, url string) start {
	home, root := b.TempDir(), b.TempDir()
	system := filepath.Join(home, "system")
	if os.Getuid() == 0 {
		// Only root may be able to write to root's home directory and its parents.
		own, err := os.UserHomeDir()
		if err != nil {
			b.Fatal(err)
		}
		if system, err = os.MkdirTemp(own, ".pollux-bench-"); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = os.RemoveAll(system) })
		if reason := config.OwnershipProblem(system); reason != "" {
			b.Logf("without the system's settings: %s", reason)
			system = filepath.Join(home, "none")
		}
	} else {
		b.Log("without the system's settings: they have to be root's")
		system = filepath.Join(home, "none")
	}
	settings := everything(b, func(string) bool { return true })
	files := map[string]string{filepath.Join(home, ".gemini", "settings.json"): settings}
	if filepath.Base(system) != "none" {
		files[filepath.Join(system, "settings.json")] = settings
		files[filepath.Join(system, "system-defaults.json")] = settings
	}
	// The program runs ten directories below the root of a repository.
	dir := root
	files[filepath.Join(root, ".git", "HEAD")] = "ref: refs/heads/main\n"
	for i := range 10 {
		files[filepath.Join(dir, "GEMINI.md")] = memory(i) + "\n@./style.md\n"
		files[filepath.Join(dir, "style.md")] = memory(i)
		if i < 9 {
			dir = filepath.Join(dir, fmt.Sprintf("level%d", i))
		}
	}
	for i := range 190 {
		files[filepath.Join(dir, fmt.Sprintf("part%02d", i/10), fmt.Sprintf("piece%d", i%10), "GEMINI.md")] = memory(i)
	}
	files[filepath.Join(home, ".gemini", "GEMINI.md")] = memory(0)
	files[filepath.Join(dir, ".gemini", "settings.json")] = everything(b, isOfProjects)
	var env strings.Builder
	for i := range 100 {
		fmt.Fprintf(&env, "# number %d\nexport SETTING_%d=\"value %d\"\n", i, i, i)
	}
	env.WriteString("GEMINI_API_KEY=key\n")
	files[filepath.Join(dir, ".gemini", ".env")] = env.String()
	files[filepath.Join(home, ".gemini", ".env")] = env.String()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	if err := trust.Set(filepath.Join(home, ".gemini", "trustedFolders.json"), dir, trust.TrustFolder); err != nil {
		b.Fatal(err)
	}
	return start{dir, append(variables(home, url), "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+filepath.Join(system, "settings.json"))}
}

func memory(i int) string {
	return fmt.Sprintf("# Rules of part %d\n\n%s", i, strings.Repeat("- Write what is needed, and write it once; see `docs/style.md`.\n", 30))
}

// isOfProjects reports whether a project may set a key. Pollux warns of a project that sets another.
func isOfProjects(path string) bool {
	key, err := config.Find(path)
	return err == nil && (key.Effect.Guard == nil || key.Effect.Guard(key.Default, key.Default) != nil)
}

// everything returns a settings file with every key of the schema that has a property, and a comment for each group.
// The values are the defaults, so that they have no effect.
func everything(b *testing.B, has func(path string) bool) string {
	text, err := os.ReadFile(filepath.Join("..", "schemas", "settings.schema.json"))
	if err != nil {
		b.Fatal(err)
	}
	type schema struct {
		Description string
		Default     json.RawMessage
		Properties  map[string]*schema
	}
	var root schema
	if err := json.Unmarshal(text, &root); err != nil {
		b.Fatal(err)
	}
	n := 0
	var value func(s *schema, path string) string
	value = func(s *schema, path string) string {
		var fields []string
		for name, p := range s.Properties {
			switch v := ""; {
			case len(p.Properties) > 0:
				if v = value(p, path+name+"."); v != "{}" {
					fields = append(fields, fmt.Sprintf("// %s\n%q: %s", p.Description, name, v))
				}
			case len(p.Default) > 0 && string(p.Default) != "null" && has(path+name):
				n++
				fields = append(fields, fmt.Sprintf("%q: %s", name, p.Default))
			}
		}
		if len(fields) == 0 {
			return "{}"
		}
		slices.Sort(fields)
		return "{\n" + strings.Join(fields, ",\n") + "\n}"
	}
	all := value(&root, "")
	if n < 150 {
		b.Fatalf("a full settings file has %d keys: is the schema read rightly?", n)
	}
	return all
}
