export { acceptSchema } from './accepted-schema.ts';
export { type AnswerJudge, createAnswerJudge, type Unjudged } from './judge.ts';
export type { JudgedText, TextVerdict } from './judge-texts.ts';
