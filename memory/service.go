// Package memory does the work of wake: it saves, finds and explains contexts, lets
// them age, predicts which will be needed, and keeps sessions. It applies the rules of
// the pure packages to a database. MCP and the command line use it through [Service]:
// they translate requests and answers, and decide nothing.
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

// Service is the only way to wake's memory. Set its fields before the first use and do
// not change them afterwards; only [Service.WorkIn] may. It is safe for concurrent
// use.
//
// Its methods return Invalid for a request that cannot be right, NotFound for an id or a
// name that nothing has, Expired for what was forgotten or is over, and Unavailable for a
// database that cannot be used now. A method's comment names only what is particular to it.
type Service struct {
	Store repository.Store
	Log   *slog.Logger

	Now   func() time.Time // defaults to time.Now
	NewID func() string    // ids of contexts; defaults to random UUIDs (v4, 002-01)

	Extract Extractor // summarizes at once; required
	Model   Model     // improves summaries later; may be nil
	Windows tiers.Windows

	DefaultProject string // of requests that name none
	ReadsAll       bool   // requests that name none read all projects; they still write to DefaultProject
	Folder         Folder // of DefaultProject; its first context or session claims the name for it
	Person         string // the user, on a shared database: requests that name no session get the user's own first. "" means a single user
	NoDistil       bool   // do not distil contexts from sessions
	Hurried        bool   // a client is waiting for this process to end: leave long work to others
	Formula        string // of predictions: "" is wake's own, "wakeiqx" the seed's

	// Words puts hints into the words of a door. Without it, notes do not say what to
	// do next.
	Words domain.Words

	placing sync.RWMutex // guards DefaultProject, Folder and placed
	placed  bool         // whether a save has claimed DefaultProject for Folder
	later   laterQueue
	changes changeFeed

	indexes struct { // the search indexes, by space
		once   sync.Once
		spaces [2]*index.Index
		grown  atomic.Int64 // texts stored in bulk since the index was last maintained
	}
	learning struct { // what prediction has learnt, by project
		mu     sync.Mutex
		models map[string]*learnt
	}
	ranking struct {
		once  sync.Once
		model *recall.Model
		err   error
	}

	refused sync.Map     // ids of contexts whose texts the embedding model refused while their summaries waited
	overdue atomic.Int32 // embeddings of questions that took too long and are still being computed

	sessions sessionHub
}

// Extractor makes a summary and tags from a text, at once and without a model.
type Extractor interface {
	// Summarize always returns a summary, and tags if it finds any.
	Summarize(text string) domain.Summary
}

// Model is a language model that writes better summaries, in a job.
type Model interface {
	// Name identifies the model; it is stored as summary_by.
	Name() string
	// Summarize returns an Unavailable error if it makes sense to try later.
	Summarize(ctx context.Context, text string) (domain.Summary, error)
	// EmbedName is the name of the embedding model, "" if there is none.
	EmbedName() string
	// Embed returns a vector for each text, in their order. It returns an Unavailable
	// error if it makes sense to try later.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// New returns a service on a store, with default settings.
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

// Close writes queued accesses and predictions. Call it before closing the store.
func (s *Service) Close(ctx context.Context) error { return s.Flush(ctx) }

// now is the current time, in the store's precision.
func (s *Service) now() time.Time { return domain.Moment(s.Now()) }

// Caller is who makes a request.
type Caller struct {
	Via       string // the tool or command, for the access log
	Actor     string // the client or agent
	SessionID string // the connection's session, if it has one
}

// AllProjects asks a reading operation for every project.
const AllProjects = "*"

// readProject resolves the project of a reading request; the result "" means all
// projects.
func (s *Service) readProject(name string) string {
	switch {
	case name == AllProjects, name == "" && s.ReadsAll:
		return ""
	case name == "":
		return s.ownProject()
	}
	return name
}

// ReadsEverything reports whether a reading request with this project is about all.
func (s *Service) ReadsEverything(project string) bool { return s.readProject(project) == "" }

// Scope says in words what a reading request with this project is about.
func (s *Service) Scope(project string) string {
	if project = s.readProject(project); project == "" {
		return "all projects"
	}
	return "project " + Name(project)
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
