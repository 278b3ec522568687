"""What a formula does on its way to a limit."""
