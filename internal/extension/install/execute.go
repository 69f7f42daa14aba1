package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pollux/internal/durable"
	"pollux/internal/extension"
)

// execute carries the plan out, with these values of settings by variable. If it fails, everything
// is as before.
func (p *plan) execute(ctx context.Context, values map[string]string) error {
	unlock, err := durable.LockContext(ctx, filepath.Join(filepath.Dir(p.stage.dir), "change"))
	if err != nil {
		return fmt.Errorf("cannot lock the directory of extensions: %w", err)
	}
	defer unlock()
	if err := p.checkName(ctx); err != nil { // another process may have installed it by now
		return err
	}
	record, err := p.writeRecord()
	if err != nil {
		return err
	}
	secrets, err := p.writeSettings(ctx, values)
	if err != nil {
		return err
	}
	if p.previous == nil {
		err = p.add(ctx, record)
	} else {
		err = p.replace(ctx, record)
	}
	if err != nil {
		return errors.Join(err, secrets.undo(ctx))
	}
	secrets.removeOld(ctx)
	return nil
}

// add puts a new extension into its place and enables it.
func (p *plan) add(ctx context.Context, record []byte) (err error) {
	name, place := p.Manifest.Name, p.target()
	if err := os.Rename(p.files, place); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.stage.take(place), p.m.Integrity.Remove(context.WithoutCancel(ctx), name))
		}
	}()
	if err := p.checkLoads(place); err != nil {
		return err
	}
	if err := p.m.Integrity.Sign(ctx, name, record); err != nil {
		return err
	}
	_, err = p.m.Enable(ctx, name, extension.User, true)
	return errors.Join(err, durable.SyncDir(filepath.Dir(place)))
}

// replace puts an update into the place of the installed extension. The old copy is kept until the
// new one loads.
func (p *plan) replace(ctx context.Context, record []byte) (err error) {
	ctx = context.WithoutCancel(ctx) // it is short from here on
	before, place := p.previous.Name, p.previous.InstallDir
	oldRecord, err := readRecord(place)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot read %s: %w", extension.InstallName, err)
	}
	// Between the two steps neither record has a signature, which is no error: with the signature of
	// the other record, the extension could not be updated any more.
	if err := p.m.Integrity.Remove(ctx, before); err != nil {
		return err
	}
	undo, err := p.stage.replace(place, p.files)
	if undo != nil {
		if err == nil {
			err = p.checkLoads(place)
		}
		if err == nil {
			err = p.rename(place)
		}
	}
	if err != nil {
		if undo != nil {
			err = errors.Join(err, undo())
		}
		if oldRecord != nil {
			err = errors.Join(err, p.m.Integrity.Sign(ctx, before, oldRecord))
		}
		return err
	}
	return p.m.Integrity.Sign(ctx, p.Manifest.Name, record)
}

// rename gives the extension in place its new name.
func (p *plan) rename(place string) error {
	before, name := p.previous.Name, p.Manifest.Name
	if before == name {
		return nil
	}
	rules, err := extension.OpenEnablement(p.m.Dir)
	if err != nil {
		return err
	}
	if err := rules.Rename(before, name); err != nil {
		return err
	}
	if err := os.Rename(place, p.target()); err != nil {
		return errors.Join(err, rules.Rename(name, before))
	}
	return nil
}

// checkLoads returns an error if the extension in dir cannot be used.
func (p *plan) checkLoads(dir string) error {
	record, err := extension.ReadInstall(dir)
	if err != nil {
		return err
	}
	if record != nil && record.Type == extension.Link {
		dir = record.Source
	}
	m, err := extension.ReadManifest(dir)
	if err == nil && m.Name != p.Manifest.Name {
		err = fmt.Errorf("its name is %q now", m.Name)
	}
	if err != nil {
		return fmt.Errorf("the extension does not load: %w", err)
	}
	return nil
}
