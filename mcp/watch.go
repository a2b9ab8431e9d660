package mcp

import (
	"context"
	"slices"
	"sync"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"wake/memory"
)

// Run notifies subscribers of resources of changes until ctx is done. Run it once per
// server; [ServeStdio] does so itself.
func (s *Server) Run(ctx context.Context) {
	changes, stop := s.service.Subscribe()
	defer stop()
	looked := time.Now()
	look := func(own []memory.Change) {
		looked = time.Now()
		s.announceAll(own, s.others.look(ctx, s.log))
	}
	for {
		select {
		case change, open := <-changes:
			if !open {
				return
			}
			own := append(waiting(changes), change)
			// Looking now, what is seen of them later is not told again. However many there are,
			// others' changes do not wait longer for them.
			if s.watched() || time.Since(looked) >= listInterval {
				look(own)
			} else {
				s.announceAll(own, nil)
			}
		case <-s.others.begun: // somebody waits for changes from now on
		case <-s.nextLook():
			look(nil)
		case <-ctx.Done():
			return
		}
	}
}

// waiting returns the changes that can be read at once.
func waiting(changes <-chan memory.Change) (list []memory.Change) {
	for {
		select {
		case c, open := <-changes:
			if !open {
				return list
			}
			list = append(list, c)
		default:
			return list
		}
	}
}

// announceAll announces this process's changes and those seen in the store, which have
// them too, each once.
func (s *Server) announceAll(own, seen []memory.Change) {
	told := map[memory.Change]bool{}
	for _, c := range append(seen, own...) {
		project := c.Project
		if c.Kind == memory.SessionChanged {
			c.Project = "" // not every change of a session has it
		}
		if told[c] {
			continue
		}
		told[c] = true
		c.Project = project
		s.announce(c)
	}
}

// announce notifies watchers of the resources that a change affects, and all clients
// if there is a new project.
func (s *Server) announce(c memory.Change) {
	for _, uri := range affectedResources(c) {
		s.updated(uri)
	}
	if c.Project != "" && s.listed.isNew(c.Project) {
		s.core.SendNotificationToAllClients(sdk.MethodNotificationResourcesListChanged, nil)
	}
}

// affectedResources lists the resources that a change affects.
func affectedResources(c memory.Change) []string {
	uris := []string{"wake://status"}
	id := escaped(c.ID)
	if c.Kind == memory.SessionChanged {
		session := "wake://sessions/" + id
		return append(uris, "wake://sessions", session, session+"/user-messages", session+"/optree", session+"/events", session+"/working-context")
	}
	if c.Kind != memory.ContextSaved {
		uris = append(uris, "wake://contexts/"+id)
	}
	if c.Project != "" {
		uris = append(uris, "wake://projects", briefURI(c.Project))
	}
	return uris
}

// updated notifies everyone who watches uri.
func (s *Server) updated(uri string) {
	params := map[string]any{"uri": uri}
	for _, id := range s.connections.watching(uri) {
		if err := s.core.SendNotificationToSpecificClient(id, sdk.MethodNotificationResourceUpdated, params); err != nil {
			s.log.Debug("a watcher was not notified", "uri", uri, "error", err)
		}
	}
	for _, st := range s.streams.watching(uri) {
		n := sdk.JSONRPCNotification{JSONRPC: sdk.JSONRPC_VERSION, Notification: sdk.Notification{
			Method: sdk.MethodNotificationResourceUpdated,
			Params: sdk.NotificationParams{AdditionalFields: params, Meta: map[string]any{sdk.MetaKeySubscriptionID: st.id}},
		}}
		select {
		case st.client.NotificationChannel() <- n:
		default:
			s.log.Debug("a watcher is too slow", "uri", uri)
		}
	}
}

// watchHooks keep track of who watches what. mcp-go only answers subscriptions.
func (s *Server) watchHooks(h *server.Hooks) {
	h.AddAfterSubscribe(func(ctx context.Context, _ any, m *sdk.SubscribeRequest, _ *sdk.EmptyResult) {
		s.connections.of(ctx).watch(m.Params.URI)
		s.others.begin(ctx, s.service, s.log)
	})
	h.AddAfterUnsubscribe(func(ctx context.Context, _ any, m *sdk.UnsubscribeRequest, _ *sdk.EmptyResult) {
		s.connections.of(ctx).unwatch(m.Params.URI)
	})
	h.AddBeforeSubscriptionsListen(func(ctx context.Context, id any, m *sdk.SubscriptionsListenRequest) {
		if client := server.ClientSessionFromContext(ctx); client != nil {
			uris := m.Params.Notifications.ResourceSubscriptions
			s.streams.open(ctx, &stream{id, client, uris[:min(len(uris), maxWatched)]})
			s.others.begin(ctx, s.service, s.log)
		}
	})
}

// streams holds the open notification streams of the 2026-07-28 protocol, with the
// resources that each watches.
type streams struct {
	mu  sync.Mutex
	all map[*stream]bool
}

type stream struct {
	id     any // of the request that opened it
	client server.ClientSession
	uris   []string
}

// open keeps a stream until its request ends.
func (st *streams) open(ctx context.Context, opened *stream) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.all == nil {
		st.all = map[*stream]bool{}
	}
	st.all[opened] = true
	context.AfterFunc(ctx, func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		delete(st.all, opened)
	})
}

func (st *streams) watching(uri string) []*stream {
	st.mu.Lock()
	defer st.mu.Unlock()
	var found []*stream
	for s := range st.all {
		if slices.Contains(s.uris, uri) {
			found = append(found, s)
		}
	}
	return found
}

func (st *streams) any() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return len(st.all) > 0
}

// listedNames remembers which projects were listed to clients. Before the first
// listing, nobody needs to be notified of a new project.
type listedNames struct {
	mu   sync.Mutex
	seen map[string]bool // nil before the first listing
}

// list marks names as listed.
func (l *listedNames) list(names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	for _, name := range names {
		l.seen[name] = true
	}
}

func (l *listedNames) any() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen != nil
}

// isNew reports whether a name is new since the listing. It returns true only once for
// each name.
func (l *listedNames) isNew(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil || l.seen[name] {
		return false
	}
	l.seen[name] = true
	return true
}
