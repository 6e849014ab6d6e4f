import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keeperName } from './keeping.ts';

export type Kept = { readonly url: string };

const patienceMs = 30_000;

/** Holds on to the keeper for as long as this thread lives, without keeping it alive. */
export async function kept(major: string): Promise<Kept> {
  const until = performance.now() + patienceMs;
  for (let attempt = 0; performance.now() < until; attempt += 1) {
    const found = await ask(major);
    if (found !== undefined) return found;
    // The one that was asked before may still be starting.
    if (attempt % 20 === 0) startKeeper(major);
    await sleep(25);
  }
  throw new Error(
    `no Postgres ${major} for the tests: node test/support/postgres/keeper.ts ${major}`,
  );
}

async function ask(major: string): Promise<Kept | undefined> {
  const socket = connect(keeperName(major));
  const said = await firstLine(socket);
  // From here on it only says that we are there, and nobody waits for it.
  socket.on('error', () => undefined).unref();
  if (said === undefined) return undefined;
  const answer: Partial<Kept> & { readonly failed?: string } = JSON.parse(said);
  if (answer.url === undefined) throw new Error(answer.failed);
  return { url: answer.url };
}

/** Nothing where there is no keeper, or one that is just ending. */
async function firstLine(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.endsWith('\n')) resolve(text);
    });
    socket.on('error', () => resolve(undefined)).on('close', () => resolve(undefined));
  });
}

function startKeeper(major: string): void {
  const script = join(import.meta.dirname, 'keeper.ts');
  spawn(process.execPath, [script, major], { detached: true, stdio: 'ignore' }).unref();
}
