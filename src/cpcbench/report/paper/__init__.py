"""The paper's results beside a study's."""
