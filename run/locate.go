package run

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/riffle-ml/riffle/config"
)

// Located returns the run's configuration with the paths of its data and test sets as they can be
// opened from the working directory. A relative path counts from the folder in which the training
// was started. Where nothing is there, as in another folder, it is looked for from the run's folder
// and those above it, the nearest first. A run is mostly below the folder in which it was started.
// A path that leads nowhere stays as it is. elsewhere says of each path that is now another than
// the one written which it is.
func (d *Dir) Located() (c config.Config, elsewhere []string) {
	c = d.Config
	for _, key := range []struct {
		name string
		path *string
	}{{config.TaskData, &c.Task.Data}, {config.TaskTest, &c.Task.Test}} {
		written := *key.path
		if *key.path = d.locate(written); *key.path != written {
			elsewhere = append(elsewhere, fmt.Sprintf("%s: %s is not here, %s was taken", key.name, written, *key.path))
		}
	}
	return c, elsewhere
}

func (d *Dir) locate(path string) string {
	folder, err := filepath.Abs(d.Path)
	if path == "" || filepath.IsAbs(path) || isThere(path) || err != nil {
		return path
	}
	for {
		if p := filepath.Join(folder, path); isThere(p) {
			return p
		}
		up := filepath.Dir(folder)
		if up == folder {
			return path
		}
		folder = up
	}
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
