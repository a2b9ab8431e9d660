package mcp

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"wake/domain"
	"wake/memory"
)

// resource is one URI, or one template of URIs, that can be read.
type resource struct {
	uri   string // a template if it has {variables}
	name  string
	about string
	mime  string
	read  func(context.Context, memory.Caller, variables) (string, error)
}

// The media types of resources.
const (
	jsonMedia = "application/json"
	markdown  = "text/markdown"
)

// variables are the values of a template's variables in a URI, unescaped.
type variables map[string]string

func (s *Server) resources() []resource {
	return slices.Concat(s.contextResources(), s.sessionResources())
}

// contextResources are the resources of contexts and projects.
func (s *Server) contextResources() []resource {
	return []resource{
		{"wake://status", "status", "State and health of the memory", jsonMedia, s.readStatus},
		{"wake://projects", "projects", "All projects, the most recently used first", jsonMedia, s.readProjects},
		{"wake://projects/{project}/brief", "brief", "What matters in a project now", markdown, s.readBrief},
		{"wake://contexts/{id}", "context", "One context, whole", jsonMedia, s.readContext},
		{"wake://help/record", "record help", "What the record tool takes, by type of event", markdown, readRecordHelp},
	}
}

func (s *Server) addResources(list []resource) {
	for _, r := range list {
		if strings.Contains(r.uri, "{") {
			t := sdk.NewResourceTemplate(r.uri, r.name, sdk.WithTemplateDescription(r.about), sdk.WithTemplateMIMEType(r.mime))
			s.core.AddResourceTemplate(t, server.ResourceTemplateHandlerFunc(s.reader(r)))
			continue
		}
		s.core.AddResource(sdk.NewResource(r.uri, r.name, sdk.WithResourceDescription(r.about), sdk.WithMIMEType(r.mime)), s.reader(r))
	}
}

// reader reads a resource for a client.
func (s *Server) reader(r resource) server.ResourceHandlerFunc {
	return func(ctx context.Context, req sdk.ReadResourceRequest) ([]sdk.ResourceContents, error) {
		by := s.caller(ctx, "resource "+r.name)
		vars := variablesOf(req)
		if err := s.spellNamed(ctx, vars); err != nil {
			return nil, s.shownError(req.Params.URI, err)
		}
		text, err := r.read(ctx, by, vars)
		if err != nil {
			return nil, s.shownError(req.Params.URI, err)
		}
		contents := []sdk.ResourceContents{sdk.TextResourceContents{URI: req.Params.URI, MIMEType: r.mime, Text: text}}
		if r.mime == jsonMedia && passesOn(by) { // pages show no secrets to anybody, and quote
			contents[0] = sdk.TextResourceContents{URI: req.Params.URI, MIMEType: r.mime, Text: string(memory.PlainJSON([]byte(text)))}
			contents = append(contents, sdk.TextResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: dataNotice})
		}
		return contents, nil
	}
}

func variablesOf(req sdk.ReadResourceRequest) variables {
	vars := variables{}
	for name, value := range req.Params.Arguments {
		switch v := value.(type) {
		case string:
			vars[name] = v
		case []string:
			vars[name] = strings.Join(v, ",")
		}
	}
	return vars
}

// asDocument writes a value as indented JSON, unless err says that there is none.
func asDocument(found any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	raw, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		return "", fmt.Errorf("write the resource: %w", err)
	}
	return string(raw), nil
}

// status is the content of wake://status.
type status struct {
	Version string `json:"version"`
	memory.StatsAnswer
}

func (s *Server) readStatus(ctx context.Context, _ memory.Caller, _ variables) (string, error) {
	stats, err := s.service.Stats(ctx, memory.AllProjects)
	return asDocument(status{s.version, stats}, err)
}

//go:embed record.md
var recordHelp string

func readRecordHelp(context.Context, memory.Caller, variables) (string, error) {
	return recordHelp, nil
}

func (s *Server) readProjects(ctx context.Context, _ memory.Caller, _ variables) (string, error) {
	projects, err := s.service.Projects(ctx)
	if projects == nil {
		projects = []domain.Project{}
	}
	return asDocument(projects, err)
}

func (s *Server) readContext(ctx context.Context, by memory.Caller, vars variables) (string, error) {
	found, err := s.service.Load(ctx, memory.LoadRequest{By: by, IDs: []string{vars["id"]}})
	if err != nil {
		return "", err
	}
	return asDocument(found.Contexts[0], nil)
}

func (s *Server) readBrief(ctx context.Context, by memory.Caller, vars variables) (string, error) {
	var p page
	err := s.brief(ctx, by, vars["project"], &p)
	return p.String(), err
}

// brief writes a page on what matters in a project now.
func (s *Server) brief(ctx context.Context, by memory.Caller, project string, p *page) error {
	counts, err := s.service.Counts(ctx, project)
	if err != nil {
		return err
	}
	likely, err := s.service.Predict(ctx, memory.PredictRequest{By: by, Project: project, Limit: memory.BriefLikely})
	if err != nil {
		return err
	}
	decided, err := s.service.LatestDecisions(ctx, by, project)
	if err != nil {
		return err
	}
	p.line("# %s", s.service.Scope(project))
	if counts.Contexts == 0 {
		p.line("No context is kept in this project yet; save_context keeps the first context.")
		return nil
	}
	p.line("%s, %d say why they exist; newest from %s.", domain.Many(counts.Contexts, "context"), counts.WithCause, day(counts.Newest))
	if len(likely.Predictions) > 0 {
		p.line("## Probably needed next")
	}
	for _, c := range likely.Predictions {
		p.prediction(c)
	}
	others := slices.DeleteFunc(decided, func(c domain.ContextSnapshot) bool {
		return slices.ContainsFunc(likely.Predictions, func(told memory.Prediction) bool { return told.ID == c.ID })
	})
	if len(others) > 0 {
		p.line("## Other recent decisions")
	}
	for _, c := range others {
		p.context(c, 300)
	}
	p.line("More: search_context with a question, causal_chain with an id.")
	return nil
}

// briefURI is the URI of a project's brief.
func briefURI(project string) string { return "wake://projects/" + escaped(project) + "/brief" }

// escaped writes the value of a template's variable as templates expand it. They match no URI
// in which :, @, &, =, + or $ stand as they are, as in a path they may.
func escaped(value string) string { return strings.ReplaceAll(url.QueryEscape(value), "+", "%20") }

// listedProjects is for how many projects the list of resources has a brief.
const listedProjects = 50

// listBriefs adds the briefs of projects to a list of resources.
func (s *Server) listBriefs(ctx context.Context, _ any, _ *sdk.ListResourcesRequest, result *sdk.ListResourcesResult) {
	projects, err := s.service.Projects(ctx)
	if err != nil {
		s.log.Warn("the projects are not listed", "error", err)
		return
	}
	s.listed.list(each(projects, func(p domain.Project) string { return p.Name }))
	s.others.begin(ctx, s.service, s.log)
	for _, p := range projects[:min(len(projects), listedProjects)] {
		result.Resources = append(result.Resources, sdk.NewResource(
			briefURI(p.Name), "brief of "+memory.Name(p.Name),
			sdk.WithResourceDescription(fmt.Sprintf("What matters in this project now (%s)", domain.Many(p.Contexts, "context"))),
			sdk.WithMIMEType(markdown)))
	}
}
