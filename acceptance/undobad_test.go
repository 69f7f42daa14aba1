package acceptance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
)

// badUndo are the inputs and events that must not harm undo, by name, and the tests that play them: scripts by their path here, and
// tests by their directory and name. A test that a machine cannot play is skipped there, and says why. missing is the reason for a row
// without a test.
var badUndo = []struct {
	name     string
	playedBy []string
	missing  string
}{
	{name: "a workspace that is /", playedBy: []string{"undo_root"}},
	{name: "a workspace that is the home directory", playedBy: []string{"undo_home", "internal/undo TestLeft"}},
	{name: "a workspace on a network mount", playedBy: []string{"internal/undo TestNetworkMount", "internal/undo TestWatchLimit"}}, // without watches
	{name: "a workspace that is read-only", playedBy: []string{"internal/undo TestWorkspaceOnTmpfs"}},
	{name: "a case-insensitive workspace", playedBy: []string{"internal/undo TestCaseInsensitive"}},
	{name: "a workspace on tmpfs", playedBy: []string{"internal/undo TestWorkspaceOnTmpfs"}},
	{name: "another file system mounted in the workspace", playedBy: []string{"internal/undo TestMounted"}},
	{name: "a million files", playedBy: []string{"internal/undo TestLeft"}},
	{name: "a file that grows while it is captured", playedBy: []string{"internal/undo TestChangesWhileRead"}},
	{name: "a directory that is deleted while it is captured", playedBy: []string{"internal/undo TestChangesWhileRead"}},
	{name: "FIFOs, sockets and devices", playedBy: []string{"internal/undo TestSpecial", "internal/undo/revert TestObstacles"}},
	{name: "sparse files", playedBy: []string{"internal/undo TestSparse"}},
	{name: "hard links", playedBy: []string{"internal/undo TestHardLinks", "internal/undo/revert TestLinked"}},
	{name: "immutable files", playedBy: []string{"internal/undo TestImmutable", "internal/undo/revert TestImmutable"}},
	{name: "watch limits", playedBy: []string{"internal/undo TestWatchLimit"}},
	{name: "an overflowed watch queue", playedBy: []string{"internal/undo TestLost", "internal/undo/watch TestOverflow"}},
	{name: "a clock that is set back", playedBy: []string{"internal/undo TestTimes"}},
	{name: "a full disk", playedBy: []string{"internal/undo TestFull", "internal/undo/store TestCannotLeave"}},
	{name: "a place where nothing can be kept", playedBy: []string{"undo_no_place"}},
	{name: "a store damaged or cut at each byte", playedBy: []string{
		"internal/undo/store TestDamage", "internal/undo/store TestDamagedDirectory", "internal/undo/revert TestDamagedContent", "internal/undo/store TestRunsDamage",
	}},
	{name: "two sessions in one workspace", playedBy: []string{"internal/undo TestTwoRecorders", "internal/undo/store TestProcesses", "internal/undo/revert TestOneAtATime"}},
	{name: "two sessions in two directories of a repository", playedBy: []string{"undo/other_directories_stay"}},
	{name: "an editor that saves in the middle", playedBy: []string{"internal/undo/revert TestSavedAtEachStep", "internal/undo TestChangesWhileRead"}},
	{name: "a command that renames the workspace itself", playedBy: []string{"internal/undo TestRenamed"}},
	{name: "kill -9 at each step of a capture", playedBy: []string{"internal/undo TestKilledAtEachStep", "internal/undo TestKilled"}},
	{name: "kill -9 at each step of an undo", playedBy: []string{"internal/undo/revert TestKilledAtEachStep"}},
	{name: "kill -9 at each step of a collection", playedBy: []string{"internal/undo TestKilledAtEachStep", "internal/undo/store TestSweep"}},
	{name: "symbolic links that lead outside", playedBy: []string{"internal/undo TestLinksOutside", "internal/undo/revert TestObstacles", "internal/undo/revert TestSwapped"}},
}

// TestBadUndo checks that each of the inputs has a test that is there, or a reason.
func TestBadUndo(t *testing.T) {
	t.Parallel()
	processtest.SkipIfRacing(t)
	seen := map[string]bool{}
	for _, b := range badUndo {
		if seen[b.name] {
			t.Errorf("%s is there twice", b.name)
		}
		seen[b.name] = true
		if (len(b.playedBy) == 0) != (b.missing != "") {
			t.Errorf("%s needs either tests or a reason", b.name)
		}
		if b.missing != "" {
			t.Logf("NOT TESTED: %s: %s", b.name, b.missing)
		}
		for _, player := range b.playedBy {
			if !isPlayed(t, player) {
				t.Errorf("%s: there is no %s", b.name, player)
			}
		}
	}
	if len(badUndo) != 28 {
		t.Errorf("there are %d inputs", len(badUndo))
	}
}

func isPlayed(t *testing.T, player string) bool {
	t.Helper()
	if strings.Contains(player, " ") {
		return isThere(t, player)
	}
	_, err := os.Stat(filepath.FromSlash(player) + ".txtar")
	return err == nil
}
