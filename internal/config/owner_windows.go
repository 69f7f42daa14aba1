package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// foreignOwner returns the reason why a user other than an administrator may have written a file or, if it is a directory,
// anything in it; "" if only administrators can have. hint is a sentence about the next step.
func foreignOwner(path string) (reason, hint string) {
	path = filepath.Clean(path)
	volume := filepath.VolumeName(path)
	if len(volume) != len("C:") {
		return "it is not on a drive of this machine", ""
	}
	rest := strings.Split(strings.Trim(path[len(volume):], `\`), `\`)
	at := volume + `\`
	for i := 0; ; i++ {
		isLast := i == len(rest) || rest[i] == ""
		if reason := ownerProblem(at, isLast); reason != "" {
			return "'" + at + "' " + reason, fmt.Sprintf(" To use it, let only administrators own and change '%s'.", at)
		}
		if isLast {
			return "", ""
		}
		at = filepath.Join(at, rest[i])
	}
}

// ownerProblem returns the reason why a user other than an administrator may lead a path elsewhere or, if it is the
// last one, the content there; "" if none can.
func ownerProblem(path string, isLast bool) string {
	info, err := os.Lstat(path)
	if err != nil {
		return "cannot be checked: " + err.Error()
	}
	if info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
		return "is a link"
	}
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return "cannot be checked: " + err.Error()
	}
	return securityProblem(sd, isLast)
}

// The rights that let someone change a file or directory: to replace it, and to change its content.
const (
	deleteChild  = 0x40 // FILE_DELETE_CHILD
	replaceRight = windows.DELETE | windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_ALL | deleteChild
	changeRight  = replaceRight | windows.GENERIC_WRITE | windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA
)

// securityProblem is [ownerProblem] for a security descriptor.
func securityProblem(sd *windows.SECURITY_DESCRIPTOR, isLast bool) string {
	owner, _, err := sd.Owner()
	if err != nil || owner == nil || !isAdministrator(owner) {
		return "does not belong to the administrators"
	}
	const writable = "can be changed by others than administrators"
	acl, _, err := sd.DACL()
	if err != nil || acl == nil { // without a list, everyone may do everything
		return writable
	}
	dangerous := windows.ACCESS_MASK(replaceRight)
	if isLast {
		dangerous = changeRight
	}
	for i := range uint32(acl.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if windows.GetAce(acl, i, &entry) != nil {
			return "has an access list that cannot be read"
		}
		const allowed, denied, allowedIf, deniedIf = 0, 1, 9, 10
		switch kind := entry.Header.AceType; {
		case kind == denied || kind == deniedIf || entry.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0:
		case kind != allowed && kind != allowedIf:
			return "has an access list that cannot be read"
		case entry.Mask&dangerous != 0 && !isAdministrator((*windows.SID)(unsafe.Pointer(&entry.SidStart))):
			return writable
		}
	}
	return ""
}

// isAdministrator reports whether a SID stands for the administrators, the system or its installer.
func isAdministrator(sid *windows.SID) bool {
	const installer = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"
	return slices.Contains([]string{"S-1-5-32-544", "S-1-5-18", installer}, sid.String())
}

// isOurs returns true: the directory for temporary files belongs to the user.
func isOurs(fs.FileInfo) bool { return true }
