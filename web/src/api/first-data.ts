/** Answers that came with the page: cached as if they had been requested, so that the first paint has its content. */
import type { QueryClient } from '@tanstack/react-query';
import { setAccountOfCalls } from './call.ts';

interface FirstAnswer {
  address: string;
  query?: object;
  data: unknown;
}

const ME = 'GET /api/console/me';

export function keepFirstData(client: QueryClient): void {
  const given = document.querySelector<HTMLTemplateElement>('template#first');
  if (given === null) return;
  const answers = JSON.parse(given.content.textContent ?? '[]') as FirstAnswer[];
  given.remove();
  const me = answers.find(({ address }) => address === ME)?.data as
    | { account_id: string | null; viewing: { account_id: string } | null }
    | undefined;
  if (me === undefined) return;
  client.setQueryData([ME], me);
  const account = me.viewing?.account_id ?? me.account_id ?? undefined;
  // They were read for the session's account; a tab that shows another account asks for itself.
  setAccountOfCalls(account);
  for (const { address, query, data } of answers)
    if (address !== ME) client.setQueryData([address, account ?? '', null, query ?? null], data);
}
