"""Reading JavaScript and TypeScript source: the tools that a plugin registers there."""
