import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { openScout } from '#shared/adapters/http/scout.ts';

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

const question = { a: 1, aaaa: 28 };
type Code = keyof typeof question;

/** A DNS server that says of every name that there is none, and of some, or of one kind of address, nothing. */
async function serverThat(isSilent: (name: string, type: Code) => boolean) {
  const socket = createSocket('udp4');
  open.push(socket);
  socket.on('message', (query, { port, address }) => {
    const { name, type } = questionIn(query);
    if (isSilent(name, type)) return;
    const answer = Buffer.from(query);
    const noSuchName = 0x81_83;
    answer.writeUInt16BE(noSuchName, 2);
    socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return `127.0.0.1:${socket.address().port}`;
}

function questionIn(query: Buffer): { readonly name: string; readonly type: Code } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const isLong = query.readUInt16BE(at + 1) === question.aaaa;
  return { name: labels.join('.').toLowerCase(), type: isLong ? 'aaaa' : 'a' };
}

it('a name is answered for where somebody says that there is none', async () => {
  const servers = [await serverThat((name) => name.startsWith('dead.'))];
  const isAnswered = openScout({ mostMs: 200, servers });
  const names = ['gone.test', 'dead.test'];
  expect(await Promise.all(names.map(isAnswered))).toEqual([true, false]);
});

it('a name is not answered for where one kind of address is kept from the system', async () => {
  const servers = [await serverThat((_, type) => type === 'aaaa')];
  expect(await openScout({ mostMs: 100, servers })('half.test')).toBe(false);
});

it('many names that nobody answers for keep no other waiting', async () => {
  const servers = [await serverThat((name) => name.startsWith('dead.'))];
  const isAnswered = openScout({ mostMs: 5_000, servers });
  const dead = Array.from({ length: 50 }, (_, at) => isAnswered(`dead.test${at}`));
  expect(await Promise.race([...dead, isAnswered('gone.test')])).toBe(true);
});

it('a name is asked for again where a datagram was lost', async () => {
  const lost = new Set<Code>();
  const servers = [await serverThat((_, type) => lost.size < lost.add(type).size)];
  expect(await openScout({ mostMs: 800, servers })('a.test')).toBe(true);
  expect([...lost].toSorted()).toEqual(['a', 'aaaa']);
});

it('a name is answered for where the first of the servers says nothing', async () => {
  const servers = [await serverThat(() => true), await serverThat(() => false)];
  expect(await openScout({ mostMs: 800, servers })('a.test')).toBe(true);
});

it.each(['127.0.0.1', '::1', 'registry'])('of %s no server is asked', async (host) => {
  const servers = [await serverThat(() => true)];
  expect(await openScout({ mostMs: 100, servers })(host)).toBe(true);
});

it('where there is no server at all, the system tells by itself', async () => {
  const servers = [await serverThat(() => true)];
  for (const socket of open.splice(0)) socket.close();
  expect(await openScout({ mostMs: 2_000, servers })('a.test')).toBe(true);
});
