import { isJsonObject, isList, type Json } from '#shared/domain/json.ts';
import type { Normal } from './normal.ts';

export type Difference = { readonly at: string; readonly ours: unknown; readonly theirs: unknown };

/** The first place where the answers are not the same. */
export function differenceOf(ours: Normal, theirs: Normal): Difference | undefined {
  if (ours.status !== theirs.status) {
    const told = (of: Normal) => `${of.status} ${brief(of.body)}`;
    return { at: 'status', ours: told(ours), theirs: told(theirs) };
  }
  const [found] = [
    ...within(ours.headers as Json, theirs.headers as Json, 'header'),
    ...within(ours.body, theirs.body, '$'),
    ...within(ours.lines, theirs.lines, 'lines'),
  ];
  return found;
}

function brief(body: Json): string {
  const message = isJsonObject(body) ? body['message'] : undefined;
  return typeof message === 'string' ? message : JSON.stringify(body).slice(0, 300);
}

/** All of them. */
export function* within(
  ours: Json | undefined,
  theirs: Json | undefined,
  at: string,
): Generator<Difference> {
  if (ours === theirs) return;
  if (ours !== undefined && theirs !== undefined && isList(ours) && isList(theirs)) {
    yield* inLists(ours, theirs, at);
    return;
  }
  if (!isJsonObject(ours) || !isJsonObject(theirs)) {
    yield { at, ours, theirs };
    return;
  }
  // The text first: it says most.
  const [one, other] = [ours['message'], theirs['message']];
  const isOfMany = one === '<several>' || other === '<several>';
  const keys = [
    ...new Set([isOfMany ? 'details' : 'message', ...Object.keys(theirs), ...Object.keys(ours)]),
  ];
  for (const key of keys) yield* within(ours[key], theirs[key], `${at}.${key}`);
}

function* inLists(ours: readonly Json[], theirs: readonly Json[], at: string) {
  if (ours.length !== theirs.length) yield { at: `${at}.length`, ours, theirs };
  else
    for (const [place, each] of ours.entries())
      yield* within(each, theirs[place], `${at}.${place}`);
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
