// Package memory does the work of wake: it saves, finds and explains contexts,
// lets them age, predicts which will be needed, and keeps sessions. It applies
// the rules of the pure packages to whatever database it is given. MCP and the
// command line are doors to [Service]: they translate requests and answers, and
// decide nothing.
package memory

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"wake/domain"
	"wake/recall"
	"wake/recall/index"
	"wake/repository"
	"wake/tiers"
)

// Service is the one way to wake's memory. Set the fields before the first use
// and leave them; it is safe for concurrent use. [Service.WorkIn] alone changes some later.
type Service struct {
	Store repository.Store
	Log   *slog.Logger

	Now   func() time.Time // defaults to time.Now
	NewID func() string    // ids of contexts; defaults to random UUIDs (v4, 002-01)

	Extract Extractor // writes a summary at once; required
	Model   Model     // polishes it later; nil without a model
	Windows tiers.Windows

	DefaultProject string // for requests that name none
	Folder         Folder // that DefaultProject stands for; its first context or session claims the name for it
	Person         string // who works here, where people share a database: unnamed sessions are theirs first; "" tells nobody apart
	NoDistil       bool   // make no contexts of what sessions decided and learnt
	Hurried        bool   // a client waits for this process: what takes long is left to others
	Formula        string // prediction formula: "" is wake's own, "wakeiqx" the seed's

	// Words are how the door to this service words hints. Without them, notes do not
	// say what to do next.
	Words domain.Words

	placing sync.RWMutex // DefaultProject and Folder
	later   laterQueue
	changes changeFeed

	searching struct { // the search index, by space
		once   sync.Once
		spaces [2]*index.Index
		grown  atomic.Int64 // texts taken in many at a time since the index was kept
	}
	learning struct { // what prediction knows, by project
		mu     sync.Mutex
		models map[string]*learnt
	}
	ranking struct {
		once  sync.Once
		model *recall.Model
		err   error
	}

	overdue atomic.Int32 // questions that the embedding model took too long for and still works on

	sessions sessionHub
}

// Extractor makes a summary and tags from a text at once, without a model.
type Extractor interface {
	// Summarize always has a summary; tags where there is anything to tag.
	Summarize(text string) domain.Summary
}

// Model is a language model that writes better summaries later, in a job.
type Model interface {
	// Name identifies the model, as kept in summary_by.
	Name() string
	// Summarize returns an Unavailable error when trying later makes sense.
	Summarize(ctx context.Context, text string) (domain.Summary, error)
	// EmbedName is the name of the embedding model, "" when there is none.
	EmbedName() string
	// Embed returns a vector for each text, in their order. It returns an Unavailable
	// error when trying later makes sense.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// New returns a service over store with the defaults of the product.
func New(store repository.Store, extract Extractor) *Service {
	return &Service{
		Store:   store,
		Log:     slog.New(slog.DiscardHandler),
		Now:     time.Now,
		NewID:   uuid.NewString,
		Extract: extract,
		Windows: tiers.DefaultWindows,
	}
}

// Close writes what is still queued. Call it before the store is closed.
func (s *Service) Close(ctx context.Context) error { return s.Flush(ctx) }

// now is the time of one operation.
func (s *Service) now() time.Time { return domain.Moment(s.Now()) }

// Caller says on whose behalf a request is made.
type Caller struct {
	Via       string // the tool or command, for the access log
	Actor     string // the client or agent
	SessionID string // the connection's session, if it has one
}

// AllProjects asks a reading operation for every project.
const AllProjects = "*"

// readProject resolves the project of a reading request; "" from it means all.
func (s *Service) readProject(name string) string {
	switch name {
	case AllProjects:
		return ""
	case "":
		return s.ownProject()
	}
	return name
}

// writeProject resolves the project of a writing request.
func (s *Service) writeProject(name string) (string, error) {
	if name == "" {
		name = s.ownProject()
	}
	switch name {
	case "":
		return "", domain.Invalid("project is missing; name one, for example project: \"my-app\"")
	case AllProjects:
		return "", domain.Invalid("project \"*\" means all projects and is for reading only; name one project to write to")
	}
	return name, domain.CheckName("project", name)
}
