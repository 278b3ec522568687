"""One file a language of programs and models."""
