import { setTimeout as pause } from 'node:timers/promises';
import { admitThrough, type Post } from '#test/attacks/admit.ts';
import { podOf } from '#test/attacks/pod.ts';
import type { StatedNamespace } from '#test/attacks/vector.ts';

export type Sort = 'known' | 'new' | 'evil';

export type Reviewed = {
  readonly sort: Sort;
  readonly image: string;
  readonly admitted: boolean;
  readonly said: string;
  /** Of whichever call took longest. */
  readonly slowestMs: { readonly mutate: number; readonly validate: number };
  /** What was broken when it was asked. */
  readonly during: string;
};

export type Reviews = {
  readonly done: readonly Reviewed[];
  forget(): void;
  during: string;
  /** Now, beside the others. */
  ask(sort: Sort, image: string): Promise<Reviewed>;
  stop(): Promise<void>;
};

type Asking = {
  readonly post: Post;
  readonly namespace: StatedNamespace;
  readonly perSecond: number;
  /** What to ask for next. */
  next(count: number): readonly [Sort, string];
};

/** Pods at a steady rate, however long those before them take. */
export function startReviews({ post, namespace, perSecond, next }: Asking): Reviews {
  const done: Reviewed[] = [];
  const ending = new AbortController();
  const state = { during: 'nothing' };
  const ask = async (sort: Sort, image: string): Promise<Reviewed> => {
    const { during } = state;
    const took = { mutate: 0, validate: 0 };
    const timed: Post = async (path, review) => {
      const began = performance.now();
      const answer = await post(path, review);
      took[path.startsWith('/mutate') ? 'mutate' : 'validate'] = performance.now() - began;
      return answer;
    };
    const asked = { namespace, object: podOf(image) };
    const { admitted, said } = await admitThrough(timed, asked).catch((cause: unknown) => {
      return { admitted: false, said: `no answer: ${String(cause)}` };
    });
    const reviewed = { sort, image, admitted, said, slowestMs: took, during };
    done.push(reviewed);
    return reviewed;
  };
  const running = (async () => {
    const under: Promise<unknown>[] = [];
    for (let count = 0; !ending.signal.aborted; count += 1) {
      under.push(ask(...next(count)));
      await pause(1_000 / perSecond);
    }
    await Promise.all(under);
  })();
  return {
    done,
    ask,
    forget: () => void done.splice(0),
    get during() {
      return state.during;
    },
    set during(what) {
      state.during = what;
    },
    async stop() {
      ending.abort();
      await running;
    },
  };
}
