import { integerFrom, preset, section } from './decode.ts';

const milliseconds = integerFrom(10, 3_600_000);

/** One that ends later than that was given before the clock was set back, or by a server whose clock was ahead. */
export const longestLeaseMs = 300_000;

/** What the forwarder waits for. The usual pace of `events/forwarder` is the same; a test holds them together. */
export const forwarderSettings = section(
  {
    leaseMs: preset(
      integerFrom(10, longestLeaseMs),
      15_000,
      'After so long the kinds of a forwarder that died are another one’s to write.',
    ),
    firstBackoffMs: preset(milliseconds, 500, 'After the first failure in a row; then doubled.'),
    maxBackoffMs: preset(milliseconds, 30_000, 'After many failures in a row.'),
    idleMs: preset(
      milliseconds,
      120_000,
      'A watch that is silent for so long counts as dead, and after three quarters of it nobody lives on what it told; a bookmark comes about every minute.',
    ),
    restoredMs: preset(
      milliseconds,
      30_000,
      'A kind whose version stays behind ours for so long is of a cluster that was restored.',
    ),
    absentMs: preset(milliseconds, 10_000, 'Between two looks for a kind that nobody serves.'),
    auditMs: preset(milliseconds, 600_000, 'Between two self-audits of a kind.'),
    settleMs: preset(
      integerFrom(0, 3_600_000),
      300_000,
      'So long a worker may go by an earlier trigger or file of settings: then whoever has another one is woken for all that exists once more; 0 is never.',
    ),
  },
  'The forwarder, which follows the cluster into the database.',
);
