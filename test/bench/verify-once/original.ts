import { openOutside } from '#shared/adapters/http/open-outside.ts';
import { keptFiles } from '#shared/adapters/notary/kept-files.ts';
import { openNotary } from '#shared/adapters/notary/open-notary.ts';
import { openRegistry } from '#shared/adapters/registry/open-registry.ts';
import { parseImage } from '#shared/domain/image.ts';
import { usualLimits, usualRoles } from '#shared/domain/image-trust/tuf/trust.ts';
import type { Publisher } from './publisher.ts';

/** The original's way with a pod: one image after the other, and nothing kept. By our own clients, in milliseconds. */
export async function originalWay(images: readonly string[], { host }: Publisher): Promise<number> {
  const from = performance.now();
  for (const image of images) await verifyAlone(image, host);
  return performance.now() - from;
}

async function verifyAlone(original: string, host: string): Promise<void> {
  const parsed = parseImage(original);
  if (!parsed.ok) throw new Error(parsed.why);
  const outside = openOutside({
    hosts: [{ host, plainHttp: true, addresses: ['127.0.0.0/8'] }],
    ...{ userAgent: 'bench', deadlineMs: 20_000, connectionsPerHost: 4 },
  });
  const { registry, repository, tag, digest = '' } = parsed.image;
  const signal = AbortSignal.timeout(20_000);
  const options = { mirrors: [], tokenServers: {}, deadlineMs: 20_000 };
  const read = await openRegistry({ outside, now: Date.now }, options).manifest(parsed.image, {
    ...{ logins: [], reach: 'internal', signal },
  });
  const server = {
    url: new URL(`http://${host}`),
    reach: 'internal',
    credentials: undefined,
  } as const;
  const gun = `${registry}/${repository}`;
  const once = { anchor: undefined, pins: [], firstUse: 'allow', roles: usualRoles } as const;
  const trust = { gun, now: new Date(), limits: usualLimits, ...once };
  const notary = openNotary({ server, outside, files: keptFiles(0) });
  const { verdict } = await notary.verify({ tag, digests: [digest] }, trust, signal);
  outside.close();
  if (read.kind !== 'found' || verdict.kind !== 'trusted') throw new Error(`${original} is not`);
}
