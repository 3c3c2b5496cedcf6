/**
 * Drafts of the catalog: the models that a provider offers and their prices are put together, reviewed, and published
 * as one change. Publishing is one transaction, one entry in the audit log and one message to every replica; an undo is
 * a change of its own with the opposite edits.
 */
import { GatewayError } from '../../core/errors.ts';
import { makeId } from '../../core/ids.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { listInForce } from '../prices/price-list.ts';
import type { Fields } from '../reading/index.ts';
import { catalogReasons } from '../reasons.ts';
import { listedModels } from '../seed/listed-models.ts';
import { type DatedSources, lockSeeding, seedWithin } from '../seed/seed.ts';
import { type AdminTools, change, conflict, readBody } from './change.ts';
import { type Edit, looksOf, makeEdit, readEdits } from './change-edits.ts';
import { previewOf } from './change-preview.ts';
import {
  type ChangeRow,
  DISCARD_DRAFT,
  findChange,
  insertChange,
  listChanges,
  markPublished,
  markUndone,
  rewriteDraft,
} from './change-rows.ts';
import { unpinWithin } from './prices.ts';
import { routesOf } from './route-rows.ts';
import { usesOf } from './uses.ts';

export type ChangeAdmin = ReturnType<typeof createChangeAdmin>;

const SHOWN = 50;

export function createChangeAdmin(tools: AdminTools, dated: DatedSources) {
  const { db, clock, randomBytes } = tools;
  const get = async (id: string) => {
    const row = await findChange(db, id);
    const preview = row.state === 'draft' ? await previewOf(tools, dated, row) : null;
    return { ...changeView(row), preview, undo_loses: await lostByUndo(db, row, clock.now()) };
  };
  const written = async (tx: Queryable, body: Json) => {
    const { edits, note } = readBody(body, readDraft);
    return { edits, note, base: await looksOf(tx, edits, new Date(clock.now())) };
  };
  return {
    list: async () => (await listChanges(db, SHOWN)).map(changeView),
    /** A draft comes with a preview of what it would do. */
    get,
    /** The body is `{edits, note?}`. */
    async draft(body: Json, actor: string) {
      const now = new Date(clock.now());
      const id = makeId('chg', now.getTime(), randomBytes);
      const draft = await written(db, body);
      await insertChange(db, { id, state: 'draft', ...draft, made_by: actor, made_at: now, undoes: null });
      return get(id);
    },
    /** Replaces the edits of an existing draft, and compares them with the present catalog. */
    async redraft(id: string, body: Json) {
      await db.transaction(async (tx) => {
        refuseUnlessDraft(await findChange(tx, id, true));
        await rewriteDraft(tx, { id, ...(await written(tx, body)) });
      });
      return get(id);
    },
    discard: (id: string): Promise<void> =>
      db.transaction(async (tx) => {
        refuseUnlessDraft(await findChange(tx, id, true));
        await DISCARD_DRAFT.run(tx, [id]);
      }),
    /** The kinds of edits in a change, from which follows who may publish it. */
    kindsOf: async (id: string): Promise<ReadonlySet<Edit['op']>> =>
      new Set((await findChange(db, id)).edits.map(({ op }) => op)),
    async publish(id: string, actor: string) {
      await change(tools, { actor, action: 'catalog.publish', subject: id }, async (tx, now, note) => {
        await lockSeeding(tx);
        const row = await findChange(tx, id, true);
        refuseUnlessDraft(row);
        const inverse = await makeAll(tx, tools, dated, row, now);
        const after = await looksOf(tx, row.edits, now);
        note({ edits: row.edits.map(traced), before: row.base, after });
        await markPublished(tx, { id, inverse, after }, actor, now);
      });
      return get(id);
    },
    async undo(id: string, actor: string) {
      const undoId = makeId('chg', clock.now(), randomBytes);
      await change(tools, { actor, action: 'catalog.undo', subject: id }, async (tx, now, note) => {
        await lockSeeding(tx);
        const row = await findChange(tx, id, true);
        if (row.state !== 'published' || row.inverse === null || row.after === null)
          throw conflict(catalogReasons.notUndoable);
        const undo = { id: undoId, edits: row.inverse, base: row.after };
        const facts = { state: 'published' as const, note: row.note, made_by: actor, made_at: now, undoes: id };
        await insertChange(tx, { ...undo, ...facts });
        await makeAll(tx, tools, dated, undo, now);
        const after = await looksOf(tx, undo.edits, now);
        note({ undone_by: undoId, edits: undo.edits.map(traced), before: row.after, after });
        await markPublished(tx, { id: undoId, inverse: null, after }, actor, now);
        await markUndone(tx, id, undoId);
      });
      return get(undoId);
    },
  };
}

/**
 * The models that an undo would leave without a route, and the rules and groups that name them; null where nothing is
 * lost.
 */
async function lostByUndo(db: Queryable, { state, inverse }: ChangeRow, nowMs: number) {
  if (state !== 'published' || inverse === null) return null;
  const gone = inverse.flatMap((edit) => (edit.op === 'withdraw' ? [edit] : []));
  const models: string[] = [];
  for (const { model } of gone) {
    const left = (await routesOf(db, model)).filter(
      (route) =>
        route.state === null &&
        !gone.some(
          (one) => one.model === model && one.provider === route.provider_id && one.upstream === route.upstream_model,
        ),
    );
    if (left.length === 0 && !models.includes(model)) models.push(model);
  }
  if (models.length === 0) return null;
  const { groups, keys, accounts } = await usesOf(db, models, nowMs);
  return { models, groups, keys, accounts };
}

/** Makes all edits in the caller's transaction. Returns the edits that reverse them, the last one first. */
async function makeAll(
  tx: Queryable,
  tools: AdminTools,
  dated: DatedSources,
  { edits, base }: Pick<ChangeRow, 'edits' | 'base'>,
  now: Date,
): Promise<Edit[]> {
  await refuseClashes(tx, edits, base, now);
  const list = (await listInForce(tx, now.getTime())) ?? listedModels();
  const editTools = { randomBytes: tools.randomBytes, list, now, read: readBody };
  const inverse: Edit[] = [];
  for (const edit of edits) inverse.unshift(...(await makeEdit(tx, edit, editTools)));
  await seedWithin(tx, tools, dated, true);
  for (const edit of edits) if (edit.op === 'unpin') await unpinWithin(tx, tools, dated, edit.model, now);
  return inverse;
}

async function refuseClashes(
  tx: Queryable,
  edits: readonly Edit[],
  base: Record<string, string>,
  now: Date,
): Promise<void> {
  const looks = await looksOf(tx, edits, now);
  const clashes = Object.keys(looks).filter((subject) => subject in base && base[subject] !== looks[subject]);
  const [first] = clashes;
  if (first === undefined) return;
  throw new GatewayError('conflict', { reason: catalogReasons.changedMeanwhile(first), detail: { clashes } });
}

function readDraft(fields: Fields): { edits: Edit[]; note: string | null } {
  return { edits: readEdits(fields), note: fields.text('note') ?? null };
}

function refuseUnlessDraft({ state }: ChangeRow): void {
  if (state !== 'draft') throw conflict(catalogReasons.notADraft);
}

function traced(edit: Edit): JsonObject {
  if (edit.op === 'price' || edit.op === 'unpin') return { op: edit.op, model: edit.model };
  return { op: edit.op, model: edit.model, provider: edit.provider, upstream: edit.upstream };
}

function changeView(row: ChangeRow) {
  return {
    object: 'catalog_change' as const,
    id: row.id,
    state: row.state,
    edits: row.edits.map((edit) => ({ ...edit })),
    note: row.note,
    made_by: row.made_by,
    made_at: row.made_at.toISOString(),
    published_by: row.published_by,
    published_at: row.published_at?.toISOString() ?? null,
    undoes: row.undoes,
    undone_by: row.undone_by,
    undoable: row.state === 'published' && row.inverse !== null,
  };
}
