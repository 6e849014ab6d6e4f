import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Content, makeImage } from '#test/support/registry/pushed-image.ts';
import { certified } from '#test/support/tuf/certified.ts';
import { publish } from '#test/support/tuf/publish.ts';
import { edwards, elliptic, inCertificate, type Signer } from '#test/support/tuf/signer.ts';
import { alsoStop } from '../support/processes.ts';

/** A Notary and a registry at one address, which answer as slowly as a network would let them. */
export type Publisher = {
  readonly host: string;
  /** `127.0.0.1:41234/team/app0:1.0@sha256:…` */
  readonly images: readonly string[];
  /** How often a repository's newest timestamp was asked for: once for each verification. */
  verifications(): number;
  delay: { ms: number };
};

const hour = 3_600_000;

export async function openPublisher(count: number): Promise<Publisher> {
  const files = new Map<string, Content | Uint8Array>();
  const delay = { ms: 0 };
  let verifications = 0;
  const server = createServer((request, response) => {
    const { url = '' } = request;
    if (url.endsWith('/timestamp.json')) verifications += 1;
    const found = files.get(url);
    void pause(delay.ms).then(() => {
      if (found === undefined) return response.writeHead(404).end();
      if (found instanceof Uint8Array) return response.end(found);
      return response.writeHead(200, { 'content-type': found.mediaType }).end(found.bytes);
    });
  });
  const host = await listening(server);
  const images: string[] = [];
  for (let at = 0; at < count; at += 1)
    images.push(await published(files, `${host}/team/app${at}`));
  return { host, images, delay, verifications: () => verifications };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  alsoStop(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return `127.0.0.1:${port}`;
}

async function published(files: Map<string, Content | Uint8Array>, gun: string): Promise<string> {
  const { manifest } = makeImage(gun);
  const repository = gun.slice(gun.indexOf('/') + 1);
  for (const name of ['1.0', manifest.digest]) {
    files.set(`/v2/${repository}/manifests/${name}`, manifest);
  }
  const by = (signer: Signer) => ({ signers: [signer] });
  const plan = {
    root: by(await rootOf(gun)),
    timestamp: by(edwards()),
    snapshot: by(elliptic()),
    targets: by(elliptic()),
    signed: { '1.0': manifest.digest },
  };
  for (const [name, bytes] of publish(plan)) files.set(`/v2/${gun}/_trust/tuf/${name}`, bytes);
  return `${gun}:1.0@${manifest.digest}`;
}

async function rootOf(commonName: string): Promise<Signer> {
  const notBefore = new Date(Date.now() - hour);
  const { pem, privateKey } = await certified({ commonName, notBefore });
  return inCertificate(pem, privateKey);
}
