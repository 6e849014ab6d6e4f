import { asker } from './ask.ts';
import type { Session } from './login.ts';
import { metadataSieve } from './metadata-sieve.ts';
import { served } from './stream/discovery.ts';
import { listPage } from './stream/list.ts';
import { findOne, identity, version } from './stream/look.ts';
import { openWatch } from './stream/watch.ts';

export type StreamOptions = {
  /** Opened with sockets enough: each watch holds one of its own. */
  readonly session: Session;
  /** For one page, or one object. */
  readonly deadlineMs?: number;
  /** A larger page is asked for again with fewer objects. */
  readonly maxPageBytes?: number;
  /** What is asked for by itself may be larger. */
  readonly maxObjectBytes?: number;
  /** What is longer is passed over. etcd takes objects of 1.5 MiB, and an aggregated API what it likes. */
  readonly maxLineBytes?: number;
  /** Beyond a watch's `idleMs`: bytes that make no whole line for so long are as good as silence. */
  readonly maxLineMs?: number;
  /** Of what a line, a page or an object is parsed to, beside its text: what takes more is too large. */
  readonly maxParsedBytes?: number;
  readonly userAgent?: string;
};

const mebibyte = 1024 * 1024;

/** Lists and watches as the forwarder's `Stream` has them. What the server refuses is a value, silence is thrown. */
export function openStream({ session, ...options }: StreamOptions) {
  const { userAgent = 'gatehouse', maxLineBytes = 16 * mebibyte } = options;
  const { maxLineMs = 120_000 } = options;
  const { deadlineMs = 30_000, maxPageBytes = 8 * mebibyte } = options;
  const { maxObjectBytes = 32 * mebibyte, maxParsedBytes = Number.POSITIVE_INFINITY } = options;
  const bounded = { deadlineMs, maxParsedBytes, userAgent };
  const askPage = asker(session, { ...bounded, maxAnswerBytes: maxPageBytes });
  const askOne = asker(session, { ...bounded, maxAnswerBytes: maxObjectBytes });
  const askMetadata = asker(session, {
    ...bounded,
    maxAnswerBytes: maxPageBytes,
    sieve: metadataSieve,
  });
  const versionOf = version(askMetadata);
  const ask = asker(session, { deadlineMs, maxAnswerBytes: 32 * mebibyte, userAgent });
  return {
    list: listPage(askPage, askMetadata),
    watch: openWatch(session, { userAgent, maxLineBytes, maxLineMs, maxParsedBytes }),
    version: versionOf,
    find: findOne(askOne, versionOf),
    served: served(ask),
    identity: identity(ask),
  };
}
