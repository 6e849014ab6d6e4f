import { createHash } from 'node:crypto';
import { globSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  publishedDiscovery,
  storageVersionHash,
} from '#infra/emulator/cluster/schemas/discovery-published.ts';
import { fileOf } from '#infra/emulator/cluster/schemas/published/published-groups.ts';
import { undescribed } from '#infra/emulator/cluster/schemas/published/undescribed.ts';
import { parsePublished, readPublished } from '#infra/emulator/cluster/schemas/read-published.ts';
import { isJsonObject } from '#shared/domain/json.ts';

const { paths } = parsePublished('index.json');
const index = isJsonObject(paths) ? Object.entries(paths) : [];

describe('what is published', () => {
  it('is a document for each path of the index, with the hash of its bytes', () => {
    expect(index.length).toBeGreaterThan(35);
    const urls = index.map(([path]) => {
      const hash = createHash('sha512')
        .update(readPublished(fileOf(path)))
        .digest('hex');
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash.toUpperCase()}` }];
    });
    expect(urls).toEqual(index);
  });

  it('has the schemas of all documents in one, without their descriptions', () => {
    const documents = index.map(([path]) => parsePublished(fileOf(path)));
    expect(parsePublished('schemas.json')).toEqual(undescribed(documents));
  });

  it('is less than 700 KB', () => {
    const files = globSync('infra/emulator/cluster/schemas/published/*.br');
    const sizes = files.map((file) => statSync(file).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(700_000);
  });

  it('is discovered in the order of the server, without groups that are not emulated', () => {
    const names = publishedDiscovery().apis.map(({ metadata }) =>
      isJsonObject(metadata) ? metadata['name'] : '',
    );
    expect(names.slice(0, 3)).toEqual(['apiregistration.k8s.io', 'apps', 'events.k8s.io']);
    expect(names).not.toContain('resource.k8s.io');
    expect(publishedDiscovery().api).toHaveLength(1);
  });

  it('has hashes of storage versions as the server makes them', () => {
    expect(storageVersionHash({ group: 'apps', version: 'v1', kind: 'Deployment' })).toBe(
      '8aSe+NMegvE=',
    );
  });
});
