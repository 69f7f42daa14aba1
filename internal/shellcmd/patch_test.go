package shellcmd_test

import (
	"testing"

	"pollux/internal/shellcmd"
)

func TestPatch(t *testing.T) {
	t.Parallel()
	const patch = "*** Begin Patch\n*** Update File: a\n@@\n-$x\n+`y`\n*** End Patch\n"
	for _, c := range [][3]string{
		{"apply_patch <<'EOF'\n" + patch + "EOF", patch, ""},
		{"apply_patch <<EOF\n" + patch + "EOF\n", patch, ""},
		{"applypatch << \"PATCH\"\n" + patch + "PATCH\n", patch, ""},
		{"cd sub && apply_patch <<'EOF'\n" + patch + "EOF", patch, "sub"},
		{"cd 'a b' && apply_patch <<'EOF'\n" + patch + "EOF", patch, "a b"},
		{"apply_patch '" + patch + "'", patch, ""},
		{"bash -lc \"apply_patch <<'EOF'\n*** Begin Patch\nEOF\"", "*** Begin Patch\n", ""},
	} {
		if text, dir, found := shellcmd.Patch(c[0]); text != c[1] || dir != c[2] || !found {
			t.Errorf("%q: %q in %q, %v", c[0], text, dir, found)
		}
	}
	for _, command := range []string{
		"ls", "echo apply_patch", "apply_patch", "apply_patch a b", "apply_patch $x", "apply_patch <file", "apply_patch <<'EOF' >out\nx\nEOF",
		"apply_patch <<'EOF' && rm x\ny\nEOF", "apply_patch <<'EOF'\nx\nEOF\nrm x", "cd a && rm x && apply_patch x", "cd - && apply_patch x", "cd $(rm x) && apply_patch y",
		"cd >out a && apply_patch x", "! apply_patch x", "apply_patch x &", "X=1 apply_patch x", "apply_patch <<-'EOF'\n\tx\n\tEOF", "rm x; apply_patch y", "apply_patch <<'EOF'",
		"cd a || apply_patch x", "cd a && apply_patch x &", "bash -lc 'apply_patch x' >out", "cat <<'EOF' | apply_patch\nx\nEOF",
	} {
		if text, _, found := shellcmd.Patch(command); found {
			t.Errorf("%q is the patch %q", command, text)
		}
	}
}
