/** An account by its name, which leads to its page; the id alone where the name is not known. */

import type { listAccounts } from '@dargah/api/admin/accounts.ts';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { Id } from '../parts/copyable.tsx';

export function AccountLink({ id }: { id: string }) {
  const accounts = useRead<typeof listAccounts>('GET /api/admin/accounts', { query: { limit: 200 } }).data?.data;
  const name = accounts?.find((account) => account.id === id)?.name;
  return (
    <Link href={`/operator/accounts/${id}`} title={id}>
      {name === undefined ? <Id value={id} /> : <bdi>{name}</bdi>}
    </Link>
  );
}
