import { useState } from 'react';
import type { LiveRequest } from '../../api/live.tsx';

/** New rows wait while the pointer is over the list, so that none is pushed from under it. */
export function useHeldRows(live: readonly LiveRequest[]) {
  const [held, setHeld] = useState<readonly LiveRequest[]>();
  const known = new Set(held?.map(({ id }) => id));
  return {
    shown: held ?? live,
    waiting: held === undefined ? [] : live.filter(({ id }) => !known.has(id)),
    pointer: { onPointerEnter: () => setHeld(live), onPointerLeave: () => setHeld(undefined) },
  };
}
