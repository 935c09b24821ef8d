package main

import (
	"bytes"
	"io"
	"os"
	"testing"
)

// docs/configuration.md is what the code says.
func TestDocsAreFresh(t *testing.T) {
	var want bytes.Buffer
	if code := run([]string{"docs", "config"}, &want, io.Discard); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	got, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("docs/configuration.md is not what config/config.go says\nhint: make docs")
	}
}
