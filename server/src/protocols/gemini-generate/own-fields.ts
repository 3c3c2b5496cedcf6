/** What this protocol alone understands, kept beside the canonical form under its own name. */
import { keptFieldsOf } from '../kept-fields.ts';

export const PROTOCOL = 'gemini-generate';

export const { keep, kept, keptBlock } = keptFieldsOf(PROTOCOL);
