/** The start of the browser's side: one bundle for the customer's console and the operator's, each loaded only where it is used. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import './app.css';
import { Refused } from './api/call.ts';
import { ToastProvider } from './parts/toast.tsx';
import { PreferencesProvider } from './preferences.tsx';

const Area = lazy(() =>
  location.pathname.startsWith('/operator') ? import('./operator/area.tsx') : import('./console/area.tsx'),
);

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // The live connection tells what changed; a window that gets the focus back asks nothing by itself.
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && !(error instanceof Refused && error.status < 500),
    },
    // An act happens when it is asked or not at all. Kept for when the network is back, it would run after it was cancelled.
    mutations: { networkMode: 'always', retry: false },
  },
});

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <QueryClientProvider client={client}>
      <PreferencesProvider>
        <ToastProvider>
          <Suspense fallback={null}>
            <Area />
          </Suspense>
        </ToastProvider>
      </PreferencesProvider>
    </QueryClientProvider>,
  );
}
