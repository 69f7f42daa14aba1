//go:build unix

package gemini

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pollux/acceptance/npm"
	"pollux/internal/process/processtest"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
)

// agentTalk is what the client in testdata/a2asdk prints of its talk with the server.
const agentTalk = `task submitted
state-change working
tool-call-update scheduled
tool-call-confirmation awaiting_approval
state-change input-required final
state-change working
tool-call-update scheduled
tool-call-update executing
tool-call-update success
text-content Done.
state-change input-required final
get input-required 1
send input-required More.
resubscribe task
cancel canceled
again -32002
none -32001
`

// TestAgentWithSDK lets a client that is made with the official SDK of the protocol, for JavaScript, talk with "pollux a2a-server".
func TestAgentWithSDK(t *testing.T) {
	t.Parallel()
	if os.Getenv(compareVariable) == "" || raced {
		t.Skipf("NOT TESTED WITH THE A2A SDK: set %s=1, or run make compare (needs Node.js and npm)", compareVariable)
	}
	lock := filepath.Join("testdata", "a2asdk")
	sdk, err := npm.Install(lock, "a2asdk")
	if errors.Is(err, npm.ErrChecksum) {
		t.Fatal(err)
	}
	if err != nil {
		t.Skipf("NOT TESTED WITH THE A2A SDK: %v", err)
	}
	client, err := os.ReadFile(filepath.Join(lock, "client.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(sdk, "client.mjs") // beside the packages that it imports
	if err := os.WriteFile(main, client, 0o600); err != nil {
		t.Fatal(err)
	}
	model := scripttest.Serve(t, `
turn
  call run_shell_command {"command": "touch made"}
turn
  text Done.
turn
  text More.
`, scriptmodel.Options{})
	home := t.TempDir()
	server := exec.Command(processtest.Build(t), "a2a-server")
	server.Dir = home
	server.Env = processtest.Environ(
		"HOME="+home, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_FORCE_FILE_STORAGE=true", "GEMINI_SANDBOX=false",
		"GEMINI_API_KEY=test-key", "GEMINI_MODEL=gemini-2.5-flash", "GOOGLE_GEMINI_BASE_URL="+model.URL(),
	)
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = server.Process.Kill(), server.Wait() }()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	talk, err := exec.Command("node", main, strings.TrimSpace(url)).CombinedOutput()
	if got := string(talk); err != nil || got != agentTalk {
		t.Errorf("%v, the client prints\n%s\nwant\n%s", err, got, agentTalk)
	}
	if _, err := os.Stat(filepath.Join(home, "made")); err != nil {
		t.Error(err)
	}
}
