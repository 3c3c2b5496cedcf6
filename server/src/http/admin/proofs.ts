/** Proofs of the books: pages read the stored result, and a run starts only when a person asks for it. */

import {
  getBooksProof,
  getBooksState,
  listBooksProofs,
  listSealedDays,
  startBooksProof,
} from '@dargah/api/admin/proofs.ts';
import { auditBooks } from '@dargah/api/admin/service.ts';
import { page } from '@dargah/api/building-blocks.ts';
import { GatewayError } from '../../core/errors.ts';
import { money, toTomanText } from '../../core/money.ts';
import { refuseCursor } from '../../keys/index.ts';
import type { BooksProofs, ProofRun } from '../../ledger/index.ts';
import type { Register } from '../routes/register.ts';

const MAX_REASON = 300;
const SHOWN_DAYS = 60;

export function proofs(register: Register, books: BooksProofs): void {
  register(getBooksState, async () => {
    const { verdict, provedAt, provedTo, runId, failing, reason } = await books.state();
    return {
      object: 'books_state' as const,
      state: verdict,
      proved_at: provedAt?.toISOString() ?? null,
      proved_until: provedTo,
      checks: failing.map(({ check, name }) => ({ id: check, name })),
      reason: reason?.slice(0, MAX_REASON) ?? null,
      run_id: failing[0]?.run ?? runId,
    };
  });
  register(auditBooks, async () => {
    const { runId } = await books.state();
    const last = runId === null ? undefined : await books.find(runId);
    const checks = (last?.checks ?? []).map(({ id, name, result, detail }) => {
      return { id, name, ok: result !== 'failed', detail };
    });
    return { ok: last?.ok === true, at: last?.endedAt?.toISOString() ?? null, checks };
  });
  register(startBooksProof, async ({ actor }) => shownRun(await books.start(actor)));
  register(getBooksProof, async ({ params }) => {
    const run = await books.find(params.id);
    if (!run) throw new GatewayError('not_found');
    return shownRun(run);
  });
  register(listBooksProofs, async ({ query }) => {
    const { items, next } = (await books.list(query)) ?? refuseCursor();
    return page(items.map(shownRun), next);
  });
  register(listSealedDays, async ({ query }) =>
    page(
      (await books.sealedDays(query.limit ?? SHOWN_DAYS)).map((sealed) => ({
        day: sealed.day,
        transfers: Number(sealed.transfers),
        late: Number(sealed.late),
        requests: Number(sealed.requests),
        charged: toTomanText(money(BigInt(sealed.charged))),
        digest: sealed.digest,
        sealed_at: sealed.sealedAt.toISOString(),
        read_at: sealed.readAt?.toISOString() ?? null,
        broken: sealed.broken,
      })),
    ),
  );
}

function shownRun(run: ProofRun) {
  return {
    object: 'proof' as const,
    id: run.id,
    kind: run.kind,
    asked_by: run.askedBy,
    state: run.state,
    started_at: run.startedAt.toISOString(),
    ended_at: run.endedAt?.toISOString() ?? null,
    rows_read: Number(run.rowsRead),
    rows_expected: Number(run.rowsExpected),
    slices: Number(run.slices),
    ok: run.ok,
    checks: run.checks,
    reason: run.reason,
  };
}
