/** A choice of tools must have something to choose from; both OpenAI protocols say it in the same words. */

import type { Tool, ToolChoice } from '../core/chat.ts';
import { refuseParam } from './read-fields.ts';
import { protocolReasons } from './reasons.ts';

/** False for a choice that says nothing, since there are no tools. `others`: there are tools beside the named ones. */
export function choosable(choice: ToolChoice, tools: readonly Tool[], others = false): boolean {
  if (tools.length === 0 && !others) {
    // Harmless words of SDKs that always send them; the others promise a call that cannot come.
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
