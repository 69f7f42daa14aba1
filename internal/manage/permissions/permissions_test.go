package permissions

import (
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
)

func TestPermissions(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Write("sub/x", "")
	p.Check(Command(), []managetest.Case{
		{Line: "/", Want: "$DIR is not trusted, because you have not decided yet. To change this, run /permissions trust. This session keeps its state."},
		{Line: "/", Want: "\nApproval mode: default.\nNo approvals in this session"},
		{Line: "/revoke 1", Want: `No approval has the number "1".`, Code: exit.Input},
		{Line: "/trust x", Want: "Cannot trust $DIR/x: no such file", Code: exit.Input},
		{Line: "/trust sub/x", Want: "$DIR/sub/x is not a directory.", Code: exit.Input},
		{Line: "/trust", Want: "Trust in $DIR is unchanged."},
	})
	p.Answers = []string{"Do not trust"}
	p.Check(Command(), []managetest.Case{
		{Line: "/trust", Want: "$DIR is not trusted now. Saved in ~/.gemini/trustedFolders.json. Its context files are unloaded"},
		{Line: "/", Want: "$DIR is not trusted. To change this, run /permissions trust.\n"},
	})
	p.Answers = []string{"Trust this folder"}
	p.Check(Command(), []managetest.Case{{Line: "/trust", Want: "$DIR is trusted now."}, {Line: "/", Want: "$DIR is trusted."}})

	off := managetest.New(t, `{"security": {"folderTrust": {"enabled": false}}}`)
	off.Check(Command(), []managetest.Case{
		{Line: "/", Want: "is trusted, because security.folderTrust.enabled is false."}, {Line: "/trust", Want: "Folder trust is off.", Code: exit.Input},
	})
}
