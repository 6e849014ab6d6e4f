import { type Decoder, decode, flag, list, optional, record, text } from '#shared/domain/decode.ts';
import type { Kind } from '#shared/domain/kind.ts';
import { type Answer, refusal } from '../answer.ts';
import type { Ask } from '../ask.ts';

const version = record({ version: text });
const group = record({ preferredVersion: version, versions: list(version) });
const groups = record({ groups: list(record({ name: text })) });
const resource = record({ name: text, kind: text, namespaced: optional(flag, false) });
const resources = record({ resources: list(resource) });

type Read = (path: string) => Promise<Answer>;

/** `undefined` is a fact: a live answer of a healthy server. Whatever is less is thrown. */
export function served(ask: Ask) {
  return async (kind: Kind, signal: AbortSignal): Promise<Kind | undefined> => {
    const read: Read = (path) => ask({ what: `discover ${path}`, method: 'GET', path, signal });
    if (kind.group === '') return servedIn(read, kind, ['v1']);

    const path = `/apis/${kind.group}`;
    const answer = await read(path);
    if (isNotThere(answer) && (await isLeftOut(read, kind.group)) && isNotThere(await read(path))) {
      return undefined;
    }
    const { preferredVersion, versions } = bodyOf(path, answer, group);
    const offered = [preferredVersion, ...versions].map((each) => each.version);
    const own = offered.filter((each) => each === kind.version);
    return servedIn(read, kind, [...new Set([...own, ...offered])]);
  };
}

/** In the first of the versions that has it. A version that cannot be read may be the one. */
async function servedIn(
  read: Read,
  kind: Kind,
  [version, ...others]: readonly string[],
): Promise<Kind | undefined> {
  if (version === undefined) return undefined;
  const path = kind.group === '' ? `/api/${version}` : `/apis/${kind.group}/${version}`;
  const found = bodyOf(path, await read(path), resources).resources.find(
    ({ name }) => name === kind.resource,
  );
  if (found === undefined) return servedIn(read, kind, others);
  const { kind: name, namespaced } = found;
  return { group: kind.group, version, resource: kind.resource, kind: name, namespaced };
}

/** The server itself lists all groups but this one: any proxy on the way says a 404 in Go's words as well. */
async function isLeftOut(read: Read, group: string): Promise<boolean> {
  const list = bodyOf('/apis', await read('/apis'), groups);
  return list.groups.every(({ name }) => name !== group);
}

/** A load balancer's 404 is a page of its own; the API server's are these two. */
function isNotThere({ status, reasons, isPlainNotFound }: Answer): boolean {
  return status === 404 && (isPlainNotFound || reasons.includes('NotFound'));
}

function bodyOf<T>(path: string, answer: Answer, shape: Decoder<T>): T {
  const what = `discover ${path}`;
  if (answer.status !== 200) throw refusal(what, answer);
  const body = decode(shape, answer.body);
  if (!body.ok) throw new Error(`cannot ${what}: the answer is no discovery document`);
  return body.value;
}
