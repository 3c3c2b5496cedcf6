/** The filters of a list with what belongs to every list: clear them, save them under a name, take all of it as a file. */

import type { StaffList } from '@dargah/core/staff-lists.ts';
import type { ReactNode } from 'react';
import { useAddress } from '../../address.ts';
import { useShared } from '../../texts/shared.ts';
import { ExportList, type ExportQuery } from './export-list.tsx';
import { SavedViews } from './saved-views.tsx';

export function ListBar({
  list,
  names,
  query,
  children,
}: {
  list: StaffList;
  /** The names of the filters in the address. */
  names: readonly string[];
  /** The query of the list, for its export. */
  query: ExportQuery;
  children: ReactNode;
}) {
  const address = useAddress();
  const shared = useShared();
  const filtered = names.some((name) => address.get(name) !== undefined);
  return (
    <div className="filters">
      {children}
      {filtered && (
        <button
          type="button"
          className="btn plain small"
          onClick={() => address.set(Object.fromEntries(names.map((name) => [name, undefined])))}
        >
          {shared.clear}
        </button>
      )}
      <span className="row keep list-tools">
        <SavedViews list={list} />
        <ExportList list={list} query={query} />
      </span>
    </div>
  );
}
