/** The thread on which answers are judged, so that a malicious schema or pattern blocks nothing else (judge.ts). */
import { parentPort } from 'node:worker_threads';
import { type JudgedText, judgeTexts } from './judge-texts.ts';

parentPort?.on('message', (texts: JudgedText[]) => parentPort?.postMessage(judgeTexts(texts)));
parentPort?.postMessage('ready');
