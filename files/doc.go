// Package files renames and deletes files though other programs look at them, looks at
// files without being in the way of others, and follows links to what is not there yet.
//
// On Windows a file that is open cannot be renamed, deleted or replaced, unless whoever
// opened it allows that, and virus scanners and indexers open each new file for a moment.
package files
