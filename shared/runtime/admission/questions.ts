import type { AdmissionFunction } from '#shared/define.ts';
import type { Ports } from '#shared/ports.ts';

/** What was asked of a port while a review was decided, and what it said. */
export type Question = { readonly ask: () => unknown; readonly answer: unknown };

export type Noted = {
  readonly questions: readonly Question[];
  /** Somebody asked what is asked of the cluster itself, each time anew. */
  readonly isLive: boolean;
};

type Open = { readonly questions: Question[]; isLive: boolean };

/** Ports that only tell, and tell the very same value until it changes. */
const tellingPorts: ReadonlySet<keyof Ports> = new Set([
  'settings',
  'namespaces',
  'nodes',
  'bootstrapDocument',
]);

/** It says so, and asks only those who tell. */
export function isRepeatable({ isRepeatable: isStated = false, uses }: AdmissionFunction): boolean {
  return isStated && uses.every((port) => tellingPorts.has(port));
}

export type Noting = {
  readonly noted: Noted;
  ask<T>(asking: () => T): T;
  portsOf(ports: Ports): Ports;
  namespacesOf<N extends Pick<Ports['namespaces'], 'find' | 'findLive'>>(namespaces: N): N;
};

export function openNoting(): Noting {
  const noted: Open = { questions: [], isLive: false };
  const ask = <T>(asking: () => T): T => {
    const answer = asking();
    noted.questions.push({ ask: asking, answer });
    return answer;
  };
  const askLive = <T>(asking: () => T): T => {
    noted.isLive = true;
    return asking();
  };
  const namespacesOf: Noting['namespacesOf'] = (namespaces) => ({
    ...namespaces,
    find: (name: string) => ask(() => namespaces.find(name)),
    findLive: (name: string) => askLive(() => namespaces.findLive(name)),
  });
  return {
    noted,
    ask,
    namespacesOf,
    portsOf: (ports) => ({
      ...ports,
      settings: { current: () => ask(() => ports.settings.current()) },
      nodes: { list: (selector) => ask(() => ports.nodes.list(selector)) },
      // A list is a new one each time: it is nothing that could be the very same.
      namespaces: {
        ...namespacesOf(ports.namespaces),
        list: (selector) => askLive(() => ports.namespaces.list(selector)),
      },
      bootstrapDocument: {
        current: () => ask(() => ports.bootstrapDocument.current()),
        problems: () => ask(() => ports.bootstrapDocument.problems()),
        readLive: () => askLive(() => ports.bootstrapDocument.readLive()),
        trustBundle: (name) => ask(() => ports.bootstrapDocument.trustBundle(name)),
      },
    }),
  };
}

/** Whether each would be told the very same again, the same value and not one like it. What has to be waited for is not. */
export function wouldHearTheSame(questions: readonly Question[]): boolean | Promise<boolean> {
  const [later, atOnce] = parted(questions);
  if (!atOnce.every(({ ask, answer }) => ask() === answer)) return false;
  return later.length === 0 || soon(hearTheSame(later));
}

function parted(questions: readonly Question[]) {
  const isLater = ({ answer }: Question) => answer instanceof Promise;
  return [questions.filter(isLater), questions.filter((each) => !isLater(each))] as const;
}

async function hearTheSame(questions: readonly Question[]): Promise<boolean> {
  const [now, then] = await Promise.all([
    Promise.all(questions.map(({ ask }) => ask())),
    Promise.all(questions.map(({ answer }) => answer)),
  ]);
  return now.every((answer, index) => answer === then[index]);
}

/** What is in memory is told before the next immediate. Whoever decides anew waits as long as it may wait. */
function soon(answer: Promise<boolean>): Promise<boolean> {
  return new Promise((resolve) => {
    const tooLate = setImmediate(resolve, false);
    const settle = (isSame: boolean) => {
      clearImmediate(tooLate);
      resolve(isSame);
    };
    answer.then(settle, () => settle(false));
  });
}
