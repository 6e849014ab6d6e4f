import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { trouble } from '../../../cli/output.ts';

/** The cluster that a kubeconfig's current context is of. */
export type Kubeconfig = {
  readonly path: string;
  readonly context: string;
  readonly server: URL;
  /** The same cluster, and somebody else. */
  textFor(token: string): string;
};

export async function readKubeconfig(path: string): Promise<Kubeconfig> {
  const config = await parsed(path);
  const context = text(config['current-context']);
  const names = within(named(config['contexts'], context), 'context');
  const cluster = within(named(config['clusters'], text(names['cluster'])), 'cluster');
  const server = text(cluster['server']);
  if (!URL.canParse(server)) {
    throw unusable(path, `its current context (${context || 'none'}) names no server`);
  }
  const whole = { ...cluster, ...absolute(cluster['certificate-authority'], path) };
  return { path, context, server: new URL(server), textFor: (token) => textFor(whole, token) };
}

async function parsed(path: string): Promise<JsonObject> {
  try {
    const config = parse(await readFile(path, 'utf8')) as Json;
    if (isJsonObject(config)) return config;
  } catch (cause: unknown) {
    throw unusable(path, cause instanceof Error ? cause.message : String(cause));
  }
  throw unusable(path, 'it is no kubeconfig');
}

function unusable(path: string, why: string): Error {
  return trouble('the kubeconfig cannot be used', {
    where: `${path}: ${why}`,
    mend: 'name a file of which kubectl --kubeconfig FILE get nodes answers',
  });
}

function absolute(file: Json | undefined, path: string): JsonObject {
  return typeof file === 'string' ? { 'certificate-authority': resolve(dirname(path), file) } : {};
}

/** JSON is YAML. */
function textFor(cluster: JsonObject, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'there', cluster }],
    users: [{ name: 'gatehouse', user: { token } }],
    contexts: [{ name: 'there', context: { cluster: 'there', user: 'gatehouse' } }],
    'current-context': 'there',
  });
}

function named(list: Json | undefined, name: string): JsonObject {
  const found = (isList(list) ? list : []).filter(isJsonObject);
  return found.find((each) => each['name'] === name) ?? {};
}

function within(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
