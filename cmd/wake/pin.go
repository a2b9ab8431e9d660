package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

func (a *app) pinCommand() *cobra.Command {
	return a.pinning("pin ID...", "Keep contexts from ever being forgotten", true)
}

func (a *app) unpinCommand() *cobra.Command {
	return a.pinning("unpin ID...", "Remove the pin again", false)
}

func (a *app) pinning(use, short string, pinned bool) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  takes(1, anyNumber),
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, args []string) error {
			var unknown []error
			for _, id := range args {
				c, err := s.Update(ctx, memory.UpdateRequest{ID: id, Pinned: &pinned})
				if domain.KindOf(err) == domain.KindNotFound { // the others are pinned, as load opens them
					unknown = append(unknown, err)
					continue
				}
				if err != nil {
					return err
				}
				if err := printOne(a, c, printContext); err != nil {
					return err
				}
			}
			return errors.Join(unknown...)
		}),
		ValidArgsFunction: a.completeIDs,
	}
}
