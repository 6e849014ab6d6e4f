import { describe, expect, it } from 'vitest';
import { addressOf } from '#shared/adapters/database/address.ts';

const read = (path: string) => `text of ${path}`;
const tlsIn = (query: string) => addressOf(`postgres://u:p@h:1/d${query}`, read).tls;

describe('addressOf', () => {
  it('says where, and never the password', () => {
    const { where, hosts } = addressOf('postgresql://gate%20house:s%40cret@db.example:5433/fleet');
    expect(where).toBe('db.example:5433/fleet as gate house');
    expect(hosts).toEqual([{ name: 'db.example', port: 5433 }]);
  });

  it.each([
    ['ports of their own', 'a:5433,b:5434', [5433, 5434]],
    ['the usual port', 'a,b', [5432, 5432]],
    ['a port on the first alone', 'a:5433,b', [5433, 5432]],
    ['a port on the last alone', 'a,b:5434', [5432, 5434]],
  ])('takes several hosts, with %s', (_, named, [first, second]) => {
    const { hosts, where, url } = addressOf(`postgres://u:p,1@${named}/d?sslmode=require&x=1`);
    expect(hosts).toEqual([
      { name: 'a', port: first },
      { name: 'b', port: second },
    ]);
    expect(where).toBe(`${named}/d as u`);
    expect(url).toMatch(/^postgres:\/\/u:p,1@a(:5433)?\/d\?x=1$/);
  });

  it('takes an address of IPv6 out of its brackets', () => {
    const { hosts, where } = addressOf('postgres://u:p@[fd00::1]:5433,[fd00::2]/d');
    expect(hosts).toEqual([
      { name: 'fd00::1', port: 5433 },
      { name: 'fd00::2', port: 5432 },
    ]);
    expect(where).toBe('[fd00::1]:5433,[fd00::2]/d as u');
  });

  it.each([
    ['nothing', ''],
    ['another protocol', 'mysql://u:s3cret@h/d'],
    ['no host', 'postgres:///d?password=s3cret'],
    ['no host between others', 'postgres://u:s3cret@a:1,,b:1/d'],
    ['no host after another', 'postgres://u:s3cret@a,/d'],
    ['one port that is none', 'postgres://u:s3cret@a:1,b:x/d'],
    ['no user', 'postgres://h/d?x=s3cret'],
    ['a password that was not encoded', 'postgres://u:s3cret/#@h/d'],
    ['a password with a bare %', 'postgres://u:s3cret%@h/d'],
    ['a password with a % that encodes no text', 'postgres://u:s3cret%E0@h/d'],
    ['a user with a bare %', 'postgres://u%:s3cret@h/d'],
  ])('refuses %s without repeating it', (_, text) => {
    expect(() => addressOf(text)).toThrow(
      /^DATABASE_URL (is no address|names no user|cannot be decoded)/,
    );
    expect(() => addressOf(text)).not.toThrow(/s3cret/);
  });

  it.each([
    ['nothing: if the server can', '', 'prefer'],
    ['disable', '?sslmode=disable', false],
    ['require: whoever answers', '?sslmode=require', 'require'],
    ['verify-full', '?sslmode=verify-full', {}],
    ['an own root', '?sslmode=verify-full&sslrootcert=/ca', { ca: 'text of /ca' }],
    ['the roots of the system', '?sslmode=verify-full&sslrootcert=system', 'verify-full'],
    [
      'a certificate of its own, and whoever answers',
      '?sslmode=require&sslcert=/c&sslkey=/k',
      { cert: 'text of /c', key: 'text of /k', rejectUnauthorized: false },
    ],
  ])('takes TLS from the address: %s', (_, query, expected) => {
    expect(tlsIn(query)).toEqual(expected);
  });

  it.each(['?sslmode=verify-ca&sslrootcert=/ca', '?sslmode=require&sslrootcert=/ca'])(
    'checks who signed, not the name, by %s',
    (query) => {
      expect(tlsIn(query)).toEqual({
        ca: 'text of /ca',
        checkServerIdentity: expect.any(Function),
      });
    },
  );

  it('hands on to the server what is the server’s', () => {
    const { url } = addressOf('postgres://u:p@h/d?sslmode=require&search_path=gatehouse');
    expect(url).toBe('postgres://u:p@h/d?search_path=gatehouse');
  });
});
