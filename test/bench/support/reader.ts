export type Answered = (status: number, body: Buffer, closes: boolean) => void;

const blankLine = Buffer.from('\r\n\r\n');
const emptied: Buffer = Buffer.alloc(0);

/**
 * As much of HTTP/1.1 as one answer at a time with a Content-Length needs.
 * The body is a view of what was read, and good only until the callback returns.
 */
export function answerReader(answered: Answered): (chunk: Buffer) => void {
  let pending = emptied;

  return (chunk) => {
    const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const answer = answerIn(bytes);
    if (answer === undefined) {
      pending = bytes === chunk ? Buffer.from(chunk) : bytes;
      return;
    }
    pending = emptied;
    answered(answer.status, answer.body, answer.closes);
  };
}

/** `undefined` until all of it is there. */
function answerIn(bytes: Buffer) {
  const end = bytes.indexOf(blankLine);
  if (end < 0) return undefined;
  const { length, ...head } = headOf(bytes.toString('latin1', 0, end));
  const start = end + blankLine.length;
  if (bytes.length < start + length) return undefined;
  if (bytes.length > start + length) throw new Error('more bytes than the answer has');
  return { ...head, body: bytes.subarray(start) };
}

function headOf(text: string) {
  const status = Number(text.slice(9, 12));
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  if (length === undefined) throw new Error(`an answer without Content-Length: ${text}`);
  return { status, length: Number(length), closes: /\r\nconnection: *close/i.test(text) };
}
