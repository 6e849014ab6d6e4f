/** Judges an answer; anything but `undefined` is what is wrong with it. */
export type Judge = (uid: string, status: number, body: Buffer) => string | undefined;

/**
 * Looks closely at the first answer (parsed, uid, patch decoded, each marker in it), and at those after it
 * byte by byte, but for their uid: as strict, and cheap enough not to be what is measured.
 */
export function judgeOf(markers: readonly string[]): Judge {
  let known: { readonly before: Buffer; readonly after: Buffer } | undefined;

  return (uid, status, body) => {
    if (status !== 200) return `HTTP ${status}`;
    if (known !== undefined && isSame(body, uid, known)) return undefined;
    const wrong = problemWith(body.toString('utf8'), uid, markers);
    if (wrong !== undefined) return wrong;
    const at = body.indexOf(uid);
    known = {
      before: Buffer.from(body.subarray(0, at)),
      after: Buffer.from(body.subarray(at + uid.length)),
    };
    return undefined;
  };
}

function isSame(body: Buffer, uid: string, known: { before: Buffer; after: Buffer }): boolean {
  const { before, after } = known;
  const tail = before.length + uid.length;
  return (
    body.length === tail + after.length &&
    body.compare(before, 0, before.length, 0, before.length) === 0 &&
    body.compare(after, 0, after.length, tail) === 0 &&
    body.toString('latin1', before.length, tail) === uid
  );
}

function problemWith(text: string, uid: string, markers: readonly string[]): string | undefined {
  const { response } = JSON.parse(text);
  if (response.uid !== uid) return `answered uid ${response.uid} instead of ${uid}`;
  if (response.allowed !== true) return `not allowed: ${response.status?.message}`;
  const patch = Buffer.from(response.patch ?? '', 'base64').toString('utf8');
  const missing = markers.find((marker) => !patch.includes(marker));
  return missing === undefined ? undefined : `unmutated: no ${missing} in patch "${patch}"`;
}
