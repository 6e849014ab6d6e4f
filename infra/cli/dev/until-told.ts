import { apart } from '../until-told.ts';
import { leave } from './outlive-functions.ts';

/** Aborted when we are told to stop, by a terminal that is closed too; one time more than that, and we go as we are. */
export function untilTold(most: number, say: (text: string) => void): AbortSignal {
  const controller = new AbortController();
  let times = 0;
  const told = apart(() => {
    times += 1;
    if (times > most) leave(1);
    if (times > 1)
      say(
        'it is ending, and removes what it may have made there; told once more, it leaves that behind',
      );
    controller.abort(new Error('told to stop'));
  });
  /** Told in several ways at once, by nobody who is in a hurry. */
  const closed = () => {
    if (times === 0) told();
  };
  process.on('SIGTERM', told).on('SIGINT', told).on('SIGHUP', closed);
  for (const stream of [process.stdout, process.stderr]) {
    // Other verbs end at once when nobody reads them; what is said from then on reaches nobody here.
    stream.removeAllListeners('error').on('error', closed);
  }
  return controller.signal;
}
