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
		if p, found := shellcmd.Patch(c[0]); p != (shellcmd.Patched{Text: c[1], Dir: c[2]}) || !found {
			t.Errorf("%q: %+v, %v", c[0], p, found)
		}
	}
	for command, rest := range map[string]string{
		"apply_patch <<'EOF'\ny\nEOF\ngofmt -l . ; go build ./... && git status\n": "gofmt -l . ; go build ./... && git status",
		"apply_patch <<'EOF' && go build ./... && go test ./...\ny\nEOF\n":         "go build ./... && go test ./...",
		"apply_patch <<'EOF' && go vet | cat\ny\nEOF\ngit diff":                    "go vet | cat\ngit diff",
		"cd a && apply_patch <<'EOF' && make\ny\nEOF":                              "make",
		"cd a && apply_patch <<'EOF'\ny\nEOF\ncat <<X\nz\nX\n":                     "cat <<X\nz\nX",
		"apply_patch <<'EOF'\ny\nEOF\napply_patch <<'EOF'\nz\nEOF":                 "apply_patch <<'EOF'\nz\nEOF",
		"apply_patch 'y\n' && (cd b; ls)":                                          "(cd b; ls)",
		"bash -lc \"apply_patch <<'EOF'\ny\nEOF\nls\"":                             "ls",
	} {
		if p, found := shellcmd.Patch(command); p.Text != "y\n" || p.Rest != rest || !found {
			t.Errorf("%q: %+v, %v", command, p, found)
		}
	}
	for _, command := range []string{
		"ls", "echo apply_patch", "apply_patch", "apply_patch a b", "apply_patch $x", "apply_patch <file", "apply_patch <<'EOF' >out\nx\nEOF",
		"cd a && rm x && apply_patch x", "apply_patch <<'EOF' && cat <<X\ny\nEOF\nz\nX", "bash -c 'apply_patch x' && ls",
		"apply_patch <<'EOF' || rm x\ny\nEOF", "apply_patch <<'EOF' | cat\ny\nEOF", "cd a\napply_patch x", "cd - && apply_patch x", "cd $(rm x) && apply_patch y",
		"cd >out a && apply_patch x", "! apply_patch x", "apply_patch x &", "X=1 apply_patch x", "apply_patch <<-'EOF'\n\tx\n\tEOF", "rm x; apply_patch y", "apply_patch <<'EOF'",
		"cd a || apply_patch x", "cd a && apply_patch x &", "bash -lc 'apply_patch x' >out", "cat <<'EOF' | apply_patch\nx\nEOF",
	} {
		if p, found := shellcmd.Patch(command); found {
			t.Errorf("%q is the patch %+v", command, p)
		}
	}
}
