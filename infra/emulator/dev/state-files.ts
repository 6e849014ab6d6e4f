import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Definition } from '#shared/define.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Serving } from '#shared/runtime/serve.ts';
import type { Server } from '../../cli/database.ts';
import type { EmulatedCluster } from '../cluster/emulated-cluster.ts';
import type { Control } from './control.ts';
import type { Folders } from './functions-in-work.ts';

/** Where everything is, for people and for scripts. */
export type Places = {
  readonly kubeconfig: string;
  readonly cluster: string;
  readonly admission: string;
  readonly probes: string;
  /** Where each endpoint function answers. */
  readonly endpoints: Endpoints;
  /** As the settings call it. */
  readonly clusterName: string;
  /** The user's own folder of functions, where there is one. */
  readonly functions?: string | undefined;
  readonly database: string;
  /** Takes faults, from whoever has the token. */
  readonly control: string;
  readonly token: string;
};

/** By the function's name. */
export type Endpoints = Readonly<Record<string, string>>;

export function endpointsAt(admission: string, definitions: readonly Definition[]): Endpoints {
  return Object.fromEntries(
    definitions.flatMap((each) =>
      each.shape === 'endpoint' ? [[each.name, `${admission}${each.trigger.path}`]] : [],
    ),
  );
}

type Open = {
  readonly stated: Stated;
  readonly definitions: readonly Definition[];
  readonly cluster: EmulatedCluster;
  readonly serving: Serving;
  readonly database: Server;
  readonly control: Control;
};

/** Of what the dev was started with, as far as whoever looks into it has to know it. */
export type Stated = Pick<Places, 'functions' | 'clusterName'>;

export function statedIn({ own }: Folders, { installation }: Settings): Stated {
  const clusterName = installation.cluster;
  // Whoever reads it may work in another folder.
  return own === undefined ? { clusterName } : { clusterName, functions: resolve(own) };
}

/** The kubeconfig and the database's address hold keys: they are for whoever started us. */
export async function writePlaces(
  folder: string,
  { stated, definitions, cluster, serving, database, control }: Open,
): Promise<Places> {
  const admission = `https://127.0.0.1:${serving.port}`;
  const places = {
    kubeconfig: resolve(folder, 'kubeconfig'),
    cluster: cluster.url,
    admission,
    probes: `http://127.0.0.1:${serving.probePort}`,
    endpoints: endpointsAt(admission, definitions),
    ...stated,
    database: database.url,
    control: control.url,
    token: control.token,
  };
  await mkdir(folder, { recursive: true });
  await writeFile(places.kubeconfig, cluster.kubeconfig, { mode: 0o600 });
  const text = `${JSON.stringify(places, null, 2)}\n`;
  await writeFile(join(folder, 'endpoints.json'), text, { mode: 0o600 });
  return places;
}

/** Of the last time; a file that is damaged tells nothing. */
export async function readPlaces(folder: string): Promise<Places | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, 'endpoints.json'), 'utf8')) as Places;
  } catch {
    return undefined;
  }
}
