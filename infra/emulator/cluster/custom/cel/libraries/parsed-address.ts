import { isIP } from 'node:net';

export type Parsed = { readonly kind: 'parsed' } | { readonly kind: 'not'; readonly why: string };

/** As Go's `netip.ParseAddr`, and no zone, and no IPv4 address in IPv6's clothes. */
export function parsedAddress(text: string): Parsed {
  if (/^::ffff:/i.test(text) && isIP(text) === 6)
    return not(`IPv4-mapped IPv6 address ${quoted(text)} is not allowed`);
  if (isIP(text) === 6 && text.includes('%'))
    return not(`IP address ${quoted(text)} with zone value is not allowed`);
  if (isIP(text) > 0) return { kind: 'parsed' };
  return not(
    `IP Address ${quoted(text)} parse error during conversion from string: ${complaint(text)}`,
  );
}

export function complaint(text: string): string {
  return `ParseAddr(${quoted(text)}): ${whyNot(text)}`;
}

function whyNot(text: string): string {
  const [first] = /[.:%]/.exec(text) ?? [];
  if (first === undefined) return 'unable to parse IP';
  if (first === '%') return 'missing IPv6 address';
  return first === '.' ? whyNotFour(text) : 'unexpected character';
}

function whyNotFour(text: string): string {
  const strange = /[^\d.]/.exec(text);
  if (strange !== null) return `unexpected character (at ${quoted(text.slice(strange.index))})`;
  const empty = /^\.|\.(?=\.)|\.$/.exec(text);
  if (empty !== null) {
    const at = text.slice(empty.index + (text[empty.index + 1] === '.' ? 1 : 0));
    return `IPv4 field must have at least one digit (at ${quoted(at)})`;
  }
  const fields = text.split('.');
  if (fields.some((field) => /^0\d/.test(field))) return 'IPv4 field has octet with leading zero';
  if (fields.some((field) => Number(field) > 255)) return 'IPv4 field has value >255';
  return fields.length < 4 ? 'IPv4 address too short' : 'IPv4 address too long';
}

function not(why: string): Parsed {
  return { kind: 'not', why };
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
