/** The thread on which answers are judged: a schema or a pattern that means ill holds up nobody but itself (judge.ts). */
import { parentPort } from 'node:worker_threads';
import { type JudgedText, judgeTexts } from './judge-texts.ts';

parentPort?.on('message', (texts: JudgedText[]) => parentPort?.postMessage(judgeTexts(texts)));
parentPort?.postMessage('ready');
