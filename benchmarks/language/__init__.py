"""Every function of the language, one reading held against another."""
