export function profileOf(version?: string, bytes?: number): string[];
