"""The operations that are available from outside the process: parameters and schemas."""
