/** So many that differ in their words alone are told one by one, within so long. */
const mostApart = 9;
const withinMs = 600_000;
const mostKinds = 4_096;

type Similar = { readonly notes: Set<string>; lastMs: number };

/** Whether a note is to be told together with those that are like it. */
export function openSimilarEvents() {
  const seen = new Map<string, Similar>();
  return (likeness: string, note: string, nowMs: number): boolean => {
    const before = seen.get(likeness);
    const isFresh = before !== undefined && nowMs - before.lastMs <= withinMs;
    const similar: Similar = isFresh ? before : { notes: new Set(), lastMs: nowMs };
    similar.lastMs = nowMs;
    seen.delete(likeness);
    seen.set(likeness, similar);
    const [oldest] = seen.keys();
    if (seen.size > mostKinds && oldest !== undefined) seen.delete(oldest);
    if (similar.notes.has(note)) return false;
    if (similar.notes.size >= mostApart) return true;
    similar.notes.add(note);
    return false;
  };
}
