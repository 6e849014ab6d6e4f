import type { AdmissionTrigger } from '#shared/define.ts';
import { drops } from '#shared/domain/decode.ts';
import type { Gathered } from './gathered.ts';
import type { Bound } from './host.ts';
import { stands } from './own-parts.ts';

const managedFields = ['metadata', 'managedFields'] as const;
/** Whole, so that it is a key: in a string its quotes would be escaped, and no string ends before a letter. */
const beforeList = Buffer.from('"managedFields":[');
/** Behind the list, as API servers write an object: it is the last of the metadata. In a string this cannot stand either. */
const afterList = Buffer.from(']},"spec":{');

/**
 * Whether nobody of them can look at who wrote which field: their schemas drop it, and no condition is asked. Of pods, in
 * which no other list has that name; a custom resource may have one of its own.
 */
export function leaveManagedFields(functions: readonly Bound[]): boolean {
  return functions.every(
    ({ definition: { schema, trigger } }) =>
      isOfPods(trigger) && trigger.matchConditions === undefined && drops(schema, managedFields),
  );
}

function isOfPods({ group = '', resources }: AdmissionTrigger): boolean {
  return group === '' && resources.every((each) => each.split('/', 1)[0] === 'pods');
}

/**
 * The body's text with an empty list for `managedFields`, which are a third of a pod: to cut them out costs a thirtieth of
 * what it costs to parse them. Those of an old object, and those that are not as API servers write them, stay.
 */
export function withoutManagedFields(bytes: Buffer): string {
  const start = startOfList(bytes);
  const end = start === -1 ? -1 : endOfList(bytes, start);
  if (end === -1) return bytes.toString('utf8');
  return bytes.toString('utf8', 0, start + 1) + bytes.toString('utf8', end);
}

/** What is parsed of a body. */
export function textFor(
  { leavesManagedFields }: { readonly leavesManagedFields: boolean },
  body: Gathered,
): string {
  return leavesManagedFields ? withoutManagedFields(body.bytes()) : body.text();
}

const [comma, openBrace, openBracket, closeBracket] = [0x2c, 0x7b, 0x5b, 0x5d];

/** Where the first one opens. */
function startOfList(bytes: Buffer): number {
  const at = bytes.indexOf(beforeList);
  const isKey = at !== -1 && [comma, openBrace].includes(bytes[at - 1] ?? 0);
  return isKey ? at + beforeList.length - 1 : -1;
}

/** Where the one at `start` closes: at the next bracket, if that is no string's and no other list opens before it. */
function endOfList(bytes: Buffer, start: number): number {
  const close = bytes.indexOf(closeBracket, start);
  const open = bytes.indexOf(openBracket, start + 1);
  if (close === -1 || (open !== -1 && open < close)) return -1;
  return stands(bytes, afterList, close) ? close : -1;
}
