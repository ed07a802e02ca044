"""The Python client of Hoftag."""
