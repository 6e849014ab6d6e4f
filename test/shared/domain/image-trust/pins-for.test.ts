import { describe, expect, it } from 'vitest';
import { isServer, pinsFor } from '#shared/domain/image-trust/pins-for.ts';

const pin = (server: string) => ({ server, prefix: '', keyIds: [server], certificates: [] });
const platform = pin('');
const team = pin('https://notary.team.example/n');
const user = { namespace: 'team-a' };
const found = (url: string, owner: Parameters<typeof pinsFor>[1]) =>
  pinsFor(url, owner, { pins: [platform, team] });

describe('the pins', () => {
  it.each<[string, string, Parameters<typeof pinsFor>[1], readonly object[]]>([
    ['of no server are the platform’s Notary’s', 'https://notary.example', 'platform', [platform]],
    ['of a server hold for the platform too', team.server, 'platform', [platform, team]],
    ['of no server say nothing of a user’s Notary', 'https://notary.example', user, []],
    ['of a server are about the user’s Notary there', team.server, user, [team]],
    ['of a server are about no other path of its host', 'https://notary.team.example/m', user, []],
    ['of a server are about no path below', 'https://notary.team.example/n/m', user, []],
    ['of a server are about no other port', 'https://notary.team.example:444/n', user, []],
    ['of a server are about no other host', 'https://notary.team.example.evil/n', user, []],
    ['say nothing of what is no URL', 'none', user, []],
  ])('%s', (_, url, owner, expected) => {
    expect(found(url, owner)).toEqual(expected);
  });

  it.each([
    'https://NOTARY.team.example/n',
    'https://notary.team.example:443/n',
    'https://notary.team.example./n',
    'https://notary.team.example.:443/n',
    'https://notary.team.example/n/',
    'https://notary.team.example//n//',
    'https://notary.team.example/m/../n',
    'https://notary.team.example/%6e',
    ' https://notary.team.example/n',
  ])('of a server hold for it as %s', (url) => {
    expect(found(url, user)).toEqual([team]);
  });

  it.each([
    ['', true],
    ['https://n.example', true],
    ['n.example', false],
    ['ftp://n.example', false],
  ])('take %j for a server: %s', (text, expected) => {
    expect(isServer(text)).toBe(expected);
  });
});
