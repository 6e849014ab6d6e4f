import { readdirSync, readFileSync } from 'node:fs';

type Process = { readonly pid: number; readonly parent: number; readonly begun: string };

/** Whom a process has started, and those whom they have. */
export function descendantsOf(pid: number): readonly Process[] {
  const all = processes();
  const found: Process[] = [];
  for (let parents = [pid]; parents.length > 0; ) {
    const children = all.filter(({ parent }) => parents.includes(parent));
    found.push(...children);
    parents = children.map((child) => child.pid);
  }
  return found;
}

/** Those of them that still run; another one may have got the number since. */
export function stillThere(some: readonly Process[]): readonly Process[] {
  const all = processes();
  return some.filter(({ pid, begun }) =>
    all.some((each) => each.pid === pid && each.begun === begun),
  );
}

function processes(): readonly Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => processOf(Number(name)));
}

function processOf(pid: number): readonly Process[] {
  const [state, parent, begun] = statOf(pid);
  // Dead, and nobody has asked for its exit code yet.
  if (state === undefined || state === 'Z') return [];
  return [{ pid, parent: Number(parent), begun: String(begun) }];
}

/** Nothing of one that ended while we looked. */
function statOf(pid: number): readonly (string | undefined)[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(') ') + 2).split(' ');
    return [fields[0], fields[1], fields[19]];
  } catch {
    return [];
  }
}
