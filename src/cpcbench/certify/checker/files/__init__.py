"""Certificates from strangers: read with limits, checked in isolated processes."""
