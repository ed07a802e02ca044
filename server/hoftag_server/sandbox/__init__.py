"""A server for authors to test clients and bots against: docs/sandbox.md.

`SandboxHub` takes the place of the hub. Nothing else of the server knows this package.
"""
