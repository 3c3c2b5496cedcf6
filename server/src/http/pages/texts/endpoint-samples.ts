/**
 * Samples for an endpoint of `/api/v1`, generated from its description with the standard tools of each language, so
 * that each runs as it is. Text in braces is an id of the reader's own. A test runs all of them.
 */

import type { RouteDescription } from '@dargah/api/describe-route.ts';
import type { Language } from '@dargah/core/text.ts';
import type { Sample } from '../samples.ts';

/** Texts of the examples, for readers of English. */
const ENGLISH: Record<string, string> = {
  سلام: 'Hello',
  'سلام! چه کمکی از من برمی‌آید؟': 'Hello! How can I help?',
  مرخصی: 'leave',
  'هر کارمند ۲۶ روز مرخصی دارد.': 'Every employee has 26 days of leave.',
  'هر کارمند ۳۰ روز مرخصی دارد.': 'Every employee has 30 days of leave.',
};
interface SampleForm {
  fields: Readonly<Record<string, string>>;
  /** The field that takes the file, and the file's name. */
  part: string;
  upload: string;
}

const SOUND_FORM: SampleForm = { fields: { model: 'sandbox/transcribe' }, part: 'file', upload: 'speech.wav' };
/** Forms by the operation that takes them; the others take sound. */
const FORMS: Readonly<Record<string, SampleForm>> = {
  createFile: { fields: { purpose: 'batch' }, part: 'file', upload: 'requests.jsonl' },
  editImage: { fields: { model: 'sandbox/image', prompt: 'Damavand' }, part: 'image', upload: 'picture.png' },
};
/** What an answer that is no JSON is written to. */
const FILES: Readonly<Record<string, string>> = {
  'application/octet-stream': 'output.jsonl',
  'application/x-jsonl': 'results.jsonl',
  'audio/mpeg': 'speech.mp3',
  'text/event-stream': 'stream.txt',
};

interface Asked {
  method: string;
  url: string;
  /** The JSON body. */
  body: unknown;
  form: SampleForm | undefined;
  /** The file that the answer becomes where it is no JSON. */
  file: string | undefined;
}

export function endpointSamples(endpoint: RouteDescription, origin: string, language: Language): Sample[] {
  const asked = askedOf(endpoint, origin, language);
  const { operationId } = endpoint;
  return [
    { id: `${operationId}-curl`, name: 'curl', code: curl(asked) },
    { id: `${operationId}-python`, name: 'Python', code: python(asked) },
    { id: `${operationId}-javascript`, name: 'JavaScript', code: javascript(asked) },
    { id: `${operationId}-go`, name: 'Go', code: go(asked) },
  ];
}

function askedOf(endpoint: RouteDescription, origin: string, language: Language): Asked {
  const { method, path, bodyType, body, example = {}, resultType, operationId } = endpoint;
  const form = bodyType === 'multipart/form-data' ? (FORMS[operationId] ?? SOUND_FORM) : undefined;
  return {
    method,
    url: `${origin}${path.replace(/\/:(\w+)/g, '/{$1}')}`,
    body: body === undefined || form ? undefined : inWordsOf(language, example),
    form,
    file: resultType === undefined ? undefined : FILES[resultType],
  };
}

function fieldsOf(form: SampleForm | undefined): [string, string][] {
  return Object.entries(form?.fields ?? {});
}

function inWordsOf(language: Language, value: unknown): unknown {
  if (language === 'fa') return value;
  if (typeof value === 'string') return ENGLISH[value] ?? value;
  if (Array.isArray(value)) return value.map((one) => inWordsOf(language, one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inWordsOf(language, one)]));
}

function curl({ method, url, body, form, file }: Asked): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}"${url}"`, '-H "Authorization: Bearer $DARGAH_KEY"'];
  for (const [field, value] of fieldsOf(form)) lines.push(`-F ${field}=${value}`);
  if (form) lines.push(`-F ${form.part}=@${form.upload}`);
  // In a shell a quote ends the text; written so it is part of it.
  if (body !== undefined)
    lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  if (file !== undefined) lines.push(`--output ${file}`);
  return lines.join(' \\\n  ');
}

function python({ method, url, body, form, file }: Asked): string {
  const imports = [...(form ? ['uuid'] : []), 'json', 'os', 'urllib.request'].sort();
  const type = form ? '"multipart/form-data; boundary=" + boundary' : '"application/json"';
  const data = form ? 'form' : 'json.dumps(body).encode()';
  const hasBody = form !== undefined || body !== undefined;
  return [
    ...imports.map((name) => `import ${name}`),
    '',
    ...(form ? pythonForm(form) : []),
    ...(body === undefined ? [] : [`body = ${pythonLiteral(body)}`]),
    'request = urllib.request.Request(',
    `    "${url}",`,
    `    method="${method}",`,
    ...(hasBody ? [`    data=${data},`] : []),
    '    headers={',
    '        "Authorization": "Bearer " + os.environ["DARGAH_KEY"],',
    ...(hasBody ? [`        "Content-Type": ${type},`] : []),
    '    },',
    ')',
    'with urllib.request.urlopen(request) as answer:',
    ...(file === undefined
      ? ['    print(json.dumps(json.load(answer), ensure_ascii=False))']
      : [`    with open("${file}", "wb") as written:`, '        written.write(answer.read())']),
  ].join('\n');
}

function pythonForm(form: SampleForm): string[] {
  return [
    'boundary = uuid.uuid4().hex',
    'head = (',
    ...fieldsOf(form).map(
      ([field, value]) =>
        `    f'--{boundary}\\r\\nContent-Disposition: form-data; name="${field}"\\r\\n\\r\\n${value}\\r\\n'`,
    ),
    `    f'--{boundary}\\r\\nContent-Disposition: form-data; name="${form.part}"; filename="${form.upload}"\\r\\n\\r\\n'`,
    ')',
    `with open("${form.upload}", "rb") as upload:`,
    '    form = head.encode() + upload.read() + f"\\r\\n--{boundary}--\\r\\n".encode()',
  ];
}

/** JSON is valid Python except for three literals. */
function pythonLiteral(value: unknown): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonLiteral(one)}`);
  return `{${fields.join(', ')}}`;
}

function javascript({ method, url, body, form, file }: Asked): string {
  const imports = [
    ...(form ? [`import { openAsBlob } from 'node:fs';`] : []),
    ...(file === undefined ? [] : [`import { writeFile } from 'node:fs/promises';`]),
  ];
  const filled = form && [
    'const form = new FormData();',
    ...fieldsOf(form).map(([field, value]) => `form.append('${field}', '${value}');`),
    `form.append('${form.part}', await openAsBlob('${form.upload}'), '${form.upload}');`,
  ];
  return [
    ...imports,
    ...(imports.length > 0 ? [''] : []),
    ...(filled ?? []),
    `const answer = await fetch('${url}', {`,
    `  method: '${method}',`,
    '  headers: {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is code for the reader
    '    Authorization: `Bearer ${process.env.DARGAH_KEY}`,',
    ...(body === undefined ? [] : [`    'Content-Type': 'application/json',`]),
    '  },',
    ...(form ? ['  body: form,'] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body)}),`]),
    '});',
    'if (!answer.ok) throw new Error(await answer.text());',
    file === undefined
      ? 'console.log(await answer.json());'
      : `await writeFile('${file}', Buffer.from(await answer.arrayBuffer()));`,
  ].join('\n');
}

function go({ method, url, body, form, file }: Asked): string {
  const imports = ['io', 'net/http', 'os'];
  if (form) imports.push('bytes', 'mime/multipart');
  if (body !== undefined) imports.push('strings');
  if (file === undefined) imports.push('fmt');
  const sent = form ? '&body' : body === undefined ? 'nil' : `strings.NewReader(${goText(JSON.stringify(body))})`;
  const check = ['\tif err != nil {', '\t\tpanic(err)', '\t}'];
  const type = form ? 'form.FormDataContentType()' : '"application/json"';
  return [
    'package main',
    '',
    'import (',
    ...imports.sort().map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...(form ? goForm(form, check) : []),
    `\trequest, err := http.NewRequest("${method}", "${url}", ${sent})`,
    ...check,
    '\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("DARGAH_KEY"))',
    ...(form || body !== undefined ? [`\trequest.Header.Set("Content-Type", ${type})`] : []),
    '\tanswer, err := http.DefaultClient.Do(request)',
    ...check,
    '\tdefer answer.Body.Close()',
    '\tcontent, err := io.ReadAll(answer.Body)',
    ...check,
    '\tif answer.StatusCode >= 300 {',
    '\t\tpanic(string(content))',
    '\t}',
    ...(file === undefined
      ? ['\tfmt.Println(string(content))']
      : [`\tif err := os.WriteFile("${file}", content, 0o644); err != nil {`, '\t\tpanic(err)', '\t}']),
    '}',
  ].join('\n');
}

function goForm(form: SampleForm, check: readonly string[]): string[] {
  return [
    '\tvar body bytes.Buffer',
    '\tform := multipart.NewWriter(&body)',
    ...fieldsOf(form).map(([field, value]) => `\tform.WriteField("${field}", "${value}")`),
    `\tpart, err := form.CreateFormFile("${form.part}", "${form.upload}")`,
    ...check,
    `\tupload, err := os.Open("${form.upload}")`,
    ...check,
    '\tdefer upload.Close()',
    '\tio.Copy(part, upload)',
    '\tform.Close()',
  ];
}

/**
 * Template literals have no escapes here; a text with a grave accent is written with escapes, which JSON and Go share.
 */
function goText(json: string): string {
  return json.includes('`') ? JSON.stringify(json) : `\`${json}\``;
}
