package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"wake/domain"
)

// HTTPOptions says who may use the server over HTTP.
type HTTPOptions struct {
	// Token is the bearer token that every request must carry. "" means none, which is
	// safe only on a loopback address.
	Token string
	// Hosts are the names, without port, that requests may use for the server, in
	// addition to localhost and loopback addresses.
	Hosts []string
}

// heartbeat is the interval of signs of life on an open stream.
const heartbeat = 30 * time.Second

// HTTPHandler serves the protocol as streamable HTTP. A request must use one of the
// server's own host names, come from a page of such a host or from none, carry the
// token, and have at most [domain.MaxMessage] bytes. The [http.Server] limits how long
// a request may take to arrive. Run [Server.Run] beside it.
func HTTPHandler(s *Server, o HTTPOptions) http.Handler { return httpHandler(s, o, sessionIdle) }

func httpHandler(s *Server, o HTTPOptions, idle time.Duration) http.Handler {
	sessions := &httpSessions{connections: &s.connections, again: func(ctx context.Context) { s.others.begin(ctx, s.service, s.log) }}
	var h http.Handler = server.NewStreamableHTTPServer(s.core,
		server.WithHeartbeatInterval(heartbeat),
		server.WithSessionIdManager(sessions),
		server.WithSessionIdleTTL(idle),
		server.WithStreamableHTTPLogger(s.log),
		server.WithDisableLocalhostProtection(true), // ownHost is stricter
	)
	h = sessions.endByClient(h)
	h = acceptNotifications(h)
	h = limitBody(h)
	h = wantToken(o.Token, h)
	return ownHost(o.Hosts, h)
}

// ownHost refuses requests for other host names or from pages of other origins, so
// that no web page can reach the server through a browser, not even by DNS rebinding.
func ownHost(hosts []string, next http.Handler) http.Handler {
	own := func(hostport string) bool {
		name := hostName(hostport)
		return IsLoopback(name) || slices.ContainsFunc(hosts, func(h string) bool { return strings.EqualFold(h, name) })
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !own(r.Host) {
			http.Error(w, fmt.Sprintf("host %q is not this server's; start `wake serve` with --host to be called by another name", r.Host), http.StatusForbidden)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			if u, err := url.Parse(origin); err != nil || u.Host == "" || !own(u.Host) {
				http.Error(w, "requests from pages of other origins are refused", http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// hostName strips the port from a host.
func hostName(hostport string) string {
	if name, _, err := net.SplitHostPort(hostport); err == nil {
		return name
	}
	return strings.Trim(hostport, "[]")
}

// IsLoopback reports whether a host, by its name or address, is this machine.
func IsLoopback(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}

// wantToken refuses requests without the bearer token. It compares hashes, which have
// the same length, in constant time, so that response times reveal nothing.
func wantToken(token string, next http.Handler) http.Handler {
	if token == "" {
		return next
	}
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(given)))
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="wake"`)
			http.Error(w, "the bearer token is missing or wrong; it is in the token file that `wake serve` names at its start", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// limitBody limits the length of requests. One that is longer is read to its end, within
// the server's time for that: otherwise the connection breaks while the client still
// sends, and it never sees the answer. A client that asks before it sends need not send it.
func limitBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		long, err := r.ContentLength > domain.MaxMessage, error(nil)
		if r.ContentLength < 0 { // the length is only known at the end
			var data []byte
			data, err = io.ReadAll(io.LimitReader(r.Body, domain.MaxMessage+1))
			long = len(data) > domain.MaxMessage
			if !long {
				r.Body = io.NopCloser(bytes.NewReader(data))
			}
		}
		switch {
		case long:
			if r.ContentLength < 0 || r.Header.Get("Expect") == "" {
				_, _ = io.Copy(io.Discard, r.Body) // wherever it ends, it is too long
			}
			tooLong(w)
		case err != nil:
			http.Error(w, "the request broke off: "+err.Error(), http.StatusBadRequest)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func tooLong(w http.ResponseWriter) {
	http.Error(w, fmt.Sprintf("the request is longer than %d MiB; send it in parts", domain.MaxMessage>>20), http.StatusRequestEntityTooLarge)
}

// acceptNotifications accepts what a client of the newest protocol notifies the server of, which
// is nothing that matters: it has no session, and cancels a call by closing its stream. The Go SDK
// says so all the same, without the fields that the library wants in every message, and gives up
// the connection where that is refused.
func acceptNotifications(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Header.Get(sdk.HeaderMethod)
		if r.Method != http.MethodPost || !strings.HasPrefix(method, "notifications/") || !sdk.IsModernProtocol(r.Header.Get(sdk.HeaderProtocolVersion)) {
			next.ServeHTTP(w, r)
			return
		}
		data, err := io.ReadAll(r.Body)
		var message struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err == nil && json.Unmarshal(data, &message) == nil && message.Method == method && message.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(data))
		next.ServeHTTP(w, r)
	})
}
