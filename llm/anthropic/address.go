package anthropic

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// baseURL returns the address that the paths of the protocol are added to.
func baseURL(address string) (*url.URL, error) {
	if strings.TrimSpace(address) == "" {
		address = "https://api.anthropic.com"
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		//lint:ignore ST1005 the text is a contract
		return nil, fmt.Errorf("Invalid custom base URL: %s", address)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.Path = strings.TrimRight(strings.TrimSuffix(u.Path, "/messages"), "/")
	if !strings.HasSuffix(u.Path, "/v1") {
		u.Path += "/v1"
	}
	u.RawPath, u.Fragment = "", ""
	return u, nil
}

// list splits comma lists, each member once.
func list(values []string) []string {
	var all []string
	for _, v := range values {
		for one := range strings.SplitSeq(v, ",") {
			if one = strings.TrimSpace(one); one != "" && !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all
}
