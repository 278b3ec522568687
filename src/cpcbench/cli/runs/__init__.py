"""Commands about runs and claimed solutions."""
