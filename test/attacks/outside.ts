import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basicFor, memoryRegistry, send } from '#test/support/registry/memory-registry.ts';
import type { Content } from '#test/support/registry/pushed-image.ts';
import { type Heard, openHost, type Script } from '#test/support/registry/scripted-host.ts';
import { makeCa, makeLeaf } from '#test/support/tls.ts';
import type { Signer } from '#test/support/tuf/signer.ts';
import { imageCalled } from './image-called.ts';
import { rootOf } from './root-of.ts';

/** What a Notary answers for a file of a collection. */
export type Served = Uint8Array | 'absent' | 'endless' | 'broken';
export type Notary = (gun: string, file: string) => Served;

export type Outside = {
  /** Of this run: what another one has left behind at the target is about other names. */
  readonly run: string;
  /** `localhost:41234`: Notaries and the registry, which the configuration names. */
  readonly host: string;
  /** The same, at a port whose address the configuration does not open. */
  readonly hidden: string;
  /** A third one, open: where redirects may lead, but no credentials. */
  readonly other: string;
  /** What was shown there. */
  shownElsewhere(): readonly string[];
  /** What was asked for at the port that nobody opened. */
  askedInHiding(): readonly string[];
  /** A file, to be written: whom the target is to trust for keyless signatures. */
  readonly trustedRoot: string;
  /** Signs the root of the one Notary that the configuration has a pin for. */
  readonly pinned: Signer;
  /** PEM */
  readonly ca: string;
  /** Below `https://host/n/run/`. */
  readonly notaries: Map<string, Notary>;
  readonly registry: Tags;
  close(): Promise<void>;
};

export type Tags = {
  /** Images by their names; with several, each request is answered by the next. */
  keep(repository: string, tag: string, ...names: readonly string[]): void;
  /** Instead of what is kept; whoever asks for this path, at whichever port. */
  readonly scripts: Map<string, Script>;
  readonly memory: ReturnType<typeof memoryRegistry>;
};

/** Which most of them are about. */
export const appName = 'registry.example/team/app';

/** Of whom the private repositories are. */
export const basic = basicFor('alice', 'secret');

/** A registry and any number of Notaries on loopback, over https. */
export async function openOutsideWorld(
  ports: readonly [number, number, number] = [0, 0, 0],
): Promise<Outside> {
  const ca = await makeCa();
  const leaf = await makeLeaf(ca, 'localhost');
  const notaries = new Map<string, Notary>();
  const memory = memoryRegistry();
  const turns = new Map<string, Turn>();
  const scripts = new Map<string, Script>();
  const places = { host: '', hidden: '', other: '' };
  const usual: Script = (request, response, heard) => {
    const { path } = heard;
    const notary = notaryAsked(notaries, path);
    const location = locationFor(path, places);
    const turn = turns.get(path);
    if (notary !== undefined) serve(response, notary());
    else if (location !== undefined) redirect(response, location);
    else if (turn !== undefined) send(response, manifestAt(turn));
    else memory.script(request, response, heard);
  };
  const script: Script = (request, response, heard) => {
    const instead = scripts.get(heard.path.replace(/\?.*/, ''));
    const chosen = instead ?? (isLocked(heard) ? refuse : usual);
    chosen(request, response, heard);
  };
  const [open, hidden, other] = await Promise.all(
    ports.map((port) => openHost(script, leaf, port)),
  );
  if (open === undefined || hidden === undefined || other === undefined)
    throw new Error('there is no port');
  places.host = `localhost:${open.port}`;
  places.hidden = `localhost:${hidden.port}`;
  places.other = `localhost:${other.port}`;
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-attacks-root-'));
  return {
    run: randomBytes(3).toString('hex'),
    ...places,
    ca: ca.certificate,
    shownElsewhere: () => other.heard.flatMap(({ authorization }) => authorization ?? []),
    askedInHiding: () => hidden.heard.map(({ path }) => path),
    pinned: await rootOf(appName),
    trustedRoot: join(folder, 'trusted-root.json'),
    notaries,
    registry: {
      memory,
      scripts,
      keep: (repository, tag, ...names) => {
        for (const { manifest, config } of names.map(imageCalled)) {
          memory.keep(repository, manifest);
          memory.keepBlob(repository, config);
        }
        turns.set(`/v2/${repository}/manifests/${tag}`, { names, asked: 0 });
      },
    },
    close: async () => {
      rmSync(folder, { recursive: true });
      await Promise.all([open.close(), hidden.close(), other.close()]);
    },
  };
}

function isLocked({ path, authorization }: Heard): boolean {
  return path.startsWith('/v2/private/') && authorization !== basic;
}

const refuse: Script = (_, response) => {
  response.writeHead(401, { 'www-authenticate': 'Basic realm="private"' }).end();
};

function notaryAsked(notaries: Outside['notaries'], path: string): (() => Served) | undefined {
  const [, name = '', gun = '', file = ''] =
    /^\/n\/[^/]+\/([^/]+)\/v2\/(.+)\/_trust\/tuf\/(.+)$/.exec(path) ?? [];
  const notary = notaries.get(name);
  return notary === undefined ? undefined : () => notary(gun, file);
}

/** To the port that nobody opened; what is redirected here is found here. */
function locationFor(
  path: string,
  {
    host,
    hidden,
    other,
  }: { readonly host: string; readonly hidden: string; readonly other: string },
): string | undefined {
  const [, elsewhere] = /^\/redirected(\/.*)$/.exec(path) ?? [];
  if (elsewhere !== undefined) return `https://${hidden}${elsewhere}`;
  const [, led] = /^\/v2\/private\/led(\/.*)$/.exec(path) ?? [];
  if (led !== undefined) return `https://${other}/v2/team/app${led}`;
  const [, here, rest] = /^\/v2\/team\/redirected(-here)?(\/manifests\/.*)$/.exec(path) ?? [];
  if (rest === undefined) return undefined;
  return `https://${here === undefined ? hidden : host}/v2/team/app${rest}`;
}

type Turn = { readonly names: readonly string[]; asked: number };

function manifestAt(turn: Turn): Content {
  return imageCalled(turn.names[turn.asked++ % turn.names.length] ?? '').manifest;
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(307, { location }).end();
}

function serve(response: ServerResponse, served: Served): void {
  switch (served) {
    case 'absent':
      response.writeHead(404).end();
      return;
    case 'broken':
      response.writeHead(500).end();
      return;
    case 'endless':
      response.writeHead(200);
      pour(response);
      return;
    default:
      response.writeHead(200).end(served);
  }
}

const chunk = Buffer.alloc(64 * 1024, ' ');
/** More than anybody should read; whoever does has lost by then. */
const most = 64 * 1024 * 1024;

export function pour(response: ServerResponse, poured = 0): void {
  if (poured > most || response.destroyed) {
    response.end();
    return;
  }
  response.write(chunk, () => pour(response, poured + chunk.length));
}
