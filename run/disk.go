package run

import "io"

// disker is what checkpoints and [WriteFile] do to a folder, so that tests can stop it at any
// operation. Names count from the folder.
type disker interface {
	mkdir(name string) error                          // no error where it exists
	create(name string) (syncFile, error)             // for writing, a new file where there is one
	rename(from, to string) error                     // replaces
	link(from, to string) error                       // a second name for a file
	remove(name string) error                         // no error where there is none
	syncDir(name string) error                        // the names in it are on the disk; "" is the folder itself
	readFile(name string, most int64) ([]byte, error) // fs.ErrNotExist where there is none
	exists(name string) bool
}

type syncFile interface {
	io.WriteCloser
	Sync() error
}
