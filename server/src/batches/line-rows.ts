/** Lines of batches in the database. A line is answered once: whoever writes its end first has written it. */
import type { Queryable } from '../platform/db/index.ts';

export interface UnaskedLine {
  line: number;
  customId: string;
  position: number;
  length: number;
}

export interface WaitingLine extends UnaskedLine {
  /** Of the request that was begun for it; null: none was. */
  requestId: string | null;
}

export type LineState = 'succeeded' | 'failed' | 'cancelled' | 'expired';

export interface EndedLine {
  line: number;
  customId: string;
  state: LineState;
  requestId: string | null;
  status: number | null;
  body: Uint8Array | null;
}

export async function insertBatchLines(tx: Queryable, batchId: string, lines: readonly UnaskedLine[]): Promise<void> {
  await tx.query(
    `insert into batch_line (batch_id, line, custom_id, position, length)
     select $1, * from unnest($2::integer[], $3::text[], $4::bigint[], $5::integer[])`,
    [
      batchId,
      lines.map(({ line }) => line),
      lines.map(({ customId }) => customId),
      lines.map(({ position }) => position),
      lines.map(({ length }) => length),
    ],
  );
}

export async function deleteLines(db: Queryable, batchId: string): Promise<void> {
  await db.query('delete from batch_line where batch_id = $1', [batchId]);
}

export async function waitingLines(
  db: Queryable,
  batchId: string,
  afterLine: number,
  limit: number,
): Promise<WaitingLine[]> {
  return db.query<WaitingLine>(
    `select line, custom_id as "customId", position::float8 as position, length, request_id as "requestId" from batch_line
      where batch_id = $1 and line > $2 and state = 'waiting' order by line limit $3`,
    [batchId, afterLine, limit],
  );
}

/** Noted before the request runs. False when the batch is no longer ours. */
export async function noteRequest(
  db: Queryable,
  batchId: string,
  holder: string,
  line: number,
  requestId: string,
): Promise<boolean> {
  const rows = await db.query(
    `update batch_line set request_id = $4 where batch_id = $1 and line = $3 and state = 'waiting'
        and exists (select from batch where id = $1 and leased_by = $2) returning 1`,
    [batchId, holder, line, requestId],
  );
  return rows.length === 1;
}

export interface LineEnd {
  line: number;
  state: 'succeeded' | 'failed';
  requestId: string;
  status: number;
  body: Buffer;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  /** Micro-toman. */
  cost: string;
}

/** The answer and the batch's counts, in one statement. */
export async function endLine(db: Queryable, batchId: string, end: LineEnd): Promise<void> {
  await db.query(
    `with ended as (
       update batch_line set state = $3, request_id = $4, status = $5, body = $6
        where batch_id = $1 and line = $2 and state = 'waiting' returning 1)
     update batch set succeeded = succeeded + case when $3 = 'succeeded' then 1 else 0 end,
       failed = failed + case when $3 = 'failed' then 1 else 0 end,
       input_tokens = input_tokens + $7::bigint, cached_tokens = cached_tokens + $8::bigint,
       output_tokens = output_tokens + $9::bigint, reasoning_tokens = reasoning_tokens + $10::bigint, cost = cost + $11::numeric
      where id = $1 and exists (select from ended)`,
    [
      batchId,
      end.line,
      end.state,
      end.requestId,
      end.status,
      end.body,
      end.inputTokens,
      end.cachedTokens,
      end.outputTokens,
      end.reasoningTokens,
      end.cost,
    ],
  );
}

export async function endWaiting(tx: Queryable, batchId: string, state: 'cancelled' | 'expired'): Promise<void> {
  await tx.query(`update batch_line set state = $2 where batch_id = $1 and state = 'waiting'`, [batchId, state]);
}

const LINES_PER_READ = 50;
/** Answers may be large: no page of them is. */
const BYTES_PER_READ = 4 * 1_024 * 1_024;

/** In the order of the input, a few at a time: no connection is held while a slow reader takes its time. */
export async function* endedLines(
  db: Queryable,
  batchId: string,
  states: readonly LineState[],
): AsyncGenerator<EndedLine> {
  for (let after = -1; ; ) {
    const lines = await db.query<EndedLine>(
      `select line, custom_id as "customId", state, request_id as "requestId", status, body from (
         select *, sum(coalesce(octet_length(body), 0)) over (order by line) - coalesce(octet_length(body), 0) as before
           from (select * from batch_line where batch_id = $1 and line > $2 and state = any($3) order by line limit $4) page
         ) sized where before < $5 order by line`,
      [batchId, after, [...states], LINES_PER_READ, BYTES_PER_READ],
    );
    if (lines.length === 0) return;
    yield* lines;
    after = (lines.at(-1) as EndedLine).line;
  }
}
