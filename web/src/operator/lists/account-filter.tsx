/** An account as a filter: found by its name while one types, kept in the address by its id. */

import type { listAccounts } from '@dargah/api/admin/accounts.ts';
import { useId, useState } from 'react';
import { useAddress } from '../../address.ts';
import { useRead } from '../../api/read.ts';
import { Icon } from '../../parts/icon.tsx';
import { useShared } from '../../texts/shared.ts';
import { useListTexts } from './texts.ts';

const SHOWN = 8;

export function AccountFilter({ name = 'account', known }: { name?: string; known?: string | undefined }) {
  const texts = useListTexts();
  const shared = useShared();
  const address = useAddress();
  const list = useId();
  const chosen = address.get(name);
  const [typed, setTyped] = useState('');
  const found = useRead<typeof listAccounts>(
    'GET /api/admin/accounts',
    { query: { q: typed.trim(), limit: SHOWN } },
    { enabled: typed.trim().length > 1, keep: true },
  ).data?.data;
  if (chosen !== undefined)
    return (
      <span className="filter">
        <span className="chip on">
          {texts.account}: <b dir="auto">{known ?? chosen}</b>
        </span>
        <button
          type="button"
          className="btn icon small"
          aria-label={shared.clear}
          title={shared.clear}
          onClick={() => address.set({ [name]: undefined })}
        >
          <Icon name="x" />
        </button>
      </span>
    );
  const choose = (text: string) => {
    const account = found?.find((one) => one.id === text || one.name === text);
    address.set({ [name]: account?.id ?? text });
    setTyped('');
  };
  return (
    <label className="search">
      <Icon name="search" />
      <input
        type="search"
        dir="auto"
        list={list}
        aria-label={texts.account}
        placeholder={`${texts.account}: ${texts.accountHint}`}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          // A choice from the list comes as the whole id at once.
          if (found?.some((one) => one.id === event.target.value)) choose(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && typed.trim() !== '') choose(typed.trim());
        }}
      />
      <datalist id={list}>
        {found?.map((account) => (
          <option key={account.id} value={account.id}>
            {account.name}
          </option>
        ))}
      </datalist>
    </label>
  );
}
