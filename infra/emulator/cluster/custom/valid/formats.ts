import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { Schema } from '../../parts.ts';
import { broken, type Found, held, wrongType } from './found.ts';
import { textAt } from './keyword.ts';
import type { Part } from './value.ts';

export function formatFound(value: string, schema: Schema, { path }: Part): Found {
  const format = knownFormat(schema);
  if (format === undefined || isOfFormat(value, format)) return held;
  const detail = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
  return broken(wrongType(path, value, detail));
}

/** Any other format says nothing. */
export function knownFormat(schema: Schema): string | undefined {
  const format = textAt(schema, 'format');
  return format !== undefined && Object.hasOwn(formats, normalized(format)) ? format : undefined;
}

/** One that nobody knows says nothing. */
export function isOfFormat(value: string, format: string): boolean {
  return formats[normalized(format)]?.(value) ?? true;
}

function normalized(format: string): string {
  return format.replaceAll('-', '');
}

const day = /^\d{4}-\d\d-\d\d$/;
const moment =
  /^\d{4}-\d\d-\d\d[Tt ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:?\d\d)$/;
const hostname =
  /^(?=.{1,253}$)(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*\.?$/;
const goDuration =
  /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))*$/;
const wordyDuration =
  /^\s*\d+(?:\.\d+)?\s*(?:ns|nano|nanos|nanosecond|nanoseconds|us|µs|micro|micros|microsecond|microseconds|ms|milli|millis|millisecond|milliseconds|s|sec|secs|second|seconds|m|min|mins|minute|minutes|h|hr|hour|hours|d|day|days|w|wk|week|weeks)\s*$/;

const formats: Readonly<Record<string, (value: string) => boolean>> = {
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  byte: (value) => /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0,
  cidr: isCidr,
  creditcard: isCreditCard,
  date: (value) => day.test(value) && isDay(value),
  datetime: (value) => moment.test(value) && isDay(value.slice(0, 10)),
  duration: (value) => value === '0' || goDuration.test(value) || wordyDuration.test(value),
  email: matches(/^(?:[^<>]*<)?[^\s<>@,;:"()[\]\\]+@[^\s<>@,;:"()[\]\\]+>?$/),
  hexcolor: matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  hostname: matches(hostname),
  ipv4: isIPv4,
  ipv6: (value) => isIPv6(value) && !value.includes('%'),
  isbn: (value) => isIsbn10(value) || isIsbn13(value),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  mac: matches(
    /^(?:[0-9a-fA-F]{2}([:-]))(?:[0-9a-fA-F]{2}\1){4}[0-9a-fA-F]{2}$|^(?:[0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}$/,
  ),
  password: () => true,
  rgbcolor: matches(
    /^rgb\(\s*(?:(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*(?:,\s*|\)$)|(?:0|[1-9]\d?|100)%\s*(?:,\s*|\)$)){3}/,
  ),
  ssn: matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  uri: (value) => /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:|\/)[^\s]*$/.test(value),
  uuid: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
};

function matches(pattern: RegExp): (value: string) => boolean {
  return (value) => pattern.test(value);
}

function isDay(value: string): boolean {
  const at = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value);
}

function isCidr(value: string): boolean {
  const [address = '', bits = '', ...more] = value.split('/');
  const most = isIP(address) === 4 ? 32 : 128;
  return isIP(address) > 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most && more.length === 0;
}

function isCreditCard(value: string): boolean {
  const digits = value.replaceAll(/\D/g, '');
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const twice = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (twice > 9 ? twice - 9 : twice);
  }, 0);
  return (
    /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/.test(
      digits,
    ) && sum % 10 === 0
  );
}

function isIsbn10(value: string): boolean {
  const digits = value.replaceAll(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (10 - index) * (digit === 'X' ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(value: string): boolean {
  const digits = value.replaceAll(/[\s-]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (all, digit, index) => all + Number(digit) * (index % 2 === 1 ? 3 : 1),
    0,
  );
  return sum % 10 === 0;
}
