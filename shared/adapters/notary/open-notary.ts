import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Ask, Asking, Reply } from '#shared/domain/image-trust/tuf/asking.ts';
import type { Wanted } from '#shared/domain/image-trust/tuf/target.ts';
import type { Trust } from '#shared/domain/image-trust/tuf/trust.ts';
import { type Verified, verifyTarget } from '#shared/domain/image-trust/tuf/verify-target.ts';
import type { Outside } from '#shared/domain/outside.ts';
import { nodeCryptography } from './cryptography.ts';
import { type KeptFiles, keeping } from './kept-files.ts';
import { type NotaryServer, openSession, type Session } from './session.ts';

export type Notary = {
  /** The signal bounds all of it. What was proven is to be kept by the caller, if the caller may. */
  verify(wanted: Wanted, trust: Trust, signal: AbortSignal): Promise<Verified>;
};

export type NotaryOptions = {
  readonly server: NotaryServer;
  readonly outside: Outside;
  readonly files: KeptFiles;
};

export function openNotary({ server, outside, files }: NotaryOptions): Notary {
  return {
    verify: (wanted, trust, signal) => {
      const session = openSession({ outside, server, gun: trust.gun, signal });
      return carriedOut(verifyTarget(wanted, trust, nodeCryptography), keeping(files, session));
    },
  };
}

/** Fetches what the decision asks for: each file names the next. What it will ask for soon is fetched meanwhile. */
async function carriedOut<T>(asking: Asking<T>, session: Session): Promise<T> {
  const early = new Map<string, Promise<Reply>>();
  const take = (ask: Ask) => {
    const known = early.get(keyOf(ask));
    early.delete(keyOf(ask));
    return known ?? session(ask);
  };
  let step = asking.next();
  while (step.done !== true) {
    const { ahead = [], ...ask } = step.value;
    const replied = take(ask);
    for (const each of ahead.filter(isUnchanging)) early.set(keyOf(each), begun(each, session));
    const reply = await replied;
    // Of roots there may be dozens, and whoever serves them chooses what each costs: others go on in between.
    if (ask.at.kind === 'version') await othersTurn();
    step = asking.next(reply);
  }
  return step.value;
}

/** Whatever else is there may be another file when it is asked for. */
function isUnchanging({ at }: Ask): boolean {
  return at.kind === 'digest';
}

function begun(ask: Ask, session: Session): Promise<Reply> {
  const reply = session(ask);
  // Nobody may ask for it after all.
  reply.catch(() => undefined);
  return reply;
}

function keyOf({ role, at, maxBytes }: Ask): string {
  return JSON.stringify([role, at, maxBytes]);
}
