"""Type a text, prove that it went in, or say why not."""
