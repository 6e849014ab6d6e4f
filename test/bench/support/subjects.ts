import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { youngHeap } from '#infra/deploy/pod.ts';
import { type Bundled, bundleFunctions, bundleYardstick } from './bundle.ts';
import { type MadeCertificate, makeCertificate } from './certificate.ts';
import { writeConfig } from './program.ts';
import { freePort, type Serving } from './server.ts';

/** What each right answer's patch holds. */
export const poolMarkers = ['worker.gardener.cloud/pool', '/spec/affinity'];
export const path = '/mutate--v1-pod';

/** For both sides, and what a Deployment sets: a small young heap costs no speed here, and saves 90 MiB. */
export const nodeFlags = [`--${youngHeap}`];

export type Workshop = {
  readonly directory: string;
  readonly certificate: MadeCertificate;
  readonly bundles: Readonly<Record<Bundled, string>>;
  readonly yardstick: string;
};

/** Gone when the bench ends. */
export function openFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** All that the sides need, made once. */
export async function openWorkshop(): Promise<Workshop> {
  const directory = openFolder();
  const certificate = await makeCertificate('gatehouse-webhook.gatehouse-system.svc', directory);
  const bundles = await bundleFunctions(join(directory, 'functions'));
  return {
    directory,
    certificate,
    bundles,
    yardstick: await bundleYardstick('bare-admission', directory),
  };
}

export async function bare(
  { directory, certificate, yardstick }: Workshop,
  flags: readonly string[] = nodeFlags,
): Promise<Serving> {
  const port = await freePort();
  const { serverName, ca } = certificate;
  return {
    peer: { port, serverName, ca },
    path,
    node: [...flags, yardstick, String(port), directory],
    env: { NODE_COMPILE_CACHE: join(directory, 'compile-cache') },
  };
}

/** Ours, with its pool given and a mounted certificate: it asks no cluster. */
export function bundled(name: Bundled, workshop: Workshop): Promise<Serving> {
  return serving(name, workshop, { settings: { presence: 'assumed' }, env: {} });
}

/** The same, by a configuration that a person wrote. */
export function bundledByHand(name: Bundled, workshop: Workshop): Promise<Serving> {
  return serving(name, workshop, { settings: { presence: 'assumed' }, env: {}, write: stringify });
}

/** Ours as it runs in a cluster: whether the pool has nodes is asked of the API server. */
export function bundledLive(workshop: Workshop, kubeconfig: string): Promise<Serving> {
  return serving('prefer-pool', workshop, { settings: {}, env: { KUBECONFIG: kubeconfig } });
}

type Situation = {
  readonly settings: object;
  readonly env: Readonly<Record<string, string>>;
  readonly write?: (settings: object) => string;
};

async function serving(
  name: Bundled,
  { directory, certificate, bundles }: Workshop,
  { settings, env, write }: Situation,
): Promise<Serving> {
  const port = await freePort();
  const { serverName, ca } = certificate;
  const stated = {
    log: { level: 'warn' },
    server: { address: '127.0.0.1', port },
    certificates: { source: 'files', directory },
    nodeAffinity: settings,
  };
  const config = writeConfig(join(directory, `${name}-${port}.yaml`), stated, write);
  return {
    peer: { port, serverName, ca },
    path,
    node: [...nodeFlags, bundles[name]],
    env: { GATEHOUSE_CONFIG: config, ...env },
  };
}
