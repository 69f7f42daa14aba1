package config

import (
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// The first three descriptors are those of a fresh Windows: C:\, C:\ProgramData, and a file that an administrator has made there.
func TestSecurityProblem(t *testing.T) {
	t.Parallel()
	const installer = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"
	for _, tt := range []struct {
		name, sddl string
		isLast     bool
		want       string
	}{
		{"root", "O:" + installer + "D:PAI(A;OICIIO;SDGXGWGR;;;AU)(A;;LC;;;AU)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)", false, ""},
		{"data", "O:SYD:AI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICIIO;GA;;;CO)(A;OICI;0x1200a9;;;BU)(A;CI;DCLC;;;BU)", false, ""},
		{"file", "O:BAD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1200a9;;;BU)", true, ""},
		{"directory in which users can make files", "O:BAD:AI(A;OICI;FA;;;SY)(A;CI;DCLC;;;BU)", true, "can be changed"},
		{"file of a user", "O:S-1-5-21-1-2-3-1001D:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)", true, "does not belong"},
		{"directory of a user", "O:S-1-5-21-1-2-3-1001D:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)", false, "does not belong"},
		{"file that everyone can write", "O:BAD:(A;;FA;;;WD)", true, "can be changed"},
		{"file that one user can write", "O:BAD:(A;;FA;;;BA)(A;;0x2;;;S-1-5-21-1-2-3-1001)", true, "can be changed"},
		{"generic right", "O:BAD:(A;;GW;;;BU)", true, "can be changed"},
		{"directory from which users can delete", "O:BAD:(A;;0x40;;;BU)", false, "can be changed"},
		{"directory whose list users can change", "O:BAD:(A;;WD;;;BU)", false, "can be changed"},
		{"denied", "O:BAD:(D;;FA;;;BU)(A;;FA;;;BA)", true, ""},
		{"empty list", "O:BAD:", true, ""},
		{"no list", "O:BA", true, "can be changed"},
		{"no owner", "D:(A;;FA;;;BA)", true, "does not belong"},
	} {
		sd, err := windows.SecurityDescriptorFromString(tt.sddl)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := securityProblem(sd, tt.isLast); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Without a list, everyone may do everything.
func TestNoAccessList(t *testing.T) {
	t.Parallel()
	sd, err := windows.NewSecurityDescriptor()
	if err != nil {
		t.Fatal(err)
	}
	owner, err := windows.CreateWellKnownSid(windows.WinBuiltinAdministratorsSid)
	if err != nil {
		t.Fatal(err)
	}
	if err := sd.SetOwner(owner, false); err != nil {
		t.Fatal(err)
	}
	if err := sd.SetDACL(nil, true, false); err != nil {
		t.Fatal(err)
	}
	if got := securityProblem(sd, true); !strings.Contains(got, "can be changed") {
		t.Errorf("%q", got)
	}
}

func TestForeignOwner(t *testing.T) {
	t.Parallel()
	if reason, _ := foreignOwner(`\\server\share\settings.json`); !strings.Contains(reason, "not on a drive") {
		t.Errorf("a share: %q", reason)
	}
	if reason, hint := foreignOwner(t.TempDir()); reason == "" || !strings.Contains(hint, "administrators") {
		t.Errorf("a directory of the user: %q, %q", reason, hint)
	}
}
