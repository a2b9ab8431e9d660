package mcp

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
)

// folderTime is what a client gets to say which folder it has open.
const folderTime = 2 * time.Second

// folderID is the id of the one request that the server makes.
const folderID = `"open-folder"`

// openFolder asks a client which folder it has open. An editor that starts its servers
// in the home folder tells it in no other way. Calls wait until it is known, so that
// none of them is about another folder's project.
type openFolder struct {
	tell  func(path string)
	once  sync.Once
	known chan struct{} // closed when it is known, or known that it will not be
}

func newOpenFolder(tell func(path string)) *openFolder {
	return &openFolder{tell: tell, known: make(chan struct{})}
}

// settle ends the waiting, with the folder where there is one.
func (o *openFolder) settle(path string) {
	o.once.Do(func() {
		if path != "" {
			o.tell(path)
		}
		close(o.known)
	})
}

// answered takes the client's answer. Of several folders the first counts that is one of
// a file system; an error is an answer without folders.
func (o *openFolder) answered(message []byte) {
	var answer struct {
		Result sdk.ListRootsResult `json:"result"`
	}
	_ = json.Unmarshal(message, &answer)
	for _, root := range answer.Result.Roots {
		if path := pathOf(root.URI); path != "" {
			o.settle(path)
			return
		}
	}
	o.settle("")
}

// wait returns when the folder is known, or after [folderTime].
func (o *openFolder) wait() {
	late := time.AfterFunc(folderTime, func() { o.settle("") })
	defer late.Stop()
	<-o.known
}

// pathOf is the path that a file's URI names, "" of any other.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[2] == ':' { // /c:/Users
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path)
}

// askFolder asks, once the handshake is over, a client that can tell.
func (t *stdio) askFolder() {
	if t.client.GetClientCapabilities().Roots == nil {
		return
	}
	err := t.out.send(map[string]any{"jsonrpc": sdk.JSONRPC_VERSION, "id": json.RawMessage(folderID), "method": sdk.MethodListRoots})
	if err != nil {
		t.log.Warn("the client was not asked for its folder", "error", err)
	}
}

// awaitFolder holds a request back until the folder is known, unless it is the same for
// all folders. One of a client that cannot tell, or that began without a handshake,
// settles that there is none.
func (t *stdio) awaitFolder(method string) {
	if t.folder == nil || method == string(sdk.MethodToolsList) || method == string(sdk.MethodPromptsList) {
		return
	}
	if t.client.GetClientCapabilities().Roots == nil {
		t.folder.settle("")
	}
	t.folder.wait()
}
