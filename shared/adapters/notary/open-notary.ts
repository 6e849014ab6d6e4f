import type { Asking, Reply } from '#shared/domain/image-trust/tuf/asking.ts';
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

/** Fetches what the decision asks for, one after the other: each file names the next. */
async function carriedOut<T>(asking: Asking<T>, session: Session): Promise<T> {
  let step = asking.next();
  while (step.done !== true) {
    const reply: Reply = await session(step.value);
    step = asking.next(reply);
  }
  return step.value;
}
