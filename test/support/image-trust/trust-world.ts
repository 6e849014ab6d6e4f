import { setTimeout as wait } from 'node:timers/promises';
import {
  type Outside,
  type OutsideAnswer,
  type OutsideRequest,
  unavailable,
} from '#shared/domain/outside.ts';
import { type Content, makeImage } from '../registry/pushed-image.ts';
import { answer, type Rule } from '../tuf/notary-server.ts';
import { type Files, type Plan, publish } from '../tuf/publish.ts';
import { rootSigner, snapshotKey, targetsKey, timestampKey } from '../tuf/scene.ts';
import type { Signer } from '../tuf/signer.ts';

export const notary = 'https://notary.example';

export type TrustWorld = {
  readonly outside: Outside;
  readonly visits: readonly OutsideRequest[];
  /** How often a Notary was asked for the newest timestamp of a repository: once for each verification. */
  timestamps(): number;
  /** An image of this name alone, under a tag of its registry; its digest. */
  push(place: string, name: string): string;
  /** With the blobs that its repository has. */
  put(place: string, content: Content, ...blobs: readonly Content[]): string;
  /** All that is signed in a repository from now on. */
  sign(gun: string, signed: Readonly<Record<string, string>>, more?: Signing): Promise<void>;
  /** What is answered in place of what is there; `undefined` takes it back. */
  instead: { rule: Rule | undefined };
  /** All answers wait for it. */
  delay: { ms: number };
};

export type Signing = {
  readonly server?: string;
  readonly owner?: Signer;
  /** When files expire, by role. */
  readonly ends?: Readonly<Record<string, string>>;
} & Partial<Plan>;

/** Whoever gives up is not kept waiting. */
async function passed(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

/** Notaries and registries behind the door to the outside, as they would answer over the wire. */
export function trustWorld(): TrustWorld {
  const collections = new Map<string, Files>();
  const contents = new Map<string, Content>();
  const roots = new Map<string, Signer>();
  const visits: OutsideRequest[] = [];
  const instead: TrustWorld['instead'] = { rule: undefined };
  const delay = { ms: 0 };
  let version = 0;

  const served = ({ url }: OutsideRequest): OutsideAnswer => {
    const [server = '', name = ''] = url.split('/_trust/tuf/');
    const file = collections.get(server)?.get(name);
    if (file !== undefined) return answer(200, {}, file);
    const content = contents.get(url);
    if (content === undefined) return answer(404);
    return answer(200, { 'content-type': content.mediaType }, content.bytes);
  };
  const put = (place: string, content: Content, ...blobs: readonly Content[]) => {
    const [, host = '', repository = '', tag = ''] = /^([^/]+)\/(.+):(.+)$/.exec(place) ?? [];
    for (const name of [tag, content.digest]) {
      contents.set(`https://${host}/v2/${repository}/manifests/${name}`, content);
    }
    for (const blob of blobs) {
      contents.set(`https://${host}/v2/${repository}/blobs/${blob.digest}`, blob);
    }
    return content.digest;
  };

  return {
    ...{ visits, instead, delay, put },
    outside: {
      read: async (request) => {
        visits.push(request);
        if (delay.ms > 0) await passed(delay.ms, request.signal);
        if (request.signal.aborted) return unavailable('given-up', request.url);
        const told = instead.rule?.(request) ?? served(request);
        return told.kind === 'answer' ? { ...told, url: request.url } : told;
      },
      originOf: (host) => `https://${host}`,
      close: () => undefined,
    },
    timestamps: () => visits.filter(({ url }) => url.endsWith('/timestamp.json')).length,
    push: (place, name) => put(place, makeImage(name).manifest),
    async sign(gun, signed, { server = notary, owner, ends = {}, ...more } = {}) {
      const key = `${server}/v2/${gun}`;
      const signer = owner ?? roots.get(key) ?? (await rootSigner(gun));
      roots.set(key, signer);
      version += 1;
      const until = (role: string) => (ends[role] === undefined ? {} : { expires: ends[role] });
      const by = (each: Signer, role: string) => ({ signers: [each], version, ...until(role) });
      const plan: Plan = {
        root: { signers: [signer], ...until('root') },
        timestamp: by(timestampKey, 'timestamp'),
        snapshot: by(snapshotKey, 'snapshot'),
        targets: by(targetsKey, 'targets'),
        signed,
        ...more,
      };
      collections.set(key, publish(plan));
    },
  };
}
