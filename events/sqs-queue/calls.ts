const mostInCall = 10;
/** Of all bodies of a call together. */
const longestCall = 1_048_576;

/** As few calls as SQS allows for them, in their order. */
export function callsOf<T extends { readonly text: string }>(
  all: readonly T[],
): readonly (readonly T[])[] {
  const calls: T[][] = [];
  let bytes = 0;
  for (const each of all) {
    const last = calls.at(-1);
    const length = Buffer.byteLength(each.text);
    if (last === undefined || last.length === mostInCall || bytes + length > longestCall) {
      calls.push([each]);
      bytes = length;
    } else {
      last.push(each);
      bytes += length;
    }
  }
  return calls;
}
