package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/people"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/training"
)

// message is what a person reads of an error, whose options are flags here.
func message(err error, args []string) string {
	text := hint.Text(err)
	if r, ok := errors.AsType[*learn.Refusal](err); ok {
		text = strings.Replace(text, r.Error(), r.Calling("--"), 1)
	}
	return people.Text(err, text, args)
}

// usage makes a usage error of a refusal of an option. Other errors, and nil, stay as they are.
func usage(cmd *cobra.Command, err error) error {
	if r, ok := errors.AsType[*learn.Refusal](err); ok && r.Kind == learn.Usage {
		return usageError{fmt.Errorf("%s: %w", name(cmd), err)}
	}
	return err
}

// ofSet names --set in the error of a change of a configuration. That is a usage error, unless the change
// named a file that is not there.
func ofSet(command string, err error) error {
	wrong, ok := errors.AsType[*training.SetError](err)
	if !ok {
		return err
	}
	_, file := errors.AsType[*fs.PathError](err)
	if err = fmt.Errorf("%s: --set: %w", command, wrong.Unwrap()); file {
		return err
	}
	return usageError{err}
}
