import { openRecent } from './recent.ts';

/** So many that differ in their words alone are told one by one, within so long. */
const mostApart = 9;
const withinMs = 600_000;
const mostKinds = 4_096;

type Similar = { readonly notes: Set<string>; lastMs: number };

/** Whether a note is to be told together with those that are like it. */
export function openSimilarEvents() {
  const seen = openRecent<Similar>(mostKinds);
  return (likeness: string, note: string, nowMs: number): boolean => {
    const similar = seen.at(likeness, () => ({ notes: new Set(), lastMs: nowMs }));
    if (nowMs - similar.lastMs > withinMs) similar.notes.clear();
    similar.lastMs = nowMs;
    if (similar.notes.has(note)) return false;
    if (similar.notes.size >= mostApart) return true;
    similar.notes.add(note);
    return false;
  };
}
