"""A store of three or five NATS servers with JetStream, which goes on when one of them dies."""
