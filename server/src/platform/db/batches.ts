/** Deletes many rows in small steps: one statement over millions of rows would hold locks and connections for minutes. */

/** Rows per statement: a purge after a long pause must not hold the embedded database's one connection for seconds. */
export const ROWS_PER_STATEMENT = 2_000;
const MAX_BATCHES = 50;

/** Runs a statement that changes at most `BATCH` rows and returns them, until it finds fewer; the rest waits for the next time. */
export async function inBatches(run: () => Promise<object[]>): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) if ((await run()).length < ROWS_PER_STATEMENT) return;
}
