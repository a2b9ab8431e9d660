package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/spf13/cobra"

	"wake/domain"
	"wake/mcp"
	"wake/memory"
)

const serveLong = `Serves the memory to assistants over HTTP, at /mcp, and does the periodic work.

Whoever has the bearer token can read and change the whole memory: projects are a filter,
not a boundary. The token file is made at the first start; only its owner can read it.
For a new token, delete the file and start the server again.
Nothing is encrypted: let other machines in through a proxy that speaks TLS, and name it
with --host.

All clients share the project of the folder in which the server runs, or the one that
--project names, unless a call names another.`

// defaultListen has the port that spells WAKE on a telephone.
const defaultListen = "127.0.0.1:9253"

// Timeouts of a connection. Answers have none, because they may be streams.
const (
	headerTime  = 10 * time.Second
	requestTime = 30 * time.Second // to send a request, even one that will be refused
	idleTime    = 2 * time.Minute
	stopTime    = 3 * time.Second // for running calls when the server is told to stop
)

// headerBytes limits what is kept of a request before its token is known, so that a
// thousand connections of strangers cannot use a gigabyte.
const headerBytes = 32 << 10

type serveFlags struct {
	listen    string
	tokenFile string
	noToken   bool
	hosts     []string
	tools     string
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve several assistants over HTTP",
		Long:  serveLong,
		Args:  takes(0, 0),
		RunE: a.runBeginning(func(ctx context.Context, s *memory.Service, _ []string) error {
			return a.serveHTTP(ctx, s, f)
		}),
	}
	fs := c.Flags()
	fs.StringVar(&f.listen, "listen", defaultListen, "`address` and port")
	fs.StringVar(&f.tokenFile, "token-file", filepath.Join(a.dataDir(), "token"), "`file` with the bearer token")
	completeFiles(c, "token-file")
	fs.BoolVar(&f.noToken, "no-token", false, "accept every program on this machine; loopback addresses only")
	fs.StringSliceVar(&f.hosts, "host", nil, "host `names` to accept beside localhost")
	toolsFlag(c, &f.tools, mcp.AllTools, "")
	return c
}

// serveHTTP serves until ctx ends.
func (a *app) serveHTTP(ctx context.Context, s *memory.Service, f serveFlags) error {
	set, err := mcp.ParseToolSet(f.tools)
	if err != nil {
		return err
	}
	hosts, err := f.names()
	if err != nil {
		return err
	}
	f.tokenFile = a.fromHome(f.tokenFile)
	token, err := f.token()
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return domain.Unavailable("cannot listen at %s: %v; choose another address with --listen", f.listen, domain.Reason(err))
	}
	a.announce(listener.Addr(), f)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := mcp.New(s, mcp.Options{Version: version, Tools: set, Note: a.projectNote(s), Log: s.Log})
	go server.Run(ctx)
	defer runtime.KeepAlive(a.relaxGC())
	defer a.backgroundJobs(ctx, s)()
	defer a.serveHooks(ctx, s)()
	return serveUntil(ctx, listener, routes(mcp.HTTPHandler(server, mcp.HTTPOptions{Token: token, Hosts: hosts})))
}

// names returns the host names that requests may use, in addition to those of this
// machine: the one in --listen, and those in --host.
func (f serveFlags) names() ([]string, error) {
	at, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return nil, domain.Invalid("--listen %q is not an address with a port, such as %s", f.listen, defaultListen)
	}
	var names []string
	if ip, err := netip.ParseAddr(at); at != "" && (err != nil || !ip.IsUnspecified()) {
		names = append(names, at)
	}
	for _, name := range f.hosts {
		if _, err := netip.ParseAddr(name); err != nil && (name == "" || strings.ContainsAny(name, ":/[]@ ")) {
			return nil, domain.Invalid("--host %q is not a host name; give it without scheme and port", name)
		}
		names = append(names, name)
	}
	return names, nil
}

func routes(mcpHandler http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcpHandler)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "wake speaks MCP at /mcp", http.StatusNotFound)
	})
	return mux
}

// serveUntil serves until ctx ends, then gives running calls a moment to finish. It
// ends open streams at once.
func serveUntil(ctx context.Context, listener net.Listener, h http.Handler) error {
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	server := httpServer(calls, cutStreams(ctx, h))
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stop, done := context.WithTimeout(calls, stopTime)
	defer done()
	if err := server.Shutdown(stop); err != nil {
		return server.Close()
	}
	return nil
}

func httpServer(calls context.Context, h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, IdleTimeout: idleTime,
		MaxHeaderBytes: headerBytes,
		BaseContext:    func(net.Listener) context.Context { return calls }}
}

// cutStreams ends notification streams when ctx ends. Clients open them with GET, or
// with a call that does not return.
func cutStreams(ctx context.Context, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Header.Get(sdk.HeaderMethod) == string(sdk.MethodSubscriptionsListen) {
			stream, cancel := context.WithCancel(r.Context())
			defer cancel()
			defer context.AfterFunc(ctx, cancel)()
			r = r.WithContext(stream)
		}
		h.ServeHTTP(w, r)
	})
}

func (a *app) announce(at net.Addr, f serveFlags) {
	url := at.String()
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() { // clients cannot use that as a name
		url = net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	fmt.Fprintf(a.err, "wake serves MCP at http://%s/mcp\n", url)
	if !isLoopback(at.String()) {
		fmt.Fprintln(a.err, "warning: the token and the memory cross the network unencrypted; let other machines in through a proxy that speaks TLS")
	}
	if f.noToken {
		fmt.Fprintln(a.err, "warning: every program of this machine can read and change the memory (--no-token)")
		return
	}
	fmt.Fprintf(a.err, "the bearer token is in %s\n", f.tokenFile)
}
