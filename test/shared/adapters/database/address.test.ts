import { describe, expect, it } from 'vitest';
import { addressOf } from '#shared/adapters/database/address.ts';

const read = (path: string) => `text of ${path}`;
const tlsIn = (query: string) => addressOf(`postgres://u:p@h:1/d${query}`, read).tls;

describe('addressOf', () => {
  it('says where, and never the password', () => {
    const { where, hosts } = addressOf('postgresql://gate%20house:s%40cret@db.example:5433/fleet');
    expect(where).toBe('db.example:5433/fleet as gate house');
    expect(hosts).toEqual(['db.example:5433']);
  });

  it.each([
    ['nothing', ''],
    ['another protocol', 'mysql://u:s3cret@h/d'],
    ['no host', 'postgres:///d?password=s3cret'],
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
