#!/usr/bin/env node
// For a container's health check: exits with 0 when the server of this environment answers that it is alive.
const { PORT = '8080' } = process.env;
const answer = await fetch(`http://127.0.0.1:${PORT}/healthz`, { signal: AbortSignal.timeout(2_500) }).catch(
  () => undefined,
);
process.exit(answer?.ok ? 0 : 1);
