/** Reads an event stream as its bytes are: the SDKs forgive what the contract does not. */
export interface ReadStream {
  /** The data of each event, parsed; `[DONE]` as that text. */
  events: (Record<string, never> | '[DONE]')[];
  text: string;
}

export async function readStream(response: Response): Promise<ReadStream> {
  const text = await response.text();
  const events = text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => frame.slice('data: '.length))
    .map((data) => (data === '[DONE]' ? data : JSON.parse(data)));
  return { events: events as ReadStream['events'], text };
}
