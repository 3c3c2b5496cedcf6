export function ownPackages(root: string): Record<string, string>;
