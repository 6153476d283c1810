"""Where pages come from when not from the network: recorded webs and the demo web."""
