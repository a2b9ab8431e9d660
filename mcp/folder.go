package mcp

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
)

// folderTime is how long a client has to say which folder it has open.
const folderTime = 2 * time.Second

// folderID is the id of the only request that the server makes.
const folderID = `"open-folder"`

// folderQuery asks a client which folder it has open. An editor that starts its servers
// in the home folder has no other way to say it. Calls wait for the answer, so that none
// is about the project of another folder.
type folderQuery struct {
	tell  func(path string)
	once  sync.Once
	known chan struct{} // closed when the folder, or that there is none, is known
}

func newFolderQuery(tell func(path string)) *folderQuery {
	return &folderQuery{tell: tell, known: make(chan struct{})}
}

// settle ends the waiting; path is "" if there is no folder.
func (q *folderQuery) settle(path string) {
	q.once.Do(func() {
		if path != "" {
			q.tell(path)
		}
		close(q.known)
	})
}

// answered handles the client's answer. Of several folders, the first one with a file
// URI counts. An error counts as no folder.
func (q *folderQuery) answered(message []byte) {
	var answer struct {
		Result sdk.ListRootsResult `json:"result"`
	}
	_ = json.Unmarshal(message, &answer)
	for _, root := range answer.Result.Roots {
		if path := pathOf(root.URI); path != "" {
			q.settle(path)
			return
		}
	}
	q.settle("")
}

// wait returns when the folder is known, or after [folderTime].
func (q *folderQuery) wait() {
	late := time.AfterFunc(folderTime, func() { q.settle("") })
	defer late.Stop()
	<-q.known
}

// pathOf returns the path of a file URI, "" for other URIs.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	path := u.Path
	switch {
	case u.Host != "" && u.Host != "localhost" && runtime.GOOS == "windows":
		path = "//" + u.Host + path // a share, or a folder of the Linux in Windows
	case u.Host != "" && u.Host != "localhost":
		return ""
	case len(path) > 2 && path[2] == ':': // /c:/Users
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path)
}

// askFolder asks the client after the handshake, if it supports roots.
func (t *stdio) askFolder() {
	if t.folder == nil || t.client.GetClientCapabilities().Roots == nil {
		return
	}
	err := t.out.send(map[string]any{"jsonrpc": sdk.JSONRPC_VERSION, "id": json.RawMessage(folderID), "method": sdk.MethodListRoots})
	if err != nil {
		t.log.Warn("the client was not asked for its folder", "error", err)
	}
}

// awaitFolder delays a request until the folder is known, unless the request does not
// depend on it. If the client does not support roots, or began without a handshake,
// there is no folder.
func (t *stdio) awaitFolder(method sdk.MCPMethod) {
	if t.folder == nil || method == sdk.MethodToolsList || method == sdk.MethodPromptsList {
		return
	}
	if t.client.GetClientCapabilities().Roots == nil {
		t.folder.settle("")
	}
	t.folder.wait()
}
