/** How operators change groups. A built-in group that is edited becomes the operator's own. */

import type { Json } from '../../core/json.ts';
import { difference } from '../../platform/audit-log.ts';
import { CATALOG_MODELS, type GroupRow, selectGroups } from '../catalog-rows.ts';
import { readGroups as readDeclaredGroups } from '../reading/index.ts';
import {
  type AdminTools,
  change,
  notFound,
  readBody,
  refuseConfigManaged,
  refuseUnlessOperators,
  takeEnabled,
} from './change.ts';
import { DELETE_GROUP, writeGroup } from './provider-rows.ts';
import { type GroupView, groupView } from './views.ts';

export interface GroupAdmin {
  list(): Promise<GroupView[]>;
  /** Makes or replaces a group: `{name?, name_fa?, default, models}`. */
  put(id: string, body: Json, actor: string): Promise<GroupView>;
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
      const models = await CATALOG_MODELS.rows(db, [null]);
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
        await DELETE_GROUP.run(tx, [id]);
      });
    },
  };
}
