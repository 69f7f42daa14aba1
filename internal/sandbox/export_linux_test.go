//go:build amd64 || arm64

package sandbox

// ListedNames returns the names that parseListed reads.
func ListedNames(text string) (names []string) {
	for _, s := range parseListed(text) {
		names = append(names, s.name)
	}
	return names
}
