import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '#shared/domain/json.ts';
import { applyPatch, type Operation } from '#shared/domain/json-patch.ts';
import { stayAwake } from './awake.ts';
import { type Connection, openConnection, type Peer } from './connection.ts';
import { requestHead } from './request.ts';
import { placeholderUid } from './review.ts';
import { percentile } from './statistics.ts';
import { doJobs } from './worker.ts';

/** A process of its own that takes pods through their webhooks as the API server does: one after another, each seeing what the one before made. */
export type PodJob = {
  readonly peer: Peer;
  /** Called in this order for each pod. */
  readonly paths: readonly string[];
  readonly review: string;
  /** Pods on their way at the same time. */
  readonly lanes: number;
  readonly seconds: number;
};

export type PodOutcome = {
  readonly pods: number;
  readonly perSecond: number;
  readonly millis: Readonly<Record<'p50' | 'p99', number>>;
  /** As it was in the end; the same for each, or it throws. */
  readonly pod: JsonObject;
};

type Review = { request: { readonly uid: string; object: JsonObject } };

/** What the API server does with an answer before it asks the next webhook. */
function afterAnswer(pod: JsonObject, status: number, body: Buffer): JsonObject {
  const { response } = JSON.parse(body.toString('utf8'));
  if (status !== 200 || response.allowed !== true || response.uid !== placeholderUid) {
    throw new Error(`HTTP ${status}: ${body.toString('utf8')}`);
  }
  const patch: Operation[] = JSON.parse(Buffer.from(response.patch, 'base64').toString('utf8'));
  return applyPatch(pod, patch);
}

/** One connection, one pod at a time. */
async function openLane({ peer, paths, review }: PodJob) {
  let waiting: PromiseWithResolvers<JsonObject> | undefined;
  let pod: JsonObject = {};
  const connection: Connection = await openConnection(peer, {
    answered(status, body) {
      try {
        waiting?.resolve(afterAnswer(pod, status, body));
      } catch (cause: unknown) {
        waiting?.reject(cause);
      }
    },
    lost: (why) => waiting?.reject(new Error(why)),
  });
  const parsed: Review = JSON.parse(review);
  const original = parsed.request.object;
  const ask = (path: string): Promise<JsonObject> => {
    const body = JSON.stringify({ ...parsed, request: { ...parsed.request, object: pod } });
    const length = Buffer.byteLength(body);
    const head = requestHead({ host: peer.serverName, path, timeoutSeconds: 5 }, length);
    waiting = Promise.withResolvers();
    connection.send(Buffer.from(head + body, 'utf8'));
    return waiting.promise;
  };
  return {
    close: connection.close,
    async one(): Promise<JsonObject> {
      pod = original;
      for (const path of paths) pod = await ask(path);
      return pod;
    },
  };
}

export async function performPods(job: PodJob): Promise<PodOutcome> {
  const lanes = await Promise.all(Array.from({ length: job.lanes }, () => openLane(job)));
  const millis: number[] = [];
  const sleep = stayAwake();
  const began = performance.now();
  const until = began + job.seconds * 1000;
  const first = await lanes[0]?.one();
  if (first === undefined) throw new Error('no lane');
  await Promise.all(
    lanes.map(async (lane) => {
      for (let now = performance.now(); now < until; now = performance.now()) {
        const pod = await lane.one();
        millis.push(performance.now() - now);
        // Comparing each would be the larger part of the client's work.
        if (millis.length % 100 === 0) mustBeSame(pod, first);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  sleep();
  for (const lane of lanes) lane.close();
  const sorted = millis.toSorted((a, b) => a - b);
  return {
    pods: millis.length,
    perSecond: millis.length / seconds,
    millis: { p50: percentile(sorted, 50), p99: percentile(sorted, 99) },
    pod: first,
  };
}

function mustBeSame(pod: JsonObject, first: JsonObject): void {
  if (!isDeepStrictEqual(pod, first)) throw new Error('a pod came out unlike the first one');
}

doJobs(performPods);
