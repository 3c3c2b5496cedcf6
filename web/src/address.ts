/**
 * Filters and drawers are kept in the address: every view can be sent to a colleague, and Back does what people expect.
 */
import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

export function useAddress(): {
  get(name: string): string | undefined;
  /** Changes some names and keeps the others; `undefined` removes one. */
  set(changes: Record<string, string | undefined>, options?: { replace?: boolean }): void;
} {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const set = useCallback(
    (changes: Record<string, string | undefined>, options?: { replace?: boolean }) => {
      const next = new URLSearchParams(search);
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined || value === '') next.delete(name);
        else next.set(name, value);
      }
      navigate(next.size === 0 ? path : `${path}?${next}`, options);
    },
    [search, path, navigate],
  );
  const get = useCallback((name: string) => params.get(name) ?? undefined, [params]);
  return { get, set };
}
