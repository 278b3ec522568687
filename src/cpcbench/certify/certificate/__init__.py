"""Certificates: what they say, their files, those that come with the package."""
