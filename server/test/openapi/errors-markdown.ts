/** The page of errors, from the one registry. */
import { ERRORS, type ErrorCode } from '@dargah/core/error-registry.ts';

export function errorsMarkdown(): string {
  const rows = (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { status, type, messagesType, shouldRetry, text } = ERRORS[code];
    return `| \`${code}\` | ${status} | \`${type}\` | \`${messagesType}\` | ${shouldRetry ? 'yes' : 'no'} | ${text.en} | ${text.fa} |`;
  });
  return [
    '# Errors',
    '',
    'Written by `npm run docs:openapi` from `packages/core/src/error-registry.ts`. The body is `{"error": {message, type, code, param}}`; on',
    'messages `{"type": "error", "error": {type, message, code}, request_id}`. Machine detail may stand beside them.',
    '',
    '| code | status | type | type (messages) | retry | meaning | معنا |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
