/** One field as it stands on the wire: a number, or bytes that mean what their type says. */
export type Entry = { readonly number: number; readonly value: bigint | Buffer };

/** Throws a RangeError where it ends in the middle. */
export function* entriesOf(bytes: Buffer): Generator<Entry> {
  let at = 0;
  const varint = (): bigint => {
    for (let [value, shift] = [0n, 0n]; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const slice = (length: number): Buffer => {
    if (at + length > bytes.length)
      throw new RangeError('the message ends in the middle of a field');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    const form = tag & 7;
    if (form === 0) yield { number, value: varint() };
    else if (form === 2) yield { number, value: slice(Number(varint())) };
    else if (form === 1) yield { number, value: slice(8) };
    else if (form === 5) yield { number, value: slice(4) };
    else throw new RangeError(`no field begins with ${tag}`);
  }
}

export function signed(value: bigint): number {
  return Number(BigInt.asIntN(64, value));
}
