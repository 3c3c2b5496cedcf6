/** Statements on lines of batches. A line is answered once: only the first end that is written counts. */
import {
  column,
  columnsOf,
  command,
  orNull,
  type Queryable,
  type RowOf,
  readAs,
  statement,
} from '../platform/db/index.ts';

const unaskedRow = {
  line: column.int,
  customId: column.text,
  position: readAs('position::float8', column.float),
  length: column.int,
};
export type UnaskedLine = RowOf<typeof unaskedRow>;

const waitingRow = {
  ...unaskedRow,
  /** The request that was begun for it; null when there was none. */
  requestId: orNull(column.text),
};
export type WaitingLine = RowOf<typeof waitingRow>;

export type LineState = 'succeeded' | 'failed' | 'cancelled' | 'expired';

const endedRow = {
  line: column.int,
  customId: column.text,
  state: column.textOf<LineState>(),
  requestId: orNull(column.text),
  status: orNull(column.int),
  body: orNull(column.bytes),
};
export type EndedLine = RowOf<typeof endedRow>;

const INSERT_LINES = command(
  `insert into batch_line (batch_id, line, custom_id, position, length)
   select $1, * from unnest($2::integer[], $3::text[], $4::bigint[], $5::integer[])`,
);

export async function insertBatchLines(tx: Queryable, batchId: string, lines: readonly UnaskedLine[]): Promise<void> {
  await INSERT_LINES.run(tx, [
    batchId,
    lines.map(({ line }) => line),
    lines.map(({ customId }) => customId),
    lines.map(({ position }) => position),
    lines.map(({ length }) => length),
  ]);
}

const DELETE_LINES = command('delete from batch_line where batch_id = $1');

export async function deleteLines(db: Queryable, batchId: string): Promise<void> {
  await DELETE_LINES.run(db, [batchId]);
}

const WAITING_LINES = statement(
  waitingRow,
  `select ${columnsOf(waitingRow)} from batch_line
    where batch_id = $1 and line > $2 and state = 'waiting' order by line limit $3`,
);

export async function waitingLines(
  db: Queryable,
  batchId: string,
  afterLine: number,
  limit: number,
): Promise<WaitingLine[]> {
  return WAITING_LINES.rows(db, [batchId, afterLine, limit]);
}

const NOTE_REQUEST = statement(
  { line: column.int },
  `update batch_line set request_id = $4 where batch_id = $1 and line = $3 and state = 'waiting'
      and exists (select from batch where id = $1 and leased_by = $2) returning line`,
);

/** Stored before the request runs. Returns false when the batch is no longer ours. */
export async function noteRequest(
  db: Queryable,
  batchId: string,
  holder: string,
  line: number,
  requestId: string,
): Promise<boolean> {
  const rows = await NOTE_REQUEST.rows(db, [batchId, holder, line, requestId]);
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

const END_LINE = command(
  `with ended as (
     update batch_line set state = $3, request_id = $4, status = $5, body = $6
      where batch_id = $1 and line = $2 and state = 'waiting' returning line)
   update batch set succeeded = succeeded + case when $3 = 'succeeded' then 1 else 0 end,
     failed = failed + case when $3 = 'failed' then 1 else 0 end,
     input_tokens = input_tokens + $7::bigint, cached_tokens = cached_tokens + $8::bigint,
     output_tokens = output_tokens + $9::bigint, reasoning_tokens = reasoning_tokens + $10::bigint, cost = cost + $11::numeric
    where id = $1 and exists (select from ended)`,
);

/** Writes the answer and the batch's counts in one statement. */
export async function endLine(db: Queryable, batchId: string, end: LineEnd): Promise<void> {
  await END_LINE.run(db, [
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
  ]);
}

const END_WAITING = command(`update batch_line set state = $2 where batch_id = $1 and state = 'waiting'`);

export async function endWaiting(tx: Queryable, batchId: string, state: 'cancelled' | 'expired'): Promise<void> {
  await END_WAITING.run(tx, [batchId, state]);
}

const LINES_PER_READ = 50;
/** Answers may be large, so a page is bounded by bytes. */
const BYTES_PER_READ = 4 * 1_024 * 1_024;

const ENDED_LINES = statement(
  endedRow,
  `select ${columnsOf(endedRow)} from (
     select *, sum(coalesce(octet_length(body), 0)) over (order by line) - coalesce(octet_length(body), 0) as before
       from (select * from batch_line where batch_id = $1 and line > $2 and state = any($3) order by line limit $4) page
     ) sized where before < $5 order by line`,
);

/** Reads in the order of the input, a few at a time, so that a slow reader holds no connection. */
export async function* endedLines(
  db: Queryable,
  batchId: string,
  states: readonly LineState[],
): AsyncGenerator<EndedLine> {
  for (let after = -1; ; ) {
    const lines = await ENDED_LINES.rows(db, [batchId, after, [...states], LINES_PER_READ, BYTES_PER_READ]);
    if (lines.length === 0) return;
    yield* lines;
    after = (lines.at(-1) as EndedLine).line;
  }
}
