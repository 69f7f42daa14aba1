package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"pollux/internal/durable"
)

// Seen are the powers of trusted folders that the user has seen, as hashes, by the real path of the
// folder. A power is a line of text, see [Powers].
type Seen map[string][]string

// ReadSeen reads a file of seen powers. A missing or damaged file results in none, so that the user
// is asked again.
func ReadSeen(file string) Seen {
	seen := Seen{}
	if data, err := durable.ReadFile(file, maxFile); err == nil && json.Unmarshal(data, &seen) != nil {
		return Seen{}
	}
	return seen
}

// Knows reports whether anything about a folder is recorded.
func (s Seen) Knows(dir string) bool {
	_, ok := s[realPath(dir, false)]
	return ok
}

// Has reports whether the user has seen a power of a folder.
func (s Seen) Has(dir, power string) bool {
	return slices.Contains(s[realPath(dir, false)], hash(power))
}

// maxSeen is the maximum number of powers of one folder in the file. The first ones are forgotten.
const maxSeen = 1000

// Remember records in the file that the user has seen these powers of a folder and accepts them, in
// addition to those that are recorded: what is gone may come back with another branch.
func Remember(file, dir string, powers []string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("remember what %s does: %w", dir, err)
	}
	unlock, err := durable.Lock(file)
	if err != nil {
		return fmt.Errorf("remember what %s does: %w", dir, err)
	}
	defer unlock()
	seen, folder := ReadSeen(file), realPath(dir, false)
	hashes := append([]string{}, seen[folder]...)
	for _, power := range powers {
		if h := hash(power); !slices.Contains(hashes, h) {
			hashes = append(hashes, h)
		}
	}
	seen[folder] = hashes[max(0, len(hashes)-maxSeen):]
	data, err := json.MarshalIndent(seen, "", "  ")
	if err == nil {
		err = durable.WriteFile(file, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("remember what %s does: %w", dir, err)
	}
	return nil
}

func hash(power string) string {
	sum := sha256.Sum256([]byte(power))
	return hex.EncodeToString(sum[:16])
}

// IsNamed reports whether the user trusts the folder itself by its path, not as one of many below a
// folder that they trust. In the latter case they may never have seen it.
func IsNamed(o Options) bool {
	levels, err := Read(o.File)
	return err == nil && (levels[o.Dir] == TrustFolder || levels[realPath(o.Dir, false)] == TrustFolder)
}

// IsByFile reports whether the file of levels decides about the folder, not the environment, the
// settings or an editor.
func IsByFile(o Options) bool {
	return o.Restricted != "true" && o.Workspace == "" && o.Enabled && o.Editor == Unknown
}
