/** The part of a label's key behind the slash, and of a label's value: at most 63 letters. */
const name = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const part = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';

/** Sources of regular expressions, to be put into others. */
export const labelKey = `(?:${part}(?:\\.${part})*/)?${name}`;
export const labelValue = `(?:${name})?`;

const wholeKey = new RegExp(`^${labelKey}$`);
const wholeValue = new RegExp(`^${labelValue}$`);

export function isLabelKey(text: string): boolean {
  return wholeKey.test(text) && text.lastIndexOf('/') <= 253;
}

/** May be empty. */
export function isLabelValue(text: string): boolean {
  return wholeValue.test(text);
}
