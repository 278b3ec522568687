"""Settings of Sphinx for the documentation site, built from what `.ci/site/build.py` puts together."""

import cpcbench

project = "cpcbench"
author = "The cpcbench developers"
copyright = author  # noqa: A001 - Sphinx's name
version = release = cpcbench.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 6
myst_links_external_new_tab = True
suppress_warnings = ["misc.highlighting_failure", "myst.header"]  # tables that commands print have headings of level 3
autosummary_generate = False
highlight_language = "none"

autodoc_typehints = "none"  # the signature has them
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
numpydoc_show_class_members = False  # autodoc lists them
numpydoc_class_members_toctree = False
default_role = "literal"  # what docstrings put between backticks is code
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "furo"
html_title = f"cpcbench {release}"
html_copy_source = False
html_show_search_summary = False  # it fetches pages, which browsers refuse to pages of a folder
html_show_sourcelink = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {
    "light_css_variables": {"font-stack": "system-ui, sans-serif", "color-brand-primary": "#2f4b7c"},
    "dark_css_variables": {"color-brand-primary": "#9ab8e8"},
    "navigation_with_keys": True,
}
pygments_style, pygments_dark_style = "friendly", "github-dark"
