import type { Store } from '#events/forwarder/ports.ts';
import { failed, failureOf } from '#shared/adapters/database/failure.ts';

/** What somebody can do something about is thrown as that, and not as the library's text for programmers. */
export function saying(store: Store, where: string): Store {
  const said = Object.entries(store).map(([name, call]) => [name, sayingCall(call, where)]);
  return Object.fromEntries(said) as Store;
}

type Call = (...given: readonly never[]) => Promise<unknown>;

function sayingCall(call: Call, where: string): Call {
  return async (...given) => {
    try {
      return await call(...given);
    } catch (cause: unknown) {
      const failure = failureOf(cause);
      // What a step within a transaction throws of itself is no failure of the database.
      throw failure.kind === 'other' ? cause : failed(failure, where);
    }
  };
}
