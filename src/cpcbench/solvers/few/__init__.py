"""Models of few values: what the black-box search asks for while it knows little."""
