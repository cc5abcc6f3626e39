"""What can be asked of a memory from outside the process: parameters and schemas."""
