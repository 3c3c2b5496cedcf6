/**
 * Retires a model on a day that customers were told of, with the name of its successor. The snapshot obeys the date on
 * every replica by itself; the row is switched off soon after, so that pages and the version before see it too.
 */
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { reasons } from '../../core/reasons.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { MODEL_BY_ID, type ModelRow, type RowState } from '../catalog-rows.ts';
import { catalogReasons } from '../reasons.ts';
import { type AdminTools, change } from './change.ts';
import { findModel } from './find-model.ts';
import { DUE_FOR_RETIREMENT, SET_RETIREMENT, switchModel } from './model-rows.ts';
import { modelRecordOf } from './models.ts';
import { stateOf } from './states.ts';

export interface RetirementInput {
  /** RFC 3339; a time that is not in the future means at once. */
  at: string;
  successor?: string | null | undefined;
}

export type RetirementAdmin = ReturnType<typeof createRetirementAdmin>;

export function createRetirementAdmin(tools: AdminTools) {
  return {
    async announce(id: string, { at, successor = null }: RetirementInput, actor: string) {
      const wanted = new Date(at);
      if (Number.isNaN(wanted.getTime())) throw invalidRequest('at', reasons.mustBe('at', expected.day));
      await change(tools, { actor, action: 'model.retire', subject: id }, async (tx, now, note) => {
        const row = await findModel(tx, id);
        if (successor !== null) await checkSuccessor(tx, row, successor);
        const when = wanted < now ? now : wanted;
        await SET_RETIREMENT.run(tx, [id, when, successor, now]);
        if (when <= now) await switchOff(tx, row, now);
        note({
          before: { retires_at: row.retires_at?.toISOString() ?? null, successor: row.successor },
          after: { retires_at: when.toISOString(), successor },
        });
      });
      return modelRecordOf(tools, id);
    },
    /** Cancels the retirement; a model whose day is over is offered again. */
    async withdraw(id: string, actor: string) {
      await change(tools, { actor, action: 'model.retire', subject: id }, async (tx, now, note) => {
        const row = await findModel(tx, id);
        await SET_RETIREMENT.run(tx, [id, null, null, now]);
        const isOver = row.retires_at !== null && row.retires_at <= now;
        if (isOver && row.managed_by !== 'config') await switchModel(tx, id, null, now);
        note({
          before: { retires_at: row.retires_at?.toISOString() ?? null, successor: row.successor },
          after: { retires_at: null, successor: null },
        });
      });
      return modelRecordOf(tools, id);
    },
    /**
     * Switches off models that have reached their day. Called at intervals; of several replicas one finds something to
     * do.
     */
    async follow(): Promise<void> {
      const { db, clock } = tools;
      const due = await DUE_FOR_RETIREMENT.rows(db, [new Date(clock.now())]);
      for (const { id } of due)
        await change(tools, { actor: 'clock', action: 'model.retire', subject: id }, async (tx, now, note) => {
          const row = await findModel(tx, id);
          if (!row.enabled || row.retires_at === null || row.retires_at > now) return;
          await switchOff(tx, row, now);
          note({ before: { state: stateOf(row) }, after: { state: goneState(row) } });
        });
    },
  };
}

/** What the file or the environment brings would come back, so it is off; what operators chose is retired. */
function goneState({ managed_by: by }: Pick<ModelRow, 'managed_by'>): RowState {
  return by === 'config' || by === 'environment' ? 'off' : 'retired';
}

async function switchOff(tx: Queryable, row: ModelRow, now: Date): Promise<void> {
  // The file says that it is on; the date alone keeps it from being offered.
  if (row.managed_by !== 'config') await switchModel(tx, row.id, goneState(row), now);
}

async function checkSuccessor(tx: Queryable, row: ModelRow, successor: string): Promise<void> {
  const found = await MODEL_BY_ID.first(tx, [successor]);
  const stays = found?.enabled && found.retires_at === null && found.withdrawn_from === null;
  if (!stays || successor === row.id || found.kind !== row.kind)
    throw invalidRequest('successor', catalogReasons.noSuccessor);
}
