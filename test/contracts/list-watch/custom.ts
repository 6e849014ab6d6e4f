import { describe, expect, it, vi } from 'vitest';
import { configMaps, type Kind } from '#shared/domain/kind.ts';
import { follow, told } from './followed.ts';
import {
  forever,
  type Open,
  type Place,
  pageOf,
  pathOf,
  uniqueName,
  writer,
  written,
} from './place.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export function customContract(open: Open): void {
  describe('what is served', () => {
    it.each([
      ['a kind of the core', configMaps, configMaps],
      ['another version', { ...deployments(), version: 'v1beta1' }, deployments()],
      ['a resource that its group lacks', { ...configMaps, resource: 'nothings' }, undefined],
      ['a resource of a named group', { ...deployments(), resource: 'nothings' }, undefined],
      ['a group that nobody serves', { ...configMaps, group: 'no.such' }, undefined],
    ])('is known of %s', async (_, kind, expected) => {
      const { stream } = await open();
      expect(await stream.served(kind, forever)).toEqual(expected);
    });

    it('is not known to a stranger, who is told of an error and not of an absence', async () => {
      const { stranger } = await open();
      await expect(stranger.served(configMaps, forever)).rejects.toThrow(/401/);
    });
  });

  describe('a custom resource', () => {
    it('is absent, comes, and is listed and watched then', async () => {
      const place = await open();
      const gates = gatesOf(uniqueGroup());
      const scope = { kind: gates, namespace: place.namespace };
      expect(await place.stream.served(gates, forever)).toBeUndefined();
      expect(await place.stream.list(scope, { limit: 1, signal: forever })).toMatchObject({
        kind: 'absent',
      });
      await define(place, gates, ['v1']);
      const watch = await follow(place, scope);
      await writer(place, pathOf(gates, place.namespace)).create('a', {}, 'Gate');
      expect(told(await watch.changes(1))).toEqual(['ADDED a']);
      const { objects } = await pageOf(place, scope);
      expect(objects).toMatchObject([
        { apiVersion: `${gates.group}/v1`, kind: 'Gate', metadata: { name: 'a' } },
      ]);
      expect(await place.stream.served(gates, forever)).toEqual(gates);
    });

    it('has no past from before it came', async () => {
      const place = await open();
      const gates = await defined(place, ['v1']);
      const scope = { kind: gates, namespace: place.namespace };
      const watch = await follow(place, scope, { resourceVersion: '1' });
      expect(await watch.rest()).toMatchObject({ lines: [], end: { kind: 'expired' } });
    });

    it('is served in the version that is asked for, else in the preferred one, and followed into the one that stays', async () => {
      const place = await open();
      const gates = await defined(place, ['v1', 'v2']);
      const asked = (version: string) => place.stream.served({ ...gates, version }, forever);
      expect(await asked('v1')).toEqual(gates);
      expect(await asked('v3')).toEqual({ ...gates, version: 'v2' });
      const path = `${definitions}/gates.${gates.group}`;
      const spec = { versions: versionsOf(['v1']) };
      const contentType = 'application/merge-patch+json';
      const status = await place.ask({
        what: 'patch',
        method: 'PATCH',
        path,
        contentType,
        body: { spec },
      });
      written(status);
      await vi.waitFor(async () => {
        expect(await asked('v2')).toEqual(gates);
        const scope = { kind: { ...gates, version: 'v2' } };
        const listed = await place.stream.list(scope, { limit: 1, signal: forever });
        expect(listed.kind).toBe('absent');
      }, soon);
    });

    it('is shown in each version under its name', async () => {
      const place = await open();
      const gates = await defined(place, ['v1', 'v2']);
      await writer(place, pathOf(gates, place.namespace)).create('a', {}, 'Gate');
      const kind = { ...gates, version: 'v2' };
      const { objects } = await pageOf(place, { kind, namespace: place.namespace });
      expect(objects).toMatchObject([{ apiVersion: `${gates.group}/v2`, kind: 'Gate' }]);
    });

    it('goes with all of its objects, and its watch ends', async () => {
      const place = await open();
      const gates = await defined(place, ['v1']);
      const scope = { kind: gates, namespace: place.namespace };
      await writer(place, pathOf(gates, place.namespace)).create('a', {}, 'Gate');
      const watch = await follow(place, scope);
      const path = `${definitions}/gates.${gates.group}`;
      await place.ask({ what: 'delete', method: 'DELETE', path });
      const { lines, end } = await watch.rest();
      expect(told(lines)).toEqual(['DELETED a']);
      expect(['closed', 'cut']).toContain(end.kind);
      await vi.waitFor(async () => {
        expect(await place.stream.served(gates, forever)).toBeUndefined();
        const listed = await place.stream.list(scope, { limit: 1, signal: forever });
        expect(listed.kind).toBe('absent');
      }, soon);
    });
  });
}

const soon = { timeout: 20_000, interval: 50 };

function deployments(): Kind {
  return {
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
    resource: 'deployments',
    namespaced: true,
  };
}

function uniqueGroup(): string {
  return `${uniqueName('gates')}.example.dev`;
}

function gatesOf(group: string): Kind {
  return { group, version: 'v1', kind: 'Gate', resource: 'gates', namespaced: true };
}

async function defined(place: Place, versions: readonly string[]): Promise<Kind> {
  const gates = gatesOf(uniqueGroup());
  await define(place, gates, versions);
  return gates;
}

/** Until it can be listed in each of its versions. */
async function define(place: Place, gates: Kind, versions: readonly string[]): Promise<void> {
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gates.${gates.group}` },
    spec: {
      group: gates.group,
      scope: 'Namespaced',
      names: { plural: 'gates', kind: 'Gate' },
      versions: versionsOf(versions),
    },
  };
  written(await place.ask({ what: 'define', method: 'POST', path: definitions, body }));
  await vi.waitFor(async () => {
    for (const version of versions) {
      const kind = { ...gates, version };
      expect(await place.stream.served(kind, forever)).toEqual(kind);
      await pageOf(place, { kind });
    }
  }, soon);
}

function versionsOf(names: readonly string[]) {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema };
  return names.map((name) => ({ name, served: true, storage: name === 'v1', schema }));
}
