/** What two servers cannot have in common: times, ages, uids, versions, addresses. Wide columns are narrowed. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d{4}( [A-Z]{3})?)/g, '<time>'],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>'],
  [/(resourceVersion"?: ?)"\d+"/g, '$1"<version>"'],
  [/(Resource Version: +)\d+/g, '$1<version>'],
  [/https:\/\/127\.0\.0\.1:\d+/g, '<server>'],
  // A tenth of a processor looks like an age as well.
  [/(?<![\w/."=-]|cpu: *)(\d+(s|m|h|d))+(?![\w-])/g, '<age>'],
  [/<unknown>(?=\s|$)/gm, '<age>'],
  [/\/(tmp|dev\/shm)\/[\w./-]+/g, '<file>'],
  [/kubectl-edit-\d+\.yaml/g, '<file>'],
  [/\b10\.\d+\.\d+\.\d+\b/g, '<address>'],
  [/ {2,}/g, '  '],
  [/ +$/gm, ''],
];

export function normalised(text: string, namespace: string): string {
  return shapes.reduce(
    (said, [shape, name]) => said.replace(shape, name),
    text.replaceAll(namespace, '<namespace>'),
  );
}
