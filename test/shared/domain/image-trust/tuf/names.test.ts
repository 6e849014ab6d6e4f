import { describe, expect, it } from 'vitest';
import { decode } from '#shared/domain/decode.ts';
import { imageTrustSettings } from '#shared/domain/image-trust/settings.ts';
import { covers } from '#shared/domain/image-trust/tuf/names.ts';
import { pinFor } from '#shared/domain/image-trust/tuf/trust.ts';

describe('the prefix of a pin', () => {
  it.each([
    ['', 'registry.example/team/app', true],
    ['registry.example', 'registry.example/team/app', true],
    ['registry.example/team', 'registry.example/team/app', true],
    ['registry.example/team/app', 'registry.example/team/app', true],
    ['registry.example/team/', 'registry.example/team/app', true],
    ['registry.example/team/', 'registry.example/teams/app', false],
    ['Registry.Example/team', 'registry.example/team/app', true],
    ['registry.example/team', 'registry.example:443/team/app', true],
    ['registry.example:443', 'registry.example/team/app', true],
    ['registry.example', 'registry.example:5000/team/app', false],
    ['registry.example', 'registry.example.evil.test/app', false],
    ['docker.io/library', 'index.docker.io/library/nginx', true],
    ['index.docker.io', 'docker.io/library/nginx', true],
    ['127.0.0.1:5000', '127.1:5000/app', true],
  ])('%s is about %s: %s', (prefix, gun, expected) => {
    expect(covers(prefix, gun)).toBe(expected);
  });

  it('is longer by what it names, not by how its host is written', () => {
    const [wide, narrow] = ['index.docker.io/team', 'docker.io/team/a'].map((prefix) => ({
      ...{ prefix, keyIds: [], certificates: [] },
    }));
    const pins = [wide, narrow].flatMap((pin) => pin ?? []);
    expect(pinFor({ gun: 'docker.io/team/a', pins })?.prefix).toBe('docker.io/team/a');
  });

  it.each([
    ['registry.example/team', true],
    ['registry.example/team/', true],
    ['Registry.Example:5000', true],
    ['registry.example/team/*', false],
    ['registry.example/team:1.0', false],
    ['https://registry.example', false],
    ['registry.example/Team', false],
    [' registry.example', false],
  ])('%s is read from the settings: %s', (prefix, isRead) => {
    const notary = { pins: [{ prefix, keyIds: ['k'] }] };
    expect(decode(imageTrustSettings, { notary }).ok).toBe(isRead);
  });
});
