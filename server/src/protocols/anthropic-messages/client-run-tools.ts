/**
 * Tools whose definition Anthropic's models know by heart and which the client runs itself. Providers of other
 * protocols get them as functions with the documented arguments; the client cannot tell the calls apart.
 */
import type { JsonObject } from '../../core/json.ts';

interface ClientRunTool {
  type: RegExp;
  description: string;
  parameters: JsonObject;
}

const text = (description: string): JsonObject => ({ type: 'string', description });
const line = (description: string): JsonObject => ({ type: 'integer', minimum: 0, description });

const PATH = text('Absolute path of the file or directory.');
const EDITING: JsonObject = {
  file_text: text('For `create`: the content of the new file.'),
  old_str: text('For `str_replace`: the text to replace. It must stand in the file exactly once.'),
  insert_line: line('For `insert`: the number of the line after which the text is inserted; 0 is the beginning.'),
  view_range: {
    type: 'array',
    items: { type: 'integer' },
    description: 'For `view` of a file: the first and the last line; -1 as the last means to the end.',
  },
};

function editor(commands: readonly string[], fields: JsonObject): JsonObject {
  return {
    type: 'object',
    properties: {
      command: { type: 'string', enum: [...commands], description: 'What to do.' },
      path: PATH,
      ...EDITING,
      ...fields,
    },
    required: commands.includes('rename') ? ['command'] : ['command', 'path'],
  };
}

const TOOLS: readonly ClientRunTool[] = [
  {
    type: /^bash_\d{8}$/,
    description: 'Runs a command in a bash shell that keeps its state between calls, and returns its output.',
    parameters: {
      type: 'object',
      properties: {
        command: text('The command to run. Required unless the shell is restarted.'),
        restart: { type: 'boolean', description: 'True to restart the shell.' },
      },
    },
  },
  {
    type: /^text_editor_(?:20241022|20250124)$/,
    description: 'Views, creates and edits text files.',
    parameters: editor(['view', 'create', 'str_replace', 'insert', 'undo_edit'], {
      new_str: text('For `str_replace` and `insert`: the new text.'),
    }),
  },
  {
    type: /^text_editor_\d{8}$/,
    description: 'Views, creates and edits text files.',
    // Clients of these versions read the inserted text under either name.
    parameters: editor(['view', 'create', 'str_replace', 'insert'], {
      new_str: text('For `str_replace` and `insert`: the new text.'),
      insert_text: text('For `insert`: the same text as in `new_str`.'),
    }),
  },
  {
    type: /^memory_\d{8}$/,
    description:
      'Keeps notes in files under /memories, which outlive this conversation. View the directory before a task, to find ' +
      'what was noted earlier, and note what should be remembered.',
    parameters: editor(['view', 'create', 'str_replace', 'insert', 'delete', 'rename'], {
      path: text('Path under /memories, for every command but `rename`.'),
      new_str: text('For `str_replace`: the new text.'),
      insert_text: text('For `insert`: the text to insert.'),
      old_path: text('For `rename`: the path as it is.'),
      new_path: text('For `rename`: the path as it should be.'),
    }),
  },
];

/**
 * Returns undefined for tools that the provider runs, and for those made for Anthropic's models alone (computer use).
 */
export function clientRunTool(type: string): Omit<ClientRunTool, 'type'> | undefined {
  return TOOLS.find((tool) => tool.type.test(type));
}
