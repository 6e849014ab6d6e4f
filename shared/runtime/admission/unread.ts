import type { AdmissionTrigger } from '#shared/define.ts';
import { drops } from '#shared/domain/decode.ts';
import type { Gathered } from './gathered.ts';
import type { Bound } from './host.ts';

const managedFields = ['metadata', 'managedFields'] as const;
/** Whole, so that it is a key: in a string its quotes would be escaped, and no string ends before a letter. */
const beforeList = Buffer.from('"managedFields":[');

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
 * The body's text with empty lists for `managedFields`, which are a third of a pod: to step over one costs a fifth of what
 * it costs to parse it.
 */
export function withoutManagedFields(bytes: Buffer): string {
  let text = '';
  let from = 0;
  for (let at = startOfList(bytes, 0); at !== -1; at = startOfList(bytes, from)) {
    const end = endOfList(bytes, at);
    if (end === -1) break;
    text += bytes.toString('utf8', from, at + 1);
    from = end;
  }
  return text + bytes.toString('utf8', from);
}

/** What is parsed of a body. */
export function textFor(
  { leavesManagedFields }: { readonly leavesManagedFields: boolean },
  body: Gathered,
): string {
  return leavesManagedFields ? withoutManagedFields(body.bytes()) : body.text();
}

const [comma, openBrace, openBracket] = [0x2c, 0x7b, 0x5b];
const [closeBrace, closeBracket, quote, backslash] = [0x7d, 0x5d, 0x22, 0x5c];

/** Where the next list opens. */
function startOfList(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(beforeList, from);
  while (at !== -1 && bytes[at - 1] !== comma && bytes[at - 1] !== openBrace) {
    at = bytes.indexOf(beforeList, at + 1);
  }
  return at === -1 ? -1 : at + beforeList.length - 1;
}

/** Where the bracket stands that closes the one at `start`; -1 where none does. */
function endOfList(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    depth += stepOf(byte);
    if (depth === 0) return at;
  }
  return -1;
}

function stepOf(byte: number | undefined): number {
  if (byte === openBracket || byte === openBrace) return 1;
  return byte === closeBracket || byte === closeBrace ? -1 : 0;
}

function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
