package install

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"pollux/internal/exit"
	"pollux/internal/extension"
	"pollux/internal/extension/plugin"
	"pollux/internal/extension/unpack"
)

// convert makes an extension of the files in the stage if they are a plugin of another agent, or have it in a marketplace. dir has the
// files. It returns the directory of the extension.
func (p *plan) convert(ctx context.Context, dir string) (string, error) {
	found, err := plugin.Find(dir, p.record.Plugin)
	switch {
	case p.record.Type == extension.Link && (found != nil || err != nil):
		return "", exit.Errorf(exit.General, "Cannot link %s: it is a plugin, which Pollux converts in a copy. To install it, run: pollux extensions install %[1]s", p.record.Source)
	case err != nil || found == nil:
		return dir, err
	}
	if found.Dir != dir {
		if p.files, err = p.takeOut(ctx, dir, found.Dir); err != nil {
			return "", err
		}
	}
	if found.IsExtension() {
		return p.files, nil
	}
	if p.conversion, err = found.Convert(p.files); err != nil {
		return "", err
	}
	return p.files, p.conversion.Write(p.m.Fetcher.Limits)
}

// takeOut copies a directory of a repository to one of its own.
func (p *plan) takeOut(ctx context.Context, repository, sub string) (string, error) {
	dir, err := p.stage.newDir("plugin")
	if err == nil {
		err = unpack.Dir(ctx, sub, dir, p.m.Fetcher.Limits)
	}
	if err == nil && p.record.Type == extension.Git {
		err = os.Rename(filepath.Join(repository, ".git"), filepath.Join(dir, ".git")) // shows which commit is installed
	}
	return dir, err
}

// readManifest returns the manifest that the extension in a directory will have, where name is that of a plugin in a marketplace, else "".
// hasVersion is false if the version does not show changes.
func readManifest(dir, name string) (m *extension.Manifest, hasVersion bool, err error) {
	found, err := plugin.Find(dir, name)
	switch {
	case err != nil:
		return nil, false, err
	case found == nil:
		m, err = extension.ReadManifest(dir)
		return m, true, err
	case found.IsExtension():
		m, err = extension.ReadManifest(found.Dir)
		return m, true, err
	}
	c, err := found.Convert(found.Dir)
	if err != nil {
		return nil, false, err
	}
	return c.Manifest, c.HasVersion, nil
}

// conversionText describes the conversion of a plugin.
func conversionText(c *plugin.Conversion) string {
	report := c.Report()
	if report == "" {
		return fmt.Sprintf("It is a plugin of %s.", c.Title())
	}
	return fmt.Sprintf("It is a plugin of %s, which Pollux converts in the installed copy:\n\n%s\n", c.Title(), report)
}
