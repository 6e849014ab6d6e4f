import { describe, expect, it, vi } from 'vitest';
import type { Line } from '#shared/domain/watched.ts';
import {
  added,
  forever,
  heard,
  maps,
  namesIn,
  type Script,
  saying,
  streamFrom,
  watching,
} from './streaming-server.ts';

const options = { resourceVersion: '5', timeoutSeconds: 7, idleMs: 5_000, signal: forever };

/** Says this, and then nothing, without an end. */
function silentAfter(text: string): Script {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(text === '' ? '\n' : text);
  };
}

/** These in turn, each after a moment, without an end. */
function dripping(pieces: readonly string[]): Script {
  return (_, response) => {
    response.writeHead(200);
    response.flushHeaders();
    let at = 0;
    const timer = setInterval(() => {
      response.write(pieces[at % pieces.length]);
      at += 1;
    }, 10);
    response.on('close', () => clearInterval(timer));
  };
}

describe('a watch that ends', () => {
  it('is closed where the server says nothing at all', async () => {
    const { stream } = await streamFrom(saying());
    expect(await heard(await watching(stream))).toEqual({ lines: [], end: { kind: 'closed' } });
  });

  it('is cut where it ends inside of a line', async () => {
    const { stream } = await streamFrom(saying(`${added('a')}\n`, added('b').slice(0, 20)));
    const { lines, end } = await heard(await watching(stream));
    expect(namesIn(lines)).toEqual(['a']);
    expect(end).toMatchObject({ kind: 'cut', why: expect.stringContaining('inside of a line') });
  });

  it('is cut where the connection breaks', async () => {
    const { stream } = await streamFrom((_, response) => {
      response.writeHead(200);
      response.write(`${added('a')}\n`, () =>
        setTimeout(() => response.socket?.resetAndDestroy(), 20),
      );
    });
    const { lines, end } = await heard(await watching(stream));
    expect(namesIn(lines)).toEqual(['a']);
    expect(end.kind).toBe('cut');
  });

  it('is idle where no byte comes, and hangs up', async () => {
    let isOpen = true;
    const { stream } = await streamFrom((request, response) => {
      silentAfter(`${added('a')}\n`)(request, response);
      response.on('close', () => {
        isOpen = false;
      });
    });
    const { lines, end } = await heard(await watching(stream, { idleMs: 60 }));
    expect(namesIn(lines)).toEqual(['a']);
    expect(end).toEqual({ kind: 'idle' });
    await vi.waitUntil(() => !isOpen);
  });

  it('is not idle while bytes come, be they less than a line', async () => {
    const { stream } = await streamFrom((_, response) => {
      response.writeHead(200);
      const bytes = `${added('a')}\n`.match(/.{1,8}/gs) ?? [];
      const timer = setInterval(() => {
        const next = bytes.shift();
        if (next === undefined) response.end();
        else response.write(next);
      }, 10);
      response.on('close', () => clearInterval(timer));
    });
    const { lines, end } = await heard(await watching(stream, { idleMs: 100 }));
    expect(namesIn(lines)).toEqual(['a']);
    expect(end).toEqual({ kind: 'closed' });
  });

  const unfinished = { kind: 'cut', why: 'a line was not whole after 0.18 s' };
  it.each<[string, object, readonly string[]]>([
    ['lines of nothing', { kind: 'idle' }, ['\n']],
    ['lines of blanks', { kind: 'idle' }, [' \r\n']],
    ['less than a line', unfinished, [' ']],
    ['a line that goes on and on', unfinished, ['{', 'x']],
  ])('ends where bytes come for long, and they are %s', async (_, end, pieces) => {
    const { stream } = await streamFrom(dripping(pieces), { maxLineMs: 100 });
    const watch = await watching(stream, { idleMs: 80 });
    expect(await watch.next()).toEqual(end);
  });

  it('gives a line its time while others come', async () => {
    const line = `${added('a')}\n`;
    const { stream } = await streamFrom(dripping([line.slice(0, 40), line.slice(40)]), {
      maxLineMs: 20,
    });
    const watch = await watching(stream, { idleMs: 500 });
    const deadline = performance.now() + 600;
    while (performance.now() < deadline) {
      expect(namesIn((await watch.next()) as readonly Line[])).toContain('a');
    }
  });

  it('does not count the time in which it may not read yet', async () => {
    const { stream } = await streamFrom(silentAfter(`${added('a')}\n`), { maxLineMs: 20 });
    const watch = await watching(stream, { idleMs: 300 });
    const lines = await watch.next(() => new Promise((resolve) => setTimeout(resolve, 400)));
    expect(namesIn(lines as readonly Line[])).toEqual(['a']);
  });

  it('does not count the time in which nobody asked as silence', async () => {
    const { stream } = await streamFrom(silentAfter(`${added('a')}\n`));
    const watch = await watching(stream, { idleMs: 200 });
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await watch.next()).toMatchObject([{ kind: 'change' }]);
    expect(await watch.next()).toEqual({ kind: 'idle' });
  });

  it('is cut at once where the caller gives up, and hangs up', async () => {
    let isOpen = true;
    const { stream } = await streamFrom((request, response) => {
      silentAfter('')(request, response);
      response.on('close', () => {
        isOpen = false;
      });
    });
    const caller = new AbortController();
    const end = heard(await watching(stream, { signal: caller.signal }));
    caller.abort();
    expect((await end).end.kind).toBe('cut');
    await vi.waitUntil(() => !isOpen);
  });

  it('is cut where we close it while somebody waits', async () => {
    const { stream } = await streamFrom(silentAfter(''));
    const watch = await watching(stream);
    const end = heard(watch);
    watch.close();
    expect((await end).end).toEqual({ kind: 'cut', why: 'closed by us' });
  });

  it('leaves nothing behind at the caller’s signal', async () => {
    const { stream } = await streamFrom(saying());
    const caller = new AbortController();
    let listeners = 0;
    const { signal } = caller;
    const [add, remove] = [signal.addEventListener, signal.removeEventListener];
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove.apply(signal, args);
    };
    for (let round = 0; round < 5; round += 1) await heard(await watching(stream, { signal }));
    expect(listeners).toBeLessThanOrEqual(0);
  });
});

describe('a watch that does not begin', () => {
  it('throws where nobody listens', async () => {
    const { stream } = await streamFrom(saying(), {
      login: () => ({ kind: 'kubeconfig-text', text: kubeconfigOfNobody }),
    });
    await expect(stream.watch(maps, options)).rejects.toThrow('cannot watch configmaps: no answer');
  });

  it('throws where the server takes the request and says nothing', async () => {
    const { stream } = await streamFrom(() => {});
    await expect(stream.watch(maps, { ...options, idleMs: 50 })).rejects.toThrow('no answer');
  });

  it('throws at once where the caller has given up', async () => {
    const { stream, requests } = await streamFrom(saying());
    const signal = AbortSignal.abort();
    await expect(stream.watch(maps, { ...options, signal })).rejects.toThrow('no answer');
    expect(requests).toEqual([]);
  });
});

const kubeconfigOfNobody = JSON.stringify({
  clusters: [
    { name: 'c', cluster: { server: 'http://127.0.0.1:1', 'insecure-skip-tls-verify': true } },
  ],
  users: [{ name: 'u', user: {} }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'x',
});
