package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/shardproof/shardproof/plan"
)

// Name is the name of a found case: the first 12 hexadecimal digits of the SHA-256 of its request, compact
// and with sorted keys. Requests that differ in nothing but the order of their shards have one name.
func Name(request plan.Request) string {
	return nameOf(plan.CompactRequest(request))
}

func nameOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// Save writes a case into a directory, which is made where it is missing, under the name of its request, and
// returns the path. The case's own name becomes that one too.
//
// The file appears whole or not at all, and stays after a crash of the process or the machine: it is written
// under another name, synced, and renamed. A file of the same request is replaced. The error is about
// the file system, or about a case that would not read back as it is, such as one with a negative rank.
func Save(dir string, c plan.Case) (path string, err error) {
	c.Name = Name(c.Request)
	if c.Raw != nil {
		c.Name = nameOf(fmt.Appendf(nil, `{"source":%s,"target":%s}`, c.Raw.Source, c.Raw.Target))
	}
	text := plan.EncodeCase(c)
	if _, err := plan.DecodeCase(text); err != nil {
		return "", fmt.Errorf("case %s has no file form: %w", c.Name, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	path = filepath.Join(dir, c.Name+".json")
	return path, writeWhole(path, text)
}

// writeWhole writes a file so that its path never shows a part of it.
func writeWhole(path string, text []byte) (err error) {
	// Hidden and without the ending of a case file, so that a save cut short is never read.
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	if err := writeSynced(file, text); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func writeSynced(file *os.File, text []byte) error {
	_, err := file.Write(text)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}

// syncDir makes the names in a directory last. Not every file system can: what it cannot sync is as safe as
// it gets.
func syncDir(dir string) error {
	handle, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer handle.Close()
	_ = handle.Sync()
	return nil
}
