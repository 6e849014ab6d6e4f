import { setTimeout as pause } from 'node:timers/promises';
import type { Corpus } from './corpus.ts';
import { appName } from './outside.ts';
import { podOf } from './pod.ts';
import type { Stage, StatedNamespace } from './vector.ts';

type Waiting = {
  readonly waitMs: number;
  /** Each time that it is another reason than before. */
  readonly told: (why: string) => void;
};

/** The configuration may still have to be written, and the namespaces to be made. Whether it was ever ready. */
export async function awaitTarget(
  corpus: Pick<Corpus, 'namespaces'>,
  stage: Stage,
  { waitMs, told }: Waiting,
): Promise<boolean> {
  const end = performance.now() + waitMs;
  const last = { why: '' };
  for (;;) {
    const why = await whyNotReady(corpus, stage);
    if (why === undefined) return true;
    if (why !== last.why) told(why);
    last.why = why;
    if (performance.now() >= end) return false;
    await pause(500);
  }
}

async function whyNotReady(
  { namespaces }: Pick<Corpus, 'namespaces'>,
  stage: Stage,
): Promise<string | undefined> {
  const first = namespaces.find(({ name }) => name.endsWith('-system'));
  const last = namespaces.at(-1);
  if (first === undefined || last === undefined) return 'there is no namespace';
  const asking = async (namespace: StatedNamespace, tag: string) =>
    stage.admit({ namespace, object: podOf(`${appName}:${tag}`) });
  try {
    const signed = await asking(first, '1.0');
    if (!signed.admitted) return `what is signed is refused, ${told(first)}: ${signed.said}`;
    // The last to be made: all of them are there.
    const unsigned = await asking(last, 'unsigned');
    if (!unsigned.admitted) return undefined;
    return `what nobody signed is admitted, ${told(last)}: are the namespaces there, with their labels?`;
  } catch (cause) {
    return `it gives no answer: ${reasonOf(cause)}`;
  }
}

function told({ name }: StatedNamespace): string {
  return `in ${name}`;
}

const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'nobody knows the host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'state by --ca who issued its certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'state by --ca who issued its certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'state by --ca who issued its certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'state by --ca who issued its certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'state by --servername for whom it was issued',
};

/** With what to do about it. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const hint = 'code' in cause ? hints[String(cause.code)] : undefined;
  return hint === undefined ? cause.message : `${cause.message} (${hint})`;
}
