"""Services with one fault each: what the conformance suite is measured on."""
