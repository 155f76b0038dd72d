// Package validator is Debian's validator.v2, which is older than the one the client asks for:
// it refuses what is no structure, where the newer one has nothing to look at.
package validator

import (
	"errors"

	older "debian/validator.v2"
)

// Validate holds a value against the tags of its structures.
func Validate(value any) error {
	if err := older.Validate(value); !errors.Is(err, older.ErrUnsupported) {
		return err
	}
	return nil
}
