import { type OutsideOptions, openOutside } from '#shared/adapters/http/open-outside.ts';
import type { Outside, OutsideHost, OutsideRequest } from '#shared/domain/outside.ts';
import type { KeyPair } from '#shared/ports.ts';
import { openHost, type Script, type ScriptedHost } from './scripted-host.ts';

export const loopback = ['127.0.0.0/8'];

/** Every name is on this machine, as the configuration allows of the hosts that are named. */
export function outsideOf(
  hosts: readonly OutsideHost[],
  options: Partial<OutsideOptions> = {},
): Outside {
  return openOutside({
    hosts,
    userAgent: 'gatehouse-test',
    deadlineMs: 10_000,
    connectionsPerHost: 8,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    ...options,
  });
}

export function asked(url: string, more: Partial<OutsideRequest> = {}): OutsideRequest {
  const { signal } = new AbortController();
  return { url, reach: 'internal', maxBytes: 64 * 1024, signal, ...more };
}

export type World = {
  /** `registry.test:41234`, over plain http; with a key pair over https. */
  open(
    name: string,
    script: Script,
    pair?: KeyPair,
  ): Promise<ScriptedHost & { readonly host: string }>;
  outside(options?: Partial<OutsideOptions>): Outside;
  close(): Promise<void>;
};

/** Hosts by name, all on loopback, and doors to them. */
export function openWorld(ca?: string): World {
  const hosts: (ScriptedHost & { readonly host: string })[] = [];
  const doors: Outside[] = [];
  return {
    open: async (name, script, pair) => {
      const opened = await openHost(script, pair);
      const host = { ...opened, host: `${name}:${opened.port}` };
      hosts.push(host);
      return host;
    },
    outside: (options) => {
      const known = hosts.map(({ host }) => ({
        host,
        addresses: loopback,
        ...(ca === undefined ? { plainHttp: true } : { ca }),
      }));
      const door = outsideOf(known, options);
      doors.push(door);
      return door;
    },
    close: async () => {
      for (const door of doors.splice(0)) door.close();
      await Promise.all(hosts.splice(0).map((host) => host.close()));
    },
  };
}

export function saying(text: string): Script {
  return (_, response) => {
    response.end(text);
  };
}

/** What the one host of that world answers. */
export async function textIn(world: World, script: Script) {
  const { host } = await world.open('a.test', script);
  return world.outside().read(asked(`http://${host}/`));
}
