/** The models that somebody chose last in this browser. Only ids, which are public, and only the last few. */
const KEY = 'dargah.models';
const MAX_KEPT = 5;

export function recentModels(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string').slice(0, MAX_KEPT) : [];
  } catch {
    return [];
  }
}

export function keepRecentModel(id: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify([id, ...recentModels().filter((one) => one !== id)].slice(0, MAX_KEPT)));
  } catch {
    // A browser without storage remembers nothing.
  }
}
