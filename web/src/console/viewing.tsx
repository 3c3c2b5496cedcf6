/** For staff who view a customer's console: whose it is, that nothing can be changed, and how to leave. */
import type { endViewAs } from '@dargah/api/admin/people.ts';
import { useChange } from '../api/read.ts';
import { Note } from '../parts/page-frame.tsx';
import { useMe, useOwnAccount } from '../session.tsx';
import { useConsoleTexts } from './texts.ts';

/** Returns to where the viewing began. The page is reloaded, so that nothing of the customer stays in the cache. */
export function useEndViewing() {
  const viewed = useMe().viewing?.account_id ?? '';
  return useChange<typeof endViewAs>('DELETE /api/admin/view-as', {
    done: () => location.assign(`/operator/accounts/${viewed}`),
  });
}

export function ViewingBanner() {
  const texts = useConsoleTexts();
  const own = useOwnAccount();
  const end = useEndViewing();
  return (
    <Note tone="warn">
      <span className="row">
        {texts.viewing(own?.name ?? '')}{' '}
        <button type="button" className="btn small" disabled={end.isPending} onClick={() => end.mutate({})}>
          {texts.endViewing}
        </button>
      </span>
    </Note>
  );
}
