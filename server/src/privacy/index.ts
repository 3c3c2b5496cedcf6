export { type KeptThing, untilText } from './kept-thing.ts';
export { type KeptTerms, keptThings, textsUntil } from './kept-things.ts';
