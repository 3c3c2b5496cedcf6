export function buildWebIfStale(onBegin?: () => void): Promise<boolean>;
