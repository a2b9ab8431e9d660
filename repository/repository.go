// Package repository is the contract between wake and its databases: what can
// be stored, found and changed, in small interfaces. Two engines implement it,
// SQLite and PostgreSQL, and both pass the one suite in repotest.
//
// Rules that hold for every method:
//
//   - Times and ids come from the caller; no engine makes any. Times are cut to
//     microseconds.
//   - A method that changes something is a method of [Tx]: all changes of one
//     [Store.Write] become visible together or not at all.
//   - Unknown ids are left out of a list and are a NotFound error where one
//     thing is asked for. Engine errors come back as domain errors: a locked
//     database, a full disk, a read-only file, a file of a newer wake.
//   - Forgotten contexts are in no answer, unless the question asks for them.
//
// Extend the suite first, then both engines.
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

	// Write runs fn in one transaction and commits it when fn returns nil. Many processes
	// may call it at once: it waits for its turn, and returns an Unavailable error when
	// the wait grows too long. fn runs at most once, so it may change variables outside
	// of the transaction. With [Durable] the data is on disk when it returns.
	Write(ctx context.Context, d Durability, fn func(Tx) error) error
	// View runs fn on one state of the database, for questions whose answers must
	// agree. Others write meanwhile; what they do SQLite can clear away only when fn
	// has returned.
	View(ctx context.Context, fn func(Reader) error) error
	// SearchIndex gives the store of a space of the search index.
	SearchIndex(space domain.SearchSpace) SearchIndex
	// Close closes the database. What was committed is there without it.
	Close() error
}

// Durability says how safe a write is when Write returns.
type Durability bool

// Durable writes survive a power cut once acknowledged; of relaxed ones (access
// records) a power cut may take the last batch, but nothing durable.
const (
	Relaxed Durability = false
	Durable Durability = true
)

// Reader is everything that can be asked. Outside a transaction each method
// sees the last commit; inside one it sees the transaction's own changes.
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
	// ContextsByID returns those of the contexts that exist, in the order of ids.
	ContextsByID(ctx context.Context, ids []string, withContent bool) ([]domain.ContextSnapshot, error)
	// ContextsByN is ContextsByID by insertion number.
	ContextsByN(ctx context.Context, ns []int64, withContent bool) ([]domain.ContextSnapshot, error)
	// ContextsByDocument returns, by document number, the contexts that these
	// documents were made from and that were there at asOf (zero is now), as they
	// were known then. They hold what an answer shows: content and when they were
	// saved, but neither causality nor propagation.
	ContextsByDocument(ctx context.Context, ns []int64, asOf time.Time) (map[int64]domain.ContextSnapshot, error)
	// ContextIDsUnder returns, rising, at most limit ids that begin with prefix, of
	// forgotten contexts too.
	ContextIDsUnder(ctx context.Context, prefix string, limit int) ([]string, error)
	// Contexts lists what q asks for.
	Contexts(ctx context.Context, q domain.ContextQuery) ([]domain.ContextSnapshot, error)
	// ContextByHash returns the newest context of the project with that content
	// hash, or a NotFound error. It costs one index look-up.
	ContextByHash(ctx context.Context, project, hash string) (domain.ContextSnapshot, error)
	// Projects lists all projects, the most recently used first.
	Projects(ctx context.Context) ([]domain.Project, error)
	// ProjectName returns the name to use for a folder whose base name is name: name
	// itself, or name~2, name~3 … where other folders took it before. If gone reports
	// that a folder is not on this machine (it was moved, say, or is a colleague's), its
	// name goes to the next folder that asks, here alone; gone may be nil.
	ProjectName(ctx context.Context, name string, at domain.Place, gone func(path string) bool) (string, error)
	// Counts is the part of Stats that indexes hold, at a tenth of its cost or less.
	Counts(ctx context.Context, project string) (domain.Counts, error)
	// Stats counts over a project ("" is all) as of now, without loading rows;
	// tiers is the span of each tier.
	Stats(ctx context.Context, project string, now time.Time, tiers map[domain.Tier]domain.Span) (domain.Stats, error)
	// WrongTiers returns the insertion numbers of at most limit contexts of a project
	// ("" is all) whose stored tier is not that of the span they were last touched in,
	// by that tier. It looks at each context's place in an index.
	WrongTiers(ctx context.Context, project string, tiers map[domain.Tier]domain.Span, limit int) (map[domain.Tier][]int64, error)
}

// ContextWriter changes contexts.
type ContextWriter interface {
	// InsertContext stores c with its tags and the links that its causality and
	// supersession stand for, and sets c.N. A taken id is a Conflict error, an
	// empty tag or one with a comma an Invalid one. Search finds c once its
	// document has been put.
	InsertContext(ctx context.Context, c *domain.ContextSnapshot) error
	// UpdateContext lets fn change the mutable parts of one context: summary,
	// tags, causality, memory, propagation, kind, pinned, supersession, its place in a
	// session. Removed tags are kept, with at as the time of removal. fn sees the whole
	// context, content too. Its document stays as it is.
	UpdateContext(ctx context.Context, id string, at time.Time, fn func(*domain.ContextSnapshot) error) (domain.ContextSnapshot, error)
	// ForgetContexts hides contexts and their documents, but not from who asks about
	// a time when they were there.
	ForgetContexts(ctx context.Context, ids []string, at time.Time) error
	// RestoreContext brings a forgotten one and its documents back, or returns a
	// NotFound error.
	RestoreContext(ctx context.Context, id string) error
	// EraseContext overwrites the content and everything that was derived from it,
	// documents too, and leaves a tombstone with id and hash. Segments of the
	// search index are rewritten by their owner, before [Maintenance.Scrub].
	EraseContext(ctx context.Context, id string, at time.Time) error
	// ClaimProject remembers that name belongs to the folder at a place. Where it belongs
	// to another that is not gone, it returns a Conflict error.
	ClaimProject(ctx context.Context, name string, at domain.Place, gone func(path string) bool, when time.Time) error
	// SetTier stores the tier of contexts that WrongTiers found, as far as they still
	// belong to its span, and returns how many changed.
	SetTier(ctx context.Context, right domain.Tier, span domain.Span, ns []int64) (int, error)
}

// LinkReader follows links.
type LinkReader interface {
	// Links returns the live links that touch any of ids, as known at asOf (zero
	// is now).
	Links(ctx context.Context, ids []string, asOf time.Time) ([]domain.Link, error)
	// Walk follows explicit causes and dependencies from one context in a single
	// recursive query. An unknown start is a NotFound error.
	Walk(ctx context.Context, q domain.ChainQuery) (domain.Walk, error)
	// Reaches reports whether to can be reached from from over explicit links.
	Reaches(ctx context.Context, from, to string) (bool, error)
}

// LinkWriter draws and removes links. The columns caused_by, dependencies and
// superseded_by of the contexts follow in the same call.
type LinkWriter interface {
	// AddLinks adds those that do not live yet; an explicit link takes the place
	// of an automatic one. A second cause of one context is a Conflict error.
	AddLinks(ctx context.Context, links []domain.Link) error
	// RemoveLinks ends live links that equal one of links in from, to and kind.
	RemoveLinks(ctx context.Context, links []domain.Link, at time.Time) error
}

// SearchReader asks for the documents of the search index and the vectors.
type SearchReader interface {
	// LastInStream returns the number of the document of a stream whose context or
	// event is the latest, or 0.
	LastInStream(ctx context.Context, stream int64) (int64, error)
	// DocumentOf returns the document of a source without its data; the zero
	// document when there is none.
	DocumentOf(ctx context.Context, of domain.DocumentSource) (domain.Document, error)
	// DocumentsWhere returns the numbers of documents whose source passes the
	// filters, rising. If there are more than the limit, it returns any of them.
	DocumentsWhere(ctx context.Context, q domain.DocumentQuery) ([]int64, error)
	// SaidBetween returns the numbers of documents of what people said between two
	// times, rising, in sessions that were under way then. If there are more than the
	// limit, it returns any of them. The empty project is all.
	SaidBetween(ctx context.Context, project string, from, to time.Time, limit int) ([]int64, error)
	// Embeddings returns the vectors that model made of a project's contexts.
	Embeddings(ctx context.Context, project, model string) ([]domain.Embedding, error)
	// IndexedBy returns what [SearchWriter] last noted about the index, "" if
	// nothing ever was.
	IndexedBy(ctx context.Context) (string, error)
}

// SearchWriter stores the documents of the search index with their sources.
// Numbers rise in the order of commits and are never given twice.
type SearchWriter interface {
	// PutDocument adds a document and returns its number.
	PutDocument(ctx context.Context, d domain.Document) (int64, error)
	// PutDocumentsBehind adds the documents that come right after document n, the
	// last that was put in this transaction: the first gets n+1, and so on. Those of
	// contexts are of contexts whose numbers follow one another; those of messages
	// name the one before them, the first of them n.
	PutDocumentsBehind(ctx context.Context, n int64, docs []domain.Document) error
	// HideDocuments hides the documents of a source from searches, or shows them
	// again.
	HideDocuments(ctx context.Context, of domain.DocumentSource, gone bool) error
	// ClearDocuments empties the index, and says so by a removal of
	// [domain.AllDocuments].
	ClearDocuments(ctx context.Context) error
	// NoteIndexedBy stores how far the index is and what made it, for
	// [SearchReader.IndexedBy].
	NoteIndexedBy(ctx context.Context, what string) error
	// DropDocuments deletes the documents of a source for good.
	DropDocuments(ctx context.Context, of domain.DocumentSource) error
}

// SearchIndex keeps the parts of the search index in plain bytes. Package
// recall/index defines what they mean; see its Store for what each method does.
// DropRemovals, NewSegment, PutChunks and Activate return a Conflict error when the
// segments have changed meanwhile, so that of two processes that do the same work one
// gives up. A chunk that is gone is a Conflict error too: its segment was replaced.
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
	Sweep(ctx context.Context, keep int64, limit int) (deleted int, err error)
}

// UsageReader tells how contexts were used.
type UsageReader interface {
	// Accesses returns up to perContext latest accesses that count as used, of
	// each context, latest first.
	Accesses(ctx context.Context, ids []string, perContext int) (map[string][]time.Time, error)
	// LastSeen returns when each context was last accessed in any way, also merely
	// shown; those that never were are left out.
	LastSeen(ctx context.Context, ids []string) (map[string]time.Time, error)
	// AccessLog returns the accesses that come after number after, in order of
	// commit.
	AccessLog(ctx context.Context, project string, after int64, limit int) ([]domain.Access, error)
	// Outcomes returns predictions whose horizon has passed at now and that are
	// not settled yet.
	Outcomes(ctx context.Context, now time.Time, limit int) ([]domain.Outcome, error)
}

// UsageWriter records use.
type UsageWriter interface {
	// RecordAccesses appends to the access log and moves last_accessed,
	// access_count and the stored tier of those that count. Unknown ids are
	// skipped.
	RecordAccesses(ctx context.Context, accesses []domain.Access) error
	// AppendAccesses appends to the log what it does not hold, changes nothing else,
	// and returns how many were new. It is for imports, whose contexts bring their
	// counts.
	AppendAccesses(ctx context.Context, accesses []domain.Access) (int, error)
	// RecordPredictions keeps predictions that were shown, to be settled once their
	// horizon has passed. Unknown and forgotten contexts are skipped.
	RecordPredictions(ctx context.Context, outcomes []domain.Outcome) error
	// SettleOutcomes writes what became of predictions, by their numbers. Those that
	// are settled already stay as they are.
	SettleOutcomes(ctx context.Context, outcomes []domain.Outcome) error
	// PutEmbeddings keeps vectors, one for each context and model. Unknown and
	// forgotten contexts are skipped.
	PutEmbeddings(ctx context.Context, embeddings []domain.Embedding) error
}

// PredictionReader reads what prediction has learnt.
type PredictionReader interface {
	// PredictionModel returns what was learnt of a project; without a state where
	// nothing was.
	PredictionModel(ctx context.Context, project string) (domain.LearntModel, error)
	// LearntProjects lists, by name, the projects of which something was learnt.
	LearntProjects(ctx context.Context) ([]string, error)
	// PredictionItems returns the rows of those of the contexts that have one.
	PredictionItems(ctx context.Context, ns []int64) ([]domain.LearntItem, error)
	// Births returns what the contexts with these numbers said about themselves
	// when they were saved, in any order, forgotten ones included. Whatever
	// happened to them since, the answer stays the same.
	Births(ctx context.Context, ns []int64) ([]domain.Birth, error)
	// LastAccess returns the number of the project's newest access, or 0.
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
	// ContextsAfter returns contexts numbered above n, rising, forgotten ones and
	// content included.
	ContextsAfter(ctx context.Context, n int64, limit int) ([]domain.ContextSnapshot, error)
	// LinkHistory returns all links from the given contexts, removed ones too, in
	// the order in which they were added.
	LinkHistory(ctx context.Context, from []string) ([]domain.Link, error)
	// TagHistory returns the tags that each of the contexts has or had, the oldest
	// first.
	TagHistory(ctx context.Context, ids []string) (map[string][]domain.TagSpan, error)
	// VectorsOf returns the vectors that models made of each of the contexts.
	VectorsOf(ctx context.Context, ids []string) (map[string][]domain.Embedding, error)
	// OutcomeLog returns the predictions that come after number after, settled or
	// not, in the order in which they were recorded.
	OutcomeLog(ctx context.Context, project string, after int64, limit int) ([]domain.Outcome, error)
	// Tombstones returns what remains of erased contexts, numbered above n, rising.
	Tombstones(ctx context.Context, project string, n int64, limit int) ([]domain.Tombstone, error)
	// ErasedContexts returns those of ids that were erased for good: an import
	// must not bring them back.
	ErasedContexts(ctx context.Context, ids []string) ([]string, error)
}

// Adopter takes back what a [Dumper] gave.
type Adopter interface {
	// AdoptContexts stores contexts exactly as another store kept them, forgotten
	// ones too, with their histories by id, and draws no links of its own. It sets
	// their numbers, which follow one another. One whose id is taken is not stored
	// and gets 0.
	AdoptContexts(ctx context.Context, list []*domain.ContextSnapshot, past map[string]domain.ContextHistory) error
	// AppendTombstones records that contexts were erased elsewhere, and returns
	// how many records were new. A context that is stored here stays.
	AppendTombstones(ctx context.Context, stones []domain.Tombstone) (int, error)
	// AppendOutcomes records predictions that are not stored yet, with what became
	// of them, and returns how many were new. Unknown contexts are skipped.
	AppendOutcomes(ctx context.Context, outcomes []domain.Outcome) (int, error)
}

// JobReader looks at the durable queues.
type JobReader interface {
	// DueSummaries returns waiting jobs whose time has come, those of the newest contexts
	// first: what an import left to do keeps nobody waiting who saves.
	DueSummaries(ctx context.Context, now time.Time, limit int) ([]domain.SummaryJob, error)
	// WaitingSummaries counts the jobs of the project's contexts ("" is all), due or not.
	WaitingSummaries(ctx context.Context, project string) (int, error)
}

// JobWriter changes the durable queues.
type JobWriter interface {
	// QueueSummaries puts jobs into the queue; a job that waits already is replaced.
	// Unknown and forgotten contexts are skipped.
	QueueSummaries(ctx context.Context, jobs []domain.SummaryJob) error
	// FinishSummary takes the job of a context out of the queue.
	FinishSummary(ctx context.Context, contextID string) error
	// QueueMissing queues every context of the project ("" is all) whose summary no model
	// and no caller wrote, and makes due what was put off.
	QueueMissing(ctx context.Context, project string, now time.Time) error
	// TakeLease gives or renews a lease, or returns a Conflict error that names
	// the holder while another process holds it; ttl is at most
	// [domain.LongestLease].
	TakeLease(ctx context.Context, name, holder string, now time.Time, ttl time.Duration) (domain.Lease, error)
	// CleanUp erases for good at most limit contexts that were forgotten before
	// the given time, and returns how many it erased.
	CleanUp(ctx context.Context, before time.Time, limit int) (int, error)
}

// Maintenance looks after the database as a file.
type Maintenance interface {
	// Info describes the database: engine, version, address, size.
	Info(ctx context.Context) (Info, error)
	// Check looks for damage in every table and index, and reports each finding
	// with a remedy. It changes nothing. A message without a document is a finding
	// if said reports that the event has words to be found; with a nil said, none
	// is.
	Check(ctx context.Context, said func(domain.Event) bool, progress func(done, total int)) ([]Finding, error)
	// Repair rebuilds the rows of links and tags from the columns that they index.
	// It does not touch documents: package memory makes those again.
	Repair(ctx context.Context, progress func(done, total int)) error
	// Backup writes a complete copy while others go on writing, and checks it.
	Backup(ctx context.Context, path string, progress func(done, total int)) error
	// Scrub makes what was erased unreadable in files and logs too, as far as the
	// engine can. A write that erases calls it after its commit. An Unavailable
	// error says that others still read what was there before.
	Scrub(ctx context.Context) error
	// Compact returns free pages to the disk in one small step, and reports
	// whether there is more to do.
	Compact(ctx context.Context) (more bool, err error)
}

// Info describes an open database.
type Info struct {
	Engine  string `json:"engine"`  // sqlite or postgres, with its version
	Address string `json:"address"` // a path, or a URL without password
	Schema  int    `json:"schema"`  // version of the tables
	Size    int64  `json:"size_bytes"`
}

// Finding is one thing Check has to say.
type Finding struct {
	Subject string `json:"subject"` // integrity, links, index, tags, session …
	Detail  string `json:"detail"`
	Remedy  string `json:"remedy"`
	Count   int    `json:"count"`
}
