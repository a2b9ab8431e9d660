package main

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wake/domain"
	"wake/memory"
)

// flagNames maps other words to flags: the names of the tools' arguments, and what
// people try first.
func flagNames(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	name = strings.ReplaceAll(name, "_", "-")
	switch name {
	case "tag":
		name = "tags"
	case "tier":
		name = "tiers"
	case "action", "type", "action-types":
		name = "action-type"
	case "cause":
		name = "caused-by"
	case "dependency", "depends-on":
		name = "dependencies"
	case "pin":
		name = "pinned"
	case "at", "time":
		name = "timestamp"
	case "session":
		name = "session-id"
	case "include-content":
		name = "content"
	case "out":
		name = "output"
	}
	return pflag.NormalizedName(name)
}

const anyNumber = -1

// takes checks that a command has least to most arguments.
func takes(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch names := strings.Fields(c.Use)[1:]; {
		case len(args) < least:
			return domain.Invalid("%s is missing", strings.TrimSuffix(names[len(args)], "..."))
		case most != anyNumber && len(args) > most:
			return domain.Invalid("%q is one argument too many", args[most])
		}
		return nil
	}
}

// flagError explains a wrong flag, and suggests the one that may have been meant.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		if strings.Contains(unknown.GetSpecifiedName()+unknown.GetSpecifiedShortnames(), " ") {
			return withHint(err, "a text that begins with a dash goes behind --, as in: %s -- \"- like this\"", c.CommandPath())
		}
		if takers := takersOf(c, unknown); takers != nil {
			return withHint(err, "it goes behind its command, as in: %s", strings.Join(takers, ", "))
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near, ok := domain.Nearest(unknown.GetSpecifiedName(), names); ok {
			return withHint(err, "did you mean: --%s; %s --help tells more", near, c.CommandPath())
		}
	case errors.As(err, &wrong):
		f := wrong.GetFlag()
		if kind, ok := flagKinds[f.Value.Type()]; ok {
			return domain.Invalid("%q is not a value of --%s; use %s", wrong.GetValue(), f.Name, kind)
		}
	}
	return err
}

// takersOf returns the subcommands of c that take the flag which c does not, with the flag as
// it is written. Which one is meant is not known here: after --yes, a wrong guess may forget.
func takersOf(c *cobra.Command, unknown *pflag.NotExistError) (takers []string) {
	name, short := unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames()
	for _, sub := range c.Commands() {
		switch {
		case !sub.IsAvailableCommand():
		case short == "" && sub.Flags().Lookup(name) != nil:
			takers = append(takers, sub.CommandPath()+" --"+name)
		case short != "" && sub.Flags().ShorthandLookup(short[:1]) != nil:
			takers = append(takers, sub.CommandPath()+" -"+short[:1])
		}
	}
	return takers
}

// flagKinds describe the values of flags, by pflag's names of their types.
var flagKinds = map[string]string{"int": "a whole number", "int64": "a whole number", "float64": "a number", "bool": "true or false", "count": "a whole number from 1 up"}

// countValue is the value of a flag that counts something from 1 up. Requests take a 0 for
// the default, which nobody means who writes it.
type countValue int

func (v *countValue) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err == nil && n < 1 {
		err = strconv.ErrRange
	}
	*v = countValue(n)
	return err
}

func (v *countValue) String() string { return strconv.Itoa(int(*v)) }
func (v *countValue) Type() string   { return "count" }

// countFlag adds a flag with a [countValue].
func countFlag(c *cobra.Command, to *int, name, short string, standard int, usage string) {
	*to = standard
	c.Flags().VarP((*countValue)(to), name, short, usage)
}

func limitFlag(c *cobra.Command, to *int, standard int, usage string) {
	countFlag(c, to, "limit", "n", standard, usage)
}

// inFlags returns the text of an error for people: an argument with which it begins, and
// which tools name action_type, is the flag --action-type on the command line.
func inFlags(c *cobra.Command, err error) string {
	name, rest, _ := strings.Cut(err.Error(), " ")
	f := c.Flags().Lookup(name)
	if domain.KindOf(err) != domain.KindInvalid || f == nil || !f.Changed || f.Name != strings.ReplaceAll(name, "_", "-") {
		return err.Error()
	}
	return "--" + f.Name + " " + rest
}

// filterFlags are the flags that correspond to the filter arguments of the tools.
type filterFlags struct {
	tiers, actions, tags []string
	since, until, asOf   string
}

func (f *filterFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringSliceVar(&f.tiers, "tiers", nil, "only these `tiers`: active, recent, archived, expired")
	fs.StringSliceVar(&f.actions, "action-type", nil, "only these `types`: decision, research, file_edit, tool_use, conversation")
	fs.StringSliceVar(&f.tags, "tags", nil, "only what has all these `tags`")
	fs.StringVar(&f.since, "since", "", "only from this `time` on: 2026-01-31, or 3d for three days ago")
	fs.StringVar(&f.until, "until", "", "only before this `time`")
	fs.StringVar(&f.asOf, "as-of", "", "as the memory was at this `time`")
	completeWords(c, "tiers", words(domain.Tiers))
	completeWords(c, "action-type", words(domain.ActionTypes))
}

func (f *filterFlags) filter(now time.Time) (memory.Filter, error) {
	p := timeParser{now: now}
	out := memory.Filter{Tags: f.tags, Since: p.parse(f.since), Until: p.parse(f.until), AsOf: p.parse(f.asOf)}
	if p.err != nil {
		return out, p.err
	}
	var err error
	if out.Tiers, err = parseAll(f.tiers, domain.ParseTier); err != nil {
		return out, err
	}
	out.ActionTypes, err = parseAll(f.actions, domain.ParseActionType)
	return out, err
}

func parseAll[T any](texts []string, parse func(string) (T, error)) ([]T, error) {
	var all []T
	for _, text := range texts {
		v, err := parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// timeParser parses the times of one command line and keeps the first error.
type timeParser struct {
	now time.Time
	err error
}

// parse parses a time like [domain.ParseWhen]; "" is the zero time. A time without a
// zone is in local time, like the times that are printed.
func (p *timeParser) parse(s string) time.Time {
	if s == "" || p.err != nil {
		return time.Time{}
	}
	var t time.Time
	t, p.err = domain.ParseWhen(s, p.now)
	return t
}

// parseSpan parses a duration like [domain.ParseSpan], but requires a unit.
func parseSpan(what, s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	d, ok := domain.ParseSpan(s)
	if !ok || !strings.ContainsFunc(s, unicode.IsLetter) {
		return 0, domain.Invalid("%s %q is not a duration; write it like 24h or 7d", what, s)
	}
	return d, nil
}

func words[T ~string](all []T) []string {
	out := make([]string, len(all))
	for i, w := range all {
		out[i] = strings.ToLower(string(w))
	}
	return out
}

// listFlags are the flags of every list.
func listFlags(c *cobra.Command, limit, budget *int, cursor *string) {
	limitFlag(c, limit, domain.DefaultList, "at most this `number`")
	if budget != nil {
		c.Flags().IntVar(budget, "token-budget", 0, "at most this many `tokens` in the answer")
	}
	c.Flags().StringVar(cursor, "cursor", "", "go on at the `cursor` that the last list gave")
}
