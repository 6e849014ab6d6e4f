import { isJsonObject, isList, type Json } from '#shared/domain/json.ts';
import type { Normal } from './normal.ts';

export type Difference = { readonly at: string; readonly ours: unknown; readonly theirs: unknown };

/** The first place where the answers are not the same. */
export function differenceOf(ours: Normal, theirs: Normal): Difference | undefined {
  if (ours.status !== theirs.status) {
    const told = (of: Normal) => `${of.status} ${brief(of.body)}`;
    return { at: 'status', ours: told(ours), theirs: told(theirs) };
  }
  return (
    within(ours.headers as Json, theirs.headers as Json, 'header') ??
    within(ours.body, theirs.body, '$') ??
    within(ours.lines, theirs.lines, 'lines')
  );
}

function brief(body: Json): string {
  const message = isJsonObject(body) ? body['message'] : undefined;
  return typeof message === 'string' ? message : JSON.stringify(body).slice(0, 300);
}

function within(
  ours: Json | undefined,
  theirs: Json | undefined,
  at: string,
): Difference | undefined {
  if (ours === theirs) return undefined;
  if (ours !== undefined && theirs !== undefined && isList(ours) && isList(theirs)) {
    return inLists(ours, theirs, at);
  }
  if (!isJsonObject(ours) || !isJsonObject(theirs)) return { at, ours, theirs };
  // The text first: it says most.
  const [one, other] = [ours['message'], theirs['message']];
  const isOfMany = one === '<several>' || other === '<several>';
  const keys = [
    ...new Set([isOfMany ? 'details' : 'message', ...Object.keys(theirs), ...Object.keys(ours)]),
  ];
  return first(keys.map((key) => () => within(ours[key], theirs[key], `${at}.${key}`)));
}

function inLists(ours: readonly Json[], theirs: readonly Json[], at: string) {
  if (ours.length !== theirs.length) return { at: `${at}.length`, ours, theirs };
  return first(ours.map((each, place) => () => within(each, theirs[place], `${at}.${place}`)));
}

function first(finds: readonly (() => Difference | undefined)[]): Difference | undefined {
  for (const find of finds) {
    const found = find();
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Differences of the same cause look alike. */
export function signatureOf(line: string, { at, ours, theirs }: Difference): string {
  const text = (value: unknown) =>
    typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  const plain = (value: unknown) =>
    text(value)
      .replace(/"[^"]*"/g, '""')
      .replace(/\d+/g, '0')
      .slice(0, 90);
  const [method = '', path = ''] = line.split(' ');
  const resource = /\/(?:namespaces\/\{ns\}\/)?([a-z]+)(?:\/|\?|$)/.exec(
    path.replace(/^\/(api|apis\/[^/]+)\/v\d/, ''),
  )?.[1];
  return `${method} ${resource} ${at.replace(/\d+/g, '0')} ${plain(ours)} / ${plain(theirs)}`;
}
