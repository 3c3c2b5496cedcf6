/** Says that the browser has no network, for as long as it has none. */
import { useSyncExternalStore } from 'react';
import { Note } from '../parts/page-frame.tsx';
import { useShellTexts } from './texts.ts';

function follow(onChange: () => void): () => void {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
}

export function OfflineBanner() {
  const texts = useShellTexts();
  const isOnline = useSyncExternalStore(follow, () => navigator.onLine);
  return (
    <div role="status" className="offline">
      {!isOnline && <Note tone="warn">{texts.offline}</Note>}
    </div>
  );
}
