/** Groups, as operators change them. A built-in group that is edited becomes the operator's own. */

import type { Json, JsonObject } from '../../core/json.ts';
import { difference } from '../../platform/audit-log.ts';
import { readGroups as readDeclaredGroups } from '../reading/index.ts';
import { type GroupRow, selectGroups } from '../rows.ts';
import type { DeclaredGroup } from '../seed/declared.ts';
import {
  type AdminTools,
  change,
  notFound,
  readBody,
  refuseConfigManaged,
  refuseUnlessOperators,
  takeEnabled,
} from './change.ts';
import { groupView } from './views.ts';

export interface GroupAdmin {
  list(): Promise<JsonObject[]>;
  /** Makes or replaces a group: `{name?, name_fa?, default, models}`. */
  put(id: string, body: Json, actor: string): Promise<JsonObject>;
  remove(id: string, actor: string): Promise<void>;
}

export function createGroupAdmin(tools: AdminTools): GroupAdmin {
  const { db } = tools;
  const find = async (id: string): Promise<GroupRow | undefined> =>
    (await selectGroups(db)).find((group) => group.id === id);
  return {
    async list() {
      return (await selectGroups(db)).map(groupView);
    },
    async put(id, body, actor) {
      const present = await find(id);
      if (present) refuseConfigManaged(present);
      const models = await db.query<{ id: string }>('select id from model');
      const known = new Set(models.map((model) => model.id));
      const { rest } = takeEnabled(body);
      const group = readBody({ ...rest, id }, (fields) => readDeclaredGroups([fields], known)[0]);
      await change(tools, { actor, action: 'group.put', subject: id }, async (tx, now, note) => {
        await writeGroup(tx, group, now);
        const written = (await selectGroups(tx)).find((one) => one.id === id);
        note(difference(present ? groupView(present) : {}, written ? groupView(written) : {}));
      });
      const written = await find(id);
      if (!written) throw notFound('group', id);
      return groupView(written);
    },
    async remove(id, actor) {
      await change(tools, { actor, action: 'group.delete', subject: id }, async (tx) => {
        const group = (await selectGroups(tx)).find((one) => one.id === id);
        if (!group) throw notFound('group', id);
        refuseUnlessOperators(group);
        await tx.query('delete from model_group where id = $1', [id]);
      });
    },
  };
}

async function writeGroup(tx: Parameters<typeof selectGroups>[0], group: DeclaredGroup, now: Date): Promise<void> {
  const { id, name, nameFa, defaultModel, models } = group;
  await tx.query(
    `insert into model_group (id, name, name_fa, default_model, managed_by, created_at, updated_at)
     values ($1, $2, $3, $4, 'operator', $5, $5)
     on conflict (id) do update set name = excluded.name, name_fa = excluded.name_fa,
       default_model = excluded.default_model, managed_by = 'operator', updated_at = excluded.updated_at`,
    [id, name, nameFa ?? null, defaultModel, now],
  );
  await tx.query('delete from group_model where group_id = $1', [id]);
  await tx.query('insert into group_model (group_id, model_id) select distinct $1, unnest($2::text[])', [id, models]);
}
