/** A choice of tools needs tools to choose from; both OpenAI protocols refuse it with the same text. */

import type { Tool, ToolChoice } from '../core/chat.ts';
import { refuseParam } from './read-fields.ts';
import { protocolReasons } from './reasons.ts';

/**
 * Returns false for a choice without effect, because there are no tools. `others` says that there are tools beside the named
 * ones.
 */
export function choosable(choice: ToolChoice, tools: readonly Tool[], others = false): boolean {
  if (tools.length === 0 && !others) {
    // SDKs always send these values, and they are harmless; the others demand a call that cannot come.
    if (choice.kind === 'auto' || choice.kind === 'none') return false;
    refuseParam('tool_choice', protocolReasons.noToolsToChoose);
  }
  const named = choice.kind === 'tool' ? [choice.name] : choice.kind === 'allowed' ? choice.names : [];
  const unknown = named.find((name) => !tools.some((tool) => tool.name === name));
  if (unknown !== undefined) {
    refuseParam('tool_choice', protocolReasons.unknownTool(unknown));
  }
  return true;
}
