// Package repository is the contract between wake and its databases: what can be
// stored, found and changed, in small interfaces. Two engines implement it, SQLite and
// PostgreSQL, and both pass the same test suite, package repotest.
//
// Rules that hold for every method:
//
//   - Times and ids come from the caller; no engine makes its own. Times are truncated
//     to microseconds.
//   - A method that changes something is a method of [Tx]: all changes of one
//     [Store.Write] become visible together or not at all.
//   - Unknown ids are left out of lists. Where a single thing is asked for, an unknown
//     id is a NotFound error. Engine errors (a locked database, a full disk, a read-only
//     file, a file written by a newer wake) are returned as domain errors.
//   - Forgotten contexts are left out unless the query asks for them.
//
// To change the contract, extend the suite first, then both engines.
package repository

import (
	"context"
	"time"

	"wake/domain"
)

// Store is one open database.
type Store interface {
	Reader
	Maintenance

	// Write runs fn in one transaction and commits it when fn returns nil. Many
	// processes may call it at once: it waits for its turn, and returns an Unavailable
	// error when the wait grows too long. fn runs at most once, so it may change
	// variables outside the transaction. With [Durable], the data is on disk when Write
	// returns.
	Write(ctx context.Context, d Durability, fn func(Tx) error) error
	// JoinWrites commits relaxed writes together from now on, for a process that makes many
	// small ones. The process itself sees them at once. Others see them, and a killed process
	// leaves them, a few dozen milliseconds later, or once a durable write or Close returns.
	// Each still succeeds or fails by itself. If a commit fails, however, it takes back writes
	// that had succeeded, and every later one returns its error; if there is none, Close does.
	// No goroutine may use the store meanwhile, nor call it within Write or View afterwards.
	JoinWrites()
	// Pause commits joined writes, and lets none begin until fn has returned: fn may keep
	// this process from going on. Without JoinWrites, it just runs fn.
	Pause(fn func())
	// View runs fn on one state of the database, for queries whose answers must agree.
	// Others may write meanwhile, but SQLite cannot clean up their log until fn has
	// returned, so fn should be short.
	View(ctx context.Context, fn func(Reader) error) error
	// SearchIndex returns the store for one space of the search index.
	SearchIndex(space domain.SearchSpace) SearchIndex
	// Close closes the database. Committed data does not depend on it.
	Close() error
}

// Durability says how safe a write is once Write has returned.
type Durability bool

// A Durable write survives a power cut once it is acknowledged. A power cut may undo
// the last Relaxed writes (access records), but never a durable one.
const (
	Relaxed Durability = false
	Durable Durability = true
)

// Reader holds all queries. Outside a transaction each method sees the last commit;
// inside one it also sees the transaction's own changes.
type Reader interface {
	ContextReader
	LinkReader
	SearchReader
	UsageReader
	PredictionReader
	JobReader
	SessionReader
	Dumper
}

// Tx is one write transaction.
type Tx interface {
	Reader
	ContextWriter
	LinkWriter
	SearchWriter
	UsageWriter
	PredictionWriter
	JobWriter
	SessionWriter
	Adopter
}

// ContextReader finds contexts.
type ContextReader interface {
	// ContextsByID returns the existing contexts among ids, in the order of ids.
	ContextsByID(ctx context.Context, ids []string, withContent bool) ([]domain.ContextSnapshot, error)
	// ContextsByN does the same by insertion number, as of a time (zero means now).
	ContextsByN(ctx context.Context, ns []int64, withContent bool, asOf time.Time) ([]domain.ContextSnapshot, error)
	// ContextsByDocument returns, by document number, the contexts behind these search
	// documents, as they were known at asOf (zero means now). Contexts that did not
	// exist then are left out. Only what an answer shows is filled in: content, times,
	// action and rationale, but neither links nor propagation.
	ContextsByDocument(ctx context.Context, ns []int64, asOf time.Time) (map[int64]domain.ContextSnapshot, error)
	// ContextIDsUnder returns at most limit ids that begin with prefix, in ascending
	// order, including those of forgotten contexts.
	ContextIDsUnder(ctx context.Context, prefix string, limit int) ([]string, error)
	// Contexts lists the contexts that match q.
	Contexts(ctx context.Context, q domain.ContextQuery) ([]domain.ContextSnapshot, error)
	// ContextByHash returns the newest context of the project with that content hash, or
	// a NotFound error. It costs one index look-up.
	ContextByHash(ctx context.Context, project, hash string) (domain.ContextSnapshot, error)
	// Projects lists all projects, the most recently used first.
	Projects(ctx context.Context) ([]domain.Project, error)
	// ProjectName returns the project name to use for a folder whose base name is name:
	// name itself, or name~2, name~3 … if other folders have taken it. gone reports that
	// a folder no longer exists on this machine (it was moved, or belongs to a
	// colleague); the next folder that asks here then gets its name, of several the one
	// whose path ends most like its own, and of those the one used last. gone may be nil; the place that it is asked about has
	// a machine only if the folder was claimed on this one.
	ProjectName(ctx context.Context, name string, at domain.Place, gone func(domain.Place) bool) (string, error)
	// ProjectAt returns the project that has claimed its name for the folder at a place, on
	// another machine if not on this one; "" if there is none.
	ProjectAt(ctx context.Context, at domain.Place) (string, error)
	// Counts returns the part of Stats that indexes can answer, at a tenth of the cost
	// or less.
	Counts(ctx context.Context, project string) (domain.Counts, error)
	// Stats counts over a project ("" means all) as of now, without loading rows. tiers
	// gives the span of each tier.
	Stats(ctx context.Context, project string, now time.Time, tiers map[domain.Tier]domain.Span) (domain.Stats, error)
	// WrongTiers finds at most limit contexts of a project ("" means all) whose stored
	// tier differs from the tier of their last access. It returns their insertion
	// numbers by the tier they should have, and reads only an index.
	WrongTiers(ctx context.Context, project string, tiers map[domain.Tier]domain.Span, limit int) (map[domain.Tier][]int64, error)
}

// ContextWriter changes contexts.
type ContextWriter interface {
	// InsertContext stores c with its tags and the links given by its causality and
	// supersession, and sets c.N. A taken id is a Conflict error; an empty tag, or one
	// with a comma, is an Invalid error. Search finds c only after its document has been
	// put.
	InsertContext(ctx context.Context, c *domain.ContextSnapshot) error
	// UpdateContext lets fn change the mutable parts of one context: summary, tags,
	// causality, memory, propagation, kind, pinned, supersession and its place in a
	// session. Removed tags are kept, with at as the time of removal. fn sees the whole
	// context including its content. The search document is not changed.
	UpdateContext(ctx context.Context, id string, at time.Time, fn func(*domain.ContextSnapshot) error) (domain.ContextSnapshot, error)
	// ForgetContexts hides contexts and their documents, except from queries about a
	// time before at.
	ForgetContexts(ctx context.Context, ids []string, at time.Time) error
	// RestoreContext brings a forgotten context and its documents back, or returns a
	// NotFound error.
	RestoreContext(ctx context.Context, id string) error
	// EraseContext overwrites the content and everything derived from it, including
	// documents, and leaves a tombstone with id and hash.
	EraseContext(ctx context.Context, id string, at time.Time) error
	// ClaimProject records that name belongs to the folder at a place. If name belongs
	// to another folder that still exists, it returns a Conflict error.
	ClaimProject(ctx context.Context, name string, at domain.Place, gone func(domain.Place) bool, when time.Time) error
	// SetTier stores the tier of contexts found by WrongTiers, as far as they still
	// belong in its span, and returns how many changed.
	SetTier(ctx context.Context, right domain.Tier, span domain.Span, ns []int64) (int, error)
}

// LinkReader follows links.
type LinkReader interface {
	// Links returns the live links from or to any of ids, as known at asOf (zero means
	// now).
	Links(ctx context.Context, ids []string, asOf time.Time) ([]domain.Link, error)
	// Walk follows explicit causes and dependencies from one context in a single
	// recursive query. An unknown start is a NotFound error.
	Walk(ctx context.Context, q domain.ChainQuery) (domain.Walk, error)
	// Reaches reports whether explicit links lead from one context to another.
	Reaches(ctx context.Context, from, to string) (bool, error)
}

// LinkWriter adds and removes links. The columns caused_by, dependencies and
// superseded_by of the contexts are updated in the same call.
type LinkWriter interface {
	// AddLinks adds the links that do not exist yet; an explicit link replaces an
	// automatic one. A second cause of one context is a Conflict error. A link that has
	// ended already is added to the history and changes nothing else.
	AddLinks(ctx context.Context, links []domain.Link) error
	// RemoveLinks ends the live links that equal one of links in from, to and kind.
	RemoveLinks(ctx context.Context, links []domain.Link, at time.Time) error
}

// SearchReader reads the documents of the search index and the embedding vectors.
type SearchReader interface {
	// LastInStream returns the number of the stream's document with the latest context
	// or event, or 0.
	LastInStream(ctx context.Context, stream int64) (int64, error)
	// DocumentOf returns the document of a source without its data, or the zero
	// document.
	DocumentOf(ctx context.Context, of domain.DocumentSource) (domain.Document, error)
	// DocumentsWhere returns the numbers of the documents whose source passes the
	// filters, in ascending order. If there are more than the limit, it returns an
	// arbitrary choice.
	DocumentsWhere(ctx context.Context, q domain.DocumentQuery) ([]int64, error)
	// SaidBetween returns the numbers of the documents of what people said between two
	// times, in sessions under way then, in ascending order. If there are more than the
	// limit, it returns an arbitrary choice. An empty project means all.
	SaidBetween(ctx context.Context, project string, from, to time.Time, limit int) ([]int64, error)
	// Embeddings passes on the vectors that model computed for a project's contexts, which
	// are too much to be held at once. Each is valid until take returns.
	Embeddings(ctx context.Context, project, model string, take func(domain.Embedding)) error
	// IndexedBy returns what [SearchWriter.NoteIndexedBy] stored last, or "".
	IndexedBy(ctx context.Context) (string, error)
}

// SearchWriter stores the documents of the search index in the transaction of their
// sources. Numbers rise in the order of commits and are never reused.
type SearchWriter interface {
	// PutDocument adds a document and returns its number.
	PutDocument(ctx context.Context, d domain.Document) (int64, error)
	// PutDocumentsBehind adds documents right after document n, the last one put in this
	// transaction: the first gets n+1, and so on. The contexts of context documents must
	// have consecutive numbers; each message document must name the one before it, the
	// first one n.
	PutDocumentsBehind(ctx context.Context, n int64, docs []domain.Document) error
	// HideDocuments hides the documents of a source from searches or, if gone is false,
	// shows them again.
	HideDocuments(ctx context.Context, of domain.DocumentSource, gone bool) error
	// ClearDocuments empties the index, and records that as a removal of
	// [domain.AllDocuments].
	ClearDocuments(ctx context.Context) error
	// NoteIndexedBy stores how far the index is and which version built it, for
	// [SearchReader.IndexedBy].
	NoteIndexedBy(ctx context.Context, what string) error
	// DropDocuments deletes the documents of a source permanently.
	DropDocuments(ctx context.Context, of domain.DocumentSource) error
}

// SearchIndex stores the parts of the search index as plain bytes. Package recall/index
// defines their meaning; its Store documents each method. DropRemovals, NewSegment,
// PutChunks and Activate return a Conflict error if the segments have changed
// meanwhile, so that of two processes doing the same work one gives up. A missing chunk
// is a Conflict error too: its segment was replaced.
type SearchIndex interface {
	State(ctx context.Context) (lastDoc, lastRemoval, version int64, err error)
	Rows(ctx context.Context, after int64, limit int, take func(n int64, doc []byte) error) (rows int, err error)
	Docs(ctx context.Context, ns []int64, take func(n int64, doc []byte) error) error
	Next(ctx context.Context, ns []int64) (next []int64, err error)
	Removals(ctx context.Context, after int64, limit int, take func(id, n int64, scope string, gone bool)) error
	DropRemovals(ctx context.Context, version int64, ids []int64) error
	Segments(ctx context.Context) (ids []int64, heads [][]byte, err error)
	Chunk(ctx context.Context, segment, key int64) ([]byte, error)
	Far() bool
	Chunks(ctx context.Context, segments, keys []int64, take func(segment, key int64, blob []byte)) error
	NewSegment(ctx context.Context, version int64) (id int64, err error)
	PutChunks(ctx context.Context, segment int64, keys []int64, blobs [][]byte) error
	Activate(ctx context.Context, segment int64, head []byte, replaces []int64) error
	Sweep(ctx context.Context, limit int) (deleted int, err error)
}

// UsageReader reads how contexts were used.
type UsageReader interface {
	// LastSeen returns when each context was last accessed in any way, including when it
	// was merely shown. Contexts without accesses are left out.
	LastSeen(ctx context.Context, ids []string) (map[string]time.Time, error)
	// AccessLog returns the accesses numbered above after, in order of commit.
	AccessLog(ctx context.Context, project string, after int64, limit int) ([]domain.Access, error)
	// Outcomes returns unsettled predictions whose horizon has passed at now. Accessed
	// says whether the context was used within it.
	Outcomes(ctx context.Context, now time.Time, limit int) ([]domain.Outcome, error)
}

// UsageWriter records use.
type UsageWriter interface {
	// RecordAccesses appends to the access log and updates last_accessed, access_count
	// and the stored tier for accesses that count. Unknown ids are skipped.
	RecordAccesses(ctx context.Context, accesses []domain.Access) error
	// AppendAccesses appends the accesses that the log does not hold yet, changes
	// nothing else, and returns how many were new. It is for imports, whose contexts
	// bring their own counts.
	AppendAccesses(ctx context.Context, accesses []domain.Access) (int, error)
	// RecordPredictions keeps predictions that were shown, to be settled after their
	// horizon. Unknown and forgotten contexts are skipped.
	RecordPredictions(ctx context.Context, outcomes []domain.Outcome) error
	// SettleOutcomes stores the outcome of predictions, identified by number.
	// Predictions that are already settled stay unchanged.
	SettleOutcomes(ctx context.Context, outcomes []domain.Outcome) error
	// PutEmbeddings keeps vectors, one per context and model. Unknown and forgotten
	// contexts are skipped.
	PutEmbeddings(ctx context.Context, embeddings []domain.Embedding) error
}

// PredictionReader reads what prediction has learnt.
type PredictionReader interface {
	// PredictionModel returns the model of a project, without a state if nothing was
	// learnt yet.
	PredictionModel(ctx context.Context, project string) (domain.LearntModel, error)
	// LearntProjects lists, by name, the projects that have a model.
	LearntProjects(ctx context.Context) ([]string, error)
	// PredictionItems returns the rows of those contexts that have one.
	PredictionItems(ctx context.Context, ns []int64) ([]domain.LearntItem, error)
	// Births returns what the contexts with these numbers said about themselves
	// when they were saved, in any order, forgotten ones included. Whatever
	// happened to them since, the answer stays the same.
	Births(ctx context.Context, ns []int64) ([]domain.Birth, error)
	// LastAccess returns the number of the project's newest access ("" means of all
	// projects), or 0.
	LastAccess(ctx context.Context, project string) (int64, error)
	// PredictionStats is that part of Stats alone; it costs as much as there are
	// contexts with a score.
	PredictionStats(ctx context.Context, project string) (domain.PredictionStats, error)
}

// PredictionWriter keeps what prediction learns.
type PredictionWriter interface {
	// PutPrediction replaces a project's model and the rows that changed. It
	// returns a Conflict error when the watermark of the stored model is not was:
	// another process has learnt the same meanwhile.
	PutPrediction(ctx context.Context, m domain.LearntModel, was int64, items []domain.LearntItem, at time.Time) error
	// PutScores replaces the future layer of contexts, by id, and returns how many
	// of them there are. It reads no content.
	PutScores(ctx context.Context, next map[string]domain.Propagation) (int, error)
	// ClearPrediction drops what was learnt of a project.
	ClearPrediction(ctx context.Context, project string) error
}

// Dumper reads everything, for exports and rebuilding.
type Dumper interface {
	// ContextsAfter returns contexts numbered above n in ascending order, including
	// forgotten ones, with content.
	ContextsAfter(ctx context.Context, n int64, limit int) ([]domain.ContextSnapshot, error)
	// LinkHistory returns all links from the given contexts, including removed ones, in
	// the order in which they were added.
	LinkHistory(ctx context.Context, from []string) ([]domain.Link, error)
	// TagHistory returns the current and former tags of each context, oldest first.
	TagHistory(ctx context.Context, ids []string) (map[string][]domain.TagSpan, error)
	// VectorsOf returns the embedding vectors of each context.
	VectorsOf(ctx context.Context, ids []string) (map[string][]domain.Embedding, error)
	// OutcomeLog returns the predictions numbered above after, settled or not, in the
	// order in which they were recorded.
	OutcomeLog(ctx context.Context, project string, after int64, limit int) ([]domain.Outcome, error)
	// ScanEvents looks for the session's events above after, up to until, in the logs of all
	// sessions: for where the index of the log is damaged. They come in any order, and with
	// an error come those that could be read.
	ScanEvents(ctx context.Context, sessionID string, after, until int64) ([]domain.Event, error)
	// Tombstones returns what remains of erased contexts numbered above n, in ascending
	// order.
	Tombstones(ctx context.Context, project string, n int64, limit int) ([]domain.Tombstone, error)
	// ErasedContexts returns those of ids that were erased permanently; an import must
	// not bring them back.
	ErasedContexts(ctx context.Context, ids []string) ([]string, error)
}

// Adopter stores what a [Dumper] of another database returned.
type Adopter interface {
	// AdoptContexts stores contexts exactly as another store kept them, including
	// forgotten ones, with their histories by id. It adds no links of its own. It sets
	// consecutive numbers; a context whose id is taken gets 0 and is not stored, but what
	// is there becomes as warm, if it was accessed later elsewhere.
	AdoptContexts(ctx context.Context, list []*domain.ContextSnapshot, past map[string]domain.ContextHistory) error
	// AppendTombstones records that contexts were erased elsewhere, and returns how many
	// records were new. Contexts stored here are not touched.
	AppendTombstones(ctx context.Context, stones []domain.Tombstone) (int, error)
	// AppendOutcomes records predictions that are not stored yet, with their outcomes,
	// and returns how many were new. Unknown contexts are skipped.
	AppendOutcomes(ctx context.Context, outcomes []domain.Outcome) (int, error)
}

// JobReader reads the durable queues.
type JobReader interface {
	// DueSummaries returns waiting jobs of the project ("" means all) whose time has come,
	// newest contexts first, so that a large import does not delay the summaries of new
	// saves.
	DueSummaries(ctx context.Context, project string, now time.Time, limit int) ([]domain.SummaryJob, error)
	// Unembedded returns waiting jobs of the project ("" means all), due or not, whose
	// contexts have no embedding by a model, newest contexts first.
	Unembedded(ctx context.Context, project, model string, limit int) ([]domain.SummaryJob, error)
	// WaitingSummaries counts the jobs of the project's contexts ("" means all), due or
	// not.
	WaitingSummaries(ctx context.Context, project string) (int, error)
}

// JobWriter changes the durable queues.
type JobWriter interface {
	// QueueSummaries queues jobs; a job already queued is replaced. Unknown and
	// forgotten contexts are skipped.
	QueueSummaries(ctx context.Context, jobs []domain.SummaryJob) error
	// FinishSummary removes a context's job from the queue.
	FinishSummary(ctx context.Context, contextID string) error
	// QueueMissing queues every context of the project ("" means all) whose summary was
	// written neither by a model nor by a caller, or that has no embedding by embedModel
	// ("" means that none is wanted), and makes postponed jobs due.
	QueueMissing(ctx context.Context, project, embedModel string, now time.Time) error
	// TakeLease grants or renews a lease. While another process holds it, the result is
	// a Conflict error that names the holder. ttl is at most [domain.LongestLease].
	TakeLease(ctx context.Context, name, holder string, now time.Time, ttl time.Duration) (domain.Lease, error)
	// CleanUp permanently erases at most limit contexts that were forgotten before a time,
	// and returns how many it erased. at is the time of the erasure.
	CleanUp(ctx context.Context, before, at time.Time, limit int) (int, error)
	// OweRewrite notes that [Maintenance.Rewrite] must follow, because something was erased
	// that must not be readable anywhere. A process that is killed leaves it to others.
	OweRewrite(ctx context.Context) error
}

// Maintenance looks after the database as a whole.
type Maintenance interface {
	// Info describes the database: engine, version, address, size.
	Info(ctx context.Context) (Info, error)
	// Check looks for damage in every table and index, and reports each finding with a
	// remedy. It changes nothing. said reports whether an event has words that search
	// should find; a message that has, but has no document, is a finding. With a nil
	// said, messages are not checked.
	Check(ctx context.Context, said func(domain.Event) bool, progress func(done, total int)) ([]Finding, error)
	// Repair rebuilds the rows of links and tags from the columns that they index. It
	// does not touch documents, which package memory rebuilds.
	Repair(ctx context.Context, progress func(done, total int)) error
	// Backup writes a complete copy while others go on writing, and checks it.
	Backup(ctx context.Context, path string, progress func(done, total int)) error
	// Scrub removes erased data from free space and logs, as far as the engine can. An
	// Unavailable error means that other processes still read the old data.
	Scrub(ctx context.Context) error
	// Rewrite leaves no trace of erased data in files and logs, as far as the engine can.
	// It may take as long as a copy of the database, and returns the errors of Scrub. The
	// owner of the search index rewrites the affected segments before. owed is what
	// RewriteOwed returned before that; what others have erased since then stays owed.
	Rewrite(ctx context.Context, owed int) error
	// RewriteOwed returns how often [JobWriter.OweRewrite] was called so far, or 0 if a
	// Rewrite covers all of these calls.
	RewriteOwed(ctx context.Context) (owed int, err error)
	// Compact returns free pages to the disk in one small step, and reports
	// whether there is more to do.
	Compact(ctx context.Context) (more bool, err error)
}

// Info describes an open database.
type Info struct {
	Engine   string `json:"engine"`  // sqlite or postgres, with its version
	Address  string `json:"address"` // a path, or a URL without password
	Schema   int    `json:"schema"`  // version of the tables
	Size     int64  `json:"size_bytes"`
	ReadOnly string `json:"read_only,omitempty"` // why it was opened for reading only; "" if it was not
}

// Finding is one problem found by Check.
type Finding struct {
	Subject string `json:"subject"` // integrity, links, index, tags, session …
	Detail  string `json:"detail"`
	Remedy  string `json:"remedy"`
	Count   int    `json:"count"`
}
