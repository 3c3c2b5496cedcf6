// Starts a gateway that was built beside the usual one, as server/bin/start.mjs does: node start-variant.mjs <file in server/dist>
import { applyProfile, prepareStart } from '../server/bin/v8-profile.mjs';

prepareStart();
applyProfile();
process.setSourceMapsEnabled(true);
const { startServer } = await import(
  new URL(`../server/dist/${process.env.DARGAH_BENCH_VARIANT}`, import.meta.url).href
);
await startServer(process.argv.slice(2));
