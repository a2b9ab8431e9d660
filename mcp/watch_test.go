package mcp_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"wake/mcp"
	"wake/memory/memorytest"
)

// told collects the notifications to a client.
func told(p *peer) <-chan sdk.JSONRPCNotification {
	ch := make(chan sdk.JSONRPCNotification, 100)
	p.OnNotification(func(n sdk.JSONRPCNotification) { ch <- n })
	return ch
}

// next waits for a notification of a method about a resource.
func next(t *testing.T, ch <-chan sdk.JSONRPCNotification, method, uri string) {
	t.Helper()
	for {
		select {
		case n := <-ch:
			if got, _ := n.Params.AdditionalFields["uri"].(string); n.Method == method && got == uri {
				return
			}
		case <-time.After(time.Minute):
			t.Fatalf("no %s about %q came", method, uri)
		}
	}
}

// Clients that watch a resource are notified of changes, those that stopped are not,
// and a new project changes the list.
func TestSubscriptions(t *testing.T) {
	s, _ := memorytest.Open(t)
	server := mcp.New(s, mcp.Options{})
	running, stop := context.WithCancel(ctx)
	defer stop()
	go server.Run(running)
	c := connect(t, server)
	ch := told(c)

	if _, err := c.ListResources(ctx, sdk.ListResourcesRequest{}); err != nil {
		t.Fatal(err)
	}
	subscribe := func(uri string) {
		t.Helper()
		var req sdk.SubscribeRequest
		req.Params.URI = uri
		//lint:ignore SA1019 clients of today subscribe this way
		if err := c.Subscribe(ctx, req); err != nil {
			t.Fatal(err)
		}
	}
	subscribe("wake://projects/new%20one/brief")
	subscribe("wake://status")
	first, _ := c.call("save_context", args{"content": "The first fact.", "project": "new one"})
	next(t, ch, sdk.MethodNotificationResourceUpdated, "wake://projects/new%20one/brief")
	next(t, ch, sdk.MethodNotificationResourcesListChanged, "")

	id := first["id"].(string)
	subscribe("wake://contexts/" + id)
	c.call("update_context", args{"id": id, "pinned": true})
	next(t, ch, sdk.MethodNotificationResourceUpdated, "wake://contexts/"+id)

	var req sdk.UnsubscribeRequest
	req.Params.URI = "wake://contexts/" + id
	//lint:ignore SA1019 clients of today unsubscribe this way
	if err := c.Unsubscribe(ctx, req); err != nil {
		t.Fatal(err)
	}
	c.call("update_context", args{"id": id, "pinned": false})
	next(t, ch, sdk.MethodNotificationResourceUpdated, "wake://status")
	select {
	case n := <-ch:
		if strings.Contains(asJSON(t, n), "contexts/"+id) {
			t.Errorf("told of a resource that is not watched any more: %s", asJSON(t, n))
		}
	default:
	}
}

// Over stdio, notifications come between answers on the same pipe.
func TestNotificationsOverStdio(t *testing.T) {
	s, _ := memorytest.Open(t)
	in := hello + line(1, "resources/subscribe", map[string]any{"uri": "wake://projects"}) + line(2, "resources/list", nil)
	pipe := newPipes(t, mcp.New(s, mcp.Options{}))
	pipe.say(in)
	pipe.until(func(r reply) bool { return string(r.ID) == "2" })
	pipe.say(toolLine(3, "save_context", args{"content": "A fact.", "project": "brand new"}))
	pipe.until(func(r reply) bool { return r.Method == sdk.MethodNotificationResourcesListChanged })
}

// A client of the stateless protocol subscribes with a stream, which does not delay the
// end.
func TestListenStream(t *testing.T) {
	s, _ := memorytest.Open(t)
	pipe := newPipes(t, mcp.New(s, mcp.Options{}))
	meta := map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{},
		"io.modelcontextprotocol/clientInfo": map[string]any{"name": "modern", "version": "1"}}
	pipe.say(line("stream", "subscriptions/listen", map[string]any{"_meta": meta, "notifications": map[string]any{"resourceSubscriptions": []string{"wake://status"}}}))
	pipe.until(func(r reply) bool { return r.Method == "notifications/subscriptions/acknowledged" })
	pipe.say(line(1, "tools/call", map[string]any{"_meta": meta, "name": "save_context", "arguments": args{"content": "A fact."}}))
	pipe.until(func(r reply) bool { return r.Method == sdk.MethodNotificationResourceUpdated })
	pipe.end()
}

// Every window has a server of its own on the same file, and hooks are processes too. A
// client hears of what they change.
func TestSubscriptionsAcrossProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	here, _ := memorytest.OpenFile(t, path)
	there, clock := memorytest.OpenFile(t, path)
	other := connect(t, mcp.New(there, mcp.Options{}))
	first, _ := other.call("record", args{"client": "a", "client_session_id": "1", "events": []args{userSays("Hi.")}})
	session := "wake://sessions/" + first["session_id"].(string)

	server := mcp.New(here, mcp.Options{})
	running, stop := context.WithCancel(ctx)
	defer stop()
	go server.Run(running)
	c := connect(t, server)
	ch := told(c)
	if _, err := c.ListResources(ctx, sdk.ListResourcesRequest{}); err != nil {
		t.Fatal(err)
	}
	for _, uri := range []string{session + "/user-messages", "wake://projects/demo/brief", "wake://projects/new/brief"} {
		var req sdk.SubscribeRequest
		req.Params.URI = uri
		//lint:ignore SA1019 clients of today subscribe this way
		if err := c.Subscribe(ctx, req); err != nil {
			t.Fatal(err)
		}
	}
	clock.Pass(time.Second)
	other.call("record", args{"session_id": first["session_id"], "events": []args{userSays("Go on.")}})
	next(t, ch, sdk.MethodNotificationResourceUpdated, session+"/user-messages")
	other.call("save_context", args{"content": "A fact.", "project": "new"})
	next(t, ch, sdk.MethodNotificationResourceUpdated, "wake://projects/new/brief")
	next(t, ch, sdk.MethodNotificationResourcesListChanged, "")

	c.call("save_context", args{"content": "A fact of this process."})
	next(t, ch, sdk.MethodNotificationResourceUpdated, "wake://projects/demo/brief")
}

// A server that itself changes something all the time still looks at what others changed, for
// a client that has listed the resources.
func TestOthersChangesAmongManyOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "wake.db")
		here, _ := memorytest.OpenFile(t, path)
		there, _ := memorytest.OpenFile(t, path)
		other := connect(t, mcp.New(there, mcp.Options{}))
		server := mcp.New(here, mcp.Options{})
		running, stop := context.WithCancel(ctx)
		defer stop()
		go server.Run(running)
		c := connect(t, server)
		ch := told(c)
		if _, err := c.ListResources(running, sdk.ListResourcesRequest{}); err != nil {
			t.Fatal(err)
		}
		other.call("save_context", args{"content": "A fact.", "project": "new"})
		for i := range 6 {
			time.Sleep(20 * time.Second)
			c.call("save_context", args{"content": fmt.Sprint("A fact of this process ", i)})
			synctest.Wait()
		}
		n := 0
		for len(ch) > 0 {
			if told := <-ch; told.Method == sdk.MethodNotificationResourcesListChanged {
				n++
			}
		}
		if n != 2 { // this process's project, and that of the other
			t.Errorf("told of %d new projects", n)
		}
	})
}
