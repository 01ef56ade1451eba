"""HTTP server for browsers, with limits: permitted host names, permitted requests, and refusals."""
