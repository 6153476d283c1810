"""From example pages or keywords to a trained topic."""
