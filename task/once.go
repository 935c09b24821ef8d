package task

import "sync"

// Once returns a function that loads what is in a folder. It loads each folder once a process.
// Where none is named, find says which it is. Its errors are [DataError].
func Once[T any](find func() (string, error), load func(dir string) (T, error)) func(dir string) (T, error) {
	var mu sync.Mutex
	known := map[string]T{}
	return func(dir string) (data T, err error) {
		mu.Lock()
		defer mu.Unlock()
		if dir == "" {
			if dir, err = find(); err != nil {
				return data, &DataError{err}
			}
		}
		data, ok := known[dir]
		if ok {
			return data, nil
		}
		if data, err = load(dir); err != nil {
			return data, &DataError{err}
		}
		known[dir] = data
		return data, nil
	}
}
