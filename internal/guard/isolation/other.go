//go:build !linux && !darwin

package isolation

func probes() []probe { return []probe{{Docker, docker}, {Podman, podman}} }
