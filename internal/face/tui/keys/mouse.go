package keys

import uv "github.com/charmbracelet/ultraviolet"

// mouse returns the event of an action of the mouse that ultraviolet decoded; nil if the button is not known.
func (d *Decoder) mouse(ev uv.MouseEvent) Event {
	in := ev.Mouse()
	button, ok := mouseButton(in.Button)
	if !ok {
		return nil
	}
	mods, _ := modsOf(in.Mod)
	m := Mouse{Button: button, Mods: mods, Column: max(in.X, 0), Row: max(in.Y, 0), At: d.last}
	switch ev.(type) {
	case uv.MouseReleaseEvent:
		m.Kind = MouseRelease
	case uv.MouseMotionEvent:
		m.Kind = MouseMotion
	case uv.MouseWheelEvent:
		m.Kind = MouseWheel
	}
	return m
}

// mouseButton returns the button; false for one that Pollux does not use.
func mouseButton(b uv.MouseButton) (MouseButton, bool) {
	switch b {
	case uv.MouseNone:
		return ButtonNone, true
	case uv.MouseLeft:
		return ButtonLeft, true
	case uv.MouseMiddle:
		return ButtonMiddle, true
	case uv.MouseRight:
		return ButtonRight, true
	case uv.MouseWheelUp:
		return WheelUp, true
	case uv.MouseWheelDown:
		return WheelDown, true
	case uv.MouseWheelLeft:
		return WheelLeft, true
	case uv.MouseWheelRight:
		return WheelRight, true
	}
	return ButtonNone, false
}
