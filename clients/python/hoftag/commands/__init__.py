"""The client's commands: one module each, with `run(argv) -> exit code`."""
