import { setFlagsFromString } from 'node:v8';
import type { Role } from './role.ts';

/**
 * A process that only follows the cluster parses JSON, writes it and collects what that leaves: nearly all of it is done
 * by V8 itself. What TurboFan makes of our code saves none of that, and takes 5 MiB and a tenth of a processor at 2,000
 * events a second. How far the heap grows before all of it is looked through is bounded: the young one's is counted in.
 */
const ofForwarder = ['--no-turbofan', '--heap-growing-percent=20'];

export function tuneEngine(role: Role): void {
  if (role === 'forwarder') for (const flag of ofForwarder) setFlagsFromString(flag);
}
