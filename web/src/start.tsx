/** The start of the browser's side, the same for both areas. Each area is a build of its own, so that it loads few and large files. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, Suspense, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { Refused } from './api/call.ts';
import { keepFirstData } from './api/first-data.ts';
import { ToastProvider } from './parts/toast.tsx';
import { PreferencesProvider, rememberChoice } from './preferences.tsx';

/** Loads our font after the first paint. Once it is cached, the next page has it from its first paint. */
function Started() {
  useEffect(() => {
    delete document.documentElement.dataset['still'];
    const { face } = document.getElementById('root')?.dataset ?? {};
    const remember = () => {
      if (face !== undefined && document.fonts.check('1rem Vazirmatn', 'س')) rememberChoice('dargah_face', face);
    };
    document.fonts.addEventListener('loadingdone', remember);
    return () => document.fonts.removeEventListener('loadingdone', remember);
  }, []);
  return null;
}

export function start(Area: ComponentType): void {
  const root = document.getElementById('root');
  if (root === null) return;
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        // The live connection reports changes, so a window that regains the focus reads nothing by itself.
        refetchOnWindowFocus: false,
        retry: (count, error) => count < 2 && !(error instanceof Refused && error.status < 500),
      },
      // An action runs when it is asked for or not at all: queued until the network is back, it might run after it was
      // cancelled.
      mutations: { networkMode: 'always', retry: false },
    },
  });
  keepFirstData(client);
  createRoot(root).render(
    <QueryClientProvider client={client}>
      <PreferencesProvider>
        <ToastProvider>
          <Suspense fallback={null}>
            <Area />
            <Started />
          </Suspense>
        </ToastProvider>
      </PreferencesProvider>
    </QueryClientProvider>,
  );
}
