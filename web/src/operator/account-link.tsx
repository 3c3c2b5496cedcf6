/** An account by its name, which leads to its page; the id alone where the name is not known. */

import type { listAccounts } from '@dargah/api/admin/accounts.ts';
import { createContext, useContext } from 'react';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { Id } from '../parts/copyable.tsx';

/** Names that came with a list, by id: nothing more is asked for its rows. */
export const NamesContext = createContext<Readonly<Record<string, string>> | undefined>(undefined);

export function AccountLink({ id }: { id: string }) {
  const names = useContext(NamesContext);
  const read = useRead<typeof listAccounts>(
    'GET /api/admin/accounts',
    { query: { limit: 200 } },
    { enabled: names === undefined },
  );
  const name = names === undefined ? read.data?.data.find((account) => account.id === id)?.name : names[id];
  return (
    <Link href={`/operator/accounts/${id}`} title={id}>
      {name === undefined ? <Id value={id} /> : <bdi>{name}</bdi>}
    </Link>
  );
}
