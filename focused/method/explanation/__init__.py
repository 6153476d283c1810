"""Why a page or a link is judged as it is."""
