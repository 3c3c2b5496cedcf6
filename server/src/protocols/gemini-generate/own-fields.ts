/** Fields that only this protocol understands, kept beside the canonical form under its name. */
import { keptFieldsOf } from '../kept-fields.ts';

export const PROTOCOL = 'gemini-generate';

export const { keep, kept, keptBlock } = keptFieldsOf(PROTOCOL);
