package broker

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"pollux/internal/sandbox/network"
)

// authority signs the certificates that the broker shows to programs. Its key is only in memory.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte

	mu    sync.Mutex // guards leafs
	leafs map[string]*tls.Certificate
}

// validity is how long certificates are valid. Sessions may be open for weeks.
const validity = 365 * 24 * time.Hour

// newAuthority returns an authority for hosts. Its certificate says that it can vouch for no others.
func newAuthority(hosts network.Hosts) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	t := template("Pollux, for programs in the sandbox")
	t.IsCA, t.KeyUsage, t.MaxPathLenZero = true, x509.KeyUsageCertSign, true
	t.PermittedDNSDomainsCritical = true
	for _, h := range hosts {
		if h.Name != "" && !slices.Contains(t.PermittedDNSDomains, h.Name) {
			t.PermittedDNSDomains = append(t.PermittedDNSDomains, h.Name)
		}
		if h.Name == "" {
			bits := h.Addresses.Addr().BitLen()
			t.PermittedIPRanges = append(t.PermittedIPRanges, &net.IPNet{IP: h.Addresses.Addr().AsSlice(), Mask: net.CIDRMask(bits, bits)})
		}
	}
	none := &t.PermittedDNSDomains // a kind without an entry would allow all of it
	if len(*none) == 0 {
		*none = []string{"invalid"}
	}
	if len(t.PermittedIPRanges) == 0 {
		t.ExcludedIPRanges = []*net.IPNet{{IP: net.IPv4zero.To4(), Mask: net.CIDRMask(0, 32)}, {IP: net.IPv6zero, Mask: net.CIDRMask(0, 128)}}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{
		certificate: made, key: key, leafs: map[string]*tls.Certificate{},
		pem: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
	}, nil
}

// template returns the common part of certificates. It has no common name: without a DNS name, OpenSSL and GnuTLS would take that for one.
func template(name string) *x509.Certificate {
	number, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 126)) // never fails
	return &x509.Certificate{
		SerialNumber: number, Subject: pkix.Name{Organization: []string{name}}, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(validity),
	}
}

// certify returns the certificate of a host.
func (a *authority) certify(host string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.leafs[host]; c != nil {
		return c, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	t := template("Pollux, for a host")
	t.KeyUsage, t.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if ip, err := netip.ParseAddr(host); err == nil {
		t.IPAddresses = []net.IP{ip.AsSlice()}
	} else {
		t.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	a.leafs[host] = &tls.Certificate{Certificate: [][]byte{der, a.certificate.Raw}, PrivateKey: key}
	return a.leafs[host], nil
}
