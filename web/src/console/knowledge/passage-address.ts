/** The address at which the text of a passage can be read. */
export function passageAddress({
  knowledge_base_id: base,
  document_id: document,
  place,
}: {
  knowledge_base_id: string;
  document_id: string;
  place: number;
}): string {
  return `/console/knowledge/${encodeURIComponent(base)}?document=${encodeURIComponent(document)}&passage=${place}`;
}
