import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { podImages } from '../pod-images.ts';
import type { Finding, Trusted } from './judgement.ts';

/** A container that runs something else than what is signed under the name that it states. */
export type Stranger = {
  readonly container: string;
  readonly image: string;
  readonly runs: string;
};

type Seen = { readonly spec: JsonObject; readonly status: JsonObject };

const lists = [
  { of: 'init-container', list: 'initContainerStatuses' },
  { of: 'container', list: 'containerStatuses' },
  { of: 'ephemeral-container', list: 'ephemeralContainerStatuses' },
] as const;

/** What a node says without a digest of a registry is unknown, which is not wrong. */
export function strangersIn(
  { spec, status }: Seen,
  findings: readonly Finding[],
): readonly Stranger[] {
  const byImage = new Map(findings.map((finding) => [finding.image, finding.judgement]));
  return podImages({ spec }).flatMap(({ of, name, image }) => {
    const judgement = byImage.get(image);
    if (judgement?.kind !== 'trusted') return [];
    const runs = digestRun(statusesOf(status, of), name);
    return runs === undefined || mayRun(runs, judgement) ? [] : [{ container: name, image, runs }];
  });
}

/** What cannot be looked at may be a list, and what runs one of its images: unknown as well. */
function mayRun(digest: string, { digest: signed, children, remarks }: Trusted): boolean {
  return digest === signed || children.includes(digest) || remarks.includes('unseen');
}

export function strangerNote({ container, image, runs }: Stranger): string {
  return `${container} runs ${runs}, which is not what is signed as ${image}`;
}

function statusesOf(status: JsonObject, of: string): Json | undefined {
  const found = lists.find((each) => each.of === of);
  return found === undefined ? undefined : status[found.list];
}

/** `registry.example/app@sha256:…`, with a scheme before it where Docker runs. */
function digestRun(statuses: Json | undefined, name: string): string | undefined {
  const items: readonly unknown[] = Array.isArray(statuses) ? statuses : [];
  const own = items.filter(isJsonObject).find((item) => item['name'] === name);
  return /@(sha256:[0-9a-f]{64})$/.exec(String(own?.['imageID'] ?? ''))?.[1];
}
