//go:build linux || freebsd || netbsd || openbsd || dragonfly

package keychain

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/godbus/dbus/v5"
)

// newSystem returns the Secret Service of the session: GNOME's, KDE's or a password manager's.
// (go-keyring sets other attributes than Gemini CLI's library, starts a bus where there is
// none, and waits without a timeout.)
func newSystem(o Options) backend {
	if o.Bus == "" || strings.HasPrefix(o.Bus, "autolaunch:") {
		return nil
	}
	return &secretService{o.Bus, o.Interactive}
}

// secretService speaks the freedesktop.org Secret Service protocol. Each query uses a
// connection of its own, which costs only a few messages.
type secretService struct {
	bus         string
	interactive bool
}

// attributes returns the attributes that libsecret gives to a secret of keytar, the library of
// Gemini CLI.
func attributes(service, account string) map[string]string {
	a := map[string]string{"xdg:schema": "org.freedesktop.Secret.Generic", "service": service}
	if account != "" {
		a["account"] = account
	}
	return a
}

func (s *secretService) get(ctx context.Context, service, account string) (secret string, err error) {
	return secret, s.connect(ctx, func(c *conn) error {
		items, err := c.search(attributes(service, account))
		if err != nil {
			return err
		}
		var got dbusSecret
		err = c.call(items[0], "org.freedesktop.Secret.Item.GetSecret", c.session).Store(&got)
		secret = string(got.Value)
		return err
	})
}

func (s *secretService) set(ctx context.Context, service, account, secret string) error {
	return s.connect(ctx, func(c *conn) error {
		const defaults = dbus.ObjectPath("/org/freedesktop/secrets/aliases/default")
		if err := c.unlock([]dbus.ObjectPath{defaults}); err != nil {
			return err
		}
		properties := map[string]dbus.Variant{
			"org.freedesktop.Secret.Item.Label":      dbus.MakeVariant(service + "/" + account),
			"org.freedesktop.Secret.Item.Attributes": dbus.MakeVariant(attributes(service, account)),
		}
		value := dbusSecret{c.session, []byte{}, []byte(secret), "text/plain"}
		var item, prompt dbus.ObjectPath
		err := c.call(defaults, "org.freedesktop.Secret.Collection.CreateItem", properties, value, true).Store(&item, &prompt)
		if err != nil {
			return err
		}
		return c.waitForPrompt(prompt)
	})
}

func (s *secretService) remove(ctx context.Context, service, account string) error {
	return s.connect(ctx, func(c *conn) error {
		items, err := c.search(attributes(service, account))
		for _, item := range items {
			var prompt dbus.ObjectPath
			if err := c.call(item, "org.freedesktop.Secret.Item.Delete").Store(&prompt); err != nil {
				return err
			}
			if err := c.waitForPrompt(prompt); err != nil {
				return err
			}
		}
		return err
	})
}

func (s *secretService) list(ctx context.Context, service string) (accounts []string, err error) {
	return accounts, s.connect(ctx, func(c *conn) error {
		items, err := c.search(attributes(service, ""))
		for _, item := range items {
			v, err := c.object(item).GetProperty("org.freedesktop.Secret.Item.Attributes")
			if err != nil {
				return err
			}
			if of, ok := v.Value().(map[string]string); ok && of["account"] != "" {
				accounts = append(accounts, of["account"])
			}
		}
		return err
	})
}

// dbusSecret is the protocol's struct of a secret. In a "plain" session it is not encrypted:
// the bus belongs to the user.
type dbusSecret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

// conn is a connection with an open session.
type conn struct {
	*dbus.Conn
	ctx         context.Context
	session     dbus.ObjectPath
	interactive bool
}

func (s *secretService) connect(ctx context.Context, do func(*conn) error) error {
	// When ctx ends, the connection is closed, and all pending calls fail.
	bus, err := dbus.Connect(s.bus, dbus.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("%w: %w", errNoKeychain, err) // the address belongs to a session that has ended
	}
	defer bus.Close()
	c := &conn{Conn: bus, ctx: ctx, interactive: s.interactive}
	var output dbus.Variant
	err = c.call(service, "org.freedesktop.Secret.Service.OpenSession", "plain", dbus.MakeVariant("")).Store(&output, &c.session)
	if err == nil {
		err = do(c)
	}
	var dbusErr dbus.Error
	if errors.As(err, &dbusErr) && isServiceMissing(dbusErr.Name) {
		return errNoKeychain
	}
	return err
}

// isServiceMissing reports whether a D-Bus error means that no program provides the service.
func isServiceMissing(name string) bool {
	return name == "org.freedesktop.DBus.Error.ServiceUnknown" || name == "org.freedesktop.DBus.Error.NameHasNoOwner" ||
		strings.HasPrefix(name, "org.freedesktop.DBus.Error.Spawn.")
}

const service = dbus.ObjectPath("/org/freedesktop/secrets")

func (c *conn) object(path dbus.ObjectPath) dbus.BusObject {
	return c.Object("org.freedesktop.secrets", path)
}

func (c *conn) call(path dbus.ObjectPath, method string, args ...any) *dbus.Call {
	return c.object(path).CallWithContext(c.ctx, method, 0, args...)
}

// search returns the unlocked items with these attributes, of all collections. The error is
// ErrNotFound if there is none.
func (c *conn) search(attributes map[string]string) ([]dbus.ObjectPath, error) {
	var open, locked []dbus.ObjectPath
	err := c.call(service, "org.freedesktop.Secret.Service.SearchItems", attributes).Store(&open, &locked)
	if err == nil && len(open) == 0 && len(locked) > 0 {
		open, err = locked, c.unlock(locked)
	}
	if err == nil && len(open) == 0 {
		err = ErrNotFound
	}
	return open, err
}

func (c *conn) unlock(paths []dbus.ObjectPath) error {
	var unlocked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	err := c.call(service, "org.freedesktop.Secret.Service.Unlock", paths).Store(&unlocked, &prompt)
	if err != nil {
		return err
	}
	return c.waitForPrompt(prompt)
}

// waitForPrompt lets the service ask the user, if necessary, and waits for the answer.
func (c *conn) waitForPrompt(prompt dbus.ObjectPath) error {
	switch {
	case prompt == "/" || prompt == "":
		return nil
	case !c.interactive:
		return errors.New("it is locked")
	}
	match := []dbus.MatchOption{dbus.WithMatchObjectPath(prompt), dbus.WithMatchInterface("org.freedesktop.Secret.Prompt")}
	if err := c.AddMatchSignal(match...); err != nil {
		return err
	}
	signals := make(chan *dbus.Signal, 8)
	c.Signal(signals)
	extendTimeout(c.ctx)
	if err := c.call(prompt, "org.freedesktop.Secret.Prompt.Prompt", "").Err; err != nil {
		return err
	}
	for {
		select {
		case <-c.ctx.Done():
			return c.ctx.Err()
		case signal, ok := <-signals:
			switch {
			case !ok:
				return errors.New("it stopped running")
			case signal.Path != prompt || signal.Name != "org.freedesktop.Secret.Prompt.Completed" || len(signal.Body) == 0:
			case signal.Body[0] == true: // dismissed
				return errors.New("it is still locked")
			default:
				return nil
			}
		}
	}
}
