"""Simulations that fail on part of their inputs, written after published models."""
