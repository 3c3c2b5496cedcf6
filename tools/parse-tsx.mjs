/**
 * dependency-cruiser reads sources with swc as TypeScript, but never says that a .tsx file has markup in it, and so cannot read one.
 * Loaded before it (`check:layers`), this says so.
 */
import swc from '@swc/core';

const { parseFileSync } = swc;
swc.parseFileSync = (path, options) => parseFileSync(path, { ...options, tsx: path.endsWith('.tsx') });
